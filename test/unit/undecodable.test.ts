import { describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { unitKey } from '../../src/accumulators/store/layout.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { LogRecord, UndecodableBatch } from '../../src/consumers/source/source-port.ts';
import type { Unit } from '../../src/unit/unit.ts';
import type { SkippedBatch } from '../../src/unit/unit-contract.ts';
import { settingsOf } from '../metrics/settings.ts';
import { claimsOf } from './claimed-unit.ts';

const SETTINGS = settingsOf('{measures: [mrr], cohorts: [[]], attribution: {horizons: [1m], outOfOrderness: 10s}}');
const T = 1_800_000_000_000;
const KEY = unitKey('test', 0);

const claimUnit = claimsOf(SETTINGS);
function claim(store: MemoryStore, told: SkippedBatch[] = []): Promise<Unit> {
  return claimUnit(store, { onUndecodable: (skipped) => told.push(skipped) });
}

/** The impression at this offset, shown so many seconds after T. */
function shown(offset: number, seconds = offset): LogRecord {
  const value = Buffer.from(JSON.stringify({ requestId: `r${offset}`, ts: T + 1000 * seconds, items: ['a'] }));
  return { offset, timestamp: T + 1000 * seconds, value };
}

function lost(from: number, to: number, records = to - from): UndecodableBatch {
  return { from, to, records, reason: 'damaged', bytes: Uint8Array.of(1, 2, 3) };
}

function feed(unit: Unit, from: number, to: number): void {
  const records = Array.from({ length: to - from }, (_, i) => shown(from + i));
  unit.feed({ partition: 0, topic: 0, records, next: to });
}

function pass(unit: Unit, batch: UndecodableBatch): void {
  unit.feed({ partition: 0, topic: 0, records: [], next: batch.to, undecodable: batch });
}

const counts = (unit: Unit) => unit.join.counts[0].impressions;
const checkpointOf = async (store: MemoryStore) => decodeCheckpoint((await store.read([KEY]))[0]);

describe('a batch that cannot be decoded', () => {
  it('counts the records that its header names, and leaves read = accepted + dropped', async () => {
    const told: SkippedBatch[] = [];
    const unit = await claim(new MemoryStore(), told);
    feed(unit, 0, 3);
    pass(unit, lost(3, 10, 4));
    feed(unit, 10, 11);
    expect(counts(unit)).toMatchObject({ read: 8, accepted: 4, drops: { undecodable: 4 } });
    expect(unit.join.position(0)).toBe(11);
    expect(told).toEqual([{ topic: 0, batch: lost(3, 10, 4) }]);
  });

  it('counts on the side of its topic', async () => {
    const unit = await claim(new MemoryStore());
    unit.feed({ partition: 0, topic: 1, records: [], next: 2, undecodable: lost(0, 2) });
    expect(unit.join.counts[1].feedback).toMatchObject({ read: 2, drops: { undecodable: 2 } });
    expect(unit.join.counts[1].impressions).toMatchObject({ read: 0 });
  });

  it('counts no more than what was still to be read of it, and nothing when it was passed', async () => {
    const told: SkippedBatch[] = [];
    const unit = await claim(new MemoryStore(), told);
    feed(unit, 0, 8);
    pass(unit, lost(3, 10));
    expect(counts(unit)).toMatchObject({ read: 10, drops: { undecodable: 2 } });
    pass(unit, lost(3, 10));
    expect(counts(unit)).toMatchObject({ read: 10, drops: { undecodable: 2 } });
    expect(told).toHaveLength(1);
  });

  it('is passed again by a replay, decodable or not, and counted and reported by nobody', async () => {
    const store = new MemoryStore();
    const first = await claim(store);
    feed(first, 0, 3);
    pass(first, lost(3, 5));
    feed(first, 5, 7);
    expect(await first.commit()).toBe('OK');
    const expected = counts(first);
    for (const heals of [false, true]) {
      const told: SkippedBatch[] = [];
      const next = await claim(store, told);
      expect(next.reading.from(0)).toBe(0);
      expect(next.wasJudged(0, 3, 5)).toBe(true);
      expect([next.wasJudged(0, 2, 5), next.wasJudged(0, 3, 6)]).toEqual([false, false]);
      feed(next, 0, 3);
      if (heals) feed(next, 3, 5);
      else pass(next, lost(3, 5));
      feed(next, 5, 7);
      expect(next.replaying).toBe(false);
      expect(counts(next)).toEqual(expected);
      expect(next.join.openImpressions).toBe(5);
      expect(told).toEqual([]);
    }
  });

  it('is counted anew when nothing of it was committed', async () => {
    const store = new MemoryStore();
    const first = await claim(store);
    feed(first, 0, 3);
    expect(await first.commit()).toBe('OK');
    pass(first, lost(3, 5));
    const told: SkippedBatch[] = [];
    const next = await claim(store, told);
    expect(next.wasJudged(0, 3, 5)).toBe(false);
    feed(next, 0, 3);
    pass(next, lost(3, 5));
    expect(counts(next).drops.undecodable).toBe(2);
    expect(told).toHaveLength(1);
  });

  it('that was counted record by record before is not counted again, but something is missing then', async () => {
    const store = new MemoryStore();
    const first = await claim(store);
    feed(first, 0, 7);
    expect(await first.commit()).toBe('OK');
    expect((await checkpointOf(store)).hasGap).toBe(false);
    const next = await claim(store);
    expect(next.wasJudged(0, 3, 5)).toBe(false);
    feed(next, 0, 3);
    pass(next, lost(3, 5));
    feed(next, 5, 7);
    expect(counts(next)).toEqual(counts(first));
    expect(await next.commit()).toBe('OK');
    expect((await checkpointOf(store)).incompleteBefore).toBe(T + 5000);
  });

  it('of which only both ends were skipped before was not passed as a whole', async () => {
    const store = new MemoryStore();
    const first = await claim(store);
    feed(first, 0, 3);
    pass(first, lost(3, 4));
    feed(first, 4, 6);
    pass(first, lost(6, 7));
    feed(first, 7, 8);
    expect(await first.commit()).toBe('OK');
    const next = await claim(store);
    expect([next.wasJudged(0, 3, 4), next.wasJudged(0, 6, 7), next.wasJudged(0, 3, 7)]).toEqual([true, true, false]);
    feed(next, 0, 3);
    pass(next, lost(3, 7));
    feed(next, 7, 9);
    expect(counts(next)).toMatchObject({ read: 9, drops: { undecodable: 2 } });
    expect(next.join.openImpressions).toBe(5);
  });

  it('is no longer kept when no replay comes by there', async () => {
    const store = new MemoryStore();
    const unit = await claim(store);
    pass(unit, lost(0, 2));
    feed(unit, 2, 3);
    await unit.commit();
    expect((await checkpointOf(store)).join.topics[0].undecodable).toBeUndefined();
    pass(unit, lost(3, 4));
    await unit.commit();
    expect((await checkpointOf(store)).join.topics[0]).toMatchObject({ replay: 2, undecodable: [[3, 4]] });
  });

  it('leaves panes incomplete up to the next impression, also when the process ends before that comes', async () => {
    const store = new MemoryStore();
    const first = await claim(store);
    feed(first, 0, 3);
    pass(first, lost(3, 5));
    expect(await first.commit()).toBe('OK');
    expect(await checkpointOf(store)).toMatchObject({ incompleteBefore: T, hasGap: true });
    const next = await claim(store);
    feed(next, 0, 3);
    pass(next, lost(3, 5));
    next.feed({ partition: 0, topic: 0, records: [shown(5, 90)], next: 6 });
    expect(await next.commit()).toBe('OK');
    expect(await checkpointOf(store)).toMatchObject({ incompleteBefore: T + 90_000, hasGap: false });
  });

  it('leaves nothing incomplete when it only ends a transaction', async () => {
    const store = new MemoryStore();
    const unit = await claim(store);
    feed(unit, 0, 3);
    pass(unit, lost(3, 4, 0));
    await unit.commit();
    expect(await checkpointOf(store)).toMatchObject({ hasGap: false, incompleteBefore: T });
    expect(counts(unit)).toMatchObject({ read: 3 });
  });
});
