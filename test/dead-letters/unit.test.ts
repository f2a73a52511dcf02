import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import type { LogRecord } from '../../src/consumers/source/source-port.ts';
import type { Unit } from '../../src/unit/unit.ts';
import type { InvalidRecord } from '../../src/unit/unit-contract.ts';
import { settingsOf } from '../metrics/settings.ts';
import { claimsOf } from '../unit/claimed-unit.ts';

const SETTINGS = settingsOf('{measures: [mrr], cohorts: [[]], attribution: {horizons: [1m], outOfOrderness: 10s}}');
const T = 1_800_000_000_000;

const claimUnit = claimsOf(SETTINGS);
function claim(store: MemoryStore, onInvalid: (invalid: InvalidRecord) => void): Promise<Unit> {
  return claimUnit(store, { onInvalid });
}

const text = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

/** What a producer may write, and whether it is invalid. */
const written = fc.oneof(
  fc.record({
    invalid: fc.constant(false),
    value: fc
      .tuple(fc.nat(5), fc.integer({ min: -200, max: 200 }))
      .map(([id, at]) => text({ requestId: `r${id}`, ts: T + 1000 * at, items: ['a', 'b'] })),
  }),
  fc.record({ invalid: fc.constant(false), value: fc.constant(null) }),
  fc.record({
    invalid: fc.constant(true),
    value: fc.oneof(
      fc.uint8Array({ maxLength: 5 }).map((bytes) => Uint8Array.from([0xff, ...bytes])),
      fc.constantFrom(
        Buffer.from('{"a'),
        text({ requestId: 'r', items: [] }),
        text({ items: 1, ts: T, requestId: 'r' }),
      ),
    ),
  }),
);

it('reports every invalid record once, and no other, however often the log is read again', async () => {
  let again = 0;
  const steps = fc.array(fc.constantFrom('feed', 'feed', 'feed', 'commit', 'crash'), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { maxLength: 40 }),
      steps,
      fc.integer({ min: 1, max: 7 }),
      async (log, todo, size) => {
        const store = new MemoryStore();
        const records = log.map(({ value }, offset): LogRecord => ({ offset, timestamp: T, value }));
        let told: number[] = [];
        /** Those since the last commit, which a crash makes somebody tell again. */
        let committed = 0;
        let unit = await claim(store, (one) => told.push(one.record.offset));
        const feed = (count: number): void => {
          const from = unit.reading.from(0);
          const some = records.slice(from, from + count);

          if (from < committed) again++;
          if (some.length > 0) unit.feed({ partition: 0, topic: 0, records: some, next: from + some.length });
        };
        for (const step of todo) {
          if (step === 'feed') feed(size);
          else if (step === 'commit') {
            if ((await unit.commit()) === 'OK') committed = unit.committed.offsets[0];
          } else {
            told = told.filter((offset) => offset < committed);
            unit = await claim(store, (one) => told.push(one.record.offset));
          }
        }
        while (unit.reading.from(0) < records.length) feed(size);
        expect(told).toEqual(log.flatMap(({ invalid }, offset) => (invalid ? [offset] : [])));
      },
    ),
    { numRuns: 150 },
  );
  expect(again).toBeGreaterThan(0);
});

it('reports code and field, and the record itself', async () => {
  const told: InvalidRecord[] = [];
  const unit = await claim(new MemoryStore(), (one) => told.push(one));
  const record = { offset: 0, timestamp: T, value: text({ requestId: 'r', items: [], ts: 'soon' }) };
  unit.feed({ partition: 0, topic: 0, records: [record], next: 1 });
  expect(told).toEqual([{ topic: 0, record, side: 'impressions', code: 'bad_time', field: 'ts' }]);
});
