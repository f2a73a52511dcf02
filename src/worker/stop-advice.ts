import type { StopCause } from './status.ts';

const SEE_LOG = 'the log says which limit to raise, and to what';
const OR_WORKERS = 'or start more workers, so that each has fewer partitions';

/** What to do about a stopped unit, in short; where the log knows more of this one, it says more. Contains no secret. */
export const STOP_ADVICE: Readonly<Record<StopCause, string>> = {
  limit: `more lists are open than limits.openImpressions lets this worker hold. Raise it, ${OR_WORKERS}; ${SEE_LOG}`,
  memory: `what is open does not fit into the memory of this worker. Give it more, ${OR_WORKERS}; ${SEE_LOG}`,
  gap: 'records that are to be read are gone from Kafka. Let the topics keep them for longer, and restart with start.onGap: skip to go on without those',
  partitions:
    'a topic is gone, or has another number of partitions than at the start. The log says which, and what to do',
  pairing:
    'the partitions of the same number are not assigned to the same worker. Give all workers of the group the same kafka.topics and version',
  configuration: 'its rows were stored under other settings. Restore these, or start once with --new-generation',
  format: 'another version wrote what is stored. Run that one, or take another namespace and kafka.groupId',
  codec:
    'a batch cannot be decoded. receval doctor names its offsets and the command that skips it; start.onUndecodable: skip skips all such',
  state_lost:
    'it was read before, but nothing of it is stored. Restore Redis from a backup, or stop all workers and start one once with --rebuild',
  diverged:
    'a topic was deleted and created again, or put back. Take another namespace and kafka.groupId for the new one, or restore the old one, and restart',
};
