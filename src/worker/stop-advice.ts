/** What to do about what has stopped, or is gone, worded once: for the log, /readyz, the page, doctor and the runbook. Holds no secret. */
import type { Divergence } from '../unit/unit-reading.ts';
import type { Offset } from '../vocabulary/events.ts';
import type { StopCause } from './status.ts';

const SEE_LOG = 'the log says which limit to raise, and to what';
const OR_WORKERS = 'or start more workers, so that each has fewer partitions';
const REBUILD = 'stop all workers and start one once with --rebuild';

/** The advice where Redis lost a part of what it held. */
export const RESTORE_ADVICE = `restore Redis from a backup, or ${REBUILD}`;

/** The advice where Redis may have lost all that it held. */
export const STATE_LOST_ADVICE =
  `${RESTORE_ADVICE}: everything is then counted again from the earliest record that is retained, and earlier windows are marked ` +
  'incomplete. If Redis was only restarted, run receval doctor first: its check "redis reload" shows whether this server loses all state at each restart';

/** What to do about a stopped unit. The log says more if more is known of the unit. */
export const STOP_ADVICE: Readonly<Record<StopCause, string>> = {
  limit: `more lists are open than limits.openImpressions lets this worker hold. Raise it, ${OR_WORKERS}; ${SEE_LOG}`,
  memory: `what is open does not fit into the memory of this worker. Give it more, ${OR_WORKERS}; ${SEE_LOG}`,
  gap: 'records that are to be read are gone from Kafka. Let the topics keep them for longer, and restart with start.onGap: skip to go on without those',
  partitions:
    'a topic is gone, or has another number of partitions than at the start. The log says which, and what to do',
  pairing:
    'the partitions of the same number are not assigned to the same worker. Give all workers of the group the same kafka.topics and version',
  configuration:
    'its rows were stored under other settings. Restore these, or stop all workers and start one once with --new-generation',
  format: 'another version wrote what is stored. Run that one, or take another namespace and kafka.groupId',
  damaged: `what Redis holds of it is damaged, at the key that the log names: ${RESTORE_ADVICE}`,
  codec:
    'a batch cannot be decoded. receval doctor names its offsets and the command that skips it; start.onUndecodable: skip skips all such',
  state_lost: `it was read before, but nothing of it is stored: the state was lost, or redis.url or namespace is not the right one. Else ${STATE_LOST_ADVICE}`,
  diverged:
    'the topic was deleted and created again, or put back. Take another namespace and kafka.groupId for the new topic, or restore the old one, and restart',
};

/** The message for the log when rows that a checkpoint lists are gone. */
export const LOST_ROWS = 'rows of the unit are gone from Redis';

export const LOST_ROWS_ADVICE =
  'another program deleted them, Redis evicted them, or nothing was written for five weeks. Windows are incomplete up to the end of what ' +
  `was lost, and a run of an experiment lacks these lists. To count them again from Kafka, ${REBUILD}`;

/** The details for the log when another record is at an offset that was counted. */
export function otherRecord(topic: string, { offset, differs }: Divergence): object {
  return { topic, offset, differs, advice: `another record stands where one was counted: ${STOP_ADVICE.diverged}` };
}

/** The details for the log when a topic ends now before the offset that it had reached. */
export function lostLog(topic: string, { held, end }: { readonly held: Offset; readonly end: Offset }): object {
  return { topic, held, end, advice: `the log ends before records that were counted: ${STOP_ADVICE.diverged}` };
}
