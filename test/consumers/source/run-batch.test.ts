import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Batch,
  countOf,
  type LogRecord,
  partsOf,
  RunBatch,
  recordsOf,
} from '../../../src/consumers/source/source-port.ts';
import { runOf } from './run-of.ts';

const record = fc.record({
  hole: fc.constantFrom(0, 0, 0, 3),
  timestamp: fc.option(fc.nat(1000), { nil: undefined }),
  value: fc.option(fc.uint8Array({ maxLength: 4 }), { nil: null }),
});

describe('a batch in parts', () => {
  it('has all records in their order, in parts as large as asked for but for the last, each up to where the next begins', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(record, { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 12 }),
        (runs, most) => {
          let next = 7;
          const all = runs.map((records) =>
            records.map(({ hole, timestamp, value }): LogRecord => {
              next += hole + 1;
              return { offset: next - 1, timestamp, value: value === null ? null : Buffer.from(value) };
            }),
          );
          const batch = new RunBatch(2, 1, all.map(runOf), next + 5);
          const parts = [...partsOf(batch, most)];
          const texts = (records: readonly LogRecord[]) =>
            records.map(({ offset, timestamp, value }) => [
              offset,
              timestamp,
              value && Buffer.from(value).toString('hex'),
            ]);
          expect(texts(parts.flatMap(({ runs: ofPart }) => recordsOf(ofPart ?? [])))).toEqual(texts(all.flat()));
          for (const part of parts.slice(0, -1)) expect(countOf(part)).toBe(most);
          expect(countOf(parts[parts.length - 1])).toBeLessThanOrEqual(most);
          expect(parts.map(({ partition, topic }) => [partition, topic])).toEqual(parts.map(() => [2, 1]));
          for (const part of parts.slice(0, -1)) {
            const offsets = recordsOf(part.runs ?? []).map(({ offset }) => offset);
            expect(part.next).toBe(offsets[offsets.length - 1] + 1);
          }
          expect(parts[parts.length - 1].next).toBe(batch.next);
        },
      ),
    );
  });

  it('is one that has no runs, as it is', () => {
    const records = [1, 2, 3].map((offset) => ({ offset, timestamp: undefined, value: null }));
    const batch: Batch = { partition: 0, topic: 0, records, next: 4 };
    expect([...partsOf(batch, 1)]).toEqual([batch]);
  });
});
