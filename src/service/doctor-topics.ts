import type { Settings } from '../config/settings.ts';
import type { TopicConfig } from '../consumers/source/kafka/access/admin.ts';
import { MAX_BYTES } from '../consumers/source/kafka/access/kafka-settings.ts';
import { type Asking, allowSettings } from '../consumers/source/kafka/flow/brokers.ts';
import type { Bounds } from '../consumers/source/source-port.ts';
import { DAY } from '../vocabulary/durations.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { type CheckResult, resultsOf } from './check-result.ts';

const TRANSACTIONS = resultsOf('transactions');
const TOPICS = resultsOf('topics');
const RETENTION = resultsOf('retention');
const CLEANUP = resultsOf('cleanup');
const TIMESTAMPS = resultsOf('timestamps');
const SIZES = resultsOf('sizes');

/** How long a topic must keep records so that a worker can read again what it needs, with a day in reserve for repairs. */
export function neededRetention({ attribution }: Settings): DurationMs {
  const { window, backward, outOfOrderness } = attribution;
  return 3 * window.ms + backward + outOfOrderness + DAY;
}

/** How long a topic keeps records by its settings; undefined: for ever, or unknown. */
export function keptFor(settings: TopicConfig): DurationMs | undefined {
  if (settings === undefined) return undefined;
  const kept = numberOf(settings, 'retention.ms');
  const deletes = settings.get('cleanup.policy')?.split(',').includes('delete') ?? true;
  return kept === undefined || kept < 0 || !deletes ? undefined : kept;
}

/** The facts about one topic. */
interface TopicFacts {
  readonly name: string;
  /** Settings of the topic by name, as Kafka writes them. */
  readonly settings: ReadonlyMap<string, string>;
  /** Bytes per second of the busiest partition; undefined: unknown. */
  readonly bytesPerSecond: number | undefined;
}

/** What a worker needs of a topic. */
interface Needs {
  /** The result of `neededRetention`. */
  readonly kept: DurationMs;
  /** How far ahead a record may be dated so that it is judged in the same way when the log is read again (specification: join 3.3). */
  readonly ahead: DurationMs;
}

/** Checks whether a topic keeps what a worker may have to read again, and accepts no record that is too large or dated too far ahead. */
export function checkTopic({ kept, ahead }: Needs, topic: TopicFacts): readonly CheckResult[] {
  return [
    retentionTime(kept, topic),
    ...retentionBytes(kept, topic),
    cleanup(topic),
    times(ahead, topic),
    sizes(topic),
  ];
}

/**
 * Checks whether transactions withhold records. The arguments are what the logs held at the start and at the end, by topic and
 * partition. A transaction that is open only for a moment is not reported.
 */
export function checkTransactions(
  names: readonly string[],
  before: readonly (readonly Bounds[])[],
  after: readonly (readonly Bounds[])[],
): readonly CheckResult[] {
  const found = names.flatMap((name, t) =>
    after[t].flatMap(({ end, openFrom }, partition) =>
      openFrom === undefined || before[t][partition]?.openFrom !== openFrom
        ? []
        : [
            TRANSACTIONS.warning(
              `${name}, partition ${partition}: ${grouped(end - openFrom)} records from offset ${openFrom} on cannot be read, for a ` +
                'transaction was open the whole time that doctor looked. Until it ends its lists do not close. If it is still so ' +
                'in a few minutes, look whose it is: kafka-transactions.sh describe-producers',
              'RecevalLagHigh',
            ),
          ],
    ),
  );
  return found.length > 0 ? found : [TRANSACTIONS.ok('no open transaction holds records back')];
}

/** The finding for a topic that is read, but whose settings this user may not see. */
export function hiddenSettings(name: string, connection: Asking): CheckResult {
  return TOPICS.warning(
    `${name}: this user lacks the right DESCRIBE_CONFIGS on it. A worker runs without it, but neither it nor doctor can tell whether the ` +
      'topic keeps records as long as they are needed. Look at retention.ms, retention.bytes, cleanup.policy and max.message.bytes by hand, ' +
      `or allow it: ${allowSettings(name, connection)}`,
  );
}

function retentionTime(needed: DurationMs, { name, settings }: TopicFacts): CheckResult {
  const kept = numberOf(settings, 'retention.ms');
  if (kept === undefined) return unknown(name, 'retention.ms');
  return kept < 0 ? RETENTION.ok(`${name}: retention.ms is unlimited`) : retentionFinding(needed, name, kept);
}

/** `kept`: retention.ms of the topic of this name. */
export function retentionFinding(needed: DurationMs, name: string, kept: DurationMs): CheckResult {
  const found = `${name}: retention.ms is ${kept} (${hours(kept)})`;
  if (kept >= needed) return RETENTION.ok(`${found}; ${hours(needed)} are needed`);
  return RETENTION.error(
    `${found}; ${hours(needed)} are needed (3 x the longest horizon + backward + outOfOrderness + 24h), or what is open could be ` +
      `gone before it is read again. Set it to ${needed} or more`,
    'RecevalRetentionLow',
  );
}

function retentionBytes(needed: DurationMs, { name, settings, bytesPerSecond }: TopicFacts): readonly CheckResult[] {
  const kept = numberOf(settings, 'retention.bytes');
  if (kept === undefined || kept < 0) return [];
  const found = `${name}: retention.bytes is ${kept} for each partition`;
  if (bytesPerSecond === undefined || bytesPerSecond === 0) {
    return [
      RETENTION.warning(
        `${found}; how long that lasts is unknown without traffic. Set it to -1, and retention.ms to ${needed} or more`,
      ),
    ];
  }
  const lasts = Math.floor((1000 * kept) / bytesPerSecond);
  const long = `${found}, which lasts about ${hours(lasts)} at ${grouped(Math.round(bytesPerSecond))} bytes/s`;
  if (lasts >= needed) return [RETENTION.ok(`${long}; ${hours(needed)} are needed`)];
  return [
    RETENTION.error(
      `${long}; ${hours(needed)} are needed. Set it to ${Math.ceil((needed * bytesPerSecond) / 1000)} or more, or to -1`,
      'RecevalDataGap',
    ),
  ];
}

function hours(duration: DurationMs): string {
  return `${(duration / 3_600_000).toFixed(1)} h`;
}

function cleanup({ name, settings }: TopicFacts): CheckResult {
  const policy = settings.get('cleanup.policy');
  if (policy === undefined) return unknown(name, 'cleanup.policy');
  if (!policy.split(',').includes('compact')) return CLEANUP.ok(`${name}: cleanup.policy is ${policy}`);
  return CLEANUP.error(
    `${name}: cleanup.policy is ${policy}: Kafka would keep only the last record of each key. Set it to delete`,
  );
}

/** The record's time is an upper bound of the event's. If it is ahead of the clock, the time of reading takes its place. */
function times(ahead: DurationMs, { name, settings }: TopicFacts): CheckResult {
  const type = settings.get('message.timestamp.type');
  if (type === undefined) return unknown(name, 'message.timestamp.type');
  const found = `${name}: message.timestamp.type is ${type}`;
  if (type === 'LogAppendTime') {
    return TIMESTAMPS.ok(`${found}: the broker's clock caps the times of events`);
  }
  // Brokers before Kafka 3.6 have only the second setting.
  const limit = numberOf(settings, AHEAD) ?? numberOf(settings, 'message.timestamp.difference.max.ms');
  if (limit !== undefined && limit <= ahead) {
    return TIMESTAMPS.ok(`${found}, and the broker refuses records dated more than ${limit} ms ahead`);
  }
  const allowed = limit === undefined || limit >= ANY_AHEAD ? 'at any time to come' : `up to ${hours(limit)} ahead`;
  return TIMESTAMPS.warning(
    `${found}, and a producer may date records ${allowed}. Those that are ahead by more than attribution.futureSkew are dropped as future when ` +
      'they come, and count when the log is read again, as by a new generation; some of them in a row make all records around them late then. ' +
      `Set ${AHEAD} to ${ahead} (Kafka 3.6), or the type to LogAppendTime`,
  );
}

const AHEAD = 'message.timestamp.after.max.ms';
/** A hundred years: brokers write their default of no limit as 2^63 - 1. */
const ANY_AHEAD = 36_525 * DAY;

function sizes({ name, settings }: TopicFacts): CheckResult {
  const most = numberOf(settings, 'max.message.bytes');
  if (most === undefined) return unknown(name, 'max.message.bytes');
  if (most <= MAX_BYTES) return SIZES.ok(`${name}: max.message.bytes is ${most}`);
  return SIZES.warning(
    `${name}: max.message.bytes is ${most}: one batch may take more memory than a fetch of all partitions (${MAX_BYTES}). ` +
      'Set it to 1048588, unless producers need more',
  );
}

function unknown(name: string, setting: string): CheckResult {
  return TOPICS.warning(`${name}: the broker does not report ${setting}; look at it by hand`);
}

function numberOf(settings: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = settings.get(name);
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
