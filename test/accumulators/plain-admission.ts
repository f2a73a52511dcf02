import type { AdmissionState } from '../../src/accumulators/admission-state.ts';
import type { PanesSettings } from '../../src/accumulators/panes-settings.ts';

interface PlainEntry {
  readonly values: string;
  readonly since: number;
  last: number;
  /** What it scored when it was entered, and at the end of each hour since. */
  readonly scores: number[];
}

/** The admission table of one grouping set as the rules tell it: lists that are searched, and every impression written down. */
export class PlainTable {
  readonly by: readonly string[];
  /** Places that were given to another. */
  given = 0;
  readonly #settings: PanesSettings;
  readonly #reserved: readonly string[];
  #folded = Number.NEGATIVE_INFINITY;
  #entries: PlainEntry[] = [];
  /** Impressions by name at the shortest horizon, by the end of their hour. */
  readonly #named: { readonly hourEnd: number; readonly values: string }[] = [];
  #candidates: { readonly values: string; impressions: number }[] = [];

  constructor(by: readonly string[], settings: PanesSettings) {
    this.by = by;
    this.#settings = settings;
    this.#reserved = plainReserved(by, settings);
    this.#entries = this.#reserved.map((values) => ({
      values,
      last: 0,
      since: Number.NEGATIVE_INFINITY,
      scores: [0],
    }));
  }

  /** Whether the list is added by name. */
  add(values: string, pane: { readonly end: number; readonly hourEnd: number; readonly isShortest: boolean }): boolean {
    const { takeover } = this.#settings;
    const entry = this.#entries.find((one) => one.values === values);
    if (entry !== undefined) entry.last = Math.max(entry.last, pane.end);
    else if (this.#free > 0) {
      this.#entries.push({ values, last: pane.end, since: this.#folded, scores: [0] });
      this.#candidates = this.#candidates.filter((one) => one.values !== values);
    } else {
      this.#folded = Math.max(this.#folded, pane.end);
      if (takeover === undefined || !pane.isShortest) return false;
      const known = this.#candidates.find((one) => one.values === values);
      if (known !== undefined) known.impressions++;
      else if (this.#candidates.length < takeover.candidates) this.#candidates.push({ values, impressions: 1 });
      else {
        for (const one of this.#candidates) one.impressions--;
        this.#candidates = this.#candidates.filter(({ impressions }) => impressions > 0);
      }
      return false;
    }
    if (pane.isShortest) this.#named.push({ hourEnd: pane.hourEnd, values });
    return true;
  }

  /** The hour up to `end` is over. */
  review(end: number): void {
    const { takeover } = this.#settings;
    if (takeover === undefined) return;
    for (const entry of this.#entries) {
      const had = this.#named.filter((one) => one.hourEnd === end && one.values === entry.values).length;
      entry.scores.push(Math.floor(scoreOf(entry) / 2) + had);
    }
    const waiting = this.#candidates;
    this.#candidates = [];
    if (this.#free > 0) return;
    const newcomers: string[] = [];
    while (waiting.length > 0) {
      const most = Math.max(...waiting.map(({ impressions }) => impressions));
      const [first] = waiting.splice(
        waiting.findIndex(({ impressions }) => impressions === most),
        1,
      );
      const old = this.#entries.filter(({ values }) => ![...this.#reserved, ...newcomers].includes(values));
      const least = Math.min(...old.map(scoreOf));
      const quiet = old.find((entry) => scoreOf(entry) === least);
      if (quiet === undefined || first.impressions < takeover.ratio * (least + 1)) return;
      this.#folded = Math.max(this.#folded, quiet.last);
      this.#entries = this.#entries.filter((entry) => entry !== quiet);
      this.#entries.push({ values: first.values, last: quiet.last, since: this.#folded, scores: [first.impressions] });
      newcomers.push(first.values);
      this.given++;
    }
  }

  expire(watermark: number): void {
    this.#entries = this.#entries.filter(
      ({ values, last }) => this.#reserved.includes(values) || last + this.#settings.keepMinutes > watermark,
    );
  }

  state(): AdmissionState {
    return {
      by: this.by,
      folded: this.#folded,
      entries: this.#entries.map((entry) => {
        const { values, last, since } = entry;
        return scoreOf(entry) > 0 ? [values, last, since, scoreOf(entry)] : [values, last, since];
      }),
      ...(this.#candidates.length > 0
        ? { candidates: this.#candidates.map(({ values, impressions }) => [values, impressions] as const) }
        : {}),
    };
  }

  /** Places that nobody has, of those that are nobody's own. */
  get #free(): number {
    const others = this.#entries.filter(({ values }) => !this.#reserved.includes(values)).length;
    return Math.max(0, this.#settings.cohortsPerSet - this.#reserved.length) - others;
  }
}

function scoreOf({ scores }: PlainEntry): number {
  return scores[scores.length - 1];
}

/** Of one dimension all named values; of two every pair, if they fill half of the table at most. */
function plainReserved(by: readonly string[], { named, cohortsPerSet }: PanesSettings): readonly string[] {
  const valuesOf = (dimension: string): readonly string[] => named?.get(dimension) ?? [];
  if (by.length === 1) return valuesOf(by[0]);
  if (by.length === 0) return [];
  if (by.length > 2) throw new Error('the reference knows sets of up to two dimensions');
  const pairs = valuesOf(by[0]).flatMap((a) => valuesOf(by[1]).map((b) => `${a},${b}`));
  return pairs.length <= cohortsPerSet / 2 ? pairs : [];
}
