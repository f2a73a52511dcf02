import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reservedCohorts } from '../../src/accumulators/admission.ts';
import { addRow, copyRow, type Row } from '../../src/accumulators/row.ts';
import { setText } from '../../src/accumulators/store/layout.ts';
import { namedValues } from '../../src/config/experiments.ts';
import type { QualityDecision } from '../../src/exporter/cohort-watch.ts';
import type { QualityRow, QualitySnapshot } from '../../src/exporter/exporter-contract.ts';
import { measureValue } from '../../src/measures/value.ts';
import { metricSpecs } from '../../src/metrics/metric-specs.ts';
import { Quality } from '../../src/metrics/quality.ts';
import { watch } from '../../src/statistics/watched.ts';
import { OTHER_COHORT } from '../../src/vocabulary/events.ts';
import { parse, type Sample } from './parse.ts';
import { settingsOf } from './settings.ts';
import { meanRow } from './statuses.ts';

const SETTINGS = settingsOf(`
measures: [mrr]
windows: [5m, 1h]
attribution: {horizons: [1m, 5m]}
cohorts: [[], [variant], [variant, country]]
experiments: {default: {control: control, variants: {control: 0.5, treatment: 0.5}}}
`);
const NAMES = SETTINGS.measures.map(({ canonical }) => canonical);
const SETS: readonly (readonly string[])[] = [[], ['variant'], ['variant', 'country']];
/** A value and its standard error, of one measure. */
const SERIES_PER_ROW = 2;
const KNOWN_ERRORS = [0.25];

/** With one place for each set, in which no combination of two dimensions is reserved. */
function settings(series: number) {
  return { ...SETTINGS, limits: { ...SETTINGS.limits, series, cohortsPerSet: 1 } };
}

function snapshotOf(rows: readonly QualityRow[], changes: Partial<QualitySnapshot> = {}): QualitySnapshot {
  return { rows, windows: [], decisions: [], experiments: [], resultTimes: new Map(), impressions: 0, ...changes };
}

interface Shown {
  readonly impressions: readonly Sample[];
  readonly mrr: readonly Sample[];
  readonly stderrs: readonly Sample[];
  readonly decisions: readonly Sample[];
  readonly capped: number;
}

function shown(snapshot: QualitySnapshot, series: number): Shown {
  const chosen = settings(series);
  const quality = new Quality(metricSpecs(chosen), chosen);
  quality.take(snapshot);
  const families = parse(quality.text());
  const samples = (name: string): readonly Sample[] => families.get(name)?.samples ?? [];
  return {
    impressions: samples('receval_window_impressions'),
    mrr: samples('receval_mrr'),
    stderrs: samples('receval_mrr_stderr'),
    decisions: samples('receval_quality_decision'),
    capped: quality.capped,
  };
}

function rowOf(by: readonly string[], values: readonly string[], row: Row, at = ['1m', '5m']): QualityRow {
  return { horizon: at[0], window: at[1], by, values, row, stderrs: KNOWN_ERRORS };
}

function listsOf(n: number, sum = n / 2): Row {
  return meanRow(NAMES, n, n, sum);
}

/** Impressions of each row of a page by its labels. */
function impressionsOf(samples: readonly Sample[]): ReadonlyMap<string, number> {
  return new Map(samples.map(({ labels, value }) => [textOf(labels), value] as const));
}

function textOf({ window, horizon, by, ...labels }: Readonly<Record<string, string>>): string {
  const values = by === '' || by === undefined ? [] : by.split(',').map((name) => labels[name]);
  return [horizon, window, by, values.join(',')].join('|');
}

function labelledText({ horizon, window, by, values }: QualityRow): string {
  return [horizon, window, setText(by), values.join(',')].join('|');
}

describe('beyond limits.series', () => {
  const flood = Array.from({ length: 40 }, (_, n) => rowOf(['variant'], [`a-${n}`], listsOf(1)));
  const rows = [
    rowOf([], [], listsOf(160)),
    ...flood,
    rowOf(['variant'], ['control'], listsOf(30)),
    rowOf(['variant'], ['ranker_v2'], listsOf(88)),
    rowOf(['variant'], ['treatment'], listsOf(2)),
  ];

  it('what the configuration names keeps its name, and the smallest of the others are the rest of their set', () => {
    const { impressions, mrr, stderrs, capped } = shown(snapshotOf(rows), 8);
    const variantsOf = (samples: readonly Sample[]) => samples.map(({ labels, value }) => [labels['variant'], value]);
    expect(variantsOf(impressions)).toEqual([
      [undefined, 160],
      ['__other__', 40],
      ['control', 30],
      ['ranker_v2', 88],
      ['treatment', 2],
    ]);
    expect(new Set(mrr.map(({ value }) => value))).toEqual(new Set([0.5]));
    expect(variantsOf(stderrs).map(([variant]) => variant)).toEqual([undefined, 'control', 'ranker_v2', 'treatment']);
    expect(capped).toBe(40);
  });

  it('what the configuration names stays even where it alone is more', () => {
    const { impressions } = shown(snapshotOf(rows), 1);
    expect(impressions.map(({ labels }) => labels['variant'])).toEqual([
      undefined,
      '__other__',
      'control',
      'treatment',
    ]);
  });

  it.each([
    [2 * rows.length - 1, 1],
    [2 * rows.length, 0],
    [2 * rows.length + 1, 0],
  ])('of %d, %d cohorts are left to the rest', (series, capped) => {
    const page = shown(snapshotOf(rows), series);
    const isOther = ({ labels }: Sample): boolean => labels['variant'] === '__other__';
    expect([page.capped, page.impressions.filter(isOther).length]).toEqual([capped, capped]);
  });

  it('a rest that stands there takes the others in', () => {
    const rest = rowOf(['variant'], ['__other__'], listsOf(7));
    const { impressions } = shown(snapshotOf([rest, ...rows]), 8);
    expect(impressions.filter(({ labels }) => labels['variant'] === '__other__').map(({ value }) => value)).toEqual([
      47,
    ]);
    expect(rest.row.impressions).toBe(7);
  });

  it('the decisions on what the configuration names stay, then those on the largest cohorts', () => {
    const decisions = rows.map(({ by, values }) => decisionOn(by, values));
    const page = shown(snapshotOf(rows, { decisions }), 20);
    expect([...new Set(page.decisions.map(({ labels }) => labels['variant']))]).toEqual([
      undefined,
      'control',
      'ranker_v2',
      'treatment',
    ]);
    expect(page.decisions).toHaveLength(20);
  });

  const variant = fc.constantFrom('control', 'treatment', 'a', 'b', 'c', 'z', '__none__');
  const country = fc.constantFrom('DE', 'FR', 'IT', '__none__');
  const cohort = fc.oneof(
    fc.constant<readonly string[]>([]),
    variant.map((one) => [one]),
    fc.constant([OTHER_COHORT]),
    fc.tuple(variant, country).map((both) => [...both]),
    fc.constant([OTHER_COHORT, OTHER_COHORT]),
  );
  const place = fc.tuple(fc.constantFrom('1m', '5m'), fc.constantFrom('5m', '1h'));
  const row = fc
    .tuple(place, cohort, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 }))
    .map(([at, values, n, sum]) => rowOf(SETS[values.length], values, listsOf(n, (n * sum) / 9), at));
  const manyRows = fc.uniqueArray(row, { selector: labelledText, maxLength: 60 });

  it('nothing is lost, nothing named is partial, and none is folded that is larger than one shown', () => {
    fc.assert(
      fc.property(manyRows, fc.integer({ min: 1, max: 130 }), (all, series) => {
        const page = shown(snapshotOf(all), series);
        const impressions = impressionsOf(page.impressions);
        const means = impressionsOf(page.mrr);
        const errors = impressionsOf(page.stderrs);
        const reserved = reservedCohorts(['variant'], namedValues(SETTINGS.experiments), 1);
        const isKept = ({ by, values }: QualityRow): boolean =>
          by.length === 0 || (by.length === 1 && reserved.has(values[0]));
        const isRest = ({ values }: QualityRow): boolean => values.includes(OTHER_COHORT);
        const left = all.filter((one) => !isRest(one) && !impressions.has(labelledText(one)));

        // By name: its own numbers, and an error; what the configuration names, always.
        for (const one of all.filter((each) => !isRest(each) && !left.includes(each))) {
          expect(impressions.get(labelledText(one))).toBe(one.row.impressions);
          expect(errors.get(labelledText(one))).toBe(KNOWN_ERRORS[0]);
        }
        expect(left.filter(isKept)).toEqual([]);
        expect(page.capped).toBe(left.length);

        // The rest: exactly the rest.
        for (const [text, parts] of restsOf([...all.filter(isRest), ...left])) {
          const sum = copyRow(parts[0].row);
          for (const part of parts.slice(1)) addRow(sum, part.row);
          expect(impressions.get(text)).toBe(sum.impressions);
          expect(means.get(text)).toBe(measureValue(SETTINGS.measures[0], sum.sums));
          expect(errors.has(text)).toBe(parts.length === 1 && isRest(parts[0]));
        }
        expect(page.impressions).toHaveLength(
          all.length - left.length - all.filter(isRest).length + restsOf([...all.filter(isRest), ...left]).size,
        );

        // The limit, and who is chosen: a cohort in all windows or in none, the largest first.
        const named = all.filter((one) => !isRest(one));
        const others = named.filter((one) => !isKept(one) && !left.includes(one));
        const room = Math.floor(series / SERIES_PER_ROW) - named.filter(isKept).length;
        expect(others.length).toBeLessThanOrEqual(Math.max(0, room));
        if (named.length * SERIES_PER_ROW <= series) expect(left).toEqual([]);
        const cohortOf = ({ by, values }: QualityRow): string => `${setText(by)}|${values.join(',')}`;
        const sizeOf = (one: QualityRow): number =>
          Math.max(...named.filter((each) => cohortOf(each) === cohortOf(one)).map((each) => each.row.impressions));
        for (const one of others)
          for (const folded of left) {
            expect(cohortOf(folded)).not.toBe(cohortOf(one));
            expect(sizeOf(folded)).toBeLessThanOrEqual(sizeOf(one));
          }
      }),
      { numRuns: 300 },
    );
  });
});

/** Rows by the text of the rest of their set. */
function restsOf(rows: readonly QualityRow[]): ReadonlyMap<string, readonly QualityRow[]> {
  const rests = new Map<string, QualityRow[]>();
  for (const row of rows) {
    const text = labelledText({ ...row, values: row.by.map(() => OTHER_COHORT) });
    rests.set(text, [...(rests.get(text) ?? []), row]);
  }
  return rests;
}

function decisionOn(by: readonly string[], values: readonly string[]): QualityDecision {
  const decision = watch({
    at: 0,
    replaying: true,
    blocks: [],
    step: 300_000,
    pastOf: () => undefined,
    settings: { k: 0.5, h: 20, tolerance: 0.01 },
  });
  return { by, values, horizon: '1m', measure: 'mrr', decision, accepted: undefined };
}
