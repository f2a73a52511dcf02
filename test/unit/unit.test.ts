import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeWorkload } from '../../bench/workload.ts';
import { shapeOf } from '../../src/accumulators/row.ts';
import type { Commit, CommitAnswer, Store } from '../../src/accumulators/store/store-port.ts';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import type { LogRecord } from '../../src/consumers/source/source-port.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import type { ItemCatalogue } from '../../src/measures/item-catalogue.ts';
import { compile } from '../../src/measures/scorer.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { ListSamples } from '../../src/unit/samples.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitDeps, UnitSettings } from '../../src/unit/unit-contract.ts';
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import { RestorableStore, type StoreSnapshot } from '../restorable-store.ts';
import { runs } from '../runs.ts';
import { Driver } from './driver.ts';

const GRADING = {
  relevantFrom: 1,
  actions: ['click', 'purchase'].map((name, i) => ({
    name,
    rule: { from: 'grade', grade: 2 * i + 1, rule: 'max', max: 30, veto: false } as const,
  })),
};
const OF_FEEDBACK = ['mrr', 'ndcg@10', 'ctr', 'recall@5'];
const OF_ITEMS = [
  'distinct@10',
  'coverage@5',
  'gini@3',
  'entropy(exposure=log2)@2',
  'popularity',
  'diversity',
  'length',
];
const { measures } = parseMeasures([...OF_FEEDBACK, ...OF_ITEMS], { relevantFrom: 1 });
/** Knows every other item. */
const CATALOGUE: ItemCatalogue = {
  size: 5000,
  mostPopular: { item: 'a', popularity: 9 },
  has: (item) => item.charCodeAt(item.length - 1) % 2 === 0,
  popularity: (item) => (item.length > 4 ? item.charCodeAt(item.length - 2) % 10 : undefined),
  category: (item) => item.at(-1),
};
const SCORER = compile(measures, GRADING, CATALOGUE);
/** So few that larger rows exceed it. */
const ITEMS_COUNTED = 400;
const HORIZONS = [
  { text: '10s', ms: 10_000 },
  { text: '2m', ms: 120_000 },
];
const ROLES = [
  { impressions: true, feedback: false },
  { impressions: false, feedback: true },
];

const SETTINGS: UnitSettings = {
  namespace: 'test',
  partition: 0,
  partitions: 1,
  generation: '1',
  permissions: NO_PERMISSIONS,
  fingerprint: { shape: '{}', additive: '[]' },
  join: {
    topics: ROLES,
    horizons: HORIZONS.map((h) => h.ms),
    outOfOrderness: 5_000,
    backward: 1_000,
    futureSkew: 60_000,
    feedbackPerImpression: 100,
    actions: SCORER.actions,
    namesItems: SCORER.needs.items,
  },
  panes: {
    paneSize: 10_000,
    hour: 60_000,
    horizons: HORIZONS,
    dimensions: ['country', 'variant'],
    sets: [[], ['variant'], ['variant', 'country']],
    clustered: [[], ['variant']],
    shape: shapeOf(measures, ITEMS_COUNTED, 5),
    items: { sets: [['variant']], inTotals: true },
    positions: { sets: [['variant']], inTotals: true, horizon: 1 },
    cohortsPerSet: 4,
    mostInCheckpoint: 2,
    keepMinutes: 2_500_000,
    keepHours: 3_000_000,
    keepVectors: 2_500_000,
    totals: ['all'],
    runs: [],
  },
  experiments: [],
  sources: ['impressions:0', 'feedback:0'],
};

/** Half an hour of traffic at the edge of every rule: repeats, orphans, late and damaged records. */
function fillLog(): MemoryLog {
  const log = new MemoryLog(2, 1);
  makeWorkload(900, 0.5).forEach(({ topic, value, at }, i) => {
    const timestamp = Math.floor(at);
    const text = value.toString();
    log.append(topic, 0, value, timestamp);
    if (i % 13 === 0) log.append(topic, 0, value, timestamp + 20_000);
    if (i % 17 === 0) log.append(topic, 0, Buffer.from(text.replace(/"requestId":"./, '"requestId":"x')), timestamp);
    if (i % 19 === 0) log.append(topic, 0, Buffer.from(text.slice(0, 40)), timestamp);
    if (i % 23 === 0) log.append(topic, 0, null, timestamp);
    if (i % 29 === 0) log.append(topic, 0, Buffer.from(text.replace('"ts":17600', '"ts":17599')), timestamp);
  });
  return log;
}

let ids = 0;
/** With samples: no result depends on them. */
function deps(store: Store, samples?: ListSamples): UnitDeps {
  const base = {
    adapter: 'canonical',
    dimensions: ['country', 'variant'],
    itemsPerList: 1000,
    impressionBytes: 262_144,
    feedbackBytes: 65_536,
    tsUnit: 'ms',
    positionBase: 1,
    carries: SCORER.needs,
  } as const;
  return {
    store,
    scorer: SCORER,
    decoders: ROLES.map((role) => createDecoder({ ...base, role })),
    newId: () => `id-${ids++}`,
    now: () => undefined,
    samples,
  };
}

/** Everything durable but the guard fields and what only says where a replay may begin. */
function durable(snapshot: StoreSnapshot): Record<string, Record<string, string>> {
  const without = new Set(['token', 'seq', 'cid', 'topics']);
  return Object.fromEntries(
    [...snapshot]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, fields]) => [key, Object.fromEntries([...fields].filter(([name]) => !without.has(name)).sort())]),
  );
}

async function unbroken(log: MemoryLog): Promise<StoreSnapshot> {
  const store = new RestorableStore();
  const driver = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
  driver.drain();
  driver.unit.finish();
  expect(await driver.unit.commit()).toBe('OK');
  return store.snapshot();
}

/** Loses requests or replies as asked, once each. */
class LossyStore implements Store {
  readonly inner: RestorableStore;
  lose: 'request' | 'reply' | undefined;
  constructor(inner: RestorableStore) {
    this.inner = inner;
  }
  claim = (unit: string, token: string) => this.inner.claim(unit, token);
  read = (keys: readonly string[]) => this.inner.read(keys);
  async commit(commit: Commit): Promise<CommitAnswer> {
    const lose = this.lose;
    this.lose = undefined;
    if (lose === 'request') throw new Error('request lost');
    const answer = await this.inner.commit(commit);
    if (lose === 'reply') throw new Error('reply lost');
    return answer;
  }
}

const log = fillLog();
const expected = unbroken(log);

describe('a unit', () => {
  it('counts every record and has rows to compare', async () => {
    const state = durable(await expected);
    const unit = state['receval:{test:0}:unit'];
    const counts = JSON.parse(unit['counts']) as [TopicCounts, TopicCounts];
    const [{ impressions }, { feedback }] = counts;
    for (const reason of ['tombstone', 'invalid', 'late', 'duplicate'] as const) {
      expect(impressions.drops[reason], reason).toBeGreaterThan(5);
    }
    for (const reason of ['tombstone', 'invalid', 'late', 'orphan', 'duplicate'] as const) {
      expect(feedback.drops[reason], reason).toBeGreaterThan(5);
    }
    expect(impressions.accepted).toBeGreaterThan(800);
    expect(feedback.attributed).toBeGreaterThan(300);
    expect(Object.keys(state).filter((key) => key.includes(':total:all'))).toHaveLength(1);
    expect(Object.keys(state).some((key) => key.includes(':pane:m:'))).toBe(true);
    const rows = JSON.stringify(state);
    for (const part of ['"runs":"', '"amounts":{"', '"amounts":"over"', '"positions":{"exposed":[']) {
      expect(rows).toContain(JSON.stringify(part).slice(1, -1));
    }
  });

  it('that is killed and resumed at any point, with any batches and lost replies, equals an unbroken one byte for byte', async () => {
    const want = durable(await expected);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            topic: fc.nat(1),
            limit: fc.integer({ min: 1, max: 400 }),
            what: fc.constantFrom(
              'go',
              'go',
              'commit',
              'commit',
              'kill',
              'lose request',
              'lose reply',
              'kill after lost reply',
            ),
          }),
          { minLength: 10, maxLength: 60 },
        ),
        async (steps) => {
          const store = new LossyStore(new RestorableStore());
          const samples = new ListSamples({ most: 100, ids: 'shown', key: '' }, GRADING, SCORER);
          const driver = new Driver(log, await Unit.claim(SETTINGS, deps(store, samples)));
          const restart = async (): Promise<void> => {
            driver.unit = await Unit.claim(SETTINGS, deps(store, samples));
            driver.positions = [driver.unit.reading.from(0), driver.unit.reading.from(1)];
          };
          for (const { topic, limit, what } of steps) {
            driver.feed(topic, limit);
            if (what === 'kill') await restart();
            if (what === 'commit') expect(['OK', 'REPLAYING', 'NOTHING_NEW']).toContain(await driver.unit.commit());
            if (what.includes('lose') || what.includes('lost')) {
              store.lose = what === 'lose request' ? 'request' : 'reply';
              const outcome = await driver.unit.commit().catch(() => 'unknown');
              store.lose = undefined;
              if (what === 'kill after lost reply') await restart();
              else if (outcome === 'unknown') {
                expect(await driver.unit.commit()).toBe(what === 'lose reply' ? 'ALREADY' : 'OK');
              }
            }
          }
          driver.drain();
          driver.unit.finish();
          expect(['OK', 'NOTHING_NEW']).toContain(await driver.unit.commit());
          expect(durable(store.inner.snapshot())).toEqual(want);
          expect(samples.last.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it('is fenced once another has claimed, and can do no harm', async () => {
    const store = new RestorableStore();
    const zombie = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    zombie.feed(0, 300);
    expect(await zombie.unit.commit()).toBe('OK');
    const owner = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    zombie.feed(1, 300);
    expect(await zombie.unit.commit()).toBe('FENCED');
    owner.drain();
    owner.unit.finish();
    expect(await owner.unit.commit()).toBe('OK');
    expect(await zombie.unit.commit()).toBe('FENCED');
    expect(durable(store.snapshot())).toEqual(durable(await expected));
  });

  it('answers CONFLICT when the store was rolled back, and the next claim makes good what was lost', async () => {
    const store = new RestorableStore();
    const driver = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    driver.feed(0, 200);
    await driver.unit.commit();
    const backup = store.snapshot();
    driver.drain();
    expect(await driver.unit.commit()).toBe('OK');
    store.restoreSnapshot(backup);
    driver.unit.finish();
    expect(await driver.unit.commit()).toBe('CONFLICT');
    const next = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    next.drain();
    next.unit.finish();
    expect(await next.unit.commit()).toBe('OK');
    expect(durable(store.snapshot())).toEqual(durable(await expected));
  });

  it('stores where it begins, though nothing has come yet', async () => {
    const store = new RestorableStore();
    const first = await Unit.claim(SETTINGS, deps(store));
    expect(first.isNew).toBe(true);
    first.beginAt(0, 7);
    first.beginAt(1, 0);
    expect(await first.commit()).toBe('OK');
    const next = await Unit.claim(SETTINGS, deps(store));
    expect(next.isNew).toBe(false);
    expect(next.committed.offsets).toEqual([7, 0]);
    expect(await next.commit()).toBe('NOTHING_NEW');
  });

  it('sends nothing while it replays', async () => {
    const store = new RestorableStore();
    const first = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    first.feed(0, 300);
    first.feed(1, 200);
    await first.unit.commit();
    const second = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    expect(await second.unit.commit()).toBe('REPLAYING');
    second.feed(0, 10);
    expect(await second.unit.commit()).toBe('REPLAYING');
    second.drain();
    expect(await second.unit.commit()).toBe('OK');
  });
});

describe('a unit whose log is another one', () => {
  type Change = (record: LogRecord) => Pick<LogRecord, 'value' | 'timestamp'>;

  /** The same log, but for one record. */
  function changed(original: MemoryLog, topic: number, offset: number, change: Change): MemoryLog {
    const copy = new MemoryLog(2, 1);
    for (const t of [0, 1]) {
      for (const record of original.read(0, t, 0, 1_000_000)) {
        const { value, timestamp } = t === topic && record.offset === offset ? change(record) : record;
        copy.append(t, 0, value, timestamp);
      }
    }
    return copy;
  }

  /** Some of both topics is committed; the last record of each is the one before its offset. */
  async function committed(): Promise<{ store: RestorableStore; offsets: readonly number[] }> {
    const store = new RestorableStore();
    const first = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    first.feed(0, 300);
    first.feed(1, 200);
    expect(await first.unit.commit()).toBe('OK');
    return { store, offsets: first.unit.committed.offsets };
  }

  for (const [what, change] of [
    ['value', ({ timestamp }) => ({ value: Buffer.from('{}'), timestamp })],
    ['value', ({ timestamp }) => ({ value: null, timestamp })],
    ['timestamp', ({ value, timestamp }) => ({ value, timestamp: (timestamp ?? 0) + 1 })],
  ] as const satisfies readonly (readonly [string, Change])[]) {
    it(`sees it by the ${what} of the last record, and stores nothing from then on`, async () => {
      for (const topic of [0, 1]) {
        const { store, offsets } = await committed();
        const other = changed(log, topic, offsets[topic] - 1, change);
        const driver = new Driver(other, await Unit.claim(SETTINGS, deps(store)));
        const before = durable(store.snapshot());
        driver.feed(1 - topic, 1000);
        expect(driver.unit.reading.diverged).toBeUndefined();
        expect(await driver.unit.commit()).toBe('REPLAYING');
        driver.drain();
        expect(driver.unit.reading.diverged).toEqual({ topic, offset: offsets[topic] - 1, differs: what });
        driver.unit.finish();
        expect(await driver.unit.commit()).toBe('DIVERGED');
        expect(durable(store.snapshot())).toEqual(before);
      }
    });
  }

  it('does not see it in any other record, for it looks at one alone', async () => {
    const { store, offsets } = await committed();
    for (const beside of [-2, 0]) {
      const other = changed(log, 0, offsets[0] + beside, ({ timestamp }) => ({ value: null, timestamp }));
      const driver = new Driver(other, await Unit.claim(SETTINGS, deps(store)));
      driver.drain();
      expect(driver.unit.reading.diverged).toBeUndefined();
    }
  });

  it('does not take a last record that is a tombstone, or that is gone, for another one', async () => {
    const { offsets } = await committed();
    const withNull = changed(log, 0, offsets[0] - 1, ({ timestamp }) => ({ value: null, timestamp }));
    const store = new RestorableStore();
    const first = new Driver(withNull, await Unit.claim(SETTINGS, deps(store)));
    first.feed(0, 300);
    expect(await first.unit.commit()).toBe('OK');
    const again = new Driver(withNull, await Unit.claim(SETTINGS, deps(store)));
    again.drain();
    expect(again.unit.reading.diverged).toBeUndefined();
    expect(await again.unit.commit()).toBe('OK');

    const position = again.unit.join.position(0);
    const third = new Driver(withNull, await Unit.claim(SETTINGS, deps(store)));
    // As after compaction: what follows comes, the record itself does not.
    for (const record of withNull.read(0, 0, third.positions[0], 1_000_000)) {
      if (record.offset === position - 1) continue;
      third.unit.feed({ partition: 0, topic: 0, records: [record], next: record.offset + 1 });
    }
    third.unit.feed({ partition: 0, topic: 0, records: [], next: position });
    third.positions[0] = position;
    third.drain();
    expect(third.unit.replaying).toBe(false);
    expect(third.unit.reading.diverged).toBeUndefined();
  });

  it('reads the last record again when nothing else is to be read again, and counts nothing by it', async () => {
    const store = new RestorableStore();
    const first = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    first.drain();
    for (const topic of [0, 1]) first.unit.idle(topic, 2_000_000_000_000);
    expect(await first.unit.commit()).toBe('OK');
    const { offsets, replayOffsets } = first.unit.committed;
    expect(replayOffsets).toEqual(offsets);
    const before = durable(store.snapshot());

    const second = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    expect(second.positions).toEqual(offsets.map((offset) => offset - 1));
    expect([second.unit.reading.heldUpTo(0), second.unit.reading.heldUpTo(1)]).toEqual(offsets);
    expect(second.unit.replaying).toBe(true);
    second.unit.idle(0, 2_000_000_000_001);
    expect(await second.unit.commit()).toBe('REPLAYING');
    second.drain();
    expect(second.unit.replaying).toBe(false);
    expect(await second.unit.commit()).toBe('OK');
    expect(durable(store.snapshot())).toEqual(before);
  });

  it('gives the last record up when the log begins behind it, and reports what was never read', async () => {
    const { store, offsets } = await committed();
    for (const [start, lost] of [
      [offsets[0] - 1, undefined],
      [offsets[0], 0],
      [offsets[0] + 2, 2],
    ] as const) {
      const { unit } = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
      // What was open does not matter here: everything below is skipped.
      unit.feed({ partition: 0, topic: 0, records: [], next: offsets[0] - 1 });
      unit.feed({ partition: 0, topic: 1, records: [], next: offsets[1] });
      const position = unit.join.position(0);
      expect(unit.reading.gapBelow(0, start)).toBe(lost);
      unit.reading.beginsAt(0, start);
      expect(unit.reading.from(0)).toBe(position);
      unit.feed({ partition: 0, topic: 0, records: [], next: start });
      expect(unit.replaying).toBe(start < offsets[0]);
    }
  });

  it('is compared again in the midst of its life when it is doubted', async () => {
    const store = new RestorableStore();
    const driver = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
    driver.feed(0, 300);
    driver.feed(1, 200);
    driver.unit.reading.doubt();
    expect(await driver.unit.commit()).toBe('REPLAYING');
    const position = driver.unit.join.position(0);
    expect(driver.unit.reading.from(0)).toBe(position - 1);
    const [last] = log.read(0, 0, position - 1, 1);
    driver.unit.feed({ partition: 0, topic: 0, records: [{ ...last, value: null }], next: position });
    expect(driver.unit.reading.diverged).toEqual({ topic: 0, offset: position - 1, differs: 'value' });
    expect(await driver.unit.commit()).toBe('DIVERGED');
    expect(durable(store.snapshot())['receval:{test:0}:unit']).toEqual({});
  });
});
