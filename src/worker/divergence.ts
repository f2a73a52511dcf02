import type { Divergence } from '../unit/unit-reading.ts';
import type { Offset } from '../vocabulary/events.ts';

const ADVICE =
  'the topic was deleted and created again, or put back. Nothing of this partition is counted or stored any more. Take another ' +
  'namespace and kafka.groupId for the new topic, or restore the old one, and restart';

/** For the log: another record is at an offset that was counted. */
export function otherRecord(topic: string, { offset, differs }: Divergence): object {
  return { topic, offset, differs, advice: `another record stands where one was counted: ${ADVICE}` };
}

/** For the log: how far the topic reached before, and where it ends now. */
export function lostLog(topic: string, { held, end }: { readonly held: Offset; readonly end: Offset }): object {
  return { topic, held, end, advice: `the log ends before records that were counted: ${ADVICE}` };
}

/** How the state in Redis may have been lost, for whoever has to restore it. */
export const STATE_LOST_ADVICE =
  'restore Redis from a backup, or stop all workers and start one once with --rebuild: everything is then counted again from the ' +
  'earliest record that is retained, and earlier windows are marked incomplete. If Redis was only restarted, run receval doctor first: ' +
  'its check "redis reload" tells whether this server loses all state at each restart';

/** For the log: nothing is stored for a unit that was read before. */
export const LOST_STATE: object = {
  advice: `the partition was read before, but nothing of it is stored: the state was lost, or redis.url or namespace is not the right one. Else ${STATE_LOST_ADVICE}`,
};
