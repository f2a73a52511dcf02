import type { Measure } from '../measures/definition.ts';
import { NO_CATALOGUE } from '../measures/item-catalogue.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { asksCatalogue } from '../measures/needs.ts';
import { PlainItems, PlainSums } from '../measures/plain-sums.ts';
import { LEFT_OUT, OUT, SCORE_WIDTH, type SumsKind, WITH_POSITIVE } from '../measures/sums.ts';
import { classesOf, fractionOf, meanOf, ofMeans, sumsKind } from '../measures/value.ts';
import { assertNever, type Joined } from '../vocabulary/events.ts';
import type { Counts, QueryScore, RunScore } from './score-result.ts';
import type { ScoringSettings } from './scoring-settings.ts';

const { tp: TP, fp: FP, fn: FN, tn: TN } = OUT.classes;

/**
 * What one list adds to the mean over queries, from what the scorer wrote at `at`. The list must have a value. fraction, pairs: numerator
 * and denominator. means: two values, n, n+. classes: TP, FP, FN, TN. Others: the value and 1.
 */
function listSums(kind: SumsKind, value: number, out: Float64Array, at: number): readonly number[] {
  switch (kind) {
    case 'mean':
    case 'pairMeans':
    case 'apart':
      return [value, 1];
    case 'fraction':
    case 'pairs':
      return [out[at + OUT.fraction.above], out[at + OUT.fraction.below]];
    case 'means':
      return [out[at + OUT.means.first], out[at + OUT.means.second], 1, out[at] === WITH_POSITIVE ? 1 : 0];
    case 'classes':
      return [out[at + TP], out[at + FP], out[at + FN], out[at + TN]];
    default:
      return assertNever(kind);
  }
}

/** The value of a measure from summed parts, which is its mean over these lists; undefined: it has none. */
export function valueOfSums(measure: Measure, [a, b, c, d]: readonly number[]): number | undefined {
  const kind = sumsKind(measure);
  switch (kind) {
    case 'mean':
    case 'pairMeans':
      return b === 0 ? undefined : a / b;
    case 'fraction':
    case 'pairs':
      return fractionOf(measure, a, b);
    case 'means':
      return ofMeans(measure, c, d, a, b);
    case 'classes':
      return classesOf(measure, a, b, c, d);
    case 'apart':
      return undefined;
    default:
      return assertNever(kind);
  }
}

/** The value of one list, from what the scorer wrote at `at`: the mean over this list alone. undefined: the measure leaves the list out. */
export function listValue(measure: Measure, kind: SumsKind, out: Float64Array, at: number): number | undefined {
  if (out[at] === LEFT_OUT) return undefined;
  const positive = out[at] === WITH_POSITIVE ? 1 : 0;
  switch (kind) {
    case 'mean':
    case 'pairMeans':
    case 'apart':
      return meanOf(measure, 1, positive, out[at + OUT.mean.value]);
    case 'fraction':
    case 'pairs':
      return fractionOf(measure, out[at + OUT.fraction.above], out[at + OUT.fraction.below]);
    case 'means':
      return ofMeans(measure, 1, positive, out[at + OUT.means.first], out[at + OUT.means.second]);
    case 'classes':
      return classesOf(measure, out[at + TP], out[at + FP], out[at + FN], out[at + TN]);
    default:
      return assertNever(kind);
  }
}

/** Whether a list adds to the mean, from what the scorer wrote at `at`. A list without positives does not with `empty=skip`. */
function addsToMean(measure: Measure, kind: SumsKind, out: Float64Array, at: number): boolean {
  if (out[at] === LEFT_OUT) return false;
  return kind === 'means' || kind === 'classes' || listValue(measure, kind, out, at) !== undefined;
}

const { below: BELOW } = OUT.fraction;

/**
 * Turns what the scorer wrote at `at` for a list of one slot without a judgement into the result of no list at all: its value is 0, or
 * none where slots are counted (fractions of slots, classes of slots).
 */
export function asNoList(measure: Measure, out: Float64Array, at: number): void {
  out[at + OUT.mean.value] = 0;
  switch (sumsKind(measure)) {
    case 'classes':
      out.fill(0, at + OUT.classes.fp, at + SCORE_WIDTH);
      break;
    case 'fraction':
      if (measure.definition.countsSlots?.(measure)) out[at + BELOW] = Math.max(0, out[at + BELOW] - 1);
      break;
    default:
  }
}

/** The user and session of a list, for `per=user` and `per=session`. */
interface Owner {
  readonly user: string | undefined;
  readonly session: string | undefined;
}

/** Stands for the owner in measures that need none. */
const NO_OWNER = '';

const NOBODY: Owner = { user: undefined, session: undefined };

/** The totals of one run so far. Without `keepsQueries` their size does not depend on the number of lists. */
export class RunTotals {
  readonly #settings: ScoringSettings;
  readonly #sums: readonly PlainSums[];
  /** Items by measure; undefined: it is computed from sums. */
  readonly #items: readonly (PlainItems | undefined)[];
  /** What the scorer writes for each measure: views of one buffer. */
  readonly #parts: readonly Float64Array[];
  readonly #perQuery: QueryScore[] = [];
  readonly #withoutOwner: number[];
  readonly #withoutValue: number[];
  #unknownItems: number | undefined;
  #queries = 0;
  #retrieved = 0;
  #relevant = 0;
  #relevantRetrieved = 0;

  constructor(settings: ScoringSettings) {
    this.#settings = settings;
    const { measures, out, catalogue } = settings;
    this.#sums = measures.map((measure) => new PlainSums(measure));
    this.#items = measures.map((measure) => this.#noItems(measure));
    this.#withoutOwner = measures.map(() => 0);
    this.#withoutValue = measures.map(() => 0);
    this.#unknownItems = catalogue !== NO_CATALOGUE && measures.some(asksCatalogue) ? 0 : undefined;
    this.#parts = measures.map((_, m) => out.subarray(SCORE_WIDTH * m, SCORE_WIDTH * (m + 1)));
  }

  /** Adds a list whose scores are in `settings.out`. */
  add(query: string, list: Joined, counts: Counts, owner: Owner = NOBODY): void {
    const { measures } = this.#settings;
    this.#queries++;
    this.#retrieved += counts.retrieved;
    this.#relevant += counts.relevant;
    this.#relevantRetrieved += counts.relevantRetrieved;
    if (this.#unknownItems !== undefined) this.#unknownItems += this.#unknownIn(list);
    for (let m = 0; m < measures.length; m++) {
      if (counts.retrieved > 0) this.#items[m]?.add(list);
      if (!this.#hasValue(m, counts)) this.#withoutValue[m]++;
      if (this.#parts[m][0] === LEFT_OUT) continue;
      const per = measures[m].params.get('per');
      const own = per === 'user' ? owner.user : per === 'session' ? owner.session : NO_OWNER;
      if (own === undefined) this.#withoutOwner[m]++;
      this.#sums[m].add(this.#parts[m], own);
    }
    if (this.#settings.keepsQueries) this.#perQuery.push(this.#queryScore(query, list, counts));
  }

  finish(name: string): RunScore {
    const counts = { retrieved: this.#retrieved, relevant: this.#relevant, relevantRetrieved: this.#relevantRetrieved };
    const mean = this.#sums.map((sums, m) => (this.#items[m] ?? sums).value());
    const [withoutOwner, withoutValue, unknownItems] = [this.#withoutOwner, this.#withoutValue, this.#unknownItems];
    const perQuery = this.#perQuery;
    return { name, queries: this.#queries, mean, counts, withoutOwner, withoutValue, unknownItems, perQuery };
  }

  /** Whether the list, whose scores are in `settings.out`, adds to the mean of the measure. */
  #hasValue(m: number, { retrieved }: Counts): boolean {
    const { measures, scorer, out } = this.#settings;
    if (this.#items[m] !== undefined) return retrieved > 0;
    return addsToMean(measures[m], scorer.kinds[m], out, SCORE_WIDTH * m);
  }

  #unknownIn({ items = [] }: Joined): number {
    const { catalogue } = this.#settings;
    return items.reduce((sum, item) => sum + (catalogue.has(item) ? 0 : 1), 0);
  }

  #queryScore(query: string, list: Joined, counts: Counts): QueryScore {
    const { measures, scorer, out, compares, testCorrelations } = this.#settings;
    const values = measures.map((measure, m) => {
      const value = this.#itemValue(m, list) ?? listValue(measure, scorer.kinds[m], out, SCORE_WIDTH * m);
      return value ?? Number.NaN;
    });
    const sums = compares
      ? { sums: values.map((value, m) => listSums(scorer.kinds[m], value, out, SCORE_WIDTH * m)) }
      : {};
    const p = testCorrelations?.(list, values);
    return { query, counts, values, ...sums, ...(p === undefined ? {} : { p }) };
  }

  /** An empty collection of what a measure of items keeps. */
  #noItems(measure: Measure): PlainItems | undefined {
    const part = itemPartOf(measure);
    return part === undefined ? undefined : new PlainItems(measure, part, this.#settings.catalogue);
  }

  /** The value of a measure of items for this list alone. */
  #itemValue(m: number, list: Joined): number | undefined {
    if (this.#items[m] === undefined || list.items?.length !== list.length) return undefined;
    const items = this.#noItems(this.#settings.measures[m]);
    items?.add(list);
    return items?.value();
  }
}
