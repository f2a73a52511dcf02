/** Which lists count where files end (specification: join 4.1), with one rule weakened: the scenes of its test must find each. */
import type { Mutation } from './mutation.ts';

const UNIT = 'unit/unit.ts';
const REPLAY = 'replay/file-replay.ts';
const REACH = 'replay/feedback-reach.ts';
const COMPARE = 'replay/compare-files.ts';

const mutation = (name: string, file: string, text: string, replacement: string): Mutation => ({
  name,
  changes: [{ file, text, replacement }],
});

export const FILE_END_MUTATIONS: readonly Mutation[] = [
  mutation('everything closes', UNIT, 'this.#idleAll(Math.min(reach, end));', 'this.#idleAll(end);'),
  mutation(
    'lists that were closed last are counted by the engine',
    'unit/unit-scoring.ts',
    'this.#panes.endEngineAdding();',
    '',
  ),
  mutation(
    'what is left is counted nowhere',
    UNIT,
    'this.#scoring.leaveOpen(open);',
    'this.#scoring.leaveOpen(() => {});',
  ),
  mutation(
    'impressions must reach beyond a list, too',
    REACH,
    'comesLater ? [watermark] : []',
    '[comesLater ? watermark : Number.isFinite(watermark) ? watermark : Infinity]',
  ),
  mutation(
    'the newest event of all counts, not that of the feedback',
    REPLAY,
    'reach: isKnown ? Number.POSITIVE_INFINITY : reachOf(watermarks)',
    'reach: isKnown ? Number.POSITIVE_INFINITY : Number.isFinite(reachOf(watermarks)) ? unit.newest : reachOf(watermarks)',
  ),
  mutation('feedback in rows is always waited for', REACH, '|| hasRowTimes(adapter)', '|| true'),
  mutation('feedback in rows is never waited for', REACH, '|| hasRowTimes(adapter)', ''),
  mutation(
    'a log of both sides is complete as it is',
    REACH,
    'if (!feedback ||',
    'if (!feedback || (impressions && adapter === "canonical") ||',
  ),
  mutation('feedback of the time of its list is waited for', REPLAY, '|| hasNoTimes(watch.sample)', ''),
  mutation(
    'times of whole hours say that feedback has none',
    REACH,
    'return isSame && sample',
    'return isSame || sample',
  ),
  mutation('measures of the list alone wait', REPLAY, '!needsFeedback(settings.measures) || ', ''),
  mutation('--close-all is not heard', REPLAY, 'end.closeAll ? Number.POSITIVE_INFINITY : end.reach', 'end.reach'),
  mutation('lists from before a start are open', REPLAY, 'if (closed.ts >= start) open.add', 'open.add'),
  mutation(
    'users of open lists are counted',
    COMPARE,
    'Math.min(youngFrom, asOf ?? Number.NEGATIVE_INFINITY)',
    'asOf ?? Number.NEGATIVE_INFINITY',
  ),
  mutation(
    'a look is known at once',
    COMPARE,
    'delay: reach === Number.POSITIVE_INFINITY ? 0 : horizon.ms',
    'delay: 0',
  ),
  mutation(
    'a look is known after the logs',
    'experiment/evaluate.ts',
    'Math.min(look + end.delay, end.at)',
    'look + end.delay',
  ),
];
