import type { TopicCounts } from '../../vocabulary/checkpoint.ts';
import { FEEDBACK_DROPS, IMPRESSION_DROPS } from '../../vocabulary/drops.ts';

/** What the engine counts, in the order of wasm/engine/counts.ts; behind each part the late ones by horizon. */
const IMPRESSIONS = 3;
const FEEDBACK_REASONS = ['late', 'duplicate', 'capped', 'not_in_list', 'orphan'] as const;
const FEEDBACK = 1 + FEEDBACK_REASONS.length;

/** By what the engine says of feedback that it drops. */
export const DROPPED = [undefined, ...FEEDBACK_REASONS] as const;

/** Number of doubles of a topic. */
export function countsOfTopic(horizons: number): number {
  return IMPRESSIONS + FEEDBACK + 2 * horizons;
}

/** Puts what the engine counts where it counts. */
export function putCounts(counted: Float64Array, { impressions, feedback }: TopicCounts): void {
  const horizons = impressions.late.length;
  counted.set([impressions.accepted, impressions.drops.late, impressions.drops.duplicate, ...impressions.late]);
  const drops = FEEDBACK_REASONS.map((reason) => feedback.drops[reason]);
  counted.set([feedback.attributed, ...drops, ...feedback.late], IMPRESSIONS + horizons);
}

/** Takes over what the engine has counted. */
export function readCounts(counted: Float64Array, { impressions, feedback }: TopicCounts): void {
  const horizons = impressions.late.length;
  impressions.accepted = counted[0];
  impressions.drops.late = counted[1];
  impressions.drops.duplicate = counted[2];
  const attributed = IMPRESSIONS + horizons;
  feedback.attributed = counted[attributed];
  for (const [i, reason] of FEEDBACK_REASONS.entries()) feedback.drops[reason] = counted[attributed + 1 + i];
  for (let h = 0; h < horizons; h++) {
    impressions.late[h] = counted[IMPRESSIONS + h];
    feedback.late[h] = counted[attributed + FEEDBACK + h];
  }
}

export function noCounts(horizons: number): TopicCounts {
  return {
    impressions: { read: 0, accepted: 0, drops: zeros(IMPRESSION_DROPS), late: new Array(horizons).fill(0) },
    feedback: { read: 0, attributed: 0, drops: zeros(FEEDBACK_DROPS), late: new Array(horizons).fill(0) },
  };
}

export function copyCounts(counts: TopicCounts): TopicCounts {
  const { impressions, feedback } = counts;
  return {
    impressions: { ...impressions, drops: { ...impressions.drops }, late: [...impressions.late] },
    feedback: { ...feedback, drops: { ...feedback.drops }, late: [...feedback.late] },
  };
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number>;
function zeros(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}
