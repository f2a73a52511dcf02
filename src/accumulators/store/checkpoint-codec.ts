import type { IdleAdvance, JoinCheckpoint, TopicCheckpoint, TopicCounts } from '../../vocabulary/checkpoint.ts';
import { FEEDBACK_DROPS, type FeedbackDrop, IMPRESSION_DROPS, type ImpressionDrop } from '../../vocabulary/drops.ts';
import type { EpochMs, Offset } from '../../vocabulary/events.ts';
import type { UnmappedRecords } from '../../vocabulary/unmapped.ts';
import { type PanesState, parsePanesState } from '../panes-settings.ts';
import { parseRuns, parseSince, type RunState, runsText, type Since } from '../runs.ts';
import { validGeneration } from './generation.ts';
import {
  CheckpointError,
  countOf,
  damagedCheckpoint,
  keysOf,
  listOf,
  parseJson,
  rangeOf,
  textOf,
  timeOf,
  whole,
} from './json.ts';
import { FORMAT_VERSION, OLDEST_FORMAT, STORE_FIELDS } from './layout.ts';
import type { Fields } from './store-port.ts';

/** The configuration that built the rows. `shape` must stay; `additive` may change (specification: commit 6). */
export interface Fingerprint {
  readonly shape: string;
  readonly additive: string;
}

/** All of a unit's durable state except its rows. */
export interface UnitCheckpoint {
  /** Version of the layout (`formatOf`), which a reader must know. */
  readonly format: number;
  readonly generation: string;
  readonly fingerprint: Fingerprint;
  /** Number of partitions of every topic. */
  readonly partitions: number;
  /** The topics that the offsets belong to, in the order of the configuration; undefined: an earlier build stored it, or they have no names. */
  readonly topicNames?: readonly string[] | undefined;
  /** Panes that start earlier are incomplete: they miss the start, a gap, or a rebuilt span. -Infinity: all are complete. */
  readonly incompleteBefore: EpochMs;
  /** The latest end of a listed pane whose rows were lost when the unit was claimed. -Infinity: no rows were. */
  readonly lostUpTo: EpochMs;
  /** For each entry of `fingerprint.additive` that was added to existing rows, the time of that: panes that start earlier lack it. */
  readonly since: Since;
  /** Whether something is missing up to a time that is not known yet: `incompleteBefore` will rise to it. */
  readonly hasGap: boolean;
  /** Lists from before this time are in no sum, because their feedback was not read. -Infinity: none are left out. */
  readonly feedbackFrom: EpochMs;
  readonly join: JoinCheckpoint;
  readonly panes: PanesState;
  /** Runs of the experiments. */
  readonly runs: readonly RunState[];
  /** For each topic the identity of its last applied record; undefined: there is none, or it was not kept. */
  readonly lastRecords: readonly (string | undefined)[];
}

/** Reasons for drops that every stored state has. Later ones are missing in older states, where they count 0. */
const FIRST_DROPS: ReadonlySet<ImpressionDrop | FeedbackDrop> = new Set([
  'tombstone',
  'invalid',
  'future',
  'late',
  'orphan',
  'not_in_list',
  'duplicate',
  'capped',
]);

interface SideCounts {
  count(name: string): number;
  drops<Reason extends ImpressionDrop | FeedbackDrop>(reasons: readonly Reason[]): Record<Reason, number>;
  readonly late: number[];
}

/** A checkpoint whose panes may be JSON already, as `Panes.stateText` writes it. */
type WritableCheckpoint = Omit<UnitCheckpoint, 'panes'> & { readonly panes: PanesState | string };

/** Fields of the unit's hash, the same ones at every commit of a configuration. -Infinity is written as null. */
export function encodeCheckpoint(checkpoint: WritableCheckpoint): Map<string, string> {
  const { topics, counts, watermark } = checkpoint.join;
  return new Map([
    ['format', String(checkpoint.format)],
    ['generation', checkpoint.generation],
    ['fingerprint', JSON.stringify(checkpoint.fingerprint)],
    ['partitions', String(checkpoint.partitions)],
    ...(checkpoint.topicNames === undefined
      ? []
      : [['topicNames', JSON.stringify(checkpoint.topicNames)] satisfies [string, string]]),
    ['incompleteBefore', JSON.stringify(checkpoint.incompleteBefore)],
    ['lostUpTo', JSON.stringify(checkpoint.lostUpTo)],
    ['since', JSON.stringify(Object.entries(checkpoint.since))],
    ['hasGap', JSON.stringify(checkpoint.hasGap)],
    ['feedbackFrom', JSON.stringify(checkpoint.feedbackFrom)],
    ['watermark', JSON.stringify(watermark)],
    ['topics', JSON.stringify(topics)],
    ['counts', JSON.stringify(counts)],
    ['panes', typeof checkpoint.panes === 'string' ? checkpoint.panes : JSON.stringify(checkpoint.panes)],
    ['runs', runsText(checkpoint.runs)],
    ['lastRecords', JSON.stringify(checkpoint.lastRecords.map((record) => record ?? null))],
  ]);
}

/**
 * Whether a unit's hash holds a checkpoint; false: nothing was committed to it, or only claims are left.
 * @throws CheckpointError if its format is gone, and other fields are left
 */
export function holdsCheckpoint(hash: Fields): boolean {
  if (hash.has('format')) return true;
  if ([...hash.keys()].every((field) => STORE_FIELDS.some((own) => own === field))) return false;
  throw formatGone();
}

/** The checkpoint in a unit's hash; undefined: there is none. Throws as `holdsCheckpoint` and `decodeCheckpoint` do. */
export function storedCheckpoint(hash: Fields): UnitCheckpoint | undefined {
  return holdsCheckpoint(hash) ? decodeCheckpoint(hash) : undefined;
}

function formatGone(): CheckpointError {
  return damagedCheckpoint(new Error('its format is gone'));
}

/** Reads the fields of a unit's hash. Throws a CheckpointError for an unknown format or a part that is wrong. */
export function decodeCheckpoint(fields: Fields): UnitCheckpoint {
  const format = fields.get('format');
  if (format === undefined) throw formatGone();
  const known = Number(format);
  if (format !== String(known) || !Number.isInteger(known) || known < OLDEST_FORMAT || known > FORMAT_VERSION) {
    throw new CheckpointError(
      `the stored state has format version ${format}; this build reads versions up to ${FORMAT_VERSION}: ` +
        'run the build that wrote it, or choose another namespace',
      'format',
    );
  }
  try {
    const checkpoint = decodeKnown(fields, known);
    mustBePossible(checkpoint);
    return checkpoint;
  } catch (error) {
    throw damagedCheckpoint(error);
  }
}

function decodeKnown(fields: Fields, format: number): UnitCheckpoint {
  function text(name: string): string {
    return textOf(fields.get(name), name);
  }
  function json(name: string): unknown {
    return parseJson(text(name), name);
  }
  const fingerprint = keysOf(json('fingerprint'), 'fingerprint');
  return {
    format,
    generation: validGeneration(text('generation')),
    fingerprint: {
      shape: jsonText(fingerprint['shape'], 'fingerprint.shape'),
      additive: jsonText(fingerprint['additive'], 'fingerprint.additive'),
    },
    partitions: whole(json('partitions'), 'partitions'),
    ...(fields.has('topicNames') ? { topicNames: listOf(json('topicNames'), 'topicNames', textOf) } : {}),
    incompleteBefore: timeOf(json('incompleteBefore'), 'incompleteBefore'),
    // Earlier releases did not look for losses.
    lostUpTo: timeOf(parseJson(fields.get('lostUpTo') ?? 'null', 'lostUpTo'), 'lostUpTo'),
    // States of earlier releases lack it: in those, new parts made all windows incomplete.
    since: fields.has('since') ? parseSince(json('since'), 'since') : {},
    // States of the first release lack it.
    hasGap: yesOrNo(fields.get('hasGap') ?? 'false', 'hasGap'),
    // Earlier states lack it: they counted such lists.
    feedbackFrom: timeOf(parseJson(fields.get('feedbackFrom') ?? 'null', 'feedbackFrom'), 'feedbackFrom'),
    join: joinOf(json('topics'), json('counts'), json('watermark')),
    panes: parsePanesState(text('panes')),
    runs: parseRuns(fields.get('runs')),
    lastRecords: listOf(json('lastRecords'), 'lastRecords', (record, where) =>
      record === null ? undefined : textOf(record, where),
    ),
  };
}

function yesOrNo(text: string, where: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`${where}: expected true or false`);
}

/** Returns text that is empty or JSON. */
function jsonText(value: unknown, where: string): string {
  const text = textOf(value, where);
  if (text !== '') parseJson(text, where);
  return text;
}

/** Reads the join's part of a checkpoint from parsed JSON. Throws an Error that names the part that is wrong. */
function joinOf(topics: unknown, counts: unknown, watermark: unknown): JoinCheckpoint {
  return {
    topics: listOf(topics, 'topics', topicOf),
    counts: listOf(counts, 'counts', countsOf),
    watermark: timeOf(watermark, 'watermark'),
  };
}

function topicOf(value: unknown, where: string): TopicCheckpoint {
  const topic = keysOf(value, where);
  return {
    committed: countOf(topic['committed'], `${where}.committed`),
    replay: countOf(topic['replay'], `${where}.replay`),
    replayWatermark: timeOf(topic['replayWatermark'], `${where}.replayWatermark`),
    idleAdvances: listOf(topic['idleAdvances'], `${where}.idleAdvances`, idleAdvanceOf),
    clockDrops: listOf(topic['clockDrops'], `${where}.clockDrops`, rangeOf),
    ...(topic['clockBlocks'] === undefined
      ? {}
      : { clockBlocks: countOf(topic['clockBlocks'], `${where}.clockBlocks`) }),
    ...(topic['undecodable'] === undefined
      ? {}
      : { undecodable: listOf(topic['undecodable'], `${where}.undecodable`, rangeOf) }),
    ...(topic['leaps'] === undefined ? {} : { leaps: leapsOf(topic['leaps'], `${where}.leaps`) }),
    ...(topic['hasGap'] === true ? { hasGap: true } : {}),
    ...(topic['isBeginning'] === true ? { isBeginning: true } : {}),
  };
}

function leapsOf(value: unknown, where: string): NonNullable<TopicCheckpoint['leaps']> {
  const leaps = keysOf(value, where);
  return { from: whole(leaps['from'], `${where}.from`), levels: listOf(leaps['levels'], `${where}.levels`, levelOf) };
}

function levelOf(value: unknown, where: string): readonly [EpochMs, number] {
  const [raised, votes] = listOf(value, where, (part) => part);
  return [timeOf(raised, `${where}[0]`), countOf(votes, `${where}[1]`)];
}

function idleAdvanceOf(value: unknown, where: string): IdleAdvance {
  const advance = keysOf(value, where);
  return {
    before: countOf(advance['before'], `${where}.before`),
    watermark: timeOf(advance['watermark'], `${where}.watermark`),
  };
}

function countsOf(value: unknown, where: string): TopicCounts {
  const counts = keysOf(value, where);
  const impressions = sideOf(counts['impressions'], `${where}.impressions`);
  const feedback = sideOf(counts['feedback'], `${where}.feedback`);
  return {
    impressions: {
      read: impressions.count('read'),
      accepted: impressions.count('accepted'),
      drops: impressions.drops(IMPRESSION_DROPS),
      late: impressions.late,
    },
    feedback: {
      read: feedback.count('read'),
      attributed: feedback.count('attributed'),
      drops: feedback.drops(FEEDBACK_DROPS),
      late: feedback.late,
    },
    ...(counts['unmapped'] === undefined
      ? {}
      : { unmapped: [...listOf(counts['unmapped'], `${where}.unmapped`, unmappedOf)] }),
  };
}

function unmappedOf(value: unknown, where: string): UnmappedRecords {
  const one = keysOf(value, where);
  return {
    field: textOf(one['field'], `${where}.field`),
    value: textOf(one['value'], `${where}.value`),
    records: countOf(one['records'], `${where}.records`),
  };
}

function sideOf(value: unknown, where: string): SideCounts {
  const side = keysOf(value, where);
  const drops = keysOf(side['drops'], `${where}.drops`);
  return {
    count: (name) => countOf(side[name], `${where}.${name}`),
    drops: (reasons) =>
      byReason(reasons, (reason) =>
        countOf(drops[reason] ?? (FIRST_DROPS.has(reason) ? undefined : 0), `${where}.drops.${reason}`),
      ),
    late: [...listOf(side['late'], `${where}.late`, countOf)],
  };
}

function byReason<Reason extends string>(
  reasons: readonly Reason[],
  of: (reason: Reason) => number,
): Record<Reason, number>;
function byReason(reasons: readonly string[], of: (reason: string) => number): Record<string, number> {
  return Object.fromEntries(reasons.map((reason) => [reason, of(reason)]));
}

/** More partitions than any cluster has. */
const MOST_PARTITIONS = 1_000_000;
/** More panes of one size than any configuration keeps: minutes of a hundred thousand hours. */
const MOST_PANES = 6_000_000;

type PaneRanges = readonly (readonly [from: number, to: number])[];

/** The parts of a checkpoint that can contradict each other. */
interface Checked {
  readonly partitions: number;
  readonly join: JoinCheckpoint;
  readonly panes: {
    readonly minutes: PaneRanges;
    readonly hours: PaneRanges;
    readonly vectors?: PaneRanges | undefined;
  };
  readonly lastRecords: readonly unknown[];
}

/**
 * Throws an Error that names a part of a checkpoint that no unit can have stored, because it contradicts another part, or because
 * its size alone would fill the memory of the reader.
 */
function mustBePossible({ partitions, join, panes, lastRecords }: Checked): void {
  if (partitions < 1 || partitions > MOST_PARTITIONS) {
    throw new Error(`partitions: expected 1 to ${MOST_PARTITIONS}, found ${partitions}`);
  }
  const { topics, counts } = join;
  mustBeOfTopics('counts', counts, topics.length);
  mustBeOfTopics('lastRecords', lastRecords, topics.length);
  for (const [t, topic] of topics.entries()) mustBeInOrder(topic, `topics[${t}]`);
  const horizons = counts.at(0)?.impressions.late.length;
  for (const [t, { impressions, feedback }] of counts.entries()) {
    if (impressions.late.length === horizons && feedback.late.length === horizons) continue;
    throw new Error(`counts[${t}]: expected ${horizons} horizons in each list of late events, as in the first`);
  }
  for (const size of ['minutes', 'hours', 'vectors'] as const) {
    const listed = (panes[size] ?? []).reduce((sum, [from, to]) => sum + to - from, 0);
    if (listed > MOST_PANES) throw new Error(`panes.${size}: expected ${MOST_PANES} at most, found ${listed}`);
  }
}

function mustBeOfTopics(name: string, list: readonly unknown[], topics: number): void {
  if (list.length !== topics)
    throw new Error(`${name}: expected one for each of ${topics} topics, found ${list.length}`);
}

function mustBeInOrder(topic: TopicCheckpoint, where: string): void {
  const { committed, replay, idleAdvances, clockDrops, undecodable = [], leaps } = topic;
  if (replay > committed)
    throw new Error(`${where}: it replays from ${replay}, behind the committed offset ${committed}`);
  let last: Offset = replay;
  for (const { before } of idleAdvances) {
    if (before < last || before > committed) throw new Error(`${where}.idleAdvances: ${before} is out of order`);
    last = before;
  }
  if (leaps?.levels.some(([level, votes], i, all) => votes < 1 || (i > 0 && level < all[i - 1][0]))) {
    throw new Error(`${where}.leaps: the levels fall, or have no votes`);
  }
  for (const [name, ranges] of Object.entries({ clockDrops, undecodable })) {
    for (const [from, to] of ranges) {
      if (from < 0 || to > committed) throw new Error(`${where}.${name}: [${from}, ${to}) was not read yet`);
    }
  }
}
