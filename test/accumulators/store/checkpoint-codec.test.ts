import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeCheckpoint,
  encodeCheckpoint,
  type UnitCheckpoint,
} from '../../../src/accumulators/store/checkpoint-codec.ts';
import { CheckpointError } from '../../../src/accumulators/store/json.ts';
import { FORMAT_VERSION, STORE_FIELDS } from '../../../src/accumulators/store/layout.ts';
import type { JoinCheckpoint } from '../../../src/vocabulary/checkpoint.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS } from '../../../src/vocabulary/drops.ts';
import { Ranges } from '../../../src/vocabulary/ranges.ts';

const time = fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), fc.integer({ min: -10, max: 4e12 }));
const count = fc.nat();
const ranges = fc
  .array(fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 9 })))
  .map((some) => new Ranges(some.map(([from, length]) => [from, from + length] as const)).toJSON());
const json = fc.oneof(fc.constant(''), fc.json());

function countOfEach<Name extends string>(names: readonly Name[]): fc.Arbitrary<Record<Name, number>>;
function countOfEach(names: readonly string[]): fc.Arbitrary<Record<string, number>> {
  return fc.record(Object.fromEntries(names.map((name) => [name, count])));
}

const since = fc.dictionary(fc.string({ minLength: 1 }), time, { noNullPrototype: true });

/** Ranges end at 1008 at most, so that all of them were read. */
const topic = fc
  .record(
    {
      committed: fc.integer({ min: 1008, max: 2 ** 40 }),
      replay: count,
      replayWatermark: time,
      idleAdvances: fc.array(fc.record({ before: count, watermark: time })),
      clockDrops: ranges,
      clockBlocks: count,
      undecodable: ranges,
      leaps: fc.record({
        from: count,
        levels: fc
          .uniqueArray(time, { maxLength: 3 })
          .map((all) => all.sort((a, b) => a - b).map((level, i): [number, number] => [level, 1 + i])),
      }),
      hasGap: fc.constant(true as const),
      isBeginning: fc.constant(true as const),
    },
    { requiredKeys: ['committed', 'replay', 'replayWatermark', 'idleAdvances', 'clockDrops'] },
  )
  .map(({ committed, replay, idleAdvances, ...more }) => {
    const from = Math.min(replay, committed);
    const advances = idleAdvances
      .map(({ before, watermark }) => ({ before: from + (before % (committed - from + 1)), watermark }))
      .sort((a, b) => a.before - b.before);
    return { committed, replay: from, idleAdvances: advances, ...more };
  });

function joinOf(topics: number, horizons: number): fc.Arbitrary<JoinCheckpoint> {
  const late = fc.array(count, { minLength: horizons, maxLength: horizons });
  const counts = fc.record(
    {
      impressions: fc.record({ read: count, accepted: count, drops: countOfEach(IMPRESSION_DROPS), late }),
      feedback: fc.record({ read: count, attributed: count, drops: countOfEach(FEEDBACK_DROPS), late }),
      unmapped: fc.array(fc.record({ field: fc.string(), value: fc.string(), records: count }), { minLength: 1 }),
    },
    { requiredKeys: ['impressions', 'feedback'] },
  );
  const each = { minLength: topics, maxLength: topics };
  return fc.record({ topics: fc.array(topic, each), counts: fc.array(counts, each), watermark: time });
}

const logs = fc
  .tuple(fc.nat(3), fc.nat(3))
  .chain(([topics, horizons]) =>
    fc.tuple(
      joinOf(topics, horizons),
      fc.array(fc.option(fc.string(), { nil: undefined }), { minLength: topics, maxLength: topics }),
    ),
  );

const withoutLogs: fc.Arbitrary<Omit<UnitCheckpoint, 'join' | 'lastRecords'>> = fc.record({
  format: fc.constantFrom(1, 2),
  generation: fc.integer({ min: 1 }).map(String),
  fingerprint: fc.record({ shape: json, additive: json }),
  partitions: fc.integer({ min: 1, max: 1_000_000 }),
  incompleteBefore: time,
  lostUpTo: time,
  since,
  hasGap: fc.boolean(),
  feedbackFrom: time,
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
});

const anyCheckpoint: fc.Arbitrary<UnitCheckpoint> = fc
  .tuple(withoutLogs, logs)
  .map(([rest, [join, lastRecords]]) => ({ ...rest, join, lastRecords }));

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
    expect(() => decodeCheckpoint(new Map())).toThrow('its format is gone');
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
    ['watermark', '9007199254740991', 'watermark: expected a time'],
    ['generation', '-1', 'generation: expected a number from 1'],
    ['generation', '', 'generation: expected a number from 1'],
    ['partitions', '0', 'partitions: expected 1 to 1000000, found 0'],
    ['partitions', '1000001', 'partitions: expected 1 to 1000000, found 1000001'],
    ['hasGap', 'tbue', 'hasGap: expected true or false'],
    ['fingerprint', '{"shape":"{","additive":"[]"}', 'fingerprint.shape: expected JSON'],
    ['fingerprint', '{"shape":"{}","additive":"[]]"}', 'fingerprint.additive: expected JSON'],
    ['panes', '{"minutes":[[2,1]]}', 'panes.minutes[0]: expected [from, to)'],
    ['panes', '{"minutes":[[0,9999999999]],"hours":[],"admission":[]}', 'panes.minutes: expected 6000000 at most'],
    ['panes', '{"minutes":[],"hours":[[-4e9,0]],"admission":[]}', 'panes.hours: expected 6000000 at most'],
    ['runs', '[{"name":"a","run":"r","begins":[-1],"missing":0}]', 'runs[0].begins[0]: expected 0 or more'],
    ['panes', '{"minutes":[],"hours":[],"admission":[{"by":[1]}]}', 'panes.admission[0].by[0]: expected a text'],
  ])('with %s = %s is refused', (field, text, problem) => {
    expect(() => decodeCheckpoint(encodeCheckpoint(example).set(field, text))).toThrow(problem);
  });

  const counted = { read: 2, drops: Object.fromEntries(FEEDBACK_DROPS.map((reason) => [reason, 0])), late: [0, 0] };
  const counts = { impressions: { ...counted, accepted: 1 }, feedback: { ...counted, attributed: 1 } };
  const at = { committed: 9, replay: 5, replayWatermark: null, idleAdvances: [], clockDrops: [] };

  it.each([
    ['topics', [at], [counts, counts], 'counts: expected one for each of 1 topics, found 2'],
    ['topics', [{ ...at, replay: 10 }], [counts], 'topics[0]: it replays from 10, behind the committed offset 9'],
    ['topics', [{ ...at, replay: -1 }], [counts], 'topics[0].replay: expected 0 or more'],
    ['topics', [{ ...at, clockDrops: [[8, 10]] }], [counts], 'topics[0].clockDrops: [8, 10) was not read yet'],
    ['topics', [{ ...at, undecodable: [[-1, 3]] }], [counts], 'topics[0].undecodable: [-1, 3) was not read yet'],
    [
      'topics',
      [{ ...at, idleAdvances: [{ before: 4, watermark: 1 }] }],
      [counts],
      'topics[0].idleAdvances: 4 is out of order',
    ],
    [
      'topics',
      [
        {
          ...at,
          leaps: {
            from: 0,
            levels: [
              [2, 1],
              [1, 1],
            ],
          },
        },
      ],
      [counts],
      'topics[0].leaps: the levels fall',
    ],
    ['topics', [{ ...at, leaps: { from: 0, levels: [[2, 0]] } }], [counts], 'or have no votes'],
    [
      'late lists',
      [at, at],
      [counts, { ...counts, feedback: { ...counts.feedback, late: [0] } }],
      'counts[1]: expected 2 horizons in each list of late events',
    ],
    [
      'counts',
      [at],
      [{ ...counts, impressions: { ...counts.impressions, read: -1 } }],
      'counts[0].impressions.read: expected 0 or more',
    ],
    ['lastRecords', [at], [counts], 'lastRecords: expected one for each of 1 topics, found 2'],
  ])('whose %s contradict the rest is refused: %#', (name, topics, ofTopics, problem) => {
    const lastRecords = (name === 'lastRecords' ? [at, at] : topics).map(() => null);
    const fields = encodeCheckpoint(example)
      .set('topics', JSON.stringify(topics))
      .set('counts', JSON.stringify(ofTopics))
      .set('lastRecords', JSON.stringify(lastRecords));
    expect(() => decodeCheckpoint(fields)).toThrow(problem);
  });
});
