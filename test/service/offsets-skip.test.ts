import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeCheckpoint,
  encodeCheckpoint,
  type UnitCheckpoint,
} from '../../src/accumulators/store/checkpoint-codec.ts';
import { OLDEST_FORMAT, unitKey } from '../../src/accumulators/store/layout.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { Commit } from '../../src/accumulators/store/store-port.ts';
import { noCounts } from '../../src/consumers/join/counts.ts';
import { commitSkip, recordsSkipped, type Skip, SkipRefused, skipped } from '../../src/service/topic-offsets.ts';

function checkpoint(changes: Partial<UnitCheckpoint> = {}): UnitCheckpoint {
  const topic = (committed: number) => ({
    committed,
    replay: committed - 60,
    replayWatermark: 4000,
    idleAdvances: [
      { before: committed - 10, watermark: 5000 },
      { before: committed, watermark: 9000 },
    ],
    clockDrops: [[committed - 5, committed - 4]] as const,
  });
  return {
    format: OLDEST_FORMAT,
    generation: '3',
    fingerprint: { shape: '{}', additive: '[]' },
    partitions: 4,
    incompleteBefore: Number.NEGATIVE_INFINITY,
    lostUpTo: Number.NEGATIVE_INFINITY,
    since: {},
    hasGap: false,
    feedbackFrom: Number.NEGATIVE_INFINITY,
    join: { topics: [topic(100), topic(200)], counts: [noCounts(2), noCounts(2)], watermark: 8000 },
    panes: { minutes: [[0, 2]], hours: [[0, 1]], admission: [] },
    runs: [],
    lastRecords: ['a', 'b'],
    ...changes,
  };
}

describe('a checkpoint that skips', () => {
  it('goes on at the offset in its topic alone, and keeps everything else', () => {
    const before = checkpoint();
    const after = skipped(before, 1, 250);
    expect(after.join.topics[1]).toEqual({
      committed: 250,
      replay: 250,
      replayWatermark: 9000,
      idleAdvances: [],
      clockDrops: [],
    });
    expect(after.join.topics[0]).toEqual(before.join.topics[0]);
    expect(after.lastRecords).toEqual(['a', undefined]);
    const { join, incompleteBefore: _, lastRecords: __, ...rest } = after;
    expect(before).toMatchObject(rest);
    expect(join.counts).toEqual(before.join.counts);
    expect(join.watermark).toBe(8000);
  });

  it('keeps the blocks of clock verdicts of the other topics, and has the format that they need', () => {
    const { join } = checkpoint();
    const counting = (...blocks: readonly number[]) =>
      checkpoint({
        format: 2,
        join: { ...join, topics: join.topics.map((topic, t) => ({ ...topic, clockBlocks: blocks[t] })) },
      });
    const kept = skipped(counting(3, 4), 1, 250);
    expect(kept.join.topics.map(({ clockBlocks }) => clockBlocks)).toEqual([3, undefined]);
    expect(kept.format).toBe(2);
    expect(skipped(counting(0, 4), 1, 250).format).toBe(OLDEST_FORMAT);
  });

  it('keeps the places that are stored beside it, and the format that they need', () => {
    const { panes } = checkpoint();
    const large = { by: ['country'], folded: 5000, places: [600, 700] as const };
    const kept = skipped(checkpoint({ format: 3, panes: { ...panes, admission: [large] } }), 0, 101);
    expect(kept).toMatchObject({ format: 3, panes: { admission: [large] } });
    expect(decodeCheckpoint(encodeCheckpoint(kept))).toEqual(kept);
  });

  it('starts with a watermark that is at least the unit’s own, and never above what the topic has reached', () => {
    const { join } = checkpoint();
    const quiet = { ...join, topics: join.topics.map((topic) => ({ ...topic, idleAdvances: [] })) };
    expect(skipped(checkpoint({ join: quiet }), 0, 150).join.topics[0].replayWatermark).toBe(8000);
    const fresh = { ...quiet, watermark: Number.NEGATIVE_INFINITY };
    expect(skipped(checkpoint({ join: fresh }), 0, 150).join.topics[0].replayWatermark).toBe(4000);
  });

  it('is incomplete before the watermark, the time of what is passed, and what was incomplete already', () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(20_000), (already, until) => {
        const after = skipped(checkpoint({ incompleteBefore: already }), 0, 101, until);
        expect(after.incompleteBefore).toBe(Math.max(already, until, 8000));
      }),
    );
    expect(skipped(checkpoint(), 0, 101).incompleteBefore).toBe(8000);
  });

  it('still reports a gap behind which nothing was read', () => {
    const { join } = checkpoint();
    const withGap = { ...join, topics: join.topics.map((topic) => ({ ...topic, hasGap: true as const })) };
    expect(
      skipped(checkpoint({ join: withGap, hasGap: true }), 0, 101).join.topics.map(({ hasGap }) => hasGap),
    ).toEqual([true, true]);
    expect(skipped(checkpoint(), 0, 101).join.topics[0].hasGap).toBeUndefined();
  });

  it('can be stored and read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 101, max: 10_000 }), fc.constantFrom(0, 1), (offset, topic) => {
        const after = skipped(checkpoint(), topic, 100 + offset);
        expect(decodeCheckpoint(encodeCheckpoint(after))).toEqual(after);
      }),
    );
  });
});

const SKIP: Skip = { namespace: 'shop', partition: 2, topic: 0, topicName: 'impressions', to: 110 };
const BOUNDS = { start: 20, end: 120 };

describe('the offset to go on at', () => {
  it.each([
    [99, /99 is not above the committed offset 100/],
    [100, /100 is not above the committed offset 100/],
    [121, /121 is beyond the end of the log, which is 120/],
  ])('%i is refused', (to, message) => {
    const attempt = (): number => recordsSkipped(checkpoint(), { ...SKIP, to }, BOUNDS);
    expect(attempt).toThrow(SkipRefused);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(/^impressions, partition 2: /);
  });

  it.each([
    [101, 1],
    [119, 19],
    [120, 20],
  ])('%i passes %i offsets', (to, passed) => {
    expect(recordsSkipped(checkpoint(), { ...SKIP, to }, BOUNDS)).toBe(passed);
  });

  it('is refused while nothing is stored', () => {
    expect(() => recordsSkipped(undefined, SKIP, BOUNDS)).toThrow(/nothing is stored of this partition yet/);
  });
});

describe('a skip in the store', () => {
  const unit = unitKey('shop', 2);

  async function owned(store: MemoryStore): Promise<Commit> {
    await store.claim(unit, 'worker');
    const commit: Commit = {
      unit,
      token: 'worker',
      seq: 1,
      cid: 'c1',
      parent: '',
      checkpoint: encodeCheckpoint(checkpoint()),
      rows: new Map([['row', new Map([['field', '1']])]]),
      deletes: [],
    };
    expect(await store.commit(commit)).toBe('OK');
    return { ...commit, seq: 2, cid: 'c2', parent: 'c1' };
  }

  function ids(): () => string {
    let n = 0;
    return () => `skip-${++n}`;
  }

  it('moves the position, keeps the rows and fences the owner', async () => {
    const store = new MemoryStore();
    const next = await owned(store);
    expect(await commitSkip(store, SKIP, { bounds: BOUNDS, until: 9500, newId: ids() })).toBe(10);
    const [fields, rows] = await store.read([unit, 'row']);
    expect(decodeCheckpoint(fields)).toEqual(skipped(checkpoint(), 0, 110, 9500));
    expect(rows).toEqual(new Map([['field', '1']]));
    expect(await store.commit(next)).toBe('FENCED');
  });

  it('is refused the second time, so that a lost answer does no harm', async () => {
    const store = new MemoryStore();
    await owned(store);
    const once = (): Promise<number> => commitSkip(store, SKIP, { bounds: BOUNDS, until: 9500, newId: ids() });
    await once();
    await expect(once()).rejects.toThrow(/not above the committed offset 110/);
  });

  it('changes nothing when a worker claims the unit in between', async () => {
    const store = new MemoryStore();
    await owned(store);
    const [before] = await store.read([unit]);
    const racing = {
      claim: async (key: string, token: string) => {
        const claimed = await store.claim(key, token);
        await store.claim(key, 'another worker');
        return claimed;
      },
      commit: (commit: Commit) => store.commit(commit),
      read: (keys: readonly string[]) => store.read(keys),
    };
    const attempt = commitSkip(racing, SKIP, { bounds: BOUNDS, until: 9500, newId: ids() });
    await expect(attempt).rejects.toThrow(/claimed by a worker at the same moment \(FENCED\)/);
    const [after] = await store.read([unit]);
    expect(new Map([...after, ['token', '']])).toEqual(new Map([...before, ['token', '']]));
  });
});
