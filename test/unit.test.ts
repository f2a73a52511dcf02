import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeWorkload } from '../bench/workload.ts';
import { MemoryStore, type StoreSnapshot } from '../src/accumulators/store/memory.ts';
import type { Commit, CommitAnswer, Store } from '../src/accumulators/store/port.ts';
import type { TopicCounts } from '../src/checkpoint.ts';
import { createDecoder } from '../src/consumers/decode/decoder.ts';
import { MemoryLog } from '../src/consumers/source/memory.ts';
import { parseMeasures } from '../src/measures/name.ts';
import { compile } from '../src/measures/scorer.ts';
import { NO_PERMISSIONS } from '../src/resume.ts';
import { Unit } from '../src/unit.ts';
import type { UnitDeps, UnitSettings } from '../src/unit-contract.ts';

const GRADING = {
  relevantFrom: 1,
  actions: ['click', 'purchase'].map((name, i) => ({
    name,
    rule: { from: 'grade', grade: 2 * i + 1, rule: 'max', max: 30, veto: false } as const,
  })),
};
const SCORER = compile(parseMeasures(['mrr', 'ndcg@10', 'ctr', 'recall@5'], { relevantFrom: 1 }).measures, GRADING);
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
  },
  panes: {
    paneSize: 10_000,
    hour: 60_000,
    horizons: HORIZONS,
    dimensions: ['country', 'variant'],
    sets: [[], ['variant'], ['variant', 'country']],
    shape: { names: SCORER.names, kinds: SCORER.kinds },
    cohortsPerSet: 4,
    keepMinutes: 2_500_000,
    keepHours: 3_000_000,
    totals: ['all'],
  },
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
function deps(store: Store): UnitDeps {
  const base = {
    adapter: 'canonical',
    dimensions: ['country', 'variant'],
    itemsPerList: 1000,
    impressionBytes: 262_144,
    feedbackBytes: 65_536,
    tsUnit: 'ms',
    positionBase: 1,
  } as const;
  return {
    store,
    scorer: SCORER,
    decoders: ROLES.map((role) => createDecoder({ ...base, role })),
    newId: () => `id-${ids++}`,
    now: () => undefined,
  };
}

/** Everything durable but the guard fields and what only tells where a replay may begin. */
function durable(snapshot: StoreSnapshot): Record<string, Record<string, string>> {
  const without = new Set(['token', 'seq', 'cid', 'topics']);
  return Object.fromEntries(
    [...snapshot]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, fields]) => [key, Object.fromEntries([...fields].filter(([name]) => !without.has(name)).sort())]),
  );
}

class Driver {
  readonly log: MemoryLog;
  unit: Unit;
  positions: number[];
  constructor(log: MemoryLog, unit: Unit) {
    this.log = log;
    this.unit = unit;
    this.positions = [...unit.committed.replayOffsets];
  }
  feed(topic: number, limit: number): boolean {
    const records = this.log.read(0, topic, this.positions[topic], limit);
    if (records.length === 0) return false;
    const next = records[records.length - 1].offset + 1;
    this.positions[topic] = next;
    this.unit.feed({ partition: 0, topic, records, next });
    return true;
  }
  drain(): void {
    for (let more = true; more; ) more = [this.feed(0, 50), this.feed(1, 50)].some(Boolean);
  }
}

async function unbroken(log: MemoryLog): Promise<StoreSnapshot> {
  const store = new MemoryStore();
  const driver = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
  driver.drain();
  driver.unit.finish();
  expect(await driver.unit.commit()).toBe('OK');
  return store.snapshot();
}

/** Loses requests or replies as told, once each. */
class LossyStore implements Store {
  readonly inner: MemoryStore;
  lose: 'request' | 'reply' | undefined;
  constructor(inner: MemoryStore) {
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
          const store = new LossyStore(new MemoryStore());
          const driver = new Driver(log, await Unit.claim(SETTINGS, deps(store)));
          const restart = async (): Promise<void> => {
            driver.unit = await Unit.claim(SETTINGS, deps(store));
            driver.positions = [...driver.unit.committed.replayOffsets];
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
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is fenced once another has claimed, and can do no harm', async () => {
    const store = new MemoryStore();
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
    const store = new MemoryStore();
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

  it('sends nothing while it replays', async () => {
    const store = new MemoryStore();
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
