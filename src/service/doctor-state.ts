import { reservedCohorts } from '../accumulators/admission.ts';
import type { UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import { missingParts, partOf } from '../accumulators/store/fingerprint-difference.ts';
import { setText } from '../accumulators/store/layout.ts';
import { namedValues } from '../config/experiments.ts';
import { GAUGES_PER_MEASURE } from '../config/resolve.ts';
import type { Settings } from '../config/settings.ts';
import type { SampledRecord, SampleRange } from '../consumers/source/kafka/access/kafka-sample.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import { keysText } from '../exporter/lost-rows.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import { NO_PERMISSIONS, StateMismatch } from '../unit/resume.ts';
import { LastRecords } from '../unit/unit-reading.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { LARGEST_SKEW, RESTORE_ADVICE, STOP_ADVICE } from '../worker/status.ts';
import { type CheckResult, resultsOf } from './check-result.ts';
import { checkStored, StartRefused, type StoredUnits } from './checks.ts';
import type { EndingRun } from './ending-runs.ts';
import type { LostState } from './lost-state.ts';
import { misfitGroups, partitionsText } from './misfits.ts';

const STATE = resultsOf('state');
const LIMITS = resultsOf('limits');
const COHORTS = resultsOf('cohorts');
const MEMORY = resultsOf('memory');
const CLOCK = resultsOf('clock');

/** What is stored, and what Kafka holds: by partition, or by topic and then partition. */
export interface StateFacts extends Pick<StoredUnits, 'stored'>, Partial<Pick<StoredUnits, 'unreadable'>> {
  readonly committedByGroup: readonly (readonly number[])[];
  readonly bounds: readonly (readonly Bounds[])[];
  /** Runs that a start with the configuration ends. */
  readonly ending: readonly EndingRun[];
  /** The result of `readLost`; default: nothing is lost. */
  readonly lost?: readonly LostState[];
}

/** Checks whether workers can resume from the stored state: it fits the configuration, was not lost, and the logs reach back far enough. */
export function checkState(settings: Settings, facts: StateFacts): readonly CheckResult[] {
  const findings = [checkFit(settings, facts), ...(facts.lost ?? []).map(lostFinding)];
  for (const [partition, checkpoint] of facts.stored.entries()) {
    if (checkpoint === undefined) continue;
    for (const [t, { name }] of settings.kafka.topics.entries()) {
      const topic = checkpoint.join.topics[t];
      const bounds = facts.bounds[t]?.[partition];
      if (topic === undefined || bounds === undefined) continue;
      const where = `${name}, partition ${partition}`;
      if (topic.replay < bounds.start) findings.push(gap(settings, where, bounds.start - topic.replay, bounds.start));
      if (topic.committed > bounds.end) {
        findings.push(
          STATE.error(
            `${where}: the log ends at ${bounds.end}, before the stored offset ${topic.committed}: ${STOP_ADVICE.diverged}`,
            'RecevalDataGap',
          ),
        );
      }
      const byGroup = facts.committedByGroup[t]?.[partition] ?? -1;
      if (byGroup > topic.committed) {
        findings.push(
          STATE.warning(
            `${where}: the group has committed ${byGroup}, the stored state is at ${topic.committed}: Redis went back by ` +
              `${grouped(byGroup - topic.committed)} records. They are read again; look why Redis lost them`,
            'RecevalRedisRollback',
          ),
        );
      }
    }
  }
  return findings;
}

function lostFinding({ partition, keys }: LostState): CheckResult {
  const found =
    keys.size === 0
      ? 'its worker has found rows gone from Redis, and went on without them'
      : `rows that its checkpoint lists are gone from Redis, or damaged: ${keysText(keys)}`;
  return STATE.error(
    `partition ${partition}: ${found}. Windows and runs of experiments that need them are incomplete: ${RESTORE_ADVICE}`,
    'RecevalRowsLost',
  );
}

/** Offsets of the last records that were counted, if the logs still reach back to them. */
export function lastRecordRanges(settings: Settings, { stored, bounds }: StateFacts): readonly SampleRange[] {
  return settings.kafka.topics.flatMap(({ name }, t) =>
    stored.flatMap((checkpoint, partition) => {
      const from = new LastRecords(1, [checkpoint?.lastRecords[t]]).awaited(0);
      const held = bounds[t]?.[partition];
      if (from === undefined || held === undefined || from < held.start || from >= held.end) return [];
      return [{ topic: name, partition, from, to: from + 1 }];
    }),
  );
}

/** Checks that the logs are those that were counted: a topic that was deleted and created again may be longer than the old one. */
export function checkLastRecords(
  settings: Settings,
  stored: StateFacts['stored'],
  found: readonly SampledRecord[],
): readonly CheckResult[] {
  const names = settings.kafka.topics.map(({ name }) => name);
  return found.flatMap(({ topic, partition, offset, timestamp, value }) => {
    const last = new LastRecords(1, [stored[partition]?.lastRecords[names.indexOf(topic)]]);
    const record = { offset, timestamp: timestamp < 0 ? undefined : timestamp, value };
    if (last.compare({ topic: 0, partition, records: [record], next: offset + 1 }) === undefined) return [];
    return [
      STATE.error(
        `${topic}, partition ${partition}: another record stands at offset ${offset} than the one that was counted: ${STOP_ADVICE.diverged}`,
        'RecevalUnitStopped',
      ),
    ];
  });
}

function checkFit(settings: Settings, { stored, unreadable, committedByGroup, ending }: StateFacts): CheckResult {
  try {
    checkStored(settings, stored, committedByGroup, { ...NO_PERMISSIONS, rebuild: false }, { ending, unreadable });
  } catch (error) {
    if (!(error instanceof StartRefused) && !(error instanceof StateMismatch)) throw error;
    const isLost = stored.some((checkpoint) => checkpoint === undefined) && error instanceof StartRefused;
    return STATE.error(error.message, isLost ? 'RecevalStateLost' : 'RecevalUnitStopped');
  }
  const there = stored.filter((checkpoint) => checkpoint !== undefined);
  if (there.length === 0) {
    return STATE.ok(
      `nothing is stored in the namespace "${settings.namespace}" yet: the first start begins at start.from`,
    );
  }
  const own = fingerprint(settings);
  const missing = stored.map((checkpoint) => checkpoint && missingParts(checkpoint.fingerprint, own));
  const unlike = new Set(there.map((checkpoint) => checkpoint.fingerprint.additive));
  if (unlike.size > 1) return mixed(missing);
  const added = missing.flatMap((parts) => parts ?? []).filter((part, i, all) => all.indexOf(part) === i);
  return STATE.ok(
    `${there.length} of ${stored.length} partitions have stored state, and it fits the configuration` +
      (added.length === 0
        ? ''
        : `. New since then: ${added.map(partOf).join(', ')}; this starts empty, and all else goes on. Windows that began before have no gauges of it`),
  );
}

/** Partitions that lack parts of our rows, because their workers had another configuration. `missing`: the parts, by partition. */
function mixed(missing: readonly (readonly string[] | undefined)[]): CheckResult {
  const groups = misfitGroups(missing.map((parts) => parts && { changed: [], missing: parts }));
  const without = groups.map(({ partitions, parts }) => `${partitionsText(partitions)} without ${parts.join(', ')}`);
  return STATE.warning(
    `the partitions were stored under configurations that differ${without.length === 0 ? '' : `: ${without.join('; ')}`}. What some of them ` +
      'lack is shown of the others alone, and windows lack it: start every worker with the same configuration',
  );
}

function gap({ start }: Settings, where: string, records: number, first: number): CheckResult {
  const found = `${where}: the log starts at ${first}, ${grouped(records)} records that would be read again are gone`;
  return start.onGap === 'skip'
    ? STATE.warning(
        `${found}; with start.onGap: skip the worker continues, and the windows are marked incomplete`,
        'RecevalDataGap',
      )
    : STATE.error(
        `${found}; the partition will stop. Raise the retention of the topic, and start with start.onGap: skip to continue without them`,
        'RecevalDataGap',
      );
}

/** The part of a unit's state that shows its cohorts. */
export interface StoredTables {
  readonly panes: Pick<UnitCheckpoint['panes'], 'admission'>;
  readonly join: Pick<UnitCheckpoint['join'], 'watermark'>;
}

/** Estimates the number of series of the quality gauges and their standard errors. */
export function checkSeries(settings: Settings): CheckResult {
  const { measures, windows, attribution, cohorts, experiments, limits } = settings;
  const { horizons } = attribution;
  const product =
    limits.cohortsPerSet * measures.length * GAUGES_PER_MEASURE * windows.length * horizons.length * cohorts.length;
  const factors =
    `room for ${limits.cohortsPerSet} cohorts in each of ${cohorts.length} sets, with ${measures.length} measures x ${GAUGES_PER_MEASURE} (value, error) x ` +
    `${windows.length} windows x ${horizons.length} horizons each: at most ${grouped(product)} series, within limits.series ${grouped(limits.series)}`;
  const named = namedValues(experiments);
  const taken = cohorts.filter((by) => reservedCohorts(by, named, limits.cohortsPerSet).size >= limits.cohortsPerSet);
  if (limits.cohortsPerSet > 1 && taken.length > 0) {
    return LIMITS.warning(
      `${factors}: the configuration's variants take all places of ${taken.map((by) => `[${setText(by)}]`).join(', ')}, and all else is ` +
        'shown as __other__. Raise limits.series, or show fewer measures, windows or horizons',
      'RecevalCohortsFolded',
    );
  }
  if (limits.cohortsPerSet > 1) return LIMITS.ok(`${factors}. Cohorts without impressions take none`);
  return LIMITS.warning(
    `${factors}: all cohorts but one of a set are shown as __other__. Raise limits.series, or show fewer measures, windows or horizons`,
    'RecevalCohortsFolded',
  );
}

const LATELY_MS = 3_600_000;

/** Checks whether cohorts were counted under __other__ lately, in event time, because their grouping set had no place left. */
export function checkCohorts({ cohorts, experiments, limits }: Settings, stored: readonly StoredTables[]): CheckResult {
  const named = namedValues(experiments);
  const full: string[] = [];
  for (const by of cohorts.filter(({ length }) => length > 0)) {
    const reserved = reservedCohorts(by, named, limits.cohortsPerSet).size;
    const units = stored.filter(({ panes, join }) => {
      const table = panes.admission.find((one) => setText(one.by) === setText(by));
      return table !== undefined && table.folded > join.watermark - LATELY_MS;
    });
    if (units.length === 0) continue;
    const own = reserved === 0 ? '' : `, ${grouped(reserved)} of them of the configuration's variants`;
    full.push(
      `[${setText(by)}] in ${units.length} of ${grouped(stored.length)} partitions (${grouped(limits.cohortsPerSet)} places${own})`,
    );
  }
  if (full.length === 0) return COHORTS.ok('in the last hour no cohort was counted under __other__');
  return COHORTS.warning(
    `all places are taken, and cohorts were counted under __other__ in the last hour: ${full.join('; ')}. Take a dimension with too many ` +
      'values out of cohorts, let the producer send fewer, or raise limits.series',
    'RecevalCohortsFolded',
  );
}

/** Bytes that one open impression of a short list can take, feedback and bookkeeping included (docs/performance.md, "Memory and pauses"). */
const LEAST_BYTES = 800;

/** The traffic of the last minutes. */
interface Load {
  /** Rate in all partitions together; undefined: there were none, or it is unknown. */
  readonly impressionsPerSecond: number | undefined;
  /** The time over which this is averaged; default: unknown. */
  readonly measuredFor?: DurationMs | undefined;
  /** Time since the first of these impressions was written; default: unknown. */
  readonly age?: DurationMs | undefined;
  /** Average size of an impression's record; undefined: unknown. */
  readonly impressionBytes?: number | undefined;
  /** Most open impressions of one worker; Infinity: only bytes are limited. */
  readonly openLimit: number;
  /** Most bytes of state of one worker. */
  readonly stateLimit: number;
}

/** Checks whether one worker has room for all impressions that are open at the same time. */
export function checkMemory({ attribution }: Settings, load: Load): CheckResult {
  const { impressionsPerSecond, measuredFor, impressionBytes = 0 } = load;
  const bytes = Math.max(LEAST_BYTES, Math.ceil(impressionBytes));
  const openLimit = Math.floor(Math.min(load.openLimit, load.stateLimit / bytes));
  const room = `up to ${grouped(openLimit)} open impressions of ${grouped(bytes)} B`;
  if (impressionsPerSecond === undefined) {
    return MEMORY.ok(`one worker holds ${room}; there were no events recently, so the need is unknown`);
  }
  const span = attribution.window.ms + attribution.outOfOrderness;
  const open = Math.ceil((impressionsPerSecond * span) / 1000);
  const lately = measuredFor === undefined ? '' : ` in the last ${inSeconds(measuredFor)} s${begun(load, measuredFor)}`;
  const found =
    `${impressionsPerSecond.toFixed(1)} impressions/s${lately} x (longest horizon + outOfOrderness) = ${grouped(open)} open; ` +
    `one worker holds ${room}`;
  if (open <= openLimit / 2) return MEMORY.ok(found);
  const workers = Math.ceil(open / (openLimit / 2));
  return MEMORY.warning(
    `${found}. Run ${workers} workers, give them more memory, or raise limits.stateBytes or limits.openImpressions if they are set`,
    'RecevalMemoryHigh',
  );
}

function inSeconds(duration: DurationMs): number {
  return Math.max(1, Math.round(duration / 1000));
}

/** Traffic younger than `span` understates the rate, so the finding says since when it was measured. */
function begun({ age = Number.POSITIVE_INFINITY }: Load, span: DurationMs): string {
  if (age >= span) return '';
  return ` (they began ${inSeconds(age)} s ago, so there are more in truth: run doctor again in a minute)`;
}

const NOTABLE_SKEW_MS = 5_000;

/** Checks our clock against that of Redis. @param skew our time minus that of Redis, in ms */
export function checkClock(skew: number): CheckResult {
  const seconds = `this clock is ${(Math.abs(skew) / 1000).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} that of Redis`;
  const distance = Math.abs(skew);
  if (distance <= NOTABLE_SKEW_MS) return CLOCK.ok(seconds);
  const advice = 'synchronise both (chrony, systemd-timesyncd)';
  return distance > LARGEST_SKEW
    ? CLOCK.error(`${seconds}; above 30 s a worker reads nothing: ${advice}`, 'RecevalClockSkew')
    : CLOCK.warning(`${seconds}; above 30 s a worker would read nothing: ${advice}`);
}
