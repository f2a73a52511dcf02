/** Who shows each finding, as the catalogue says, against what they show. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CATALOGUE, type FindingCode, type Shower } from '../../src/findings/catalogue.ts';
import { CountFindings, type TopicHealth } from '../../src/findings/live-findings.ts';
import { checkRecords } from '../../src/service/doctor-records.ts';
import { readSample, recordFindings } from '../../src/service/record-findings.ts';
import { serviceDecoders } from '../../src/service/service-settings.ts';
import { load } from '../config/fixture.ts';

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const CODES = Object.keys(CATALOGUE);

/** Codes of the catalogue that one of these shows. */
function saying(...some: readonly Shower[]): readonly string[] {
  return Object.entries(CATALOGUE).flatMap(([code, { shownBy = ['inspect'] }]) =>
    some.some((one) => shownBy.includes(one)) ? [code] : [],
  );
}

function inOrder(codes: ReadonlySet<string>): readonly string[] {
  return CODES.filter((code) => codes.has(code));
}

/** Codes that these files write. */
function written(...names: readonly string[]): readonly string[] {
  const all = names.map((name) => text(`src/${name}.ts`)).join('\n');
  return inOrder(new Set([...all.matchAll(/'([a-z]+(?:_[a-z]+)*)'/g)].map(([, code]) => code)));
}

const NOW = Date.parse('2026-11-21T09:00:00Z');
const AT = NOW - 3_600_000;
const n = Array.from({ length: 80 }, (_, i) => i);
type Records = readonly object[];
const lists = (change: (i: number) => object = () => ({})): Records =>
  n.map((i) => ({ requestId: `r-${i}`, userId: `u${i}`, ts: AT + i * 1000, items: ['a', 'b'], ...change(i) }));
const clicks = (change: (i: number) => object = () => ({})): Records =>
  n.map((i) => ({ requestId: `r-${i}`, ts: AT + i * 1000 + 20_000, itemId: 'a', action: 'click', ...change(i) }));
/** As a spreadsheet writes it, 1.795244E+12. */
const shortened = (i: number) => Number((AT + i * 40_000).toExponential(6));
const ARMS = 'experiments: {default: {control: a, variants: {a: 1, b: 1}}}';
const FRESH = 'experiments: {fresh: {control: x, variants: {x: 1, y: 1}}}';

/** Topics in which one thing looks wrong. */
const TOPICS: readonly {
  readonly shows: FindingCode;
  readonly of: readonly [Records, Records];
  readonly yaml?: string;
}[] = [
  {
    shows: 'nothing_joined',
    of: [
      lists((i) => ({ ts: AT + i * 10_000 })),
      clicks((i) => ({ requestId: `s${7 * i}x`, ts: AT + i * 9000 + 65_000 })),
    ],
  },
  {
    shows: 'feedback_missing',
    of: [lists(), clicks(() => ({ action: 'product_click' }))],
    yaml: `inputs: {feedback: {adapter: {maps: [{when: {/action: click}, map: {requestId: /requestId, ts: /ts, itemId: /itemId, action: /action}}]}}}`,
  },
  { shows: 'files_swapped', of: [clicks(), lists()] },
  { shows: 'most_invalid', of: [lists(() => ({ requestId: undefined, request: 1 })), clicks()] },
  { shows: 'some_invalid', of: [lists((i) => (i < 5 ? { requestId: undefined } : {})), clicks()] },
  { shows: 'dated_ahead', of: [lists((i) => (i < 5 ? { ts: NOW + 9e8 } : {})), clicks()] },
  {
    shows: 'times_shortened',
    of: [lists((i) => ({ ts: shortened(i) })), clicks((i) => ({ ts: shortened(i + 1) }))],
  },
  // Topics without feedback too.
  { shows: 'times_shortened', of: [lists((i) => ({ ts: shortened(i) })), []] },
  {
    shows: 'clock_change',
    of: [
      lists((i) => ({ ts: `2026-10-25 02:${String(i % 60).padStart(2, '0')}:00` })),
      clicks((i) => ({ ts: `2026-10-25 02:${String(i % 60).padStart(2, '0')}:20` })),
    ],
    yaml: 'inputs: {impressions: {timeZone: Europe/Berlin}, feedback: {timeZone: Europe/Berlin}}',
  },
  { shows: 'unit_of_time', of: [lists(), clicks((i) => ({ ts: new Date(AT / 1000 + i).toISOString() }))] },
  { shows: 'ids_differ_by_prefix', of: [lists(), clicks((i) => ({ requestId: `web:r-${i}` }))] },
  { shows: 'ids_differ_by_suffix', of: [lists(), clicks((i) => ({ requestId: `r-${i}.web` }))] },
  {
    shows: 'ids_differ_by_case',
    of: [lists((i) => ({ requestId: `RQ-${i}` })), clicks((i) => ({ requestId: `rq-${i}` }))],
  },
  {
    shows: 'other_type_of_id',
    of: [lists((i) => ({ requestId: 1000 + i })), clicks((i) => ({ requestId: `${1000 + i}.0` }))],
  },
  { shows: 'before_list', of: [lists(), clicks((i) => (i % 10 === 3 ? { ts: AT + i * 1000 - 700 } : {}))] },
  { shows: 'clock_offset', of: [lists(), clicks((i) => ({ ts: AT + i * 1000 - 3_590_000 }))] },
  {
    shows: 'beyond_horizon',
    of: [lists(), clicks((i) => ({ ts: AT + i * 1000 + (i % 4) * 700_000 }))],
    yaml: 'attribution: {horizons: [1m]}',
  },
  { shows: 'items_never_match', of: [lists(), clicks((i) => ({ itemId: `z${i}` }))] },
  { shows: 'empty_lists', of: [lists((i) => (i % 2 === 0 ? { items: [] } : {})), clicks()] },
  // A topic of lists alone, too.
  { shows: 'empty_lists', of: [lists(() => ({ items: [] })), []] },
  { shows: 'unknown_actions', of: [lists(), clicks(() => ({ action: 'open_details' }))] },
  { shows: 'values_missing', of: [lists(), clicks(() => ({ action: 'rating' }))] },
  {
    shows: 'no_user_ids',
    of: [lists((i) => ({ userId: undefined, variant: i % 2 === 0 ? 'a' : 'b' })), clicks()],
    yaml: ARMS,
  },
  { shows: 'one_variant', of: [lists(() => ({ variant: 'a' })), clicks()], yaml: ARMS },
  { shows: 'variant_not_named', of: [lists(() => ({ variant: 'x' })), clicks()], yaml: FRESH },
];

const told = TOPICS.map(({ shows, of, yaml = '' }) => {
  const settings = load(yaml);
  const records = (['impressions', 'feedback'] as const).flatMap((topic, t) =>
    of[t].map((event, offset) => ({
      topic,
      partition: 0,
      offset,
      timestamp: AT + 100_000,
      hasKey: true,
      value: Buffer.from(JSON.stringify(event)),
    })),
  );
  const sample = { records, refused: [], complete: true };
  const decoders = () => serviceDecoders(settings);
  return {
    shows,
    doctor: checkRecords(settings, 1, sample, decoders(), NOW).flatMap(({ code }) =>
      code === undefined ? [] : [code],
    ),
    run: recordFindings(settings, readSample(settings, sample, decoders(), NOW), NOW).map(({ code }) => code),
  };
});

const fine: TopicHealth = {
  topic: 'clicks',
  joined: 1,
  inList: 1,
  invalid: 0,
  late: 0,
  future: 0,
  missed: 0,
  accepted: 1,
  impressions: 1e6,
  feedback: 1e6,
  unmapped: [],
};

describe('what the catalogue says of who shows it', () => {
  it.each(told)('holds for $shows in doctor and run', ({ shows, doctor, run }) => {
    expect(doctor.includes(shows)).toBe(saying('doctor').includes(shows));
    expect(run.includes(shows)).toBe(saying('records').includes(shows));
  });

  it('names no other code that doctor or the records show', () => {
    const all = new Set<string>(told.flatMap(({ doctor, run }) => [...doctor, ...run]));
    expect(saying('doctor', 'records')).toEqual(inOrder(all));
  });

  it('names all that counts show', () => {
    const bad: readonly Partial<TopicHealth>[] = [
      { joined: 0 },
      { joined: 0.3 },
      { inList: 0.3 },
      { invalid: 0.9 },
      { late: 0.9 },
      { future: 0.1 },
      { missed: 0.1 },
      { accepted: 0 },
      { feedback: 0 },
    ];
    const codes = bad.flatMap((one) => new CountFindings(true).of([{ ...fine, ...one }]).map(({ code }) => code));
    expect(saying('counts')).toEqual(inOrder(new Set(codes)));
  });

  it('names all that files, score and inspect show', () => {
    expect(saying('files')).toEqual(
      written(
        ...[
          'run-findings',
          'many-dropped',
          'feedback-missing',
          'clock-change',
          'shortened-times',
          'invalid-files',
          'sample-findings',
          'compared-findings',
          'empty-lists',
        ].map((name) => `findings/${name}`),
      ),
    );
    expect(saying('score')).toEqual(written('findings/scored-findings', 'findings/empty-lists'));
    const files = readdirSync(new URL('../../src/inspect', import.meta.url)).map((name) => name.replace('.ts', ''));
    expect(saying('inspect')).toEqual(written('findings/invalid-files', ...files.map((name) => `inspect/${name}`)));
  });
});
