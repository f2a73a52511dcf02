import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ENOUGH_BYTES,
  type FetchedPartition,
  type FetchingGroup,
  type TopicPartitions,
  waitingForEnough,
} from '../../../../../src/consumers/source/kafka/access/fetch-waits.ts';
import type { Message } from '../../../../../src/consumers/source/kafka/flow/batches.ts';

const RECORD: Message = { offset: '1', timestamp: '-1', key: null, value: null };
const FIRST_BYTE = 7;
const USUAL_WAIT = 500;
const TOPICS = ['impressions', 'feedback'];
const PARTITIONS = Array.from({ length: 1000 }, (_, p) => p);

function batchOf(bytes: number): Message {
  return { ...RECORD, stand: { kind: 'batch', bytes: Buffer.alloc(bytes) } };
}

const ENOUGH = batchOf(ENOUGH_BYTES);
const LITTLE = batchOf(ENOUGH_BYTES - 1);

interface Options {
  readonly sessionTimeout: number;
  readonly maxWaitTime: number;
}

/** What a broker was asked for. */
interface Asked {
  readonly nodeId: string;
  readonly partitions: number;
  readonly minBytes: number;
  readonly maxWaitTime: number;
  readonly answer: (...partitions: (readonly Message[])[]) => void;
}

/** Everything that a group was asked for. */
class Requests {
  readonly #asked: Asked[] = [];
  #notice: () => void = () => {};
  /** Fetches that have begun. */
  looks = 0;

  sent(partitions: Omit<Asked, 'answer'>): Promise<readonly FetchedPartition[]> {
    return new Promise((resolve) => {
      const answer: Asked['answer'] = (...fetched) => resolve(fetched.map((rawMessages) => ({ rawMessages })));
      this.#asked.push({ ...partitions, answer });
      this.#notice();
    });
  }

  async next(): Promise<Asked> {
    if (this.#asked.length === 0) {
      await new Promise<void>((resolve) => {
        this.#notice = resolve;
      });
    }
    const [first] = this.#asked.splice(0, 1);
    return first;
  }
}

/**
 * Fetches as kafkajs does: first it looks for what its broker leads, then for what is not paused, and only then it reads for how long to
 * wait. Without any partition it sleeps for so long. Partition p of 1,000 is led by broker p % 2.
 */
class Group implements FetchingGroup {
  readonly sessionTimeout: number;
  readonly maxWaitTime: number;
  readonly minBytes = FIRST_BYTE;
  readonly requests = new Requests();
  active = new Map(TOPICS.map((topic) => [topic, new Set<number>()]));
  generation = 1;
  /** What the next fetch runs into. */
  trouble: 'error' | 'forgetful' | 'leaders unknown' | undefined;
  /** Called while a fetch waits for positions, before it looks for what is not paused. */
  onSeek = (): void => {};

  constructor({ sessionTimeout, maxWaitTime }: Options) {
    this.sessionTimeout = sessionTimeout;
    this.maxWaitTime = maxWaitTime;
  }

  getActiveTopicPartitions(): Record<string, ReadonlySet<number>> {
    return Object.fromEntries(this.active);
  }

  filterPartitionsByNode(nodeId: string, assigned: readonly TopicPartitions[]): TopicPartitions[] {
    if (this.trouble === 'leaders unknown') throw new Error('no metadata');
    const isLed = (one: number): boolean => one % 2 === Number(nodeId);
    return assigned.map(({ topic, partitions }) => ({ topic, partitions: partitions.filter(isLed) }));
  }

  resume(topicPartitions: readonly TopicPartitions[]): void {
    for (const { topic, partitions } of topicPartitions) for (const one of partitions) this.active.get(topic)?.add(one);
  }

  async recoverFromFetch(): Promise<void> {
    this.generation++;
  }

  async fetch(nodeId: string): Promise<readonly FetchedPartition[]> {
    this.requests.looks++;
    const led = this.filterPartitionsByNode(
      nodeId,
      TOPICS.map((topic) => ({ topic, partitions: PARTITIONS })),
    );
    await Promise.resolve();
    this.onSeek();
    const active = this.getActiveTopicPartitions();
    if (this.trouble === 'forgetful') this.generation = 0;
    if (this.trouble === 'error') {
      await this.recoverFromFetch();
      return [];
    }
    const partitions = led.flatMap((of) => of.partitions.filter((one) => active[of.topic].has(one))).length;
    const { minBytes, maxWaitTime } = this;
    if (partitions > 0) return this.requests.sent({ nodeId, partitions, minBytes, maxWaitTime });
    await new Promise((resolve) => setTimeout(resolve, maxWaitTime));
    return [];
  }
}

function groupOf(options: Partial<Options> = {}): Group {
  const made = new (waitingForEnough(Group))({ sessionTimeout: 30_000, maxWaitTime: USUAL_WAIT, ...options });
  if (!(made instanceof Group)) throw new Error('no group');
  return made;
}

function resume(member: Group, ...partitions: number[]): void {
  member.resume([{ topic: TOPICS[0], partitions }]);
}

function pauseAll(member: Group): void {
  for (const partitions of member.active.values()) partitions.clear();
}

/** One fetch, and for how many bytes it waited. */
async function waitedFor(member: Group, nodeId: string, ...brought: (readonly Message[])[]): Promise<number> {
  const fetch = member.fetch(nodeId);
  const { minBytes, answer } = await member.requests.next();
  answer(...brought);
  await fetch;
  return minBytes;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a fetch', () => {
  it('waits until there is enough, after one that has brought less', async () => {
    const member = groupOf();
    resume(member, 0);
    const waits: number[] = [];
    for (let n = 0; n < 3; n++) waits.push(await waitedFor(member, '0', [LITTLE]));
    expect(waits).toEqual([FIRST_BYTE, ENOUGH_BYTES, ENOUGH_BYTES]);
  });

  it('waits for the first byte after one that has brought enough from all partitions together, records and batches', async () => {
    const member = groupOf();
    resume(member, 0, 2);
    const half = ENOUGH_BYTES / 2;
    const brought = [[batchOf(half)], [{ ...RECORD, value: Buffer.alloc(half - 1) }, batchOf(1)]];
    const waits: number[] = [];
    for (let n = 0; n < 3; n++) waits.push(await waitedFor(member, '0', ...brought));
    expect(waits).toEqual([FIRST_BYTE, FIRST_BYTE, FIRST_BYTE]);
  });

  it('waits for the first byte after a resume, once', async () => {
    const member = groupOf();
    resume(member, 0);
    await waitedFor(member, '0');
    resume(member, 2);
    expect(await waitedFor(member, '0')).toBe(FIRST_BYTE);
    expect(await waitedFor(member, '0')).toBe(ENOUGH_BYTES);
  });

  it('waits for the first byte after a resume while the one before it was under way', async () => {
    const member = groupOf();
    resume(member, 0);
    await waitedFor(member, '0');
    const before = member.fetch('0');
    const { minBytes, partitions, answer } = await member.requests.next();
    expect([minBytes, partitions]).toEqual([ENOUGH_BYTES, 1]);
    resume(member, 2);
    answer([LITTLE]);
    await before;
    expect(await waitedFor(member, '0')).toBe(FIRST_BYTE);
    expect(await waitedFor(member, '0')).toBe(ENOUGH_BYTES);
  });

  it('waits for the first byte after a resume, however many fetches of other brokers end before it', async () => {
    const member = groupOf();
    resume(member, 0, 1);
    for (const nodeId of ['0', '1']) await waitedFor(member, nodeId);
    const before = member.fetch('0');
    const { answer } = await member.requests.next();
    resume(member, 2, 3);
    for (const wait of [FIRST_BYTE, ENOUGH_BYTES]) expect(await waitedFor(member, '1', [LITTLE])).toBe(wait);
    answer([LITTLE]);
    await before;
    expect(await waitedFor(member, '0')).toBe(FIRST_BYTE);
  });

  it('waits for as much as its own broker calls for, while another broker is asked too', async () => {
    const member = groupOf();
    resume(member, 0, 1);
    await waitedFor(member, '0', [LITTLE]);
    await waitedFor(member, '1', [ENOUGH]);
    const fetches = ['0', '1'].map((nodeId) => member.fetch(nodeId));
    const requests = [await member.requests.next(), await member.requests.next()];
    expect(requests.map(({ nodeId, minBytes }) => [nodeId, minBytes])).toEqual([
      ['0', ENOUGH_BYTES],
      ['1', FIRST_BYTE],
    ]);
    for (const { answer } of requests) answer();
    expect(await Promise.all(fetches)).toEqual([[], []]);
  });

  it('returns nothing of partitions that have nothing, and all of the others, in their order', async () => {
    const member = groupOf();
    resume(member, 0);
    const control: Message = { ...RECORD, isControlRecord: true };
    const aborted: Message = { ...RECORD, stand: { kind: 'aborted' } };
    const fetch = member.fetch('0');
    (await member.requests.next()).answer([], [RECORD], [], [control], [aborted], []);
    expect(await fetch).toEqual([[RECORD], [control], [aborted]].map((rawMessages) => ({ rawMessages })));
  });

  it('that fails is recovered from by the group itself, which joins again', async () => {
    const member = groupOf();
    member.trouble = 'error';
    expect(await member.fetch('0')).toEqual([]);
    expect(member.generation).toBe(2);
  });

  it('that fails has not shown that there is little, and the next one begins at once', async () => {
    const member = groupOf();
    resume(member, 0);
    await waitedFor(member, '0', [ENOUGH]);
    member.trouble = 'error';
    await member.fetch('0');
    member.trouble = undefined;
    expect(await waitedFor(member, '0')).toBe(FIRST_BYTE);
    pauseAll(member);
    member.trouble = 'error';
    expect(await member.fetch('0')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may not change the group in another way, as that would be lost', async () => {
    const member = groupOf();
    member.trouble = 'forgetful';
    await expect(member.fetch('0')).rejects.toThrow(TypeError);
    expect(member.generation).toBe(1);
  });
});

describe('how long a fetch waits', () => {
  /** By numbers of partitions that the broker leads, of both topics alike. */
  async function longest(member: Group, counts: readonly number[]): Promise<number[]> {
    const waits: number[] = [];
    for (const count of counts) {
      const led = PARTITIONS.filter((p) => p % 2 === 1);
      const halves = [led.slice(0, Math.ceil(count / 2)), led.slice(0, Math.floor(count / 2))];
      // What another broker leads does not count.
      member.active = new Map(TOPICS.map((topic, t) => [topic, new Set([0, 2, 4, ...halves[t]])]));
      const fetch = member.fetch('1');
      const { partitions, maxWaitTime, answer } = await member.requests.next();
      expect(partitions).toBe(count);
      waits.push(maxWaitTime);
      answer();
      await fetch;
    }
    return waits;
  }

  it('is twice as long where it asks its broker for many partitions, until they are fewer', async () => {
    expect(await longest(groupOf(), [64, 64, 65, 256, 64])).toEqual([500, 500, 1000, 1000, 500]);
  });

  it('is never more than a sixth of the session', async () => {
    const member = groupOf({ sessionTimeout: 3_000, maxWaitTime: 300 });
    expect(await longest(member, [1, 1, 65])).toEqual([300, 300, 500]);
  });

  it('is the shorter time after a resume, since more may be resumed', async () => {
    const member = groupOf();
    expect(await longest(member, [256, 256])).toEqual([500, 1000]);
    resume(member, 4);
    expect(await longest(member, [256, 256])).toEqual([500, 1000]);
  });
});

describe('where all that a broker leads is paused, the next fetch', () => {
  /** Starts a fetch, and returns a function that says whether it has ended. */
  function begin(member: Group, nodeId: string): () => boolean {
    let hasEnded = false;
    member.fetch(nodeId).then((fetched) => {
      expect(fetched).toEqual([]);
      hasEnded = true;
    });
    return () => hasEnded;
  }

  it('begins after the usual time, and the one before it did what a fetch does else', async () => {
    const member = groupOf();
    const hasEnded = begin(member, '0');
    await vi.advanceTimersByTimeAsync(USUAL_WAIT - 1);
    expect(hasEnded()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(hasEnded()).toBe(true);
    expect(member.requests.looks).toBe(1);
  });

  it('begins as soon as one of them is resumed, also while partitions of another broker are read', async () => {
    const member = groupOf();
    resume(member, 1);
    const hasEnded = begin(member, '0');
    await vi.advanceTimersByTimeAsync(20);
    expect(hasEnded()).toBe(false);
    resume(member, 2);
    await vi.advanceTimersByTimeAsync(0);
    expect(hasEnded()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(await waitedFor(member, '0')).toBe(FIRST_BYTE);
  });

  it('does not begin earlier because something is resumed that another broker leads', async () => {
    const member = groupOf();
    const [first, second] = ['0', '1'].map((nodeId) => begin(member, nodeId));
    await vi.advanceTimersByTimeAsync(20);
    resume(member, 1, 3);
    await vi.advanceTimersByTimeAsync(0);
    expect([first(), second()]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(USUAL_WAIT);
    expect(first()).toBe(true);
  });

  it('begins as soon as anything is resumed while nobody knows the leaders', async () => {
    const member = groupOf();
    const hasEnded = begin(member, '0');
    await vi.advanceTimersByTimeAsync(20);
    member.trouble = 'leaders unknown';
    resume(member, 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(hasEnded()).toBe(true);
  });

  it('begins at once if something was resumed while the one before it looked', async () => {
    const member = groupOf();
    member.onSeek = () => {
      resume(member, 0);
      pauseAll(member);
    };
    const hasEnded = begin(member, '0');
    await vi.advanceTimersByTimeAsync(0);
    expect(hasEnded()).toBe(true);
  });

  it('begins as soon as one is resumed, also if they were paused while the one before it looked', async () => {
    const member = groupOf();
    resume(member, 0);
    member.onSeek = () => pauseAll(member);
    const hasEnded = begin(member, '0');
    await vi.advanceTimersByTimeAsync(20);
    expect(hasEnded()).toBe(false);
    resume(member, 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(hasEnded()).toBe(true);
  });
});
