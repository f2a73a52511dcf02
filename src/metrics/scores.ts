import { reservedCohorts } from '../accumulators/admission.ts';
import { addRow, emptyRow, type Row, type RowShape, subtractRow } from '../accumulators/row.ts';
import type { RowsByField } from '../accumulators/scored-rows.ts';
import { otherValues, parseField, rowField, setText, splitValues } from '../accumulators/store/layout.ts';
import { namedValues } from '../config/experiments.ts';
import type { Settings } from '../config/settings.ts';
import { sumsKind } from '../measures/value.ts';
import { OTHER_COHORT } from '../vocabulary/events.ts';
import type { UnitStatus } from '../worker/status.ts';
import { type Exposition, joinLabels, labelText } from './exposition.ts';
import { scoreName, weightName } from './metric-specs.ts';
import { type Column, columnsOf } from './quality.ts';

const ROWS_PER_STEP = 500;

type ScoresSettings = Pick<Settings, 'attribution' | 'cohorts' | 'experiments' | 'limits' | 'measures'>;

/**
 * Counters of what this process scored, by horizon and cohort. They start at 0 and never decrease, although units come and go. A cohort
 * keeps its series as long as the process lives, so their number is bounded: a cohort that appears after `limits.series` is reached is
 * added to the rest of its set, unless the configuration names it.
 */
export class Scores {
  readonly #shape: RowShape;
  readonly #columns: readonly Column[];
  readonly #sets: ReadonlyMap<string, readonly string[]>;
  /** Number of cohorts counted by name, over all horizons. */
  readonly #limit: number;
  #named = 0;
  #capped = 0;
  /** Impressions that units have added to the rest of a set, by the labels of horizon and set. */
  readonly #folded = new Map<string, number>();
  /** Fields of cohorts that the configuration names, which always have series. */
  readonly #reserved: ReadonlySet<string>;
  /** Sums by field. */
  readonly #sums = new Map<string, Row>();
  readonly #labels = new Map<string, string>();
  /** The row of each unit and field when it was last added. */
  #last: ReadonlyMap<number, Map<string, Row>> = new Map();

  constructor({ attribution, cohorts, experiments, limits, measures }: ScoresSettings) {
    this.#shape = { names: measures.map((measure) => measure.canonical), kinds: measures.map(sumsKind) };
    this.#columns = columnsOf(measures);
    this.#sets = new Map(cohorts.map((by) => [setText(by), by] as const));
    const seriesOf = ({ hasScore, hasWeight }: Column): number => Number(hasScore) + Number(hasWeight);
    const each = this.#columns.reduce((sum, column) => sum + seriesOf(column), 0);
    this.#limit = Math.floor(limits.series / Math.max(1, each));
    const named = namedValues(experiments);
    const horizons = attribution.horizons.map(({ text }) => text);
    this.#reserved = new Set(
      cohorts.flatMap((by) => {
        const all = [...reservedCohorts(by, named, limits.cohortsPerSet)];
        return horizons.flatMap((horizon) => all.map((values) => rowField(horizon, setText(by), values)));
      }),
    );
    for (const horizon of horizons) {
      if (this.#sets.has('')) this.#open(rowField(horizon, '', ''));
      for (const by of cohorts) if (by.length > 0) this.#folded.set(labelText({ horizon, by: setText(by) }), 0);
    }
  }

  /** Number of rows that were added to the rest of their set because the limit was reached. */
  get capped(): number {
    return this.#capped;
  }

  /**
   * Adds what the units scored since the last call. A row that decreased has restarted from 0. Yields after some rows: in a catch-up over
   * many cohorts all of them have changed. All steps must be taken before the next call.
   */
  *updating(units: readonly Pick<UnitStatus, 'partition' | 'scored'>[]): Generator<undefined, void> {
    const last = new Map<number, Map<string, Row>>();
    let rows = 0;
    for (const { partition, scored } of units) {
      const known = this.#last.get(partition) ?? new Map<string, Row>();
      for (const field of scored.fields()) {
        this.#count(field, scored, known);
        if (++rows % ROWS_PER_STEP === 0) yield;
      }
      if (known.size > scored.size) {
        for (const field of [...known.keys()]) if (scored.impressionsOf(field) === undefined) known.delete(field);
      }
      last.set(partition, known);
    }
    this.#last = last;
  }

  write(page: Exposition): void {
    const fields = [...this.#sums].map(([field, row]) => ({ labels: this.#labels.get(field) ?? '', row }));
    const folded = page.series('receval_folded_impressions_total');
    for (const [labels, count] of this.#folded) folded(labels, count);
    const impressions = page.series('receval_scored_impressions_total');
    for (const { labels, row } of fields) impressions(labels, row.impressions);
    for (const { measure, labels: own, hasScore, hasWeight, score, weight } of this.#columns) {
      if (hasScore) {
        const add = page.series(scoreName(measure.name));
        for (const { labels, row } of fields) add(joinLabels(labels, own), score(row.sums));
      }
      if (hasWeight) {
        const add = page.series(weightName(measure.name));
        for (const { labels, row } of fields) add(joinLabels(labels, own), weight(row.sums));
      }
    }
  }

  /** Adds the difference between a row and `known`, if there is one. */
  #count(field: string, scored: RowsByField, known: Map<string, Row>): void {
    const before = known.get(field);
    const impressions = scored.impressionsOf(field) ?? 0;
    if (before?.impressions === impressions) return;
    const row = scored.get(field);
    if (row === undefined) return;
    known.set(field, row);
    this.#add(field, row, before !== undefined && before.impressions < impressions ? before : undefined);
  }

  /** Adds `row` minus `known`. */
  #add(field: string, row: Row, known: Row | undefined): void {
    const name = parseField(field);
    const by = name && this.#sets.get(name.by);
    if (name === undefined || by === undefined) return;
    if (by.length > 0 && name.values === otherValues(by)) {
      const labels = labelText({ horizon: name.horizon, by: name.by });
      this.#folded.set(labels, (this.#folded.get(labels) ?? 0) + row.impressions - (known?.impressions ?? 0));
    }
    const sum = this.#sums.get(field) ?? this.#open(this.#admitted(field, name.horizon, by, name.values));
    addRow(sum, row);
    if (known !== undefined) subtractRow(sum, known);
  }

  #admitted(field: string, horizon: string, by: readonly string[], values: string): string {
    if (values === otherValues(by) || this.#reserved.has(field)) return field;
    if (this.#named < this.#limit) {
      this.#named++;
      return field;
    }
    this.#capped++;
    return rowField(horizon, setText(by), otherValues(by));
  }

  /** The sum of a field, which has a series from now on. */
  #open(field: string): Row {
    const known = this.#sums.get(field);
    if (known !== undefined) return known;
    const sum = emptyRow(this.#shape);
    this.#sums.set(field, sum);
    this.#labels.set(field, this.#labelsOf(field));
    return sum;
  }

  #labelsOf(field: string): string {
    const name = parseField(field);
    const by = name === undefined ? undefined : this.#sets.get(name.by);
    if (name === undefined || by === undefined) throw new Error(`"${field}" is not a field of a row`);
    const values = splitValues(by, name.values);
    const cohort = Object.fromEntries(by.map((dimension, i) => [dimension, values[i] ?? OTHER_COHORT]));
    return joinLabels(labelText({ horizon: name.horizon, by: name.by }), labelText(cohort));
  }
}
