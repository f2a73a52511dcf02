import type { TopicCounts } from '../../vocabulary/checkpoint.ts';
import {
  FEEDBACK_DROPS,
  type FeedbackDrop,
  IMPRESSION_DROPS,
  type ImpressionDrop,
  type RuleDrop,
} from '../../vocabulary/drops.ts';
import {
  ACCEPTED,
  ATTRIBUTED,
  CAPPED,
  DUPLICATE,
  FEEDBACK_COUNTS,
  FEEDBACK_DUPLICATE,
  FEEDBACK_LATE,
  IMPRESSION_COUNTS,
  LATE,
  NOT_IN_LIST,
  ORPHAN,
} from '../engine/engine-layout.ts';

/** Index of each reason among the engine's counts of impressions. */
const IMPRESSION_PLACES: Readonly<Record<RuleDrop<ImpressionDrop>, number>> = { late: LATE, duplicate: DUPLICATE };
/** Index of each reason among the engine's counts of feedback. */
const PLACES: Readonly<Record<RuleDrop<FeedbackDrop>, number>> = {
  late: FEEDBACK_LATE,
  duplicate: FEEDBACK_DUPLICATE,
  capped: CAPPED,
  not_in_list: NOT_IN_LIST,
  orphan: ORPHAN,
};
const OF_IMPRESSIONS = IMPRESSION_DROPS.filter((reason) => isIn(IMPRESSION_PLACES, reason));
const OF_FEEDBACK = FEEDBACK_DROPS.filter((reason) => isIn(PLACES, reason));

function isIn<Reason extends FeedbackDrop>(
  places: Readonly<Record<Reason, number>>,
  reason: FeedbackDrop,
): reason is Reason {
  return Object.hasOwn(places, reason);
}

/** The reason for which the engine drops feedback, by its number. */
export function engineDrop(number: number): FeedbackDrop | undefined {
  return OF_FEEDBACK.find((reason) => PLACES[reason] === number);
}

/** Number of doubles of a topic: impressions, those late by horizon, feedback, that late by horizon. */
export function countsOfTopic(horizons: number): number {
  return IMPRESSION_COUNTS + FEEDBACK_COUNTS + 2 * horizons;
}

/** Passes counts to the engine, which goes on counting from them. */
export function putCounts(counted: Float64Array, { impressions, feedback }: TopicCounts): void {
  counted[ACCEPTED] = impressions.accepted;
  for (const reason of OF_IMPRESSIONS) counted[IMPRESSION_PLACES[reason]] = impressions.drops[reason];
  counted.set(impressions.late, IMPRESSION_COUNTS);
  const ofFeedback = IMPRESSION_COUNTS + impressions.late.length;
  counted[ofFeedback + ATTRIBUTED] = feedback.attributed;
  for (const reason of OF_FEEDBACK) counted[ofFeedback + PLACES[reason]] = feedback.drops[reason];
  counted.set(feedback.late, ofFeedback + FEEDBACK_COUNTS);
}

/** Takes over the engine's counts. */
export function readCounts(counted: Float64Array, { impressions, feedback }: TopicCounts): void {
  const horizons = impressions.late.length;
  impressions.accepted = counted[ACCEPTED];
  for (const reason of OF_IMPRESSIONS) impressions.drops[reason] = counted[IMPRESSION_PLACES[reason]];
  const ofFeedback = IMPRESSION_COUNTS + horizons;
  feedback.attributed = counted[ofFeedback + ATTRIBUTED];
  for (const reason of OF_FEEDBACK) feedback.drops[reason] = counted[ofFeedback + PLACES[reason]];
  for (let h = 0; h < horizons; h++) {
    impressions.late[h] = counted[IMPRESSION_COUNTS + h];
    feedback.late[h] = counted[ofFeedback + FEEDBACK_COUNTS + h];
  }
}

export function noCounts(horizons: number): TopicCounts {
  return {
    impressions: { read: 0, accepted: 0, drops: zeros(IMPRESSION_DROPS), late: new Array(horizons).fill(0) },
    feedback: { read: 0, attributed: 0, drops: zeros(FEEDBACK_DROPS), late: new Array(horizons).fill(0) },
  };
}

export function copyCounts(counts: TopicCounts): TopicCounts {
  const { impressions, feedback, unmapped } = counts;
  return {
    ...(unmapped === undefined ? {} : { unmapped: unmapped.map((one) => ({ ...one })) }),
    impressions: { ...impressions, drops: { ...impressions.drops }, late: [...impressions.late] },
    feedback: { ...feedback, drops: { ...feedback.drops }, late: [...feedback.late] },
  };
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number>;
function zeros(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}
