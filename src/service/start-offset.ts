import type { Settings } from '../config/settings.ts';
import { isCoordinatorMissing, isUnreachable } from '../consumers/source/kafka/access/faults.ts';
import type { KafkaSource } from '../consumers/source/kafka/kafka.ts';
import { LogUnavailable } from '../consumers/source/source-port.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { Offset } from '../vocabulary/events.ts';
import { wasRead } from './checks.ts';

/** What decides where a unit without stored state begins. */
export interface Beginning {
  readonly from: Settings['start']['from'];
  /** Whether everything that Kafka holds is counted again. */
  readonly rebuild: boolean;
  /** Whether nothing at all was stored when this process started. */
  readonly isFirst: boolean;
}

/**
 * The offset where a unit without stored state begins (specification: commit 7.2, 7.3). state_lost: it was read before. Rejects
 * with LogUnavailable while no broker responds.
 */
export async function startOffset(
  source: Pick<KafkaSource, 'committedByGroup' | 'bounds' | 'offsetAt'>,
  { from, rebuild, isFirst }: Beginning,
  partition: number,
  topic: number,
): Promise<Offset | 'state_lost'> {
  try {
    if (!rebuild && wasRead(await source.committedByGroup(), partition)) return 'state_lost';
    const { start, end, openFrom = end } = await source.bounds(partition, topic);
    // `from` applies to a group without any state. A partition that was added later is read from its start.
    if (from === 'earliest' || rebuild || !isFirst) return start;
    // Records that are committed from now on count, even those of an open transaction: Kafka's own consumer does the same.
    return from === 'latest' ? openFrom : await source.offsetAt(partition, topic, from.at);
  } catch (error) {
    if (!isPassing(error)) throw error;
    throw new LogUnavailable(messageOf(error), { cause: error });
  }
}

/** Whether a later attempt may succeed. The client marks an error as not retriable once it has given up retrying it. */
function isPassing(error: unknown): boolean {
  if (isUnreachable(error) || isCoordinatorMissing(error)) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'KafkaJSNumberOfRetriesExceeded' || ('retriable' in error && error.retriable === true);
}
