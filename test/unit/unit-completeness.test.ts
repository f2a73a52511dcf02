import { describe, expect, it } from 'vitest';
import { decodeCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { unitKey } from '../../src/accumulators/store/layout.ts';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import type { LogRecord } from '../../src/consumers/source/source-port.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import { bytes, decoderOf, EIGHT, JOIN, PANES, SCORER } from '../guide/shop.ts';
import { RestorableStore } from '../restorable-store.ts';
import { Driver } from './driver.ts';

const KEY = unitKey('test', 0);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BACKWARD = 5000;
const SETTINGS: UnitSettings = {
  namespace: 'test',
  partition: 0,
  partitions: 1,
  generation: '1',
  permissions: NO_PERMISSIONS,
  fingerprint: { shape: '', additive: '' },
  join: { ...JOIN, backward: BACKWARD },
  panes: PANES,
  experiments: [],
  sources: ['impressions:0', 'feedback:0'],
};
function withRun(start: number | undefined): UnitSettings {
  const variants = ['de', 'fr'];
  const run = { name: 'ranker', run: 'f', dimension: 'country', horizon: 0, variants, start };
  return { ...SETTINGS, panes: { ...PANES, runs: [run] } };
}
const BOTH: UnitSettings = {
  ...SETTINGS,
  join: { ...SETTINGS.join, topics: [{ impressions: true, feedback: true }] },
  sources: ['events:0'],
};

let ids = 0;
function claim(store: RestorableStore, settings = SETTINGS, now: number | undefined = undefined): Promise<Unit> {
  return Unit.claim(settings, {
    store,
    scorer: SCORER,
    decoders: settings.join.topics.map(decoderOf),
    newId: () => `id-${ids++}`,
    now: () => now,
  });
}

/** A list per second, each clicked 20 s after it was shown. */
function shop(seconds: number): MemoryLog {
  const log = new MemoryLog(2, 1);
  for (let second = 0; second < seconds; second++) {
    for (const topic of [0, 1]) {
      const { value, timestamp } = topic === 0 ? shown(second) : clicked(second);
      log.append(topic, 0, value, timestamp);
    }
  }
  return log;
}

function shown(second: number): LogRecord & { value: Uint8Array } {
  const ts = EIGHT + 1000 * second;
  return { offset: second, timestamp: ts, value: bytes({ requestId: `r${second}`, ts, items: ['red', 'blue'] }) };
}

function clicked(second: number): LogRecord & { value: Uint8Array } {
  const ts = EIGHT + 1000 * second + 20_000;
  const value = bytes({ requestId: `r${second}`, itemId: 'blue', ts, action: 'click' });
  return { offset: second, timestamp: ts, value };
}

function feed(unit: Unit, topic: number, ...records: readonly LogRecord[]): void {
  unit.feed({ partition: 0, topic, records, next: (records.at(-1)?.offset ?? 0) + 1 });
}

async function stored(unit: Unit, store: RestorableStore) {
  expect(await unit.commit()).toBe('OK');
  const [fields] = await store.read([KEY]);
  return decodeCheckpoint(fields);
}

/** Has read two lists and a click; then the feedback up to the offset 30 has expired. */
async function withGap(store: RestorableStore): Promise<Unit> {
  const unit = await claim(store);
  feed(unit, 0, shown(0), shown(1));
  feed(unit, 1, clicked(0));
  expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT, hasGap: false });
  unit.skipGap(1, 30);
  return unit;
}

describe('lost feedback', () => {
  it('leaves all panes incomplete of lists that it may have belonged to', async () => {
    const log = shop(3600);
    const store = new RestorableStore();
    const unit = await claim(store);
    const read = (topic: number, from: number, to: number): void =>
      unit.feed({ partition: 0, topic, records: log.read(0, topic, from, to - from), next: to });
    read(0, 0, 300);
    read(1, 0, 300);
    await stored(unit, store);
    // Forty minutes of clicks have expired, and no lists.
    unit.skipGap(1, 2700);
    read(0, 300, 3600);
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT, hasGap: true });
    read(1, 2700, 3600);
    const { incompleteBefore, hasGap, join } = await stored(unit, store);
    expect({ incompleteBefore, hasGap }).toEqual({
      incompleteBefore: EIGHT + 45 * MINUTE + 20_000 + BACKWARD,
      hasGap: false,
    });
    // What has closed without its click starts before that.
    expect(join.watermark).toBeGreaterThan(EIGHT + 45 * MINUTE);
    const panes = Array.from({ length: 60 }, (_, minute) => EIGHT + minute * MINUTE);
    const rows = await store.read(panes.map((start) => `receval:{test:0}:1:pane:m:${start}`));
    const fewer = panes.filter((_, p) => {
      const { impressions, positives } = JSON.parse(rows[p].get('1m||') ?? '{"impressions":0,"positives":0}');
      return positives < impressions;
    });
    expect(fewer.length).toBeGreaterThan(30);
    expect(Math.max(...fewer)).toBeLessThan(incompleteBefore);
  });

  it('is known to be lost after a crash before anything behind it was read', async () => {
    const store = new RestorableStore();
    const first = await withGap(store);
    feed(first, 0, shown(2));
    const before = await stored(first, store);
    expect(before).toMatchObject({ incompleteBefore: EIGHT, hasGap: true });
    expect(before.join.topics.map(({ hasGap }) => hasGap)).toEqual([undefined, true]);

    const next = await claim(store);
    feed(next, 0, shown(0), shown(1), shown(2), shown(3));
    feed(next, 1, clicked(30));
    const after = await stored(next, store);
    expect(after).toMatchObject({ incompleteBefore: EIGHT + 50_000 + BACKWARD, hasGap: false });
    expect(after.join.topics.map(({ hasGap }) => hasGap)).toEqual([undefined, undefined]);
  });

  it('of which an earlier release did not store the topic may be of any', async () => {
    const store = new RestorableStore();
    await stored(await withGap(store), store);
    const old = [...store.snapshot()].map(([key, fields]) => {
      return [key, new Map([...fields].map(([name, text]) => [name, text.replace(',"hasGap":true', '')]))] as const;
    });
    expect(decodeCheckpoint(new Map(old.find(([key]) => key === KEY)?.[1])).join.topics[1].hasGap).toBeUndefined();
    store.restoreSnapshot(new Map(old));
    const next = await claim(store);
    feed(next, 0, shown(0), shown(1), shown(2));
    next.feed({ partition: 0, topic: 1, records: [clicked(0)], next: 30 });
    expect(await stored(next, store)).toMatchObject({ incompleteBefore: EIGHT + 2000, hasGap: true });
    feed(next, 1, clicked(30));
    expect(await stored(next, store)).toMatchObject({ incompleteBefore: EIGHT + 50_000 + BACKWARD, hasGap: false });
  });

  it('is no younger than the end of a topic that was read to its end', async () => {
    const store = new RestorableStore();
    const unit = await withGap(store);
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT, hasGap: true });
    unit.idle(1, EIGHT + 3 * MINUTE);
    expect(await stored(unit, store)).toMatchObject({
      incompleteBefore: EIGHT + 3 * MINUTE + JOIN.outOfOrderness + BACKWARD,
      hasGap: false,
    });
  });

  it('is not taken to be as young as a record from the future', async () => {
    const store = new RestorableStore();
    await stored(await withGap(store), store);
    const unit = await claim(store, SETTINGS, EIGHT + MINUTE);
    feed(unit, 0, shown(0), shown(1), shown(2));
    feed(unit, 1, { ...clicked(30), timestamp: EIGHT + 1000 * MINUTE });
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + 2000, hasGap: true });
    feed(unit, 1, clicked(31));
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + 51_000 + BACKWARD, hasGap: false });
  });

  it.each([
    ['shown', shown(40), 40_000],
    ['clicked', clicked(40), 60_000],
  ])('of a topic of both kinds is bounded by any of its records: %s', async (_, record, after) => {
    const store = new RestorableStore();
    const unit = await claim(store, BOTH);
    feed(unit, 0, shown(0));
    unit.skipGap(0, 40);
    feed(unit, 0, record);
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + after + BACKWARD, hasGap: false });
  });
});

describe('a new unit', () => {
  it.each([
    ['later than', 30, 50_000 + BACKWARD],
    ['where', 0, 0],
  ])('whose feedback begins %s the lists do is complete from there on', async (_, offset, after) => {
    const store = new RestorableStore();
    const unit = await claim(store);
    unit.beginAt(0, { offset: 0, isOldest: true });
    unit.beginAt(1, { offset, isOldest: true });
    feed(unit, 0, ...Array.from({ length: 40 }, (_, second) => shown(second)));
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT, hasGap: offset > 0 });
    feed(unit, 1, clicked(offset));
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + after, hasGap: false });
  });
});

describe('lists that are kept for longer than their feedback', () => {
  it.each([
    ['lists are read first', [0, 1], EIGHT + 50_000 + BACKWARD],
    ['feedback is read first', [1, 0], EIGHT + 50_000 + BACKWARD],
  ])('are told once, with the time from which on they have it: %s', async (_, order, before) => {
    const unit = await claim(new RestorableStore(), withRun(undefined));
    unit.beginAt(0, { offset: 0, isOldest: true });
    unit.beginAt(1, { offset: 30, isOldest: true });
    for (const topic of order) feed(unit, topic, topic === 0 ? shown(0) : clicked(30));
    expect([unit.takeFeedbackLackingBefore(), unit.takeFeedbackLackingBefore()]).toEqual([before, undefined]);
  });

  it.each([
    ['the run starts later', EIGHT + HOUR, 30, shown(0), true],
    ['the lists begin later too', undefined, 30, shown(55), true],
    ['all feedback is kept', undefined, 0, shown(0), true],
    ['older feedback is kept, and not wanted', undefined, 30, shown(0), false],
  ])('are not told where %s', async (_, start, offset, list, isOldest) => {
    const unit = await claim(new RestorableStore(), withRun(start));
    unit.beginAt(0, { offset: 0, isOldest: true });
    unit.beginAt(1, { offset, isOldest });
    feed(unit, 0, list);
    feed(unit, 1, clicked(offset));
    expect(unit.takeFeedbackLackingBefore()).toBeUndefined();
  });
});

describe('a new generation', () => {
  it('leaves all panes incomplete of lists that it reads again without their feedback', async () => {
    const log = shop(1800);
    const store = new RestorableStore();
    const first = new Driver(log, await claim(store));
    first.drain();
    const [lists, clicks] = (await stored(first.unit, store)).join.topics.map(({ replay }) => replay);
    // The click of a list has the offset of the list.
    expect(lists).toBeGreaterThan(0);
    expect(clicks).toBeGreaterThan(lists + 60);
    const settings = {
      ...SETTINGS,
      fingerprint: { shape: '{"paneSize":1}', additive: '' },
      permissions: { ...NO_PERMISSIONS, newGeneration: true },
    };
    const next = new Driver(log, await claim(store, settings));
    next.drain();
    next.unit.finish();
    const { incompleteBefore, hasGap } = await stored(next.unit, store);
    expect({ incompleteBefore, hasGap }).toEqual({
      incompleteBefore: EIGHT + 1000 * clicks + 20_000 + BACKWARD,
      hasGap: false,
    });
    const panes = Array.from({ length: 30 }, (_, minute) => EIGHT + minute * MINUTE);
    const rows = await store.read(panes.map((start) => `receval:{test:0}:2:pane:m:${start}`));
    const fewer = panes.filter((_, p) => {
      const { impressions, positives } = JSON.parse(rows[p].get('1m||') ?? '{"impressions":0,"positives":0}');
      return positives < impressions;
    });
    expect(fewer.length).toBeGreaterThan(0);
    expect(Math.max(...fewer)).toBeLessThan(incompleteBefore);
  });
});

describe('lost impressions', () => {
  it('are no younger than the first record behind them, though its list is older', async () => {
    const store = new RestorableStore();
    const unit = await claim(store);
    feed(unit, 0, shown(0));
    unit.skipGap(0, 60);
    feed(unit, 0, { ...shown(10), offset: 60, timestamp: EIGHT + MINUTE });
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + MINUTE, hasGap: false });
  });

  it('before the first one that is accepted leave panes incomplete up to that one', async () => {
    const store = new RestorableStore();
    const unit = await claim(store);
    unit.skipGap(1, 30);
    feed(unit, 1, clicked(30));
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + 50_000 + BACKWARD, hasGap: true });
    feed(unit, 0, shown(90));
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + 90_000, hasGap: false });
  });
});

describe('a gap that was skipped', () => {
  it('is passed: neither the unit nor the next owner finds it again', async () => {
    const store = new RestorableStore();
    const unit = await claim(store);
    unit.skipGap(1, 50);
    expect(unit.reading.gapBelow(1, 50)).toBeUndefined();
    // That is stored, though nothing was read.
    await stored(unit, store);
    const next = await claim(store);
    expect(next.reading.gapBelow(1, 50)).toBeUndefined();
    expect(next.reading.from(1)).toBe(50);
  });

  it('is not counted again by a replay, which misses what was read before it', async () => {
    const store = new RestorableStore();
    const unit = await withGap(store);
    feed(unit, 1, clicked(30));
    await stored(unit, store);
    const next = await claim(store);
    expect(next.reading.from(1)).toBe(0);
    expect(next.reading.gapBelow(1, 30)).toBe(0);
    expect(next.reading.gapBelow(1, 33)).toBe(2);
  });
});
