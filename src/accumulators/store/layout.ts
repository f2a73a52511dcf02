/**
 * Where everything is stored, in format versions 1 to 5 (specification: layout 1). `{namespace:unit}` is the hash tag that
 * keeps all keys of a unit in one slot of a cluster. Every key holds a hash; every value is text. A state has the
 * lowest version that can express it, so that older builds can read it: with blocks of clock verdicts 2, with tables of places beside the
 * checkpoint 3, with parts that were added later or runs that have ended 4, with checksums 5 (checksums.ts).
 *
 *   receval:{<namespace>:<unit>}:unit                                  the checkpoint (checkpoint-codec.ts), and:
 *       token       random, of the claim that owns the unit
 *       seq         number of the last commit, digits; 0: none
 *       cid         id of the last commit; '': none
 *   receval:{<namespace>:<unit>}:<generation>:pane:<size>:<start>      size m: panes of `paneSize`, h: hours; start: ms
 *   receval:{<namespace>:<unit>}:<generation>:vector:h:<start>         sums by user bucket of an hour, for some grouping sets
 *       <horizon>|<by>|<values>    a vector as JSON (row-codec.ts), under the field of its row
 *   receval:{<namespace>:<unit>}:<generation>:total:<name>:<run>       since-start sums, each row with its vector
 *       <horizon>|<by>|<values>    a row as JSON (row-codec.ts). by: the names of the grouping set joined by ','; values:
 *                                  the cohort's values joined by ','; both '' for the set without dimensions; the rest
 *                                  of a set is named __other__ in each dimension. Values never hold ',' or '|'. The
 *                                  total of a run of an experiment holds its horizon and its dimension alone.
 *   receval:{<namespace>:<unit>}:<generation>:users:<name>:<run>       the sample of users exposed to a run
 *       level                      j, digits; then one field for each user (statistics/user-sample.ts)
 *   receval:{<namespace>:<unit>}:<generation>:looks:<name>:<run>       of unit 0 only: which run it is, and what the looks have found
 *       (experiment/experiment-looks.ts)
 *   receval:{<namespace>:<unit>}:<generation>:clock                    which records the wall clock dropped, where they are many
 *       <topic>:<block>            bits of one block of offsets (unit/clock-blocks.ts)
 *   receval:{<namespace>:<unit>}:<generation>:places:<by>              the places of a grouping set, where they are many (admission-state.ts)
 *   receval:{<namespace>:accepted}:unit                                levels of watched cohorts that were accepted (accepted-level.ts)
 *   receval:{<namespace>:self-test}:<id>:...                           for the moment of a start (redis-store.ts)
 *
 * What is kept of a run does not expire with time: it is deleted at the first claim after the run has ended a week ago. Clock verdicts are deleted when no replay
 * needs them, and places when they are few again.
 */
import type { JoinCheckpoint } from '../../vocabulary/checkpoint.ts';
import { type EpochMs, OTHER_COHORT } from '../../vocabulary/events.ts';
import type { RunPart, RunState, Since } from '../runs.ts';
import { parseGeneration } from './generation.ts';

/** The newest version that this build reads, and the oldest. */
export const FORMAT_VERSION = 5;
export const OLDEST_FORMAT = 1;

const WITH_CLOCK_BLOCKS = 2;
const WITH_PLACES = 3;
const WITH_LATER_PARTS = 4;
export const WITH_CHECKSUMS = 5;

/**
 * The lowest version that can express this state, so that as many builds as possible can read it: those of a generation that an earlier build
 * began. `hasPlacesBeside`: an admission table is stored beside it.
 */
export function formatOf(
  { topics }: Pick<JoinCheckpoint, 'topics'>,
  { since, runs }: { readonly since: Since; readonly runs: readonly Pick<RunState, 'since' | 'ended'>[] },
  hasPlacesBeside: boolean,
  generation: string,
): number {
  if (parseGeneration(generation).hasChecksums) return WITH_CHECKSUMS;
  const isLater = (of: Since): boolean => Object.values(of).some(Number.isFinite);
  const hasLeaps = topics.some(({ leaps }) => leaps !== undefined);
  if (hasLeaps || isLater(since) || runs.some((run) => run.ended !== undefined || isLater(run.since)))
    return WITH_LATER_PARTS;
  if (hasPlacesBeside) return WITH_PLACES;
  return topics.some(({ clockBlocks = 0 }) => clockBlocks > 0) ? WITH_CLOCK_BLOCKS : OLDEST_FORMAT;
}

/** The owner of a set of keys. All rows of a unit that were built by one configuration from one history share a generation. */
export interface RowOwner {
  readonly namespace: string;
  /** Partition. */
  readonly unit: number;
  readonly generation: string;
}

type PaneSize = 'm' | 'h';

/** The run of a total that no experiment restarts. */
export const SINCE_START = 'start';

/** Fields of the unit's hash that belong to the store; the other fields are the checkpoint. */
export const STORE_FIELDS = ['token', 'seq', 'cid'] as const;

export function unitKey(namespace: string, unit: number): string {
  return `receval:{${namespace}:${unit}}:unit`;
}

/** The key of each unit of a namespace. */
export function unitKeys(namespace: string, partitions: number): readonly string[] {
  return Array.from({ length: partitions }, (_, unit) => unitKey(namespace, unit));
}

export function paneKey(owner: RowOwner, size: PaneSize, start: EpochMs): string {
  return `receval:{${owner.namespace}:${owner.unit}}:${owner.generation}:pane:${size}:${start}`;
}

/** Key of the vectors of the hour pane that starts at `start`. */
export function vectorKey(owner: RowOwner, start: EpochMs): string {
  return `receval:{${owner.namespace}:${owner.unit}}:${owner.generation}:vector:h:${start}`;
}

export function totalKey(owner: RowOwner, name: string, run: string): string {
  return `receval:{${owner.namespace}:${owner.unit}}:${owner.generation}:total:${name}:${run}`;
}

/** The keys under which a run is stored. */
export function keysOfRun(
  owner: RowOwner,
  { name, run }: Pick<RunState, 'name' | 'run'>,
): Readonly<Record<RunPart, string>> {
  return { total: totalKey(owner, name, run), users: usersKey(owner, name, run), looks: looksKey(owner, name, run) };
}

export function usersKey(owner: RowOwner, name: string, run: string): string {
  return `receval:{${owner.namespace}:${owner.unit}}:${owner.generation}:users:${name}:${run}`;
}

export function looksKey(owner: RowOwner, name: string, run: string): string {
  return `receval:{${owner.namespace}:${owner.unit}}:${owner.generation}:looks:${name}:${run}`;
}

export function clockKey(owner: RowOwner): string {
  return `receval:{${owner.namespace}:${owner.unit}}:${owner.generation}:clock`;
}

export function placesKey(owner: RowOwner, by: readonly string[]): string {
  return `receval:{${owner.namespace}:${owner.unit}}:${owner.generation}:places:${setText(by)}`;
}

/** Whether a key never expires, even if nobody writes it. */
export function isLasting(key: string): boolean {
  return LASTING.test(key.slice(key.indexOf('}')));
}

const LASTING = /^}:[^:]*:(?:(?:total|users|looks|places):|clock$)/;

/** The name of a grouping set in fields. */
export function setText(by: readonly string[]): string {
  return by.join(',');
}

/** The values under which the rest of a grouping set is summed. */
export function otherValues(by: readonly string[]): string {
  return by.map(() => OTHER_COHORT).join(',');
}

/** The field of a row. `by` and `values` are joined by ',' already. */
export function rowField(horizon: string, by: string, values: string): string {
  return `${horizon}|${by}|${values}`;
}

interface RowName {
  readonly horizon: string;
  readonly by: string;
  readonly values: string;
}

/** The parts of a row's field, with `by` and `values` still joined; undefined: this is not a row's field. */
export function parseField(field: string): RowName | undefined {
  const parts = field.split('|');
  return parts.length === 3 ? { horizon: parts[0], by: parts[1], values: parts[2] } : undefined;
}

/** The values of a row's field, one per dimension of its set. */
export function splitValues(by: readonly string[], values: string): readonly string[] {
  return by.length === 0 ? [] : values.split(',');
}
