import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeCheckpoint,
  encodeCheckpoint,
  type UnitCheckpoint,
} from '../../../src/accumulators/store/checkpoint-codec.ts';
import { CheckpointError } from '../../../src/accumulators/store/checkpoint-error.ts';
import { FORMAT_VERSION, STORE_FIELDS } from '../../../src/accumulators/store/layout.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS } from '../../../src/vocabulary/drops.ts';
import { Ranges } from '../../../src/vocabulary/ranges.ts';

const time = fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), fc.integer({ min: -10, max: 4e12 }));
const count = fc.nat();
const ranges = fc
  .array(fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 9 })))
  .map((some) => new Ranges(some.map(([from, length]) => [from, from + length] as const)).toJSON());
const late = fc.array(count, { maxLength: 3 });

function countOfEach<Name extends string>(names: readonly Name[]): fc.Arbitrary<Record<Name, number>>;
function countOfEach(names: readonly string[]): fc.Arbitrary<Record<string, number>> {
  return fc.record(Object.fromEntries(names.map((name) => [name, count])));
}

const since = fc.dictionary(fc.string({ minLength: 1 }), time, { noNullPrototype: true });

const anyCheckpoint: fc.Arbitrary<UnitCheckpoint> = fc.record({
  format: fc.constantFrom(1, 2),
  generation: fc.string(),
  fingerprint: fc.record({ shape: fc.string(), additive: fc.string() }),
  partitions: count,
  incompleteBefore: time,
  lostUpTo: time,
  since,
  hasGap: fc.boolean(),
  feedbackFrom: time,
  join: fc.record({
    topics: fc.array(
      fc.record(
        {
          committed: count,
          replay: count,
          replayWatermark: time,
          idleAdvances: fc.array(fc.record({ before: count, watermark: time })),
          clockDrops: ranges,
          clockBlocks: count,
          undecodable: ranges,
          hasGap: fc.constant(true as const),
          isBeginning: fc.constant(true as const),
        },
        { requiredKeys: ['committed', 'replay', 'replayWatermark', 'idleAdvances', 'clockDrops'] },
      ),
    ),
    counts: fc.array(
      fc.record(
        {
          impressions: fc.record({ read: count, accepted: count, drops: countOfEach(IMPRESSION_DROPS), late }),
          feedback: fc.record({ read: count, attributed: count, drops: countOfEach(FEEDBACK_DROPS), late }),
          unmapped: fc.array(fc.record({ field: fc.string(), value: fc.string(), records: count }), { minLength: 1 }),
        },
        { requiredKeys: ['impressions', 'feedback'] },
      ),
    ),
    watermark: time,
  }),
  panes: fc.record({
    minutes: ranges,
    hours: ranges,
    admission: fc.array(
      fc.record({
        by: fc.array(fc.string()),
        folded: time,
        entries: fc.array(fc.tuple(fc.string(), fc.nat(), time)),
      }),
    ),
  }),
  runs: fc.array(
    fc.record(
      {
        name: fc.string(),
        run: fc.string(),
        begins: fc.array(count),
        missing: count,
        since,
        lists: count,
        lost: count,
      },
      { requiredKeys: ['name', 'run', 'begins', 'missing', 'since'] },
    ),
  ),
  lastRecords: fc.array(fc.option(fc.string(), { nil: undefined })),
});

const example = fc.sample(anyCheckpoint, { numRuns: 1, seed: 1 })[0];

describe('the text of a checkpoint', () => {
  it('reads back', () => {
    fc.assert(
      fc.property(anyCheckpoint, (checkpoint) => {
        expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toEqual(checkpoint);
      }),
    );
  });

  it('has always the same fields, none of them the store’s own', () => {
    fc.assert(
      fc.property(anyCheckpoint, (checkpoint) => {
        const fields = [...encodeCheckpoint(checkpoint).keys()];
        expect(fields).toEqual([...encodeCheckpoint(example).keys()]);
        expect(STORE_FIELDS.filter((own) => fields.includes(own))).toEqual([]);
      }),
    );
  });

  it.each([String(FORMAT_VERSION + 1), '0', '01', '1.5', 'NaN', ''])(
    'of format "%s" is refused, with what to do',
    (format) => {
      const fields = encodeCheckpoint(example).set('format', format);
      expect(() => decodeCheckpoint(fields)).toThrow(CheckpointError);
      expect(() => decodeCheckpoint(fields)).toThrow(
        `format version ${format}; this build reads versions up to ${FORMAT_VERSION}`,
      );
    },
  );

  it('without any format is refused', () => {
    expect(() => decodeCheckpoint(new Map())).toThrow('format version (none)');
  });

  it('without runs is one from before there were experiments', () => {
    const fields = encodeCheckpoint({
      ...example,
      runs: [{ name: 'a', run: 'r', begins: [1], missing: 0, since: {} }],
    });
    fields.delete('runs');
    expect(decodeCheckpoint(fields)).toEqual({ ...example, runs: [] });
  });

  it('without lostUpTo is one from before that was looked for, of which nothing is known to be lost', () => {
    const fields = encodeCheckpoint({ ...example, lostUpTo: 7 });
    expect(decodeCheckpoint(fields).lostUpTo).toBe(7);
    fields.delete('lostUpTo');
    expect(decodeCheckpoint(fields)).toEqual({ ...example, lostUpTo: Number.NEGATIVE_INFINITY });
  });

  it('without hasGap is one from before that was kept, and lacks nothing', () => {
    const fields = encodeCheckpoint({ ...example, hasGap: true });
    expect(decodeCheckpoint(fields).hasGap).toBe(true);
    fields.delete('hasGap');
    expect(decodeCheckpoint(fields)).toEqual({ ...example, hasGap: false });
  });

  it('without feedbackFrom is one from before that was kept, and leaves no list out', () => {
    const fields = encodeCheckpoint({ ...example, feedbackFrom: 5 });
    expect(decodeCheckpoint(fields).feedbackFrom).toBe(5);
    fields.delete('feedbackFrom');
    expect(decodeCheckpoint(fields)).toEqual({ ...example, feedbackFrom: Number.NEGATIVE_INFINITY });
  });

  it.each(
    [...encodeCheckpoint(example).keys()].filter(
      (field) => !['format', 'runs', 'hasGap', 'feedbackFrom', 'since', 'lostUpTo'].includes(field),
    ),
  )('without the field %s is refused', (field) => {
    const fields = encodeCheckpoint(example);
    fields.delete(field);
    expect(() => decodeCheckpoint(fields)).toThrow(CheckpointError);
    expect(() => decodeCheckpoint(fields)).toThrow(`damaged: ${field}`);
  });

  it.each([
    ['topics', '[{"committed":"7"}]', 'topics[0].committed: expected a whole number'],
    ['topics', '{}', 'topics: expected a list'],
    ['watermark', '1.5', 'watermark: expected a whole number'],
    ['watermark', '"x', 'watermark: expected JSON'],
    ['panes', '{"minutes":[[2,1]]}', 'panes.minutes[0]: expected [from, to)'],
    ['panes', '{"minutes":[],"hours":[],"admission":[{"by":[1]}]}', 'panes.admission[0].by[0]: expected a text'],
  ])('with %s = %s is refused', (field, text, problem) => {
    expect(() => decodeCheckpoint(encodeCheckpoint(example).set(field, text))).toThrow(problem);
  });
});
