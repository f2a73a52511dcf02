import { describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { CheckpointError } from '../../src/accumulators/store/json.ts';
import { clockKey, unitKey } from '../../src/accumulators/store/layout.ts';
import type { Commit, Store } from '../../src/accumulators/store/store-port.ts';
import type { LogRecord } from '../../src/consumers/source/source-port.ts';
import type { Unit } from '../../src/unit/unit.ts';
import { CLOCK_BLOCK } from '../../src/vocabulary/checkpoint.ts';
import { settingsOf } from '../metrics/settings.ts';
import { RestorableStore } from '../restorable-store.ts';
import { claimsOf, goingBack } from './claimed-unit.ts';

const SETTINGS = settingsOf('{measures: [mrr], cohorts: [[]], attribution: {horizons: [1m], outOfOrderness: 10s}}');
const T = 1_800_000_000_000;
const FAR = T + 86_400_000;
const KEY = unitKey('test', 0);
const BATCH = 500;
const BLOCKS = 5200;
const CLOCK = clockKey({ namespace: 'test', unit: 0, generation: '1' });

/** What a commit writes and removes. */
interface Written {
  readonly bytes: number;
  readonly fields: number;
  readonly removed: number;
}

class Counting extends RestorableStore {
  readonly written: Written[] = [];

  override commit(commit: Commit): ReturnType<RestorableStore['commit']> {
    const all = [commit.checkpoint, ...commit.rows.values()];
    const texts = all.flatMap((fields) => [...fields].map(([field, text]) => field.length + text.length));
    const removed = [...(commit.removes ?? new Map()).values()].reduce((sum, fields) => sum + fields.length, 0);
    this.written.push({ bytes: texts.reduce((a, b) => a + b, 0), fields: texts.length, removed });
    return super.commit(commit);
  }
}

const claimUnit = claimsOf(SETTINGS);
function claim(store: Store, now: () => number | undefined = () => T, generation = '1'): Promise<Unit> {
  return claimUnit(store, { now }, generation);
}

/** Each second list is stamped far in the future; the others are shown within a second. */
function list(offset: number): LogRecord {
  const ts = offset % 2 === 1 ? FAR : T + (offset % 1000);
  return { offset, timestamp: ts, value: Buffer.from(JSON.stringify({ requestId: `r${offset}`, ts, items: ['a'] })) };
}

/** Reads on up to `end` and commits after each batch. */
async function read(unit: Unit, end: number): Promise<void> {
  for (let from = unit.reading.from(0); from < end; from += BATCH) {
    const next = Math.min(end, from + BATCH);
    const records = Array.from({ length: next - from }, (_, i) => list(from + i));
    unit.feed({ partition: 0, topic: 0, records, next });
    expect(['OK', 'REPLAYING', 'NOTHING_NEW']).toContain(await unit.commit());
  }
}

const dropsOf = (unit: Unit) => unit.join.counts[0].impressions.drops;
const formatIn = async (store: RestorableStore) => (await store.read([KEY]))[0].get('format');
const blocksIn = async (store: RestorableStore) => (await store.read([CLOCK]))[0];
const topicOf = async (store: RestorableStore) => decodeCheckpoint((await store.read([KEY]))[0]).join.topics[0];

describe('records that the wall clock drops, each beside one that counts', () => {
  it('cost a commit no more when there have been a hundred thousand of them', async () => {
    const store = new Counting();
    const unit = await claim(store);
    await read(unit, 200_000);
    expect(dropsOf(unit).future).toBe(100_000);
    const [bytes, fields] = (['bytes', 'fields'] as const).map((what) =>
      Math.max(...store.written.map((w) => w[what])),
    );
    expect(bytes).toBeLessThan(16_000);
    expect(fields).toBeLessThan(25);
    expect((await topicOf(store)).replay).toBe(0);
  });

  it.each([
    ['before any block is full', 900],
    ['amid a block', 30_700],
    ['at the end of a block', 30_720],
  ])('are dropped again by whoever reads them again, whatever its clock shows, and no other: %s', async (_, end) => {
    const store = new RestorableStore();
    await read(await claim(store), end);
    // By a later clock they would count; by an earlier one nothing would.
    for (const now of [FAR + 1, 0]) {
      const next = await claim(store, () => now);
      expect(next.reading.from(0)).toBe(0);
      await read(next, end);
      expect(next.join.counts[0].impressions).toMatchObject({
        read: end,
        accepted: end / 2,
        drops: { future: end / 2 },
      });
      expect(next.join.openImpressions).toBe(end / 2);
    }
  });

  it('are removed in pieces when no replay begins before them any more, whoever owns the unit then', async () => {
    const store = new Counting();
    const unit = await claim(store, () => T + 3_600_000);
    // Compaction has left one record in each block of offsets: a list that is open, then only such that are dropped.
    const at = (block: number): LogRecord => ({ ...list(block === 0 ? 0 : 1), offset: block * CLOCK_BLOCK });
    const sparse = Array.from({ length: BLOCKS }, (_, block) => at(block));
    for (const record of sparse) unit.feed({ partition: 0, topic: 0, records: [record], next: record.offset + 1 });
    expect(await unit.commit()).toBe('OK');
    const { replay, clockBlocks = 0 } = await topicOf(store);
    expect(replay).toBe(0);
    expect(clockBlocks).toBeGreaterThan(BLOCKS - CLOCK_BLOCK);
    expect(await formatIn(store)).toBe('2');
    // What was open closes, and is forgotten.
    store.written.length = 0;
    unit.idle(0, T + 3_600_000);
    unit.idle(1, T + 3_600_000);
    const sizes = [];
    let owner = unit;
    for (let n = 0; n < 3; n++) {
      expect(await owner.commit()).toBe('OK');
      sizes.push((await blocksIn(store)).size);
      expect(await topicOf(store)).not.toHaveProperty('clockBlocks');
      expect(await formatIn(store)).toBe('1');
      if (n === 0) owner = await claim(store, () => T + 3_600_000);
      const next = BLOCKS * CLOCK_BLOCK + n;
      const record = { ...list(1), offset: next };
      owner.feed({ partition: 0, topic: 0, records: [record], next: next + 1 });
    }
    expect(store.written.map(({ removed }) => removed)).toEqual([2000, 2000, clockBlocks - 4000]);
    expect(sizes).toEqual([clockBlocks - 2000, clockBlocks - 4000, 0]);
  });

  it('go with their generation', async () => {
    const store = new RestorableStore();
    await read(await claim(store), 3000);
    expect((await blocksIn(store)).size).toBe(2);
    const anew = await claim(store, () => FAR + 1, '2');
    await read(anew, 3000);
    expect(dropsOf(anew).future).toBe(1500);
    // They count now, and make no other late.
    expect(anew.join.openImpressions).toBe(3000);
    expect([...store.snapshot().keys()].filter((key) => key.endsWith(':clock'))).toEqual([]);
  });

  it('that the checkpoint counts and the store lacks are reported as damage', async () => {
    const store = new RestorableStore();
    await read(await claim(store), 3000);
    const damage = async (change: (fields: Map<string, string>) => void): Promise<void> => {
      const hashes = new Map([...store.snapshot()].map(([key, fields]) => [key, new Map(fields)] as const));
      change(hashes.get(CLOCK) ?? new Map());
      const other = new RestorableStore();
      other.restoreSnapshot(hashes);
      const claiming = claim(other);
      await expect(claiming).rejects.toThrow(CheckpointError);
      await expect(claiming).rejects.toThrow(
        /damaged.* Restore the store from a backup, or rebuild the unit from the log/,
      );
    };
    await damage((fields) => fields.delete('0:1'));
    await damage((fields) => fields.set('0:9', 'f'.repeat(CLOCK_BLOCK / 4)));
    await damage((fields) => fields.set('0:1', 'f'));
    await damage((fields) => fields.set('2:1', 'f'.repeat(CLOCK_BLOCK / 4)));
    await damage((fields) => fields.set('x', 'f'.repeat(CLOCK_BLOCK / 4)));
  });

  it('that a store lacks which went back during the claim are no damage: the claim is to be tried again', async () => {
    const store = new RestorableStore();
    const unit = await claim(store);
    await read(unit, 900);
    const before = store.snapshot();
    await read(unit, 3000);
    await expect(claim(goingBack(store, before))).rejects.toMatchObject({
      name: 'StoreUnavailable',
      code: 'CHANGED',
      retriable: true,
    });
    expect((await claim(store)).reading.from(0)).toBe(0);
  });
});
