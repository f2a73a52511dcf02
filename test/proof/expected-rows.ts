import type { Feedback, Impression } from '../../src/vocabulary/events.ts';
import { type PlainImpression, plainGrades, plainScore } from '../measures/reference.ts';
import { userBucket } from '../reference/user-bucket.ts';
import type { PlainClosing } from './join-by-request.ts';
import type { ReferenceSettings } from './parameters.ts';
import { DIMENSIONS } from './plain-decoder.ts';

/**
 * Whole numbers of one row by name: `impressions`, `positives`, `userless`, and `<measure>[<place>]`. Of a vector by bucket:
 * `<bucket> impressions`, `<bucket> positives`, `<bucket> <measure>[<place>]` without squares. 0 may be missing in a vector.
 */
export type PlainRow = Map<string, bigint>;
/** By key, then field (specification: layout 1). */
export type PlainRows = Map<string, Map<string, PlainRow>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Of the vectors of hours. */
const HOUR_BUCKETS = 64;
const PER_ONE = 1e9;

/** What the closings of one unit sum up to: minute panes and hour panes, for each grouping set, and vectors of hours. */
export function expectedRows(
  settings: ReferenceSettings,
  keyPrefix: string,
  closings: readonly PlainClosing[],
): PlainRows {
  const scores = new Scores(settings);
  const rows: PlainRows = new Map();
  for (const [finest, sum] of sumsOf(settings, scores, closings)) {
    const [minute, horizon, ...values] = finest.split('|');
    const keys = [`m:${minute}`, `h:${Math.floor(Number(minute) / HOUR_MS) * HOUR_MS}`];
    for (const by of settings.cohorts) {
      const cohort = by.map((name) => values[DIMENSIONS.indexOf(name)]).join(',');
      const field = `${settings.attribution.horizons[Number(horizon)].text}|${by.join(',')}|${cohort}`;
      for (const key of keys) addTo(rows, `${keyPrefix}:pane:${key}`, field, sum);
    }
  }
  for (const { horizon, impression, feedback } of closings) {
    const { ts, userId, requestId, dimensions } = impression;
    const bucket = userBucket(userId ?? requestId) % HOUR_BUCKETS;
    const sums = [...scores.of(impression, feedback)].filter(([name, value]) => value !== 0n && !name.endsWith('[3]'));
    const vector = new Map(sums.map(([name, value]) => [`${bucket} ${name}`, value] as const));
    for (const by of settings.statistics.clustered) {
      const cohort = by.map((name) => dimensions[DIMENSIONS.indexOf(name)]).join(',');
      const field = `${settings.attribution.horizons[horizon].text}|${by.join(',')}|${cohort}`;
      addTo(rows, `${keyPrefix}:vector:h:${Math.floor(ts / HOUR_MS) * HOUR_MS}`, field, vector);
    }
  }
  return rows;
}

/** Sums by minute, horizon and all dimensions: the finest that any row is a sum of. */
function sumsOf(
  settings: ReferenceSettings,
  scores: Scores,
  closings: readonly PlainClosing[],
): ReadonlyMap<string, PlainRow> {
  const sums = new Map<string, PlainRow>();
  for (const { horizon, impression, feedback } of closings) {
    const minute = Math.floor(impression.ts / MINUTE_MS) * MINUTE_MS;
    const finest = [minute, horizon, ...impression.dimensions].join('|');
    let sum = sums.get(finest);
    if (sum === undefined) {
      sum = emptyRow(settings);
      sums.set(finest, sum);
    }
    add(sum, scores.of(impression, feedback));
    if (impression.userId === undefined) add(sum, new Map([['userless', 1n]]));
  }
  return sums;
}

export function addTo(rows: PlainRows, key: string, field: string, row: PlainRow): void {
  let fields = rows.get(key);
  if (fields === undefined) {
    fields = new Map();
    rows.set(key, fields);
  }
  let sum = fields.get(field);
  if (sum === undefined) {
    sum = new Map();
    fields.set(field, sum);
  }
  add(sum, row);
}

function add(into: PlainRow, row: PlainRow): void {
  for (const [name, value] of row) into.set(name, (into.get(name) ?? 0n) + value);
}

function emptyRow({ measures }: ReferenceSettings): PlainRow {
  const row: PlainRow = new Map([
    ['impressions', 0n],
    ['positives', 0n],
    ['userless', 0n],
  ]);
  for (const { canonical, params } of measures) {
    const width = params.get('avg') === 'macro' ? 4 : 2;
    for (let i = 0; i < width; i++) row.set(`${canonical}[${i}]`, 0n);
  }
  return row;
}

/** Rows of single lists by the plain scorer; lists with the same feedback on the same slots have one. */
class Scores {
  readonly #settings: ReferenceSettings;
  readonly #known = new Map<string, PlainRow>();

  constructor(settings: ReferenceSettings) {
    this.#settings = settings;
  }

  of(impression: Impression, feedback: readonly Feedback[]): PlainRow {
    const { items, pageOffset, ts } = impression;
    if (new Set(items).size !== items.length) return this.#score(impression, feedback);
    const alike = JSON.stringify([
      pageOffset,
      items.length,
      feedback.map((f) => [items.indexOf(f.itemId), f.action, f.value, f.action === 'rating' ? f.ts - ts : 0]),
    ]);
    let row = this.#known.get(alike);
    if (row === undefined) {
      row = this.#score(impression, feedback);
      this.#known.set(alike, row);
    }
    return row;
  }

  #score({ items, pageOffset }: Impression, feedback: readonly Feedback[]): PlainRow {
    const { grading, measures } = this.#settings;
    const list: PlainImpression = {
      offset: pageOffset,
      slots: items.map((item, slot) => ({ item, rank: pageOffset + slot + 1 })),
      events: feedback.map(({ itemId, action, value, ts }) => ({ item: itemId, action, value, ts })),
    };
    const isPositive = plainGrades(list, grading, undefined, 'first').some((grade) => grade >= grading.relevantFrom);
    const row: PlainRow = new Map([
      ['impressions', 1n],
      ['positives', isPositive ? 1n : 0n],
    ]);
    for (const measure of measures) {
      const score = plainScore(measure, list, grading);
      if (score === undefined) continue;
      const [first, second] = score.values;
      const sums =
        second === undefined
          ? [1n, score.positive ? 1n : 0n, rounded(first), rounded(first * first)]
          : [rounded(first), rounded(second)];
      for (const [i, value] of sums.entries()) row.set(`${measure.canonical}[${i}]`, value);
    }
    return row;
  }
}

/** In 1e-9, half away from zero; for what is not negative. */
function rounded(value: number): bigint {
  return BigInt(Math.round(value * PER_ONE));
}
