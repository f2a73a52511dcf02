import fc from 'fast-check';
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
import { runs } from '../runs.ts';
import { Driver } from './driver.ts';

const KEY = unitKey('test', 0);
const MINUTE = 60_000;
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
    unit.beginAt(0, 0);
    unit.beginAt(1, offset);
    feed(unit, 0, ...Array.from({ length: 40 }, (_, second) => shown(second)));
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT, hasGap: offset > 0 });
    feed(unit, 1, clicked(offset));
    expect(await stored(unit, store)).toMatchObject({ incompleteBefore: EIGHT + after, hasGap: false });
  });
});

describe('lists that are kept for longer than their feedback', () => {
  it.each([
    ['lists are read first', [0, 1]],
    ['feedback is read first', [1, 0]],
  ])('are in no sum, and are reported once: %s', async (_, order) => {
    const store = new RestorableStore();
    const unit = await claim(store);
    unit.beginAt(0, 0);
    unit.beginAt(1, 30);
    for (const topic of order) {
      if (topic === 0) feed(unit, 0, ...Array.from({ length: 90 }, (_, second) => shown(second)));
      else feed(unit, 1, ...Array.from({ length: 60 }, (_, second) => clicked(30 + second)));
    }
    unit.finish();
    await unit.commit();
    // The first click that is kept is of 50 s, and a list may be 5 s younger than its feedback.
    expect(unit.committed.unscored).toEqual([55, 55]);
    const [minute, next] = await store.read([0, MINUTE].map((at) => `receval:{test:0}:1:pane:m:${EIGHT + at}`));
    expect(JSON.parse(minute.get('1m||') ?? '')).toMatchObject({ impressions: 5, positives: 5 });
    expect(JSON.parse(next.get('1m||') ?? '')).toMatchObject({ impressions: 30, positives: 30 });
    expect([unit.takeUnscoredBefore(), unit.takeUnscoredBefore()]).toEqual([EIGHT + 55_000, undefined]);
  });

  it.each([
    ['the lists begin later too', 30, 55],
    ['all feedback is kept', 0, 0],
  ])('are not reported where %s', async (_, offset, second) => {
    const unit = await claim(new RestorableStore());
    unit.beginAt(0, 0);
    unit.beginAt(1, offset);
    feed(unit, 0, shown(second));
    feed(unit, 1, clicked(offset));
    unit.finish();
    await unit.commit();
    expect(unit.takeUnscoredBefore()).toBeUndefined();
    expect(unit.committed.unscored).toEqual([0, 0]);
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
      const { impressions } = JSON.parse(rows[p].get('1m||') ?? '{"impressions":0}');
      return impressions < 60;
    });
    expect(fewer.length).toBeGreaterThan(0);
    expect(Math.max(...fewer)).toBeLessThan(incompleteBefore);
  });
});

describe('a new generation has no list without its feedback in any sum', () => {
  const FRESH = { ...SETTINGS, fingerprint: { shape: '{"paneSize":1}', additive: '' } };
  const CHANGED = { ...FRESH, permissions: { ...NO_PERMISSIONS, newGeneration: true } };

  /** All rows of minutes of the second generation at the shorter horizon. */
  async function sums(store: RestorableStore): Promise<{ readonly impressions: number; readonly positives: number }> {
    const keys = Array.from({ length: 31 }, (_, minute) => `receval:{test:0}:2:pane:m:${EIGHT + minute * MINUTE}`);
    const rows = (await store.read(keys)).map((fields) => JSON.parse(fields.get('1m||') ?? '{}'));
    const total = (name: string): number => rows.reduce((sum, row) => sum + (row[name] ?? 0), 0);
    return { impressions: total('impressions'), positives: total('positives') };
  }

  it.each([
    ['lists are read first', [0, 1], 50],
    ['feedback is read first', [1, 0], 50],
    ['little is read at a time', [0, 1], 7],
    ['a topic is read at a time', [0, 1], 2000],
  ])('where %s, and after crashes', async (_, order, chunk) => {
    const log = shop(1800);
    const store = new RestorableStore();
    const first = new Driver(log, await claim(store));
    first.drain();
    const clicks = (await stored(first.unit, store)).join.topics[1].replay;
    let next = new Driver(log, await claim(store, CHANGED), chunk);
    let read = 0;
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (const topic of order) {
        isMore = next.feed(topic, chunk) || isMore;
        // It is committed at times, and each time lost soon after, with what was read since.
        if (read++ % 3 === 0 && (await next.unit.commit()) === 'OK' && next.feed(1 - topic, chunk)) {
          next = new Driver(log, await claim(store, FRESH), chunk);
          isMore = true;
        }
      }
    }
    next.unit.finish();
    await next.unit.commit();
    const counted = 1800 - (clicks + 20 + BACKWARD / 1000);
    expect(await sums(store)).toEqual({ impressions: counted, positives: counted });
  });

  /** Lists of 0 to 2 s each, clicked within 50 s; records come up to 8 s out of order, lists and clicks each for themselves. */
  function disorderly(random: () => number): MemoryLog {
    const log = new MemoryLog(2, 1);
    const records: {
      readonly at: number;
      readonly topic: number;
      readonly event: object;
      readonly timestamp: number;
    }[] = [];
    let ts = EIGHT;
    for (let list = 0; list < 900; list++) {
      ts += Math.floor(2000 * random());
      const click = ts + Math.floor(50_000 * random());
      const shownEvent = { requestId: `r${list}`, ts, items: ['red', 'blue'], country: 'DE' };
      const clickEvent = { requestId: `r${list}`, itemId: 'blue', ts: click, action: 'click' };
      records.push({ at: ts + 8000 * random(), topic: 0, event: shownEvent, timestamp: ts });
      records.push({ at: click + 8000 * random(), topic: 1, event: clickEvent, timestamp: click });
    }
    records.sort((a, b) => a.at - b.at);
    for (const { topic, event, timestamp } of records) log.append(topic, 0, bytes(event), timestamp);
    return log;
  }

  /** All rows of the second generation. */
  function rowsOf(store: RestorableStore): unknown {
    return [...store.snapshot()]
      .filter(([key]) => key.startsWith('receval:{test:0}:2:'))
      .map(([key, fields]) => [key, [...fields].sort()] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  it('whatever comes when, and whenever it is killed: its rows are those of an unbroken one', async () => {
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        fc.integer({ min: 200, max: 900 }),
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 120 }), fc.nat(5)), { minLength: 5, maxLength: 60 }),
        async (stream, until, steps) => {
          const log = disorderly(() => stream.next().value ?? 0);
          const store = new RestorableStore();
          const old = new Driver(log, await claim(store));
          while (old.positions[0] < until) for (const topic of [0, 1]) old.feed(topic, 25);
          await old.unit.commit();
          const [unbroken, broken] = [store.snapshot(), store.snapshot()].map((held) => {
            const copy = new RestorableStore();
            copy.restoreSnapshot(held);
            return copy;
          });
          const whole = new Driver(log, await claim(unbroken, CHANGED));
          whole.drain();
          let next = new Driver(log, await claim(broken, CHANGED));
          let isBegun = false;
          for (const [isFeedback, chunk, fate] of steps) {
            next.feed(Number(isFeedback), chunk);
            if (fate < 3) isBegun = (await next.unit.commit()) === 'OK' || isBegun;
            if (fate % 2 === 1) next = new Driver(log, await claim(broken, isBegun ? FRESH : CHANGED));
          }
          next.drain();
          for (const { unit } of [whole, next]) {
            unit.finish();
            await unit.commit();
          }
          expect(rowsOf(broken)).toEqual(rowsOf(unbroken));
          const { impressions, positives } = await sums(unbroken);
          expect(positives).toBe(impressions);
          counted += impressions;
        },
      ),
      { numRuns: runs(30) },
    );
    expect(counted).toBeGreaterThan(0);
  });

  it('where it begins with the first record that Kafka holds: there it counts all of them', async () => {
    const log = shop(1800);
    const store = new RestorableStore();
    const first = new Driver(log, await claim(store));
    first.drain();
    await first.unit.commit();
    const unit = await claim(store, { ...FRESH, permissions: { ...NO_PERMISSIONS, newGeneration: 'earliest' } });
    expect(unit.isNew).toBe(true);
    for (const topic of [0, 1]) unit.beginAt(topic, 0);
    const next = new Driver(log, unit);
    next.feed(0, 100);
    // Nothing waits for the last record of before.
    expect(await unit.commit()).toBe('OK');
    next.drain();
    unit.finish();
    await unit.commit();
    expect(await sums(store)).toEqual({ impressions: 1800, positives: 1800 });
    expect(unit.committed.unscored).toEqual([0, 0]);
  });

  it('and of a young unit, of which all is read again, it leaves out none', async () => {
    const log = shop(60);
    const store = new RestorableStore();
    const first = new Driver(log, await claim(store));
    first.drain();
    await first.unit.commit();
    const next = new Driver(log, await claim(store, CHANGED));
    next.drain();
    next.unit.finish();
    await next.unit.commit();
    expect(await sums(store)).toEqual({ impressions: 60, positives: 60 });
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
