/** Cohorts on the live page: a grouping set as a table, and one cohort in detail. */
import { shapeOf, sumsStarts } from '../accumulators/row.ts';
import type { Settings } from '../config/settings.ts';
import type {
  CohortHistory,
  HistoryQuestion,
  QualityRow,
  QualitySnapshot,
  QualityWindow,
} from '../exporter/exporter-contract.ts';
import type { Choice, Choices } from '../page/choices.tsx';
import type { CohortRow } from '../page/cohort-rows.tsx';
import type { CohortTableView, CohortView } from '../page/cohort-table.tsx';
import type { HistoryView } from '../page/history.tsx';
import type { LastListsLink } from '../page/lists.tsx';
import type { CohortLine, CohortValue } from '../page/model.ts';
import { orNull } from '../statistics/absent.ts';
import { instant } from '../vocabulary/numbers.ts';
import { rowValue } from '../windows/windows.ts';
import { type LiveQuery, queryText } from './live-query.ts';

/** Number of rows on one page of the table. */
const MOST_ROWS = 50;
/** The most columns of measures. */
const MOST_MEASURES = 8;

/** The rows of one window, horizon and set. */
interface Group {
  readonly rows: readonly QualityRow[];
  readonly byValues: ReadonlyMap<string, QualityRow>;
}

export class LiveCohorts {
  readonly #settings: Settings;
  readonly #starts: readonly number[];
  #rows: readonly QualityRow[] = [];
  #windows: readonly QualityWindow[] = [];
  /** Groups of `#rows`, by window, horizon and set. */
  readonly #groups = new Map<string, Group>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#starts = sumsStarts(shapeOf(settings.measures));
  }

  /** Takes the current rows, which are the same object as long as nothing has changed. Returns whether they changed. */
  update({ rows, windows }: Pick<QualitySnapshot, 'rows' | 'windows'>): boolean {
    if (rows === this.#rows) return false;
    this.#rows = rows;
    this.#windows = windows;
    this.#groups.clear();
    return true;
  }

  /** Why a window is not complete, in words; undefined: it is, or nothing is known about it. */
  incomplete(window: string, horizon: string): string | undefined {
    const known = this.#windows.find((one) => one.window === window && one.horizon === horizon);
    if (known === undefined) return undefined;
    const isHidden = this.#settings.incompleteWindows === 'hide';
    if (known.complete) {
      if (known.lacks.length === 0) return undefined;
      return `Added after the last ${window} began: ${known.lacks.join(', ')}. Numbers of it are of the lists since then, and no gauge shows them.`;
    }
    return (
      `The last ${window} at ${horizon} is not complete: these numbers are of a part of its lists` +
      `${isHidden ? ', and no gauge shows them' : ''}. ` +
      (known.completeAt === undefined
        ? 'A partition has stored nothing yet, or under another configuration.'
        : `It is complete once all partitions have been read up to ${instant(new Date(known.completeAt).toISOString())} UTC, if nothing goes missing until then.`)
    );
  }

  /** The first measures, preceded by the chosen one if it is not among them. */
  measuresOf({ measure }: LiveQuery): readonly string[] {
    const names = this.#settings.measures.slice(0, MOST_MEASURES).map(({ canonical }) => canonical);
    return names.includes(measure) ? names : [measure, ...names.slice(0, MOST_MEASURES - 1)];
  }

  group(window: string, horizon: string, by: readonly string[]): Group {
    const name = `${window}|${horizon}|${by.join()}`;
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const rows = this.#rows.filter(
      (row) =>
        row.window === window &&
        row.horizon === horizon &&
        row.by.length === by.length &&
        row.by.every((dimension, i) => dimension === by[i]),
    );
    const group = { rows, byValues: new Map(rows.map((row) => [row.values.join(), row] as const)) };
    this.#groups.set(name, group);
    return group;
  }

  line({ by, values, horizon, row, stderrs }: QualityRow, measures: readonly string[]): CohortLine {
    // The members have the order that they have in the JSON, so they need not be copied to be sorted.
    return {
      by,
      horizon,
      impressions: row.impressions,
      labels: Object.fromEntries(by.map((dimension, i) => [dimension, values[i]])),
      measures: Object.fromEntries(measures.map((name) => [name, this.#value(name, { row, stderrs })] as const)),
      positives: row.positives,
    };
  }

  table(query: LiveQuery): CohortTableView {
    const { by, measure, filter, sort, order } = query;
    const { rows } = this.group(query.window, query.horizon, by);
    const wanted = filter.toLowerCase();
    const found = wanted === '' ? [...rows] : rows.filter((row) => nameOf(row).toLowerCase().includes(wanted));
    this.#sort(found, query);
    const pages = Math.max(1, Math.ceil(found.length / MOST_ROWS));
    const page = Math.min(query.page, pages);
    const measures = this.measuresOf(query);
    const href = (change: Partial<LiveQuery>): string => this.#href({ ...query, ...change });
    const shown = found.slice((page - 1) * MOST_ROWS, page * MOST_ROWS);
    return {
      by,
      measure,
      measures,
      lowerIsBetter: this.#settings.detect.lowerIsBetter,
      choices: this.choices(query),
      incomplete: this.incomplete(query.window, query.horizon),
      filter: { text: filter, kept: [...new URLSearchParams(this.#text({ ...query, filter: '', page: 1 }))] },
      columns: ['cohort', 'lists', ...measures].map((column) => {
        const isSorted = sort === column;
        const next = isSorted && order === 'falling' ? 'rising' : 'falling';
        return {
          name: column,
          href: href({ sort: column, order: isSorted ? next : column === 'cohort' ? 'rising' : 'falling', page: 1 }),
          sorted: isSorted ? order : undefined,
        };
      }),
      cohorts: shown.map((row): CohortRow => {
        const base = this.#base(row, query);
        return {
          name: nameOf(row) || 'everything',
          href: row.by.length === 0 ? undefined : href({ cohort: row.values }),
          isChosen: query.cohort?.join() === row.values.join(),
          line: this.line(row, measures),
          base: base === undefined || base === row ? undefined : this.line(base, measures),
        };
      }),
      everything: this.#everything(query, measures),
      against: query.against === 'control' ? (this.#settings.experiments[0]?.control ?? '') : 'everything together',
      found: found.length,
      all: rows.length,
      from: (page - 1) * MOST_ROWS,
      previous: page > 1 ? href({ page: page - 1 }) : undefined,
      next: page < pages ? href({ page: page + 1 }) : undefined,
    };
  }

  /** The `cohorts` cohorts with most lists of each set, over one window, at the first `horizons`. */
  largest(query: LiveQuery, horizons: number, cohorts: number): readonly CohortLine[] {
    const { attribution, cohorts: sets } = this.#settings;
    const measures = this.measuresOf(query);
    return attribution.horizons.slice(0, horizons).flatMap(({ text }) =>
      sets.flatMap((by) =>
        [...this.group(query.window, text, by).rows]
          .sort((a, b) => b.row.impressions - a.row.impressions)
          .slice(0, cohorts)
          .map((row) => this.line(row, measures)),
      ),
    );
  }

  /** The cohort that was clicked; undefined: none was, or it no longer exists. */
  cohort(
    query: LiveQuery,
    history: (question: Omit<HistoryQuestion, 'window' | 'span'>) => CohortHistory | undefined,
  ): CohortView | undefined {
    const { cohort, by, measure, horizon } = query;
    if (cohort === undefined) return undefined;
    const measures = this.measuresOf(query);
    const lines = this.#settings.attribution.horizons.flatMap(({ text }) => {
      const row = this.group(query.window, text, by).byValues.get(cohort.join());
      if (row === undefined) return [];
      const other = this.#base(row, query);
      return [{ line: this.line(row, measures), base: other === row ? undefined : other }];
    });
    const [first] = this.group(query.window, horizon, by).rows;
    const own = this.group(query.window, horizon, by).byValues.get(cohort.join());
    const base = own === undefined || first === undefined ? undefined : this.#base(own, query);
    const compared = base === undefined || base === own ? [] : [{ name: nameOf(base) || 'everything', ...base }];
    const series = [...compared, { name: cohort.join(' · '), by, values: cohort }].map((one) => ({
      name: one.name,
      ...history({ by: one.by, values: one.values, measure, horizon }),
    }));
    return {
      name: cohort.join(' · '),
      measures,
      lowerIsBetter: this.#settings.detect.lowerIsBetter,
      window: query.window,
      incomplete: this.incomplete(query.window, horizon),
      lines: lines.map(({ line, base: other }) => ({
        name: line.horizon,
        line,
        base: other === undefined ? undefined : this.line(other, measures),
      })),
      closeHref: this.#href({ ...query, cohort: undefined }),
      history: historyView({ measure, horizon, window: this.#settings.windows[0].text }, series),
    };
  }

  /** Links to the themes. */
  themes(query: LiveQuery): Choices {
    const themes = [undefined, 'light', 'dark'] as const;
    return {
      legend: 'Theme',
      choices: themes.map((theme) => this.#choice(theme ?? 'auto', query, { theme }, theme === query.theme)),
    };
  }

  /** The link that shows or hides the last lists. */
  lastLists(query: LiveQuery): LastListsLink {
    const { showsLast } = query;
    return { isShown: showsLast, href: this.#href({ ...query, showsLast: !showsLast }) };
  }

  choices(query: LiveQuery): readonly Choices[] {
    const { attribution, cohorts, measures, windows, experiments } = this.#settings;
    const [first] = experiments;
    const sets = cohorts.filter((by) => by.length > 0);
    const hasControl = first !== undefined && query.by.includes(first.dimension);
    return [
      {
        legend: 'Measure',
        choices: measures.map(({ canonical }) =>
          this.#choice(canonical, query, { measure: canonical }, canonical === query.measure),
        ),
      },
      {
        legend: 'Horizon',
        choices: attribution.horizons.map(({ text }) =>
          this.#choice(text, query, { horizon: text }, text === query.horizon),
        ),
      },
      {
        legend: 'Window',
        choices: windows.map(({ text }) => this.#choice(text, query, { window: text }, text === query.window)),
      },
      {
        legend: 'Cohorts by',
        choices: sets.map((by) =>
          this.#choice(
            by.join(' and '),
            query,
            {
              by,
              cohort: undefined,
              page: 1,
              against: first !== undefined && by.includes(first.dimension) ? 'control' : 'everything',
            },
            by.join() === query.by.join(),
          ),
        ),
      },
      {
        legend: 'Compared with',
        choices: hasControl
          ? (['control', 'everything'] as const).map((against) =>
              this.#choice(
                against === 'control' ? first.control : 'everything together',
                query,
                { against },
                against === query.against,
              ),
            )
          : [],
      },
    ].filter(({ choices }) => choices.length > 1);
  }

  #choice(words: string, query: LiveQuery, change: Partial<LiveQuery>, isChosen: boolean): Choice {
    return { words, href: this.#href({ ...query, ...change }), isChosen };
  }

  #href(query: LiveQuery): string {
    return `?${this.#text(query)}`;
  }

  #text(query: LiveQuery): string {
    return queryText(query, this.#settings);
  }

  #everything({ window, horizon }: LiveQuery, measures: readonly string[]): CohortLine | undefined {
    const [row] = this.group(window, horizon, []).rows;
    return row === undefined ? undefined : this.line(row, measures);
  }

  /** The row with which a cohort is compared. */
  #base({ by, values, horizon }: QualityRow, { window, against }: LiveQuery): QualityRow | undefined {
    const [first] = this.#settings.experiments;
    if (against === 'everything' || first === undefined) return this.group(window, horizon, []).rows[0];
    const at = by.indexOf(first.dimension);
    return this.group(window, horizon, by).byValues.get(values.with(at, first.control).join());
  }

  #sort(rows: QualityRow[], { sort, order }: LiveQuery): void {
    const sign = order === 'rising' ? 1 : -1;
    if (sort === 'cohort') {
      rows.sort((a, b) => (nameOf(a) < nameOf(b) ? -sign : sign));
      return;
    }
    const sortKey = (row: QualityRow): number =>
      sort === 'lists' ? row.row.impressions : (this.#value(sort, row).value ?? Number.NaN);
    const sortKeys = new Map(rows.map((row) => [row, sortKey(row)] as const));
    rows.sort((a, b) => {
      const [one, other] = [sortKeys.get(a) ?? Number.NaN, sortKeys.get(b) ?? Number.NaN];
      // Cohorts without a value come last, whatever the order.
      if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
      return sign * (one - other) || b.row.impressions - a.row.impressions;
    });
  }

  #value(name: string, { row, stderrs }: Pick<QualityRow, 'row' | 'stderrs'>): CohortValue {
    const { measures, itemFile } = this.#settings;
    const m = measures.findIndex(({ canonical }) => canonical === name);
    const sums = row.sums.slice(this.#starts[m], this.#starts[m + 1]);
    const { value = null, n } = rowValue(measures[m], row, sums, itemFile?.size ?? 0);
    const error = stderrs[m];
    return { n, stderr: error === undefined ? null : orNull(error), value };
  }
}

function nameOf({ values }: QualityRow): string {
  return values.join(' · ');
}

/** A line of the chart; it has no history as long as none is known. */
type NamedHistory = { readonly name: string } & Partial<CohortHistory>;

/** Histories of one measure as one chart. `isReading`: older hours of at least one of them are not available yet. */
export function historyView(
  chart: Pick<HistoryView, 'measure' | 'horizon' | 'window'>,
  series: readonly NamedHistory[],
): HistoryView {
  const hours = series.flatMap(({ hoursTo }) => hoursTo ?? []);
  return {
    ...chart,
    hoursTo: hours.length === 0 ? null : Math.max(...hours),
    isReading: series.some(({ isReading = false }) => isReading),
    series: series.map(({ name, points = [] }) => ({ name, points })),
  };
}
