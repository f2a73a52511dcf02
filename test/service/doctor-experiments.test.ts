import { describe, expect, it } from 'vitest';
import type { UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import type { SampledRecord } from '../../src/consumers/source/kafka/access/kafka-sample.ts';
import type { Bounds } from '../../src/consumers/source/source-port.ts';
import { checkExperiments, firstRecordRanges } from '../../src/service/doctor-experiments.ts';
import { load } from '../config/fixture.ts';

const MINUTE = 60_000;
const AT = Date.parse('2026-11-21T09:00:00Z');
const NOW = AT + 60 * MINUTE;
const SHORTER: readonly Bounds[] = [
  { start: 3, end: 9 },
  { start: 7, end: 9 },
];

interface Case {
  readonly yaml?: string;
  /** Of impressions and of feedback. */
  readonly bounds?: readonly Bounds[];
  /** Time of the first record of each. */
  readonly first?: readonly (number | undefined)[];
  readonly committed?: number;
}

function settingsOf(yaml: string, start = '') {
  return load(`${yaml}
attribution: {horizons: [1m], backward: 5s}
cohorts: [[variant]]
experiments: {ranker: {control: a, variants: {a: 1, b: 1}${start}}}
`);
}

/** What is told of one partition of which nothing is stored. */
function told(
  { bounds = SHORTER, first = [AT, AT + MINUTE], committed = -1 }: Case,
  settings = settingsOf(''),
): string {
  const facts = {
    stored: [undefined],
    committedByGroup: [[committed], [committed]],
    bounds: bounds.map((one) => [one]),
    ending: [],
  };
  const names = settings.kafka.topics.map(({ name }) => name);
  const records = first.flatMap((timestamp, t): readonly SampledRecord[] => {
    if (timestamp === undefined) return [];
    return [{ topic: names[t], partition: 0, offset: bounds[t].start, timestamp, hasKey: true, value: null }];
  });
  const asked = firstRecordRanges(settings, facts);
  const found = records.filter(({ topic }) => asked.some((range) => range.topic === topic));
  return checkExperiments(settings, facts, found, NOW)
    .map(({ level, message }) => `${level} ${message}`)
    .join('\n');
}

const warns = (time: number) =>
  expect.stringMatching(`^warning .*will count no lists from before ${new Date(time + 5000).toISOString()}\\. `);

describe('a first start over lists that are kept for longer than their feedback', () => {
  it('is a warning, with the time from which on their feedback is kept', () => {
    expect(told({})).toEqual(warns(AT + MINUTE));
    expect(told({})).toContain('ranker');
  });

  it('is one where the lists begin before that time', () => {
    expect(told({ first: [AT - 1, AT - 5000] })).toEqual(warns(AT - 5000));
    expect(told({ first: [AT, AT - 5000] })).toMatch(/^ok /);
    expect(told({ first: [AT + 1, AT - 5000] })).toMatch(/^ok /);
  });

  it('is one where no feedback is kept at all', () => {
    expect(told({ bounds: [SHORTER[0], { start: 9, end: 9 }], first: [AT, undefined] })).toEqual(warns(NOW));
  });

  it('is none where no feedback has expired, or no list is kept', () => {
    expect(told({ bounds: [SHORTER[0], { start: 0, end: 9 }] })).toMatch(/^ok /);
    expect(told({ bounds: [{ start: 9, end: 9 }, SHORTER[1]], first: [undefined, AT] })).toMatch(/^ok /);
  });

  it('says nothing of it where the first records could not be read', () => {
    expect(told({ first: [AT, undefined] })).toBe('');
    expect(told({ first: [undefined, AT] })).toBe('');
  });

  it('is none where the experiments begin when feedback is kept', () => {
    const from = (time: number) => settingsOf('', `, start: '${new Date(time).toISOString()}'`);
    expect(told({}, from(AT + MINUTE + 4999))).toEqual(warns(AT + MINUTE));
    expect(told({}, from(AT + MINUTE + 5000))).toMatch(/^ok /);
  });

  it('is one only as far as the start reads back, and the rebuild of what was lost reads all', () => {
    const from = (text: string) => settingsOf(`start: {from: ${text}}`);
    expect(told({}, from('latest'))).toBe('');
    expect(told({ committed: 5 }, from('latest'))).toEqual(warns(AT + MINUTE));
    expect(told({}, from(new Date(AT + 30_000).toISOString()))).toEqual(warns(AT + MINUTE));
    expect(told({}, from(new Date(AT + MINUTE).toISOString()))).toEqual(warns(AT + MINUTE));
    // What came before is kept, and not wanted.
    expect(told({}, from(new Date(AT + MINUTE + 1).toISOString()))).toMatch(/^ok /);
  });

  it('says nothing without experiments, and of partitions that are stored', () => {
    expect(told({}, load('experiments: {}'))).toBe('');
    const settings = settingsOf('');
    const stored: UnitCheckpoint = JSON.parse('{}');
    const facts = { stored: [stored], committedByGroup: [[-1], [-1]], bounds: SHORTER.map((one) => [one]), ending: [] };
    expect(firstRecordRanges(settings, facts)).toEqual([]);
    expect(checkExperiments(settings, facts, [], NOW)).toEqual([]);
  });
});
