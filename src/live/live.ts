/**
 * What the live page and `/api/v1/state` show about this process. `update` only stores its input; views and texts are made on request,
 * once for all readers, so a page without readers costs nothing. Long because it holds everything between what a process measures and
 * what its page shows.
 */
import type { Settings } from '../config/settings.ts';
import type { CohortHistory, HistoryQuestion, QualitySnapshot } from '../exporter/exporter-contract.ts';
import { lostTroubles } from '../exporter/lost-rows.ts';
import type { LiveFinding } from '../findings/live-findings.ts';
import { StableMembers, stableJson } from '../output/stable-json.ts';
import type { CohortTableView, CohortView } from '../page/cohort-table.tsx';
import { MOST_LISTED } from '../page/cohorts.tsx';
import type { StandingDecision } from '../page/decisions.tsx';
import type { HistoryView } from '../page/history.tsx';
import type { Pieces } from '../page/kept-markup.ts';
import { type LiveView, livePagePieces, liveVerdict } from '../page/live-page.tsx';
import type {
  CohortLine,
  CohortsView,
  ExperimentView,
  Fact,
  FindingView,
  PipelineView,
  PositionsView,
  ReportView,
} from '../page/model.ts';
import { positionLines } from '../page/positions.tsx';
import { reportPieces } from '../page/report.tsx';
import type { Readiness, Versioned } from '../server/routes.ts';
import { explainWatched } from '../statistics/watched.ts';
import type { ShownSamples } from '../unit/samples.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS, type InvalidCode } from '../vocabulary/drops.ts';
import { DAY } from '../vocabulary/durations.ts';
import type { EpochMs, Side } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { sumOfUnmapped } from '../vocabulary/unmapped.ts';
import type { WorkerStatus } from '../worker/status.ts';
import { KeptViews, madeInTurns } from './kept-views.ts';
import { historyView, LiveCohorts } from './live-cohorts.ts';
import { LiveLists } from './live-lists.ts';
import { defaultQuery, type LiveQuery, queryText, readQuery } from './live-query.ts';
import { liveReport, reportedCohorts } from './live-report.ts';
import { LiveWork } from './live-work.ts';

/** What a process knows at one moment; undefined: it has another role. */
export interface LiveInput {
  readonly snapshot: QualitySnapshot | undefined;
  readonly status: WorkerStatus | undefined;
  readonly now: EpochMs;
  /** Findings about the logs; default: none. */
  readonly findings?: readonly LiveFinding[] | undefined;
}

/** Functions that are called when the page is made. */
interface LiveDeps {
  /** The readiness, as in /readyz. */
  readonly ready: () => Readiness;
  /** Histories, as from `Exporter.history`; default: there are none. */
  readonly history?: ((question: HistoryQuestion) => CohortHistory | undefined) | undefined;
  /** Lists of this process's units; default: none are kept. */
  readonly samples?: ShownSamples | undefined;
  /** Facts about the process at the end of a report, such as its version. */
  readonly about?: readonly Fact[] | undefined;
}

/** Version of the format of `/api/v1/state`. */
const VERSION = 1;
/** The most variants that are shown, and how far back their history reaches. */
const MOST_SERIES = 7;
const HISTORY_SPAN = DAY;
const MOST_HISTORIES = 128;
/** Limits of the cohorts of a set, and of the horizons, in the JSON, which keep it small whatever is configured. */
const MOST_COHORTS = 100;
const MOST_HORIZONS = 4;
/** Number of updates over which the rate of lists is computed. */
const RATE_SAMPLES = 20;
/** Number of reports that are cached: they are large, and few people request one. */
const MOST_REPORTS = 2;
/**
 * Number of cohort tables of reports that are cached, one per window. They make up most of a report, and do not depend on the chosen
 * measure.
 */
const MOST_REPORTED = 4;
/** With less feedback, nothing is reported about how it joins. */
const ENOUGH_FEEDBACK = 100;

/** The part of the view that does not depend on the query, without the lists, which few responses need. */
type SharedView = Omit<
  LiveView,
  'history' | 'cohorts' | 'cohort' | 'themes' | 'theme' | 'lists' | 'lastLists' | 'stateHref' | 'reportHref'
>;

export class LivePage {
  readonly #settings: Settings;
  readonly #deps: LiveDeps;
  readonly #cohorts: LiveCohorts;
  readonly #work = new LiveWork();
  #input: LiveInput | undefined;
  #rates: { readonly at: EpochMs; readonly impressions: number }[] = [];
  #sharedView: SharedView | undefined;
  /** Texts by query, until the next update. */
  readonly #html = new KeptViews<Promise<Versioned>>();
  readonly #cohortTexts = new KeptViews<Promise<Versioned>>();
  readonly #reports = new KeptViews<Promise<Versioned>>(MOST_REPORTS);
  #state: Promise<Versioned> | undefined;
  #lists: Promise<Versioned> | undefined;
  readonly #liveLists: LiveLists | undefined;
  /** Histories by request; dropped when a pane closes. */
  readonly #histories = new Map<string, CohortHistory>();
  /** Views of what is stored. The page keeps the markup of a view for as long as it is the same object. */
  readonly #experimentViews = new KeptViews<readonly ExperimentView[]>();
  readonly #decisionViews = new KeptViews<readonly StandingDecision[]>();
  readonly #historyViews = new KeptViews<HistoryView | undefined>();
  readonly #tableViews = new KeptViews<CohortTableView>();
  readonly #cohortViews = new KeptViews<CohortView | undefined>();
  readonly #positionsViews = new KeptViews<PositionsView | undefined>();
  readonly #largestLines = new KeptViews<readonly CohortLine[]>();
  readonly #reportedCohorts = new KeptViews<CohortsView>(MOST_REPORTED);
  readonly #positionsJson = new KeptViews<unknown>();
  readonly #json = new StableMembers();

  constructor(settings: Settings, deps: LiveDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#cohorts = new LiveCohorts(settings);
    this.#liveLists = deps.samples === undefined ? undefined : new LiveLists(deps.samples, settings);
  }

  /** Takes what is known now. Without a snapshot, the last one stays. */
  update(input: LiveInput): void {
    const snapshot = input.snapshot ?? this.#input?.snapshot;
    this.#input = { ...input, snapshot };
    this.#sharedView = undefined;
    this.#state = undefined;
    this.#lists = undefined;
    this.#deps.samples?.renew();
    if (input.status !== undefined) this.#work.update(input.status, input.now);
    if (snapshot === undefined) return;
    if (this.#cohorts.update(snapshot)) this.#histories.clear();
    this.#rates = [...this.#rates, { at: input.now, impressions: snapshot.impressions }].slice(-RATE_SAMPLES);
  }

  /**
   * The page.
   * @param text the part of the address after `?`
   */
  html(text = ''): Promise<Versioned> {
    const query = readQuery(text, this.#settings);
    const name = queryText(query, this.#settings);
    return this.#html.of([this.#input], name, () => madeInTurns(() => livePagePieces(this.#liveView(query))));
  }

  /** The page as one self-contained file, for the window, measure and horizon of the address. */
  report(text = ''): Promise<Versioned> {
    const query = reportQuery(readQuery(text, this.#settings), this.#settings);
    const name = queryText(query, this.#settings);
    return this.#reports.of([this.#input], name, () => madeInTurns(() => this.#reportPieces(query)));
  }

  *#reportPieces(query: LiveQuery): Pieces {
    const { view, json } = this.#reported(query);
    let text = '';
    for (const piece of json) {
      text += piece;
      // This ends a piece, after which other work may run.
      yield '';
    }
    yield* reportPieces({ ...view, raw: { name: 'state.json', text } });
  }

  /** The report. `json` reflects what is known now, whenever it is read. */
  #reported(query: LiveQuery): { readonly view: Omit<ReportView, 'raw'>; readonly json: Iterable<string> } {
    const snapshot = this.#input?.snapshot;
    const { horizons } = this.#settings.attribution;
    const lines = snapshot === undefined ? undefined : this.#largest(query, horizons.length, MOST_LISTED);
    const measures = this.#cohorts.measuresOf(query);
    const cohorts =
      lines === undefined
        ? undefined
        : this.#reportedCohorts.of([snapshot?.rows], `${query.window} ${measures.join()}`, () =>
            reportedCohorts(lines, query, measures, this.#settings, (horizon) =>
              this.#cohorts.incomplete(query.window, horizon),
            ),
          );
    const seen = { ...this.#shared, positions: snapshot === undefined ? undefined : this.#positions(snapshot, query) };
    const { about = [] } = this.#deps;
    const json = this.#json.pieces(this.#stateMembers(query, seen, lines ?? []));
    const history = this.#historyView(query);
    return { view: liveReport(seen, { history, cohorts, measure: query.measure, about }, this.#settings), json };
  }

  /** The cohorts with most lists, as in `LiveCohorts.largest`. */
  #largest(query: LiveQuery, horizons: number, cohorts: number): readonly CohortLine[] {
    const name = `${horizons} ${cohorts} ${query.window} ${this.#cohorts.measuresOf(query).join()}`;
    return this.#largestLines.of([this.#input?.snapshot?.rows], name, () =>
      this.#cohorts.largest(query, horizons, cohorts),
    );
  }

  /** The cohorts that the page lists for the same address, as JSON. */
  cohorts(text = ''): Promise<Versioned> {
    const query = readQuery(text, this.#settings);
    const name = queryText(query, this.#settings);
    return this.#cohortTexts.of([this.#input], name, () => madeInTurns(() => [this.#cohortsJson(query)]));
  }

  #cohortsJson(query: LiveQuery): string {
    const { by, window, horizon, measure } = query;
    const chosen = { by, window, horizon, measure, cohort: query.cohort ?? null };
    if (this.#input?.snapshot === undefined) {
      return stableJson({ version: VERSION, ...chosen, found: 0, all: 0, from: 0, cohorts: [], history: null });
    }
    const { found, all, from, cohorts } = this.#table(query);
    const cohort = this.#chosenCohort(query);
    return stableJson({
      version: VERSION,
      ...chosen,
      found,
      all,
      from,
      cohorts: cohorts.map(({ line, base }) => ({ ...line, against: base ?? null })),
      history: cohort?.history ?? null,
    });
  }

  state(): Promise<Versioned> {
    this.#state ??= madeInTurns(() => this.#json.pieces(this.#defaultState()));
    return this.#state;
  }

  /** Whether single lists are kept. */
  get hasLists(): boolean {
    return this.#deps.samples !== undefined;
  }

  lists(): Promise<Versioned> {
    this.#lists ??= madeInTurns(() => {
      const { lastCount: _, ...lists } = this.#liveLists?.view(true) ?? {};
      return [stableJson({ version: VERSION, ...lists })];
    });
    return this.#lists;
  }

  get #shared(): SharedView {
    this.#sharedView ??= this.#makeShared();
    return this.#sharedView;
  }

  #liveView(query: LiveQuery): LiveView {
    const isKnown = this.#input?.snapshot !== undefined;
    const reported = queryText(reportQuery(query, this.#settings), this.#settings);
    return {
      ...this.#shared,
      history: this.#historyView(query),
      cohorts: isKnown ? this.#table(query) : undefined,
      cohort: isKnown ? this.#chosenCohort(query) : undefined,
      themes: this.#cohorts.themes(query),
      theme: query.theme,
      lists: this.#liveLists?.view(query.showsLast),
      lastLists: this.#cohorts.lastLists(query),
      stateHref: '/api/v1/state',
      reportHref: `/api/v1/report${reported === '' ? '' : `?${reported}`}`,
    };
  }

  /** The grouping set by variant, if there is one. */
  get #variantsBy(): readonly string[] {
    const { experiments, cohorts } = this.#settings;
    const wanted = experiments[0]?.dimension ?? 'variant';
    return cohorts.find((by) => by.join() === wanted) ?? cohorts[0] ?? [];
  }

  #makeShared(): SharedView {
    const { namespace } = this.#settings;
    const { ready, reasons, stopped } = this.#deps.ready();
    const { snapshot, status, now = 0, findings = [] } = this.#input ?? {};
    const pipeline = status === undefined ? undefined : pipelineOf(status, this.#settings);
    const joined = pipeline === undefined ? null : joinedShare(pipeline);
    return {
      namespace,
      now: new Date(now).toISOString(),
      ready,
      troubles: [...troublesOf(reasons, stopped), ...lostTroubles(snapshot?.lost), ...troublesIn(findings)],
      freshness: {
        age: this.#age(),
        listsPerSecond: this.#rate(),
        joined,
        partitions:
          status === undefined
            ? null
            : {
                owned: status.units.length,
                stopped: status.units.filter((unit) => unit.stopped !== undefined).length,
              },
      },
      experiments: this.#experiments(),
      decisions: this.#decisions(),
      positions: snapshot === undefined ? undefined : this.#positions(snapshot, defaultQuery(this.#settings)),
      pipeline,
      work: status === undefined ? undefined : this.#work.view(status),
      couldShowLists: status !== undefined,
      isGuarded: this.#settings.http.token !== undefined,
    };
  }

  #experiments(): readonly ExperimentView[] {
    const { experiments = [], trails } = this.#input?.snapshot ?? {};
    return this.#experimentViews.of([experiments, trails], '', () =>
      experiments.map((comparison, e) => ({
        comparison,
        trail: trails?.[e] ?? new Map(),
        weights: this.#settings.experiments.find(({ name }) => name === comparison.experiment)?.variants,
      })),
    );
  }

  #decisions(): readonly StandingDecision[] {
    const { decisions = [] } = this.#input?.snapshot ?? {};
    return this.#decisionViews.of([decisions], '', () =>
      decisions.map(({ by, values, measure, horizon, decision }) => {
        const cohort = by.length === 0 ? 'everything' : by.map((name, i) => `${name} ${values[i]}`).join(', ');
        const { label, reason } = decision;
        const explanation = explainWatched(decision, { cohort, measure });
        return { cohort, measure: `${measure} at ${horizon}`, label, reason, explanation };
      }),
    );
  }

  #table(query: LiveQuery): CohortTableView {
    const name = queryText(query, this.#settings);
    return this.#tableViews.of([this.#input?.snapshot?.rows], name, () => this.#cohorts.table(query));
  }

  #chosenCohort(query: LiveQuery): CohortView | undefined {
    const [{ ms: window }] = this.#settings.windows;
    const history = (question: Omit<HistoryQuestion, 'window' | 'span'>): CohortHistory | undefined =>
      this.#history({ ...question, window, span: HISTORY_SPAN });
    return this.#cohortViews.of(
      [this.#input?.snapshot?.rows],
      queryText(query, this.#settings),
      () => this.#cohorts.cohort(query, history),
      (view) => view?.history.isReading !== true,
    );
  }

  #historyView(query: LiveQuery): HistoryView | undefined {
    const { measure, horizon } = query;
    return this.#historyViews.of(
      [this.#input?.snapshot?.rows],
      `${measure} ${horizon}`,
      () => this.#variantsOverTime(query),
      (view) => view?.isReading !== true,
    );
  }

  /** The history of the variants with most lists, the control first. */
  #variantsOverTime({ measure, horizon }: LiveQuery): HistoryView | undefined {
    if (this.#deps.history === undefined || this.#input?.snapshot === undefined) return undefined;
    const { windows, experiments } = this.#settings;
    const by = this.#variantsBy;
    const [window, control] = [windows[0], experiments[0]?.control];
    // The longest window also contains those without traffic in the last hour.
    const variants = [...this.#cohorts.group(windows[windows.length - 1].text, horizon, by).rows]
      .sort((a, b) => b.row.impressions - a.row.impressions)
      .slice(0, MOST_SERIES)
      .map(({ values }) => ({ name: values.join(' ') || 'everything', values }))
      .sort((a, b) => (a.name === control ? -1 : b.name === control ? 1 : a.name < b.name ? -1 : 1));
    const common = { by, measure, horizon, window: window.ms, span: HISTORY_SPAN };
    const series = variants.map(({ name, values }) => ({ name, ...this.#history({ ...common, values }) }));
    return historyView({ measure, horizon, window: window.text }, series);
  }

  #history(question: HistoryQuestion): CohortHistory | undefined {
    const name = JSON.stringify(question);
    const known = this.#histories.get(name);
    if (known !== undefined) return known;
    const found = this.#deps.history?.(question);
    if (this.#histories.size >= MOST_HISTORIES) this.#histories.clear();
    if (found?.isReading === false) this.#histories.set(name, found);
    return found;
  }

  /** Seconds since the watermark of the slowest unit; for an exporter alone, since the newest result. */
  #age(): number | null {
    const { snapshot, status, now = 0 } = this.#input ?? {};
    const times =
      status === undefined ? [...(snapshot?.resultTimes.values() ?? [])] : status.units.map((unit) => unit.watermark);
    const known = times.filter(Number.isFinite);
    if (known.length === 0) return null;
    const newest = status === undefined ? Math.max(...known) : Math.min(...known);
    return Math.max(0, (now - newest) / 1000);
  }

  #rate(): number | null {
    const [first] = this.#rates;
    const last = this.#rates.at(-1);
    if (last === undefined || last.at <= first.at) return null;
    return Math.max(0, (1000 * (last.impressions - first.impressions)) / (last.at - first.at));
  }

  /** Positions over the window of the query. */
  #positions({ rows }: QualitySnapshot, { window }: LiveQuery): PositionsView | undefined {
    return this.#positionsViews.of([rows], window, () => this.#countsByRank(rows, window));
  }

  #countsByRank(rows: QualitySnapshot['rows'], window: string): PositionsView | undefined {
    const { attribution, positions, experiments } = this.#settings;
    const { ranks, sets } = positions;
    const by = sets.find((set) => set.join() === this.#variantsBy.join()) ?? sets[0];
    if (ranks === 0 || by === undefined) return undefined;
    const horizon = attribution.window.text;
    const own = rows.filter((row) => row.window === window && row.horizon === horizon && row.by.join() === by.join());
    const counted = own.map(({ values, row }) => ({ ...row, values }));
    const lines = positionLines(counted, experiments[0]?.control).slice(0, MOST_SERIES);
    const isWhole = this.#cohorts.incomplete(window, horizon) === undefined;
    return { by, horizon, what: `, over the last ${window}${isWhole ? '' : ', which is not complete'}`, ranks, lines };
  }

  /** The state for the default query: one window, the first horizons, the cohorts with most lists of each set. */
  #defaultState(): Readonly<Record<string, unknown>> {
    const query = defaultQuery(this.#settings);
    const isKnown = this.#input?.snapshot !== undefined;
    return this.#stateMembers(query, this.#shared, isKnown ? this.#largest(query, MOST_HORIZONS, MOST_COHORTS) : []);
  }

  /** The members of the JSON. Their meaning stays the same when others are added. */
  #stateMembers(query: LiveQuery, seen: SharedView, cohorts: readonly CohortLine[]): Readonly<Record<string, unknown>> {
    const { experiments: _, pipeline, work, positions, couldShowLists: __, isGuarded: ___, ...rest } = seen;
    return {
      version: VERSION,
      verdict: liveVerdict(seen),
      ...rest,
      history: this.#historyView(query) ?? null,
      experiments: this.#input?.snapshot?.experiments ?? [],
      windows: (this.#input?.snapshot?.windows ?? []).map(({ window, horizon, complete, completeAt }) => ({
        window,
        horizon,
        complete,
        completeAt: completeAt === undefined ? null : new Date(completeAt).toISOString(),
      })),
      cohorts,
      positions:
        positions === undefined
          ? null
          : this.#positionsJson.of([this.#input?.snapshot?.rows], query.window, () =>
              positionsOf(positions, query.window),
            ),
      pipeline: pipeline === undefined ? null : partsOf(pipeline),
      work: work ?? null,
    };
  }
}

/** The part of a query that a report depends on. */
function reportQuery({ measure, horizon, window }: LiveQuery, settings: Settings): LiveQuery {
  return { ...defaultQuery(settings), measure, horizon, window };
}

/** What became of the events, for programs. */
function partsOf({ impressions, feedback, unmapped }: PipelineView): unknown {
  return { impressions, feedback, unmapped };
}

/** Positions for programs, without words. */
function positionsOf({ by, horizon, ranks, lines }: PositionsView, window: string): unknown {
  return { by, horizon, window, ranks, lines };
}

function troublesOf(reasons: readonly string[], stopped: Readiness['stopped']): readonly FindingView[] {
  return [
    ...reasons.map((reason) => ({
      cause: `Not ready: ${reason}.`,
      remedy: 'See the log of this process; receval doctor checks what it needs.',
    })),
    ...stopped.map(({ partition, cause, advice }) => ({
      cause: `Partition ${partition} is stopped: ${cause}.`,
      remedy: `${advice.charAt(0).toUpperCase()}${advice.slice(1)}. receval offsets shows where it stands; the runbook says more.`,
    })),
  ];
}

function troublesIn(findings: readonly LiveFinding[]): readonly FindingView[] {
  return findings.map(({ code, topic, cause, remedy }) => ({
    code,
    cause: topic === undefined ? cause : `${topic}: ${cause}`,
    remedy,
  }));
}

function joinedShare({ feedback: { attributed, drops } }: PipelineView): number | null {
  const matched = attributed + drops['orphan'] + drops['not_in_list'];
  return matched < ENOUGH_FEEDBACK ? null : attributed / matched;
}

/** Counts of all units of this process. */
function pipelineOf({ units }: WorkerStatus, { attribution }: Settings): PipelineView {
  const counts = units.flatMap((unit) => unit.counts);
  const sum = (of: (one: (typeof counts)[number]) => number): number => counts.reduce((all, one) => all + of(one), 0);
  const late = (side: Side): Readonly<Record<string, number>> =>
    Object.fromEntries(attribution.horizons.map(({ text }, h) => [text, sum((one) => one[side].late[h] ?? 0)]));
  const invalid = new Map<InvalidCode, number>();
  for (const unit of units) {
    for (const ofTopic of unit.invalid)
      for (const [code, n] of ofTopic) invalid.set(code, (invalid.get(code) ?? 0) + n);
  }
  const open = units.reduce((all, unit) => all + unit.openImpressions, 0);
  return {
    impressions: {
      read: sum((one) => one.impressions.read),
      accepted: sum((one) => one.impressions.accepted),
      drops: Object.fromEntries(
        IMPRESSION_DROPS.map((reason) => [reason, sum((one) => one.impressions.drops[reason])]),
      ),
      late: late('impressions'),
    },
    feedback: {
      read: sum((one) => one.feedback.read),
      attributed: sum((one) => one.feedback.attributed),
      drops: Object.fromEntries(FEEDBACK_DROPS.map((reason) => [reason, sum((one) => one.feedback.drops[reason])])),
      late: late('feedback'),
    },
    invalid: { impressions: new Map(), feedback: new Map() },
    unmapped: sumOfUnmapped(counts.map((one) => one.unmapped ?? [])),
    notes: [
      'Since the first record of the partitions that this process owns.',
      ...(open === 0 ? [] : [`Lists that are still open: ${grouped(open)}.`]),
      ...(invalid.size === 0
        ? []
        : [`Invalid records: ${[...invalid].map(([code, n]) => `${code} ${grouped(n)}`).join(', ')}.`]),
    ],
  };
}
