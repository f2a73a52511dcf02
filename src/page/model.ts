/** What a report shows. Commands build it from their results, and the parts in this folder render it. */
import type { Tone } from '../charts/palette.ts';
import type { ComparedCohorts } from '../experiment/cohort-splits.ts';
import type { Comparison } from '../experiment/comparison.ts';
import type { PlannedVariant } from '../experiment/experiment-plan.ts';
import type { Trail } from '../experiment/take-looks.ts';
import type { FindingCode } from '../findings/catalogue.ts';
import type { FeedbackDrop } from '../vocabulary/drops.ts';
import type { EpochMs, Side } from '../vocabulary/events.ts';
import type { Unmapped } from '../vocabulary/unmapped.ts';
import type { StandingDecision } from './decisions.tsx';
import type { HistoryView } from './history.tsx';

/** The statement at the top: a word or two, and a few sentences; `small`: what it rests on. */
export interface Verdict {
  readonly tone: Tone;
  readonly badge: string;
  readonly sentence: string;
  readonly small?: string;
}

/** A name and what it is: `period`, `2025-11-03 08:00 to 09:00`. */
export type Fact = readonly [name: string, value: string];

/** Something that looks wrong, in sentences. */
export interface FindingView {
  /** The code of a finding on a log; undefined: it concerns the process. */
  readonly code?: FindingCode;
  readonly cause: string;
  /** An example from the logs; null or undefined: there is none to show. */
  readonly example?: string | null;
  readonly remedy: string;
}

export interface ExperimentView {
  readonly comparison: Comparison;
  readonly trail: Trail;
  /** The weight of each variant in the traffic; undefined: unknown here. */
  readonly weights: ReadonlyMap<string, number> | undefined;
  readonly plan?: readonly PlannedVariant[] | undefined;
  readonly ratioBy?: readonly ComparedCohorts[] | undefined;
}

/** One measure of a cohort; null: it has none. */
export interface CohortValue {
  readonly value: number | null;
  readonly n: number;
  readonly stderr: number | null;
}

export interface CohortLine {
  readonly by: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly horizon: string;
  readonly impressions: number;
  readonly positives: number;
  /** Lists that were younger than the horizon at the end of files, and are in no other number. Default: 0. */
  readonly open?: number;
  readonly measures: Readonly<Record<string, CohortValue>>;
}

export interface CohortsView {
  /** The label of the choice of a horizon; default: Horizon. */
  readonly legend?: string;
  /** The period that is counted, to follow the horizon in a sentence: `, over the last 1 h`; default: everything. */
  readonly what?: string;
  /** Where to find cohorts that are not in `lines`; default: all are. */
  readonly others?: string;
  /** The horizons in the order of their length. */
  readonly horizons: readonly string[];
  readonly measures: readonly string[];
  /** The text in place of the numbers of a horizon that has none yet. */
  readonly instead?: ReadonlyMap<string, string>;
  /** The text above the numbers of a horizon. */
  readonly warnings?: ReadonlyMap<string, string>;
  /** The measures of which a lower value is better. */
  readonly lowerIsBetter: ReadonlySet<string>;
  /** The grouping sets; the empty one is everything together. */
  readonly sets: readonly (readonly string[])[];
  readonly lines: readonly CohortLine[];
}

type Counts = Readonly<Record<string, number>>;

/** Counts of the events. */
export interface PipelineView {
  readonly impressions: {
    readonly read: number;
    readonly accepted: number;
    readonly drops: Counts;
    readonly late: Counts;
    /** Lists of files that were younger than the horizon at the end of the feedback, by horizon. */
    readonly open?: Counts;
  };
  readonly feedback: {
    readonly read: number;
    readonly attributed: number;
    readonly drops: Counts;
    readonly late: Counts;
  };
  /** Records that no map is for. */
  readonly unmapped: Unmapped;
  /** Refused records, by code. */
  readonly invalid: Readonly<Record<Side, ReadonlyMap<string, number>>>;
  /** Sentences on other anomalies. */
  readonly notes: readonly string[];
}

export interface PartitionView {
  readonly partition: number;
  /** The watermark of the partition; null: nothing was read yet. */
  readonly watermark: EpochMs | null;
  /** Why it is stopped; null: it is not. */
  readonly stopped: string | null;
  readonly openLists: number;
  readonly waitingFeedback: number;
  /** Records to the end of the log, for each topic; null: unknown. */
  readonly lag: readonly (number | null)[];
}

/** The state of a worker. */
export interface WorkView {
  readonly topics: readonly string[];
  /** Stopped partitions first. */
  readonly partitions: readonly PartitionView[];
  /** The delays from lists to feedback that counted. Bounds are in seconds and ascend; there is one more count than bounds. */
  readonly delays: { readonly bounds: readonly number[]; readonly counts: readonly number[] };
  /** The number of commits by outcome. */
  readonly commits: Readonly<Record<string, number>>;
  /** The mean duration of a commit in seconds; null: none was made. */
  readonly commitSeconds: number | null;
  /** The ISO time of the last commit; null: none was made. */
  readonly lastCommit: string | null;
  /** The events dropped in each minute, by reason; only reasons that have occurred here. */
  readonly drops: {
    readonly times: readonly EpochMs[];
    readonly reasons: readonly { readonly reason: string; readonly counts: readonly number[] }[];
  };
}

/** Counts of one cohort by rank, rank 1 first. */
export interface PositionLine {
  readonly name: string;
  /** The number of lists with an item at each rank; `positives` is the number of those with a positive there. */
  readonly exposed: readonly number[];
  readonly positives: readonly number[];
}

export interface PositionsView {
  readonly by: readonly string[];
  readonly horizon: string;
  /** The period that is counted, to follow the horizon in a sentence: `, over the last 1 h`; '': everything. */
  readonly what: string;
  readonly ranks: number;
  /** The cohorts, the first of which is the one that others are compared with. */
  readonly lines: readonly PositionLine[];
}

/** A list as it closed. */
export interface ListView {
  readonly requestId: string;
  /** The ISO time when it was shown. */
  readonly shownAt: string;
  readonly cohort: Readonly<Record<string, string>>;
  /** The number of slots, of which `items` are the first. */
  readonly length: number;
  readonly items: readonly {
    readonly rank: number;
    readonly item: string;
    readonly grade: number;
    /** What people did with it, and how many seconds after the list was shown. */
    readonly feedback: readonly {
      readonly action: string | null;
      readonly value: number | null;
      readonly seconds: number;
    }[];
  }[];
  /** The number of events that count and are not among `items`. */
  readonly moreFeedback: number;
  /** The value of each measure; null: the measure leaves the list out. */
  readonly measures: Readonly<Record<string, number | null>>;
  readonly dropped: readonly DroppedView[];
}

/** Feedback that did not count. */
export interface DroppedView {
  readonly reason: FeedbackDrop;
  readonly requestId: string;
  readonly itemId: string;
  readonly action: string;
  readonly happenedAt: string;
}

/** Single lists, newest first. */
export interface ListsView {
  readonly ids: 'masked' | 'shown';
  readonly horizon: string;
  /** The measure by which the worst lists are chosen. */
  readonly primary: string;
  /** The last lists with feedback whose value is worst. */
  readonly worst: readonly ListView[];
  /** The lists whose feedback was dropped. */
  readonly missed: readonly ListView[];
  /** The last lists; undefined: they were not asked for. */
  readonly last: readonly ListView[] | undefined;
  readonly lastCount: number;
  /** The last feedback that was dropped for each reason, whether its list is known or not. */
  readonly dropped: readonly DroppedView[];
}

interface ScoredQuery {
  readonly query: string;
  /** The value of each measure; NaN: the measure leaves the list out. */
  readonly values: readonly number[];
}

export interface ScoredRun {
  readonly name: string;
  readonly queries: number;
  readonly mean: readonly (number | undefined)[];
  readonly perQuery: readonly ScoredQuery[];
}

/** The difference of a run from the first one by one measure, paired by query. */
export interface RunDifference {
  readonly run: string;
  readonly measure: string;
  readonly queries: number;
  readonly effect: number | null;
  readonly ci: readonly [number, number] | null;
  readonly p: number | null;
}

/** Measures that differ in nothing but the cut-off. */
export interface CutFamily {
  readonly label: string;
  /** The cut-offs, ascending; `measure` is an index into the measures. */
  readonly cuts: readonly { readonly k: number; readonly measure: number }[];
}

export interface ScoresView {
  readonly measures: readonly string[];
  /** Whether a lower value is better, by measure; undefined: neither is, as with bias. */
  readonly lowerIsBetter: readonly (boolean | undefined)[];
  readonly families: readonly CutFamily[];
  /** The runs, the first of which is the one that others are compared with. */
  readonly runs: readonly ScoredRun[];
  readonly differences: readonly RunDifference[];
}

export interface ReportView {
  /** The title, such as: Experiment default. */
  readonly title: string;
  readonly verdict: Verdict;
  /** What was counted and when, for the head. */
  readonly facts: readonly Fact[];
  readonly findings: readonly FindingView[];
  /** The first variants over the last hours. */
  readonly history?: HistoryView | undefined;
  readonly experiments?: readonly ExperimentView[];
  readonly decisions?: readonly StandingDecision[];
  readonly cohorts?: CohortsView | undefined;
  /** Which of the cohorts' measures is drawn until another is chosen; default: the first. */
  readonly measure?: string | undefined;
  readonly pipeline?: PipelineView | undefined;
  /** The state of a running worker. */
  readonly work?: WorkView | undefined;
  /** The counts by rank; undefined: nothing was counted by rank. */
  readonly positions?: PositionsView | undefined;
  readonly scores?: ScoresView;
  /** The files, the settings, the version and the hash of the configuration. */
  readonly about: readonly Fact[];
  /** All numbers as JSON, to be saved under this name. */
  readonly raw: { readonly name: string; readonly text: string };
}
