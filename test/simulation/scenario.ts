/**
 * All that is decided before a history begins, as plain lists: what is written to the logs, what goes wrong, and what
 * becomes of which request. A history is a pure function of it, so a shorter scenario can be tried by leaving things out.
 */

import type { Decoded } from '../../src/consumers/decode/decoder.ts';
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import type { DurationMs, EpochMs, Offset } from '../../src/vocabulary/events.ts';
import type { FaultLabel } from '../../src/vocabulary/fault-point.ts';
import type { Disorder } from './disorders.ts';

export interface SimulatedSettings {
  readonly partitions: number;
  /** Processes that run at a time when all is well. */
  readonly slots: number;
  readonly join: JoinSettings;
  readonly panes: UnitSettings['panes'];
  readonly experiments: UnitSettings['experiments'];
  readonly commitInterval: DurationMs;
  /** Of a process, above which units with little to store take turns; undefined: no bound. */
  readonly commitsPerSecond?: number | undefined;
  readonly idleAfter: DurationMs;
  readonly maxSkew: DurationMs;
  readonly openLimit: number;
  /** Bytes of state of a process; Infinity: no limit. */
  readonly stateLimit: number;
  /** Most records of one delivery. */
  readonly chunk: number;
  /** Where the logs begin, by topic. */
  readonly begin: readonly Offset[];
}

/** What processes do at a batch that cannot be decoded; mixed: one this, the next that. */
export type UndecodablePolicy = 'stop' | 'skip' | 'mixed';

/** A record that a producer writes. */
export interface Append {
  readonly at: EpochMs;
  readonly partition: number;
  readonly topic: number;
  /** Offsets before it that hold nothing for us: control records, compaction. */
  readonly hole: number;
  readonly timestamp: EpochMs | undefined;
  readonly decoded: Decoded;
  readonly disorders: readonly Disorder[];
}

/** What goes wrong at a time. Processes are named by their slot; `back`: after how long another one is started there. */
export type Fault = { readonly at: EpochMs } & (
  | { readonly kind: 'crash' | 'stop'; readonly slot: number; readonly back: DurationMs }
  | { readonly kind: 'crash at'; readonly slot: number; readonly label: FaultLabel; readonly back: DurationMs }
  | { readonly kind: 'freeze'; readonly slot: number; readonly length: DurationMs }
  /** The group gives its partitions to others, and it is told so only later. */
  | { readonly kind: 'expel'; readonly slot: number; readonly toldAfter: DurationMs }
  | { readonly kind: 'rebalance' }
  | { readonly kind: 'clock'; readonly slot: number; readonly error: DurationMs }
  | { readonly kind: 'slow fetch'; readonly slot: number; readonly topic: number; readonly length: DurationMs }
  | { readonly kind: 'brokers away' | 'redis away'; readonly length: DurationMs }
  /** `back`: how many snapshots older the new primary is. `split`: the old one still answers some. */
  | { readonly kind: 'failover'; readonly back: number; readonly split: boolean }
  | { readonly kind: 'restore'; readonly back: number }
  | { readonly kind: 'forget' }
  | { readonly kind: 'group deleted' }
  | { readonly kind: 'trim' }
  /** The next records of this topic cannot be decoded until so much later (damaged on the way), or ever. */
  | {
      readonly kind: 'damage';
      readonly partition: number;
      readonly topic: number;
      readonly records: number;
      readonly length: DurationMs;
    }
  /** A producer's transaction is open so long; Infinity: until all is well again. */
  | { readonly kind: 'transaction'; readonly partition: number; readonly topic: number; readonly length: DurationMs }
  /** The weights of the experiment change: the processes end one after the other, and those that start have the new ones. */
  | { readonly kind: 'ramp'; readonly weight: number; readonly every: DurationMs }
);
export type FaultKind = Fault['kind'];

export const FATES = ['request lost', 'reply lost', 'repeated', 'applied late', 'reply late', 'refused'] as const;
export type FateKind = (typeof FATES)[number];

/** What becomes of the request with this number; of all others nothing special. */
export interface Fate {
  readonly request: number;
  readonly kind: FateKind;
  readonly delay: DurationMs;
}

export interface Scenario {
  readonly seed: number;
  readonly settings: SimulatedSettings;
  readonly onUndecodable: UndecodablePolicy;
  /** By time. */
  readonly traffic: readonly Append[];
  /** By time. */
  readonly faults: readonly Fault[];
  /** By request. */
  readonly fates: readonly Fate[];
  readonly begin: EpochMs;
  /** Traffic and faults have ended: from here on everything must come to rest. */
  readonly end: EpochMs;
}
