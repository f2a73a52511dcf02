import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchRun } from '../../src/consumers/source/kafka/codecs/records.ts';
import { countOf, RunBatch } from '../../src/consumers/source/run-batch.ts';
import type { Batch } from '../../src/consumers/source/source-port.ts';
import { cut, PartSize } from '../../src/worker/parts.ts';

/** The same in runs of these lengths, the last of which takes what is left. */
function inRuns({ partition, topic, records, next }: Batch, lengths: readonly number[]): Batch {
  const runs: BatchRun[] = [];
  for (let from = 0, i = 0; from < records.length; i++) {
    const some = records.slice(from, i < lengths.length ? from + lengths[i] : undefined);
    const run = new BatchRun(Buffer.alloc(0), some.length, false);
    for (const { offset } of some) run.add(offset, undefined, 0, 0, -1);
    runs.push(run);
    from += some.length;
  }
  return new RunBatch(partition, topic, runs, next);
}

const lists = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 }).map((steps): Batch => {
  let offset = 7;
  const records = steps.map((step) => {
    offset += step;
    return { offset, timestamp: undefined, value: null };
  });
  return { partition: 3, topic: 1, records, next: offset + 4 };
});

const lengths = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 6 });
const batches = fc.oneof(
  lists,
  fc.tuple(lists, lengths).map(([batch, of]) => inRuns(batch, of)),
);

function partsOf(batch: Batch, records: number): readonly Batch[] {
  const [part, rest] = cut(batch, records);
  return rest === undefined ? [part] : [part, ...partsOf(rest, records)];
}

describe('the parts of a batch', () => {
  it('hold its records in their order, at most as many as asked, and end where it ends', () => {
    fc.assert(
      fc.property(batches, fc.integer({ min: 1, max: 70 }), (batch, records) => {
        const parts = partsOf(batch, records);
        expect(parts.flatMap((part) => part.records)).toEqual(batch.records);
        expect(parts.every((part) => part.records.length <= records)).toBe(true);
        expect(parts.every((part) => (part.runs === undefined) === (batch.runs === undefined))).toBe(true);
        expect(parts.every((part) => countOf(part) === part.records.length)).toBe(true);
        expect(parts.every(({ partition, topic }) => partition === 3 && topic === 1)).toBe(true);
        for (const [i, { next }] of parts.entries()) {
          const following = parts[i + 1];
          if (following === undefined) expect(next).toBe(batch.next);
          // Not past a hole: what stands behind it belongs to the next part.
          else expect([next - 1, next <= following.records[0].offset]).toEqual([parts[i].records.at(-1)?.offset, true]);
        }
      }),
    );
  });

  it('keeps whole a batch without records, which only says how far the log was read', () => {
    const batch: Batch = { partition: 0, topic: 0, records: [], next: 12 };
    expect(cut(batch, 1)).toEqual([batch, undefined]);
  });

  it('grow while little changes and shrink while much does, within bounds', () => {
    const size = new PartSize();
    const sizes = (changed: number, times: number): readonly number[] =>
      Array.from({ length: times }, () => {
        size.fed(changed, 1000);
        return size.records;
      });
    expect(size.records).toBe(25);
    expect(sizes(249, 9)).toEqual([50, 100, 200, 400, 800, 1600, 3200, 6400, 6400]);
    expect(sizes(250, 1)).toEqual([6400]);
    expect(sizes(1000, 1)).toEqual([6400]);
    expect(sizes(1001, 14)).toEqual([3200, 1600, 800, 400, 200, 100, 50, 25, 12, 6, 3, 1, 1, 1]);
  });
});
