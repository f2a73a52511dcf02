import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kafkajs } from '../../../../../src/consumers/source/kafka/access/client.ts';
import {
  assignerName,
  coPartitionedAssigner,
  decodeHoldings,
  encodeHoldings,
  type Member,
  pairing,
  share,
} from '../../../../../src/consumers/source/kafka/flow/assigner.ts';

const { AssignerProtocol } = kafkajs;

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const fresh = (id: string): Member => ({ id, owned: [], generation: -1 });
const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 9 });
const partitionCount = fc.integer({ min: 0, max: 40 });
const anyMember = (id: string) =>
  fc.record({
    id: fc.constant(id),
    owned: fc.array(fc.integer({ min: -3, max: 45 }), { maxLength: 45 }),
    generation: fc.nat(3),
  });
const members = ids.chain((list) => fc.tuple(...list.map(anyMember)));

function holding(
  shares: ReadonlyMap<string, readonly number[]>,
  staying: readonly string[],
  generation: number,
): Member[] {
  return staying.map((id) => ({ id, owned: shares.get(id) ?? [], generation: shares.has(id) ? generation : -1 }));
}

/** Partitions that a member got and did not hold. */
function moves(before: readonly Member[], shares: ReadonlyMap<string, readonly number[]>): number {
  return before.flatMap(({ id, owned }) => (shares.get(id) ?? []).filter((p) => !owned.includes(p))).length;
}

describe('shares of partitions', () => {
  it('give each partition to exactly one member, whatever members claim', () => {
    fc.assert(
      fc.property(members, partitionCount, (list, n) => {
        const shares = share(list, range(n));
        expect([...shares.values()].flat().sort((a, b) => a - b)).toEqual(range(n));
        expect([...shares.keys()].sort()).toEqual(list.map(({ id }) => id).sort());
      }),
    );
  });

  it('are even within one', () => {
    fc.assert(
      fc.property(members, partitionCount, (list, n) => {
        const sizes = [...share(list, range(n)).values()].map((mine) => mine.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('do not depend on the order of members or partitions', () => {
    fc.assert(
      fc.property(members, partitionCount, (list, n) => {
        const backwards = share([...list].reverse(), range(n).reverse());
        for (const [id, mine] of share(list, range(n))) expect(backwards.get(id)).toEqual(mine);
      }),
    );
  });

  it('stay as they are while the members stay', () => {
    fc.assert(
      fc.property(ids, partitionCount, (list, n) => {
        const shares = share(list.map(fresh), range(n));
        expect(share(holding(shares, list, 1), range(n))).toEqual(shares);
      }),
    );
  });

  it('move only what a leaving member held', () => {
    fc.assert(
      fc.property(ids, partitionCount, (list, n) => {
        fc.pre(list.length > 1);
        const shares = share(list.map(fresh), range(n));
        const [gone, ...staying] = list;
        const before = holding(shares, staying, 1);
        expect(moves(before, share(before, range(n)))).toBe(shares.get(gone)?.length);
      }),
    );
  });

  it('move only what a joining member gets', () => {
    fc.assert(
      fc.property(ids, fc.string({ minLength: 5, maxLength: 5 }), partitionCount, (list, joining, n) => {
        const before = [...holding(share(list.map(fresh), range(n)), list, 1), fresh(joining)];
        const shares = share(before, range(n));
        expect(moves(before, shares)).toBe(shares.get(joining)?.length);
      }),
    );
  });

  it('move as few as an even share can', () => {
    fc.assert(
      fc.property(members, partitionCount, (list, n) => {
        const claims = new Map<string, number>(list.map(({ id }) => [id, 0]));
        for (const p of range(n)) {
          const holders = list.filter(({ owned }) => owned.includes(p));
          holders.sort((a, b) => b.generation - a.generation || (a.id < b.id ? -1 : 1));
          if (holders.length > 0) claims.set(holders[0].id, (claims.get(holders[0].id) ?? 0) + 1);
        }
        const least = Math.floor(n / list.length);
        const sorted = [...claims.values()].sort((a, b) => b - a);
        const most = sorted.reduce((sum, held, i) => sum + Math.min(held, least + (i < n % list.length ? 1 : 0)), 0);
        const shares = share(list, range(n));
        const kept = range(n).filter((p) => {
          const holders = list.filter(({ owned }) => owned.includes(p));
          holders.sort((a, b) => b.generation - a.generation || (a.id < b.id ? -1 : 1));
          return holders.length > 0 && shares.get(holders[0].id)?.includes(p);
        });
        expect(kept).toHaveLength(most);
      }),
    );
  });

  it('believe the later of two claims, as the earlier is of a member that was away', () => {
    const zombie = { id: 'a', owned: [0, 1], generation: 3 };
    const owner = { id: 'b', owned: [0, 1], generation: 4 };
    const shares = share([zombie, owner], [0, 1]);
    expect(shares.get('b')).toEqual([0]);
    expect(shares.get('a')).toEqual([1]);
    expect(share([zombie, owner, fresh('c')], range(3)).get('b')).toEqual([0]);
    expect(share([zombie, { ...owner, owned: [1] }], [0, 1])).toEqual(
      new Map([
        ['a', [0]],
        ['b', [1]],
      ]),
    );
  });

  it('leave members without a partition when there are more members', () => {
    expect(share(['a', 'b', 'c'].map(fresh), [0])).toEqual(
      new Map([
        ['a', [0]],
        ['b', []],
        ['c', []],
      ]),
    );
  });
});

describe('what members tell of their holdings', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000)), fc.integer({ min: -1, max: 2 ** 31 - 1 }), (owned, generation) => {
        expect(decodeHoldings(encodeHoldings({ owned, generation }))).toEqual({ owned, generation });
      }),
    );
  });

  it('counts as nothing when it cannot be read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const { owned } = decodeHoldings(Buffer.from(bytes));
        expect(owned.length).toBeLessThanOrEqual(bytes.length / 4);
      }),
    );
    for (const bytes of [[], [2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 9]]) {
      expect(decodeHoldings(Buffer.from(bytes))).toEqual({ owned: [], generation: -1 });
    }
  });
});

describe('the assigner', () => {
  const counts: Readonly<Record<string, number>> = { impressions: 3, clicks: 3, buys: 5 };
  const make = (owned: number[] = []) =>
    coPartitionedAssigner(
      AssignerProtocol,
      'n',
      () => ({ owned, generation: 7 }),
      (topic) => range(counts[topic] ?? 0),
    );

  async function assigned(topics: string[], memberTopics: readonly string[][]): Promise<Record<string, number[]>[]> {
    const group = memberTopics.map((list, i) => ({
      memberId: `m${i}`,
      memberMetadata: make().protocol({ topics: list }).metadata,
    }));
    const shares = await make().assign({ members: group, topics });
    return shares.map(
      ({ memberAssignment }) => AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment ?? {},
    );
  }

  it('gives partition p of all topics to one member', async () => {
    const topics = ['impressions', 'clicks'];
    expect(await assigned(topics, [topics, ['clicks', 'impressions']])).toEqual([
      { impressions: [0, 1], clicks: [0, 1] },
      { impressions: [2], clicks: [2] },
    ]);
  });

  it('gives out no partition that a topic lacks', async () => {
    const topics = ['impressions', 'buys'];
    expect(await assigned(topics, [topics])).toEqual([{ impressions: [0, 1, 2], buys: [0, 1, 2] }]);
    expect(await assigned(['impressions', 'none'], [['impressions', 'none']])).toEqual([{ impressions: [], none: [] }]);
  });

  it('refuses members that read other topics, and says what to do', async () => {
    const topics = ['impressions', 'clicks'];
    for (const others of [['impressions'], ['impressions', 'buys'], [...topics, 'buys']]) {
      await expect(assigned(topics, [topics, others])).rejects.toThrow(
        /member m1 reads the topics .*same configuration/,
      );
    }
  });

  it('has a name that differs with the topics, but not with their order', () => {
    expect(assignerName(['a', 'b'])).toBe(assignerName(['b', 'a']));
    expect(assignerName(['a', 'b'])).not.toBe(assignerName(['a', 'c']));
    expect(assignerName(['a'])).toMatch(/^receval-co-partitioned-1-[0-9a-f]{8}$/);
  });

  it('shares with others what it holds', () => {
    const { metadata } = make([4, 2]).protocol({ topics: ['t'] });
    const { userData } = AssignerProtocol.MemberMetadata.decode(metadata) ?? { userData: Buffer.alloc(0) };
    expect(decodeHoldings(userData)).toEqual({ owned: [4, 2], generation: 7 });
  });
});

describe('the pairing of an assignment', () => {
  it('reports which partitions came with all topics, and which did not', () => {
    const topics = ['a', 'b'];
    expect(pairing(topics, { a: [10, 9], b: [9, 10] })).toEqual({ paired: [9, 10], unpaired: [] });
    expect(pairing(topics, { a: [0, 1], b: [1, 2] })).toEqual({ paired: [1], unpaired: [0, 2] });
    expect(pairing(topics, { a: [0] })).toEqual({ paired: [], unpaired: [0] });
    expect(pairing(topics, {})).toEqual({ paired: [], unpaired: [] });
    expect(pairing(topics, { a: [0], b: [0], c: [1] })).toEqual({ paired: [0], unpaired: [] });
  });
});
