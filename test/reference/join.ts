/**
 * The join by brute force: its rules (specification: join 2, 3, 4, 5), word for word, over the whole logs of one unit. It shares
 * no code and no idea with the engine. Every rule looks at the logs again; nothing is kept up to date.
 */

import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { EpochMs, Impression } from '../../src/vocabulary/events.ts';
import { countTopic } from './counts.ts';
import { judgeFeedback } from './feedback.ts';
import { longest } from './horizons.ts';
import { judgeImpressions } from './impressions.ts';
import type { JudgedFeedback, JudgedImpression } from './judged.ts';
import type { TopicLog } from './logs.ts';
import { combinedWatermark, feedbackOf, impressionsOf, placedEvents } from './watermark.ts';

export interface ReferenceClosing {
  readonly at: EpochMs;
  readonly horizon: number;
  readonly impression: Impression;
  /** In the order of the topics, then of the log. */
  readonly feedback: readonly ListedFeedback[];
}

export interface ListedFeedback {
  /** First slot, from 0, that holds the item. */
  readonly slot: number;
  /** Index among the configured actions; -1: none of them. */
  readonly action: number;
  readonly value: number | undefined;
  readonly ts: EpochMs;
}

export interface ReferenceResult {
  /** In log order of the one topic with impressions. */
  readonly impressions: readonly JudgedImpression[];
  /** In the order of the topics, then of the log. */
  readonly feedback: readonly JudgedFeedback[];
  readonly counts: readonly TopicCounts[];
  readonly closings: readonly ReferenceClosing[];
  readonly watermark: EpochMs;
  readonly openImpressions: number;
  readonly waitingFeedback: number;
}

/** What the logs, read to their ends, make of every event. */
export function referenceJoin(settings: JoinSettings, logs: readonly TopicLog[]): ReferenceResult {
  const watermark = combinedWatermark(settings, logs);
  const placed = logs.map((log, topic) => placedEvents(settings, log, topic));
  const impressions = judgeImpressions(settings, impressionsOf(placed.flat()));
  const feedback = placed.flatMap((events) => judgeFeedback(settings, feedbackOf(events), impressions, watermark));
  return {
    impressions,
    feedback,
    counts: logs.map((log, topic) => countTopic(settings, log, topic, impressions, feedback)),
    closings: closingsOf(settings, impressions, feedback, watermark),
    watermark,
    openImpressions: impressions.filter(
      (i) => i.verdict.kind === 'accepted' && watermark < i.event.ts + longest(settings),
    ).length,
    waitingFeedback: feedback.filter((f) => f.verdict.kind === 'waiting').length,
  };
}

/** What closes up to this watermark, in order. */
export function closingsOf(
  settings: JoinSettings,
  impressions: readonly JudgedImpression[],
  feedback: readonly JudgedFeedback[],
  watermark: EpochMs,
): readonly ReferenceClosing[] {
  const closings = impressions.flatMap((i) => {
    if (i.verdict.kind !== 'accepted') return [];
    return i.verdict.horizons.map((horizon) => ({
      order: { offset: i.offset, place: i.place },
      at: i.event.ts + settings.horizons[horizon],
      horizon,
      impression: i.event,
      feedback: listed(settings, i, horizon, feedback),
    }));
  });
  return closings
    .filter((closing) => closing.at <= watermark)
    .sort((a, b) => a.at - b.at || a.order.offset - b.order.offset || a.order.place - b.order.place)
    .map(({ at, horizon, impression, feedback: list }) => ({ at, horizon, impression, feedback: list }));
}

function listed(
  settings: JoinSettings,
  i: JudgedImpression,
  horizon: number,
  feedback: readonly JudgedFeedback[],
): readonly ListedFeedback[] {
  return feedback
    .filter(
      ({ verdict }) =>
        verdict.kind === 'attributed' &&
        verdict.to.offset === i.offset &&
        verdict.to.place === i.place &&
        verdict.horizons.includes(horizon),
    )
    .map(({ event }) => ({
      slot: i.event.items.indexOf(event.itemId),
      action: settings.actions.indexOf(event.action),
      value: event.value,
      ts: event.ts,
    }));
}
