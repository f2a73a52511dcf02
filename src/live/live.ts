/**
 * What the live page and `/api/v1/state` show of this process. `update` only keeps what it is given; views and texts are made when
 * somebody asks, once for all who do, so nobody's looking costs nothing.
 */
import { createHash } from 'node:crypto';
import { shapeOf, sumsOffsets } from '../accumulators/row.ts';
import type { Settings } from '../config/settings.ts';
import type { QualityRow, QualitySnapshot } from '../exporter/exporter-contract.ts';
import type { LiveFinding } from '../findings/live.ts';
import { stableJson } from '../output/stable-json.ts';
import type { HistoryPoint, HistoryView } from '../page/history.tsx';
import { type LiveView, liveVerdict, renderLivePage, type Trouble } from '../page/live-page.tsx';
import type { CohortLine, CohortsView, PipelineView, PositionLine, PositionsView } from '../page/model.ts';
import { counted } from '../page/numbers.ts';
import { isAbsent } from '../statistics/absent.ts';
import type { ListSamples } from '../unit/samples.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS, type InvalidCode } from '../vocabulary/drops.ts';
import type { EpochMs, Side } from '../vocabulary/events.ts';
import { rowValue } from '../windows/row-value.ts';
import type { CohortRow } from '../windows/windows.ts';
import type { WorkerStatus } from '../worker/status.ts';
import { listsOf } from './lists.ts';

/** What a process knows at one moment; undefined: not its part. */
export interface LiveInput {
  readonly snapshot: QualitySnapshot | undefined;
  readonly status: WorkerStatus | undefined;
  readonly now: EpochMs;
  /** What looks wrong with the logs; default: nothing. */
  readonly findings?: readonly LiveFinding[] | undefined;
}

/** Asked when the page is made. */
export interface LiveDeps {
  /** As /readyz has it. */
  readonly ready: () => {
    readonly ready: boolean;
    readonly reasons: readonly string[];
    readonly stopped: readonly { readonly partition: number; readonly cause: string }[];
  };
  /** Of this process's units; default: none are kept. */
  readonly samples?: ListSamples | undefined;
}

/** A text and its version. */
export interface Made {
  readonly body: string;
  /** Quoted, as in a header. */
  readonly etag: string;
}

/** Of the format of `/api/v1/state`. */
const VERSION = 1;
/** Points of history of one variant; the oldest goes. */
const MOST_POINTS = 720;
/** Variants with a history. */
const MOST_SERIES = 7;
/** Measures and cohorts of a set that are shown: the page stays small, whatever is configured. */
const MOST_MEASURES = 8;
const MOST_COHORTS = 100;
const MOST_HORIZONS = 4;
/** Between two of them the rate of lists is taken. */
const RATE_SAMPLES = 20;
/** Less feedback tells nothing of how it joins. */
const ENOUGH_FEEDBACK = 100;

export class LivePage {
  readonly #settings: Settings;
  readonly #deps: LiveDeps;
  /** Where the sums of each measure begin in a row. */
  readonly #offsets: readonly number[];
  #input: LiveInput | undefined;
  #rates: { readonly at: EpochMs; readonly impressions: number }[] = [];
  readonly #history = new Map<string, HistoryPoint[]>();
  #newest: EpochMs | undefined;
  #view: LiveView | undefined;
  #html: Made | undefined;
  #state: Made | undefined;
  #lists: Made | undefined;

  constructor(settings: Settings, deps: LiveDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#offsets = sumsOffsets(shapeOf(settings.measures));
  }

  /** What is known now. Without a snapshot the last one stays. */
  update(input: LiveInput): void {
    const snapshot = input.snapshot ?? this.#input?.snapshot;
    this.#input = { ...input, snapshot };
    this.#view = undefined;
    this.#html = undefined;
    this.#state = undefined;
    this.#lists = undefined;
    this.#deps.samples?.renew();
    if (snapshot === undefined) return;
    this.#rates = [...this.#rates, { at: input.now, impressions: snapshot.impressions }].slice(-RATE_SAMPLES);
    this.#remember(snapshot);
  }

  get html(): Made {
    this.#html ??= made(renderLivePage(this.#seen));
    return this.#html;
  }

  get state(): Made {
    this.#state ??= made(stateJson(this.#seen));
    return this.#state;
  }

  /** Whether single lists are kept. */
  get hasLists(): boolean {
    return this.#deps.samples !== undefined;
  }

  get lists(): Made {
    this.#lists ??= made(stableJson({ version: VERSION, ...this.#seen.lists }));
    return this.#lists;
  }

  get #seen(): LiveView {
    this.#view ??= this.#look();
    return this.#view;
  }

  /** A point of each variant when a pane has closed. */
  #remember({ rows, resultTimes }: QualitySnapshot): void {
    const { windows, attribution } = this.#settings;
    const [horizon] = attribution.horizons;
    const newest = resultTimes.get(horizon.text);
    if (newest === undefined || newest === this.#newest) return;
    this.#newest = newest;
    const by = this.#variantsBy.join();
    for (const row of rows) {
      if (row.window !== windows[0].text || row.horizon !== horizon.text || row.by.join() !== by) continue;
      const name = row.values.join(' ') || 'everything';
      const known = this.#history.get(name);
      if (known === undefined && this.#history.size >= MOST_SERIES) continue;
      const { value, stderr } = this.#line(row).measures[this.#primary] ?? {};
      if (typeof value !== 'number') continue;
      const points = known ?? [];
      points.push({ at: newest, value, stderr: stderr ?? null });
      if (points.length > MOST_POINTS) points.shift();
      this.#history.set(name, points);
    }
  }

  /** The measure that is watched first. */
  get #primary(): string {
    const { experiments, measures } = this.#settings;
    return experiments[0]?.primary ?? measures[0]?.canonical ?? '';
  }

  /** The grouping set that tells variants apart, where one is kept. */
  get #variantsBy(): readonly string[] {
    const { experiments, cohorts } = this.#settings;
    const wanted = experiments[0]?.dimension ?? 'variant';
    return cohorts.find((by) => by.join() === wanted) ?? cohorts[0] ?? [];
  }

  #look(): LiveView {
    const { namespace, experiments } = this.#settings;
    const { ready, reasons, stopped } = this.#deps.ready();
    const { snapshot, status, now = 0, findings = [] } = this.#input ?? {};
    const pipeline = status === undefined ? undefined : pipelineOf(status, this.#settings);
    const joined = pipeline === undefined ? null : joinedShare(pipeline);
    return {
      namespace,
      now: new Date(now).toISOString(),
      ready,
      troubles: troublesOf(reasons, stopped, findings),
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
      history: snapshot === undefined ? undefined : this.#historyView(),
      experiments: (snapshot?.experiments ?? []).map((comparison, e) => ({
        comparison,
        trail: snapshot?.trails?.[e] ?? new Map(),
        weights: experiments.find(({ name }) => name === comparison.experiment)?.variants,
      })),
      decisions: (snapshot?.decisions ?? []).map(({ by, values, measure, horizon, decision }) => ({
        cohort: by.length === 0 ? 'everything' : by.map((name, i) => `${name} ${values[i]}`).join(', '),
        measure: `${measure} at ${horizon}`,
        label: decision.label,
        reason: decision.reason,
      })),
      cohorts: snapshot === undefined ? undefined : this.#cohorts(snapshot),
      positions: snapshot === undefined ? undefined : this.#positions(snapshot),
      pipeline,
      lists: this.#deps.samples === undefined ? undefined : listsOf(this.#deps.samples, this.#settings),
      couldShowLists: status !== undefined,
    };
  }

  #historyView(): HistoryView {
    const { windows, attribution, experiments } = this.#settings;
    const control = experiments[0]?.control;
    const names = [...this.#history.keys()].sort((a, b) => (a === control ? -1 : b === control ? 1 : a < b ? -1 : 1));
    return {
      measure: this.#primary,
      horizon: attribution.horizons[0].text,
      window: windows[0].text,
      series: names.map((name) => ({ name, points: this.#history.get(name) ?? [] })),
    };
  }

  /** Seconds from the watermark of the slowest unit; of an exporter alone, from the newest result. */
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

  /** One window at each horizon; of each set the cohorts with most lists. */
  #cohorts({ rows }: QualitySnapshot): CohortsView {
    const { attribution, windows, cohorts, measures, detect } = this.#settings;
    // The shortest says what moves, but little of a small cohort.
    const window = (windows[1] ?? windows[0]).text;
    const horizons = attribution.horizons.slice(0, MOST_HORIZONS).map(({ text }) => text);
    const lines = horizons.flatMap((horizon) =>
      cohorts.flatMap((by) =>
        rows
          .filter((row) => row.window === window && row.horizon === horizon && row.by.join() === by.join())
          .sort((a, b) => b.row.impressions - a.row.impressions)
          .slice(0, MOST_COHORTS)
          .map((row) => this.#line(row)),
      ),
    );
    const filled = horizons.filter((horizon) => lines.some((line) => line.horizon === horizon));
    return {
      legend: `Last ${window}, horizon`,
      horizons: filled,
      measures: measures.slice(0, MOST_MEASURES).map(({ canonical }) => canonical),
      lowerIsBetter: new Set(detect.lowerIsBetter),
      sets: cohorts,
      lines,
    };
  }

  /** Over the same window as the cohorts. */
  #positions({ rows }: QualitySnapshot): PositionsView | undefined {
    const { attribution, positions, windows, experiments } = this.#settings;
    const { ranks, sets } = positions;
    const by = sets.find((set) => set.join() === this.#variantsBy.join()) ?? sets[0];
    if (ranks === 0 || by === undefined) return undefined;
    const window = (windows[1] ?? windows[0]).text;
    const horizon = attribution.horizons[attribution.horizons.length - 1].text;
    const own = rows.filter((row) => row.window === window && row.horizon === horizon && row.by.join() === by.join());
    const lines = positionLines(own, experiments[0]?.control).slice(0, MOST_SERIES);
    return { by, horizon, what: `, over the last ${window}`, ranks, lines };
  }

  #line({ by, values, horizon, row, stderrs }: QualityRow): CohortLine {
    const { measures, itemFile } = this.#settings;
    const offsets = this.#offsets;
    return {
      by,
      labels: Object.fromEntries(by.map((dimension, i) => [dimension, values[i]])),
      horizon,
      impressions: row.impressions,
      positives: row.positives,
      measures: Object.fromEntries(
        measures.slice(0, MOST_MEASURES).map((measure, m) => {
          const { value = null, n } = rowValue(
            measure,
            row,
            row.sums.slice(offsets[m], offsets[m + 1]),
            itemFile?.size ?? 0,
          );
          const error = stderrs[m];
          return [measure.canonical, { value, n, stderr: error === undefined || isAbsent(error) ? null : error }];
        }),
      ),
    };
  }
}

/** The control first, then those with most lists. */
export function positionLines(rows: readonly CohortRow[], control: string | undefined): readonly PositionLine[] {
  return rows
    .flatMap(({ values, row: { positions, impressions } }) =>
      positions === undefined ? [] : [{ name: values.join(' · ') || 'everything', positions, impressions }],
    )
    .sort((a, b) => Number(b.name === control) - Number(a.name === control) || b.impressions - a.impressions)
    .map(({ name, positions }) => ({
      name,
      exposed: [...positions.exposed],
      positives: [...positions.positives],
    }));
}

function made(body: string): Made {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** One object; what is added later does not change what is there. */
function stateJson(view: LiveView): string {
  const { experiments, cohorts, pipeline, lists: _, couldShowLists: __, ...rest } = view;
  return stableJson({
    version: VERSION,
    verdict: liveVerdict(view),
    ...rest,
    history: rest.history ?? null,
    experiments: experiments.map(({ comparison }) => comparison),
    cohorts: cohorts === undefined ? [] : cohorts.lines,
    positions: rest.positions ?? null,
    pipeline: pipeline === undefined ? null : { impressions: pipeline.impressions, feedback: pipeline.feedback },
  });
}

function troublesOf(
  reasons: readonly string[],
  stopped: readonly { readonly partition: number; readonly cause: string }[],
  findings: readonly LiveFinding[],
): readonly Trouble[] {
  return [
    ...reasons.map((reason) => ({
      cause: `Not ready: ${reason}.`,
      remedy: 'See the log of this process; receval doctor checks what it needs.',
    })),
    ...stopped.map(({ partition, cause }) => ({
      cause: `Partition ${partition} is stopped: ${cause}.`,
      remedy: 'receval offsets shows where it stands; the runbook says what to do about each cause.',
    })),
    ...findings.map(({ code, topic, cause, remedy }) => ({
      code,
      cause: topic === undefined ? cause : `${topic}: ${cause}`,
      remedy,
    })),
  ];
}

function joinedShare({ feedback: { attributed, drops } }: PipelineView): number | null {
  const matched = attributed + drops['orphan'] + drops['not_in_list'];
  return matched < ENOUGH_FEEDBACK ? null : attributed / matched;
}

/** Of all units of this process. */
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
    notes: [
      ...(open === 0 ? [] : [`Lists that are still open: ${counted(open)}.`]),
      ...(invalid.size === 0
        ? []
        : [`Invalid records: ${[...invalid].map(([code, n]) => `${code} ${counted(n)}`).join(', ')}.`]),
    ],
  };
}
