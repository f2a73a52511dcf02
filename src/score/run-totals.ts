import type { Measure } from '../measures/definition.ts';
import { NO_CATALOGUE } from '../measures/item-catalogue.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { asksCatalogue } from '../measures/needs.ts';
import { PlainItems, PlainSums } from '../measures/plain-sums.ts';
import { LEFT_OUT, SCORE_WIDTH } from '../measures/sums.ts';
import type { Joined } from '../vocabulary/events.ts';
import { addsToMean, listSums, listValue } from './list-values.ts';
import type { Counts, QueryScore, RunScore } from './score-result.ts';
import type { ScoringSettings } from './scoring-settings.ts';

/** The user and session of a list, for `per=user` and `per=session`. */
export interface Owner {
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
