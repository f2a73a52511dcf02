import { createHash } from 'node:crypto';

/**
 * How the members of a group share partitions: partition p of all topics goes to one member. All of this file is pure except the end of
 * the wrapper.
 */

export interface Member {
  readonly id: string;
  /** Partitions that it held when it joined. */
  readonly owned: readonly number[];
  /** Generation of the group in which it held them; -1: not known. If two members claim a partition, the later generation wins. */
  readonly generation: number;
}

/**
 * Assigns partitions evenly, to within one, and moves as few as an even assignment allows: a member keeps what it holds up to
 * its share, and the larger shares go to the members that hold most. The order of the input does not matter.
 */
export function share(
  members: readonly Member[],
  partitions: readonly number[],
): ReadonlyMap<string, readonly number[]> {
  const holders = holdersOf(members, partitions);
  const held = new Map<string, number[]>(members.map(({ id }) => [id, []]));
  const free: number[] = [];
  for (const partition of [...partitions].sort((a, b) => a - b)) {
    const holder = holders.get(partition);
    const list = holder === undefined ? free : held.get(holder.id);
    (list ?? free).push(partition);
  }
  const order = [...held].sort(([a, mine], [b, theirs]) => theirs.length - mine.length || (a < b ? -1 : 1));
  const least = Math.floor(partitions.length / members.length);
  const larger = partitions.length % members.length;
  const shares = order.map(([id, kept], i) => {
    const size = least + (i < larger ? 1 : 0);
    free.push(...kept.slice(size));
    return { id, size, kept: kept.slice(0, size) };
  });
  free.sort((a, b) => a - b);
  let next = 0;
  return new Map(
    shares.map(({ id, size, kept }) => {
      const added = free.slice(next, next + size - kept.length);
      next += added.length;
      return [id, [...kept, ...added].sort((a, b) => a - b)];
    }),
  );
}

function holdersOf(members: readonly Member[], partitions: readonly number[]): ReadonlyMap<number, Member> {
  const exists = new Set(partitions);
  const holders = new Map<number, Member>();
  for (const member of members) {
    for (const partition of member.owned) {
      if (!exists.has(partition)) continue;
      const other = holders.get(partition);
      const wins =
        other === undefined ||
        member.generation > other.generation ||
        (member.generation === other.generation && member.id < other.id);
      if (wins) holders.set(partition, member);
    }
  }
  return holders;
}

/** What a member sends when it joins. */
type Holdings = Pick<Member, 'owned' | 'generation'>;

const FORMAT = 1;
const NOTHING: Holdings = { owned: [], generation: -1 };

/** A format byte, then the generation and the partitions as 32-bit integers. */
export function encodeHoldings({ owned, generation }: Holdings): Buffer {
  const bytes = Buffer.alloc(5 + 4 * owned.length);
  bytes.writeUInt8(FORMAT, 0);
  bytes.writeInt32BE(generation, 1);
  for (let i = 0; i < owned.length; i++) bytes.writeInt32BE(owned[i], 5 + 4 * i);
  return bytes;
}

/** Holdings that cannot be read count as nothing held. */
export function decodeHoldings(bytes: Buffer): Holdings {
  if (bytes.length < 5 || bytes[0] !== FORMAT || (bytes.length - 5) % 4 !== 0) return NOTHING;
  const owned: number[] = [];
  for (let at = 5; at < bytes.length; at += 4) owned.push(bytes.readInt32BE(at));
  return { owned, generation: bytes.readInt32BE(1) };
}

/** An error for partitions that cannot be assigned; the message says why and what to do. */
class UnequalSubscriptions extends Error {
  override readonly name = 'UnequalSubscriptions';
}

/** The used parts of kafkajs' protocol of groups. */
interface GroupProtocol {
  readonly MemberMetadata: {
    encode(metadata: { version: number; topics: string[]; userData: Buffer }): Buffer;
    decode(bytes: Buffer): { topics: string[]; userData: Buffer } | null;
  };
  readonly MemberAssignment: {
    encode(assignment: { version: number; assignment: Record<string, number[]>; userData: Buffer }): Buffer;
  };
}

interface Group {
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
  readonly topics: readonly string[];
}

interface Assigner {
  name: string;
  version: number;
  assign(group: Group): Promise<{ memberId: string; memberAssignment: Buffer }[]>;
  protocol(subscription: { topics: string[] }): { name: string; metadata: Buffer };
}

const ASSIGNER_NAME = 'receval-co-partitioned-1';
const VERSION = 1;

/**
 * Name of the group protocol. A broker admits only members with the same protocol name to a group, so a worker with another
 * assigner or other topics is refused without disturbing the others.
 */
export function assignerName(topics: readonly string[]): string {
  const digest = createHash('sha256')
    .update([...topics].sort().join('\n'))
    .digest('hex');
  return `${ASSIGNER_NAME}-${digest.slice(0, 8)}`;
}

/** The assigner in kafkajs' form. Only partitions that all topics have are assigned; the members compare the counts after joining. */
export function coPartitionedAssigner(
  protocol: GroupProtocol,
  name: string,
  holdings: () => Holdings,
  partitionsOf: (topic: string) => readonly number[],
): Assigner {
  return {
    name,
    version: VERSION,
    async assign({ members, topics }) {
      const known = members.map(({ memberId, memberMetadata }) => {
        const metadata = protocol.MemberMetadata.decode(memberMetadata);
        const theirs = metadata?.topics ?? [];
        if (!isSame(theirs, topics)) throw unequal(memberId, theirs, topics);
        return { id: memberId, ...decodeHoldings(metadata?.userData ?? Buffer.alloc(0)) };
      });
      const [first = [], ...others] = topics.map(partitionsOf);
      const shared = first.filter((partition) => others.every((list) => list.includes(partition)));
      return [...share(known, shared)].map(([memberId, partitions]) => ({
        memberId,
        memberAssignment: protocol.MemberAssignment.encode({
          version: VERSION,
          assignment: Object.fromEntries(topics.map((topic) => [topic, [...partitions]])),
          userData: Buffer.alloc(0),
        }),
      }));
    },
    protocol({ topics }) {
      const metadata = { version: VERSION, topics, userData: encodeHoldings(holdings()) };
      return { name, metadata: protocol.MemberMetadata.encode(metadata) };
    },
  };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().every((topic, i) => topic === [...b].sort()[i]);
}

function unequal(member: string, theirs: readonly string[], ours: readonly string[]): UnequalSubscriptions {
  return new UnequalSubscriptions(
    `consumer group: member ${member} reads the topics ${theirs.join(', ')}, this worker reads ${ours.join(', ')}; ` +
      'partitions can only be shared when all workers of a group read the same topics: give all the same configuration, ' +
      'or another kafka.groupId',
  );
}

/** Which of the assigned partitions came with all topics, and which did not. */
export function pairing(
  topics: readonly string[],
  assigned: Readonly<Record<string, readonly number[]>>,
): { readonly paired: readonly number[]; readonly unpaired: readonly number[] } {
  const lists = topics.map((topic) => new Set(assigned[topic] ?? []));
  const all = [...new Set(lists.flatMap((list) => [...list]))].sort((a, b) => a - b);
  const isPaired = (partition: number): boolean => lists.every((list) => list.has(partition));
  return { paired: all.filter(isPaired), unpaired: all.filter((partition) => !isPaired(partition)) };
}
