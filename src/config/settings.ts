/** The configuration as the rest of the program uses it: valid, in our units, with nothing left to parse. */

import type { KafkaSecurity, RedisSecurity, SecretSource } from '../connections/security-settings.ts';
import type { AdapterChoice, Drop, FileForm, PositionBase, TsUnit } from '../consumers/decode/decoder-settings.ts';
import type { Measure } from '../measures/definition.ts';
import type { ItemFile } from '../measures/item-catalogue.ts';
import type { Grading } from '../measures/scorer-contract.ts';
import type { DurationMs, EpochMs, TopicRole } from '../vocabulary/events.ts';
import type { SimpleSettings } from './simple.ts';
import type { Span } from './values.ts';

/** The format of events. */
export interface EventForm {
  readonly adapter: AdapterChoice;
  readonly tsUnit: TsUnit;
  /** The zone of times without one; undefined: such times are refused. */
  readonly timeZone: string | undefined;
  readonly positionBase: PositionBase;
  /** Empty: no event is left out. */
  readonly drop: Drop;
}

export interface TopicSettings extends EventForm {
  readonly name: string;
  readonly role: TopicRole;
}

/** The format of the events in a file, and the path of the file. */
export interface InputSettings extends EventForm {
  readonly file: FileForm;
}

export interface ExperimentSettings {
  readonly name: string;
  /** Dimension of its variants: `variant`, or `experiment_<name>`. */
  readonly dimension: string;
  readonly control: string;
  /** The weight of each variant, in the order of the configuration. */
  readonly variants: ReadonlyMap<string, number>;
  /** Canonical name of the primary measure, and those of the guardrails. */
  readonly primary: string;
  readonly guardrails: readonly string[];
  readonly horizon: Span;
  readonly start: EpochMs | undefined;
  readonly alpha: number;
  readonly nStar: number;
  readonly tolerance: number;
  /** Canonical names of the measures where lower is better. */
  readonly lowerIsBetter: ReadonlySet<string>;
  readonly interleaved: boolean;
}

/** Where the bytes of invalid records go. */
export type DeadLetterSettings =
  | { readonly to: 'off' }
  | { readonly to: 'topic'; readonly topic: string }
  | {
      readonly to: 'file';
      readonly file: string;
      /** Largest size of one file, and the most files. */
      readonly fileBytes: number;
      readonly files: number;
    };

export interface Settings extends Omit<SimpleSettings, 'attribution' | 'limits'> {
  /** How files are read: those of one side, or of both in one. */
  readonly inputs: {
    readonly impressions: InputSettings;
    readonly feedback: InputSettings;
    readonly events: InputSettings;
  };
  readonly kafka: KafkaSecurity & {
    readonly brokers: readonly string[];
    readonly groupId: string;
    /** A worker that Kafka does not hear from for this long loses its partitions. */
    readonly sessionTimeout: DurationMs;
    /** Exactly one of the topics carries impressions. Feedback events are ordered by topic, in this order. */
    readonly topics: readonly TopicSettings[];
  };
  readonly redis: RedisSecurity & { readonly url: string };
  /** `window`: the longest of the horizons, which are ascending. Later feedback belongs to no list. */
  readonly attribution: SimpleSettings['attribution'] & { readonly window: Span };
  /** The configured actions, followed by those that only measures name (grade 0). */
  readonly grading: Grading;
  readonly measures: readonly Measure[];
  /** The sets of `cohorts` whose rows keep items for measures of items. */
  readonly itemSets: readonly (readonly string[])[];
  /** Counts by rank, at the longest horizon. */
  readonly positions: {
    /** Ranks from 1 up to this one have counts; 0: none are kept. */
    readonly ranks: number;
    /** The sets of `cohorts` whose rows keep them. */
    readonly sets: readonly (readonly string[])[];
  };
  /** All dimensions that grouping sets and experiments need, ascending. The decoder reads them. */
  readonly dimensions: readonly string[];
  readonly limits: Omit<SimpleSettings['limits'], 'cohortsPerSet'> & { readonly cohortsPerSet: number };
  readonly experiments: readonly ExperimentSettings[];
  readonly statistics: { readonly clustered: readonly (readonly string[])[] };
  readonly detect: {
    readonly sets: readonly (readonly string[])[];
    readonly measures: readonly string[];
    readonly horizon: Span;
    readonly step: DurationMs;
    /** How long hour panes are kept. */
    readonly history: DurationMs;
    readonly k: number;
    readonly h: number;
    readonly tolerance: number;
    /** Canonical names of the measures where lower is better. */
    readonly lowerIsBetter: ReadonlySet<string>;
  };
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Whether a page for people is served. */
    readonly page: boolean;
    /** Number of lists that the page shows one by one; undefined: the command's default. */
    readonly samples: number | undefined;
    readonly samplesIds: 'masked' | 'shown' | undefined;
    /** The token that readers must send; undefined: anyone may read. */
    readonly token: SecretSource | undefined;
    /** Accepted host names, besides addresses and localhost; undefined: any, unless it listens on loopback. */
    readonly allowedHosts: readonly string[] | undefined;
  };
  /** The content of the catalogue once it has been read; undefined: not read. */
  readonly itemFile?: ItemFile | undefined;
  readonly deadLetter: DeadLetterSettings;
}
