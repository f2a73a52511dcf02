import type { Offset } from '../events.ts';
import type { Divergence } from '../unit/last-records.ts';

const ADVICE =
  'the topic was deleted and made anew, or put back. Nothing of this partition is counted or stored any more. Take another ' +
  'namespace and kafka.groupId for the new topic, or bring back the old one, and start anew';

/** For the log: another record stands where one was counted. */
export function otherRecord(topic: string, { offset, differs }: Divergence): object {
  return { topic, offset, differs, advice: `another record stands where one was counted: ${ADVICE}` };
}

/** For the log: where it reached to before, and where it ends now. */
export function lostLog(topic: string, { held, end }: { readonly held: Offset; readonly end: Offset }): object {
  return { topic, held, end, advice: `the log ends before records that were counted: ${ADVICE}` };
}
