/**
 * The reference join for long logs. The reference judges every event against all others; since no rule lets events of
 * two request ids meet, it is asked here for one request id at a time.
 */

import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { EpochMs, Event, Feedback, Impression } from '../../src/vocabulary/events.ts';
import { countTopic } from '../reference/counts.ts';
import { judgeFeedback } from '../reference/feedback.ts';
import { judgeImpressions } from '../reference/impressions.ts';
import type { JudgedFeedback, JudgedImpression, Placed } from '../reference/judged.ts';
import type { TopicLog } from '../reference/logs.ts';
import { combinedWatermark, feedbackOf, impressionsOf, placedEvents } from '../reference/watermark.ts';

/** One impression at one horizon, with the feedback that counts there by topic, then offset. */
export interface PlainClosing {
  readonly horizon: number;
  readonly impression: Impression;
  readonly feedback: readonly Feedback[];
}

export interface PlainJoin {
  readonly counts: readonly TopicCounts[];
  /** In no particular order. */
  readonly closings: readonly PlainClosing[];
  readonly watermark: EpochMs;
  readonly waitingFeedback: number;
}

export function joinByRequest(settings: JoinSettings, logs: readonly TopicLog[]): PlainJoin {
  const watermark = combinedWatermark(settings, logs);
  const requests = new Map<string, Placed<Event>[]>();
  for (const [topic, log] of logs.entries()) {
    for (const each of placedEvents(settings, log, topic)) {
      const others = requests.get(each.event.requestId);
      if (others === undefined) requests.set(each.event.requestId, [each]);
      else others.push(each);
    }
  }
  const impressions: JudgedImpression[] = [];
  const feedback: JudgedFeedback[] = [];
  const closings: PlainClosing[] = [];
  for (const events of requests.values()) {
    const lists = judgeImpressions(settings, impressionsOf(events));
    const given = feedbackOf(events);
    const judged = logs.flatMap((_, topic) =>
      judgeFeedback(
        settings,
        given.filter((f) => f.topic === topic),
        lists,
        watermark,
      ),
    );
    for (const i of lists) impressions.push(i);
    for (const f of judged) feedback.push(f);
    for (const i of lists) for (const closing of closingsOf(settings, i, judged, watermark)) closings.push(closing);
  }
  return {
    counts: logs.map((log, topic) => countTopic(settings, log, topic, impressions, feedback)),
    closings,
    watermark,
    waitingFeedback: feedback.filter(({ verdict }) => verdict.kind === 'waiting').length,
  };
}

function closingsOf(
  settings: JoinSettings,
  i: JudgedImpression,
  feedback: readonly JudgedFeedback[],
  watermark: EpochMs,
): readonly PlainClosing[] {
  if (i.verdict.kind !== 'accepted') return [];
  return i.verdict.horizons
    .filter((horizon) => i.event.ts + settings.horizons[horizon] <= watermark)
    .map((horizon) => ({
      horizon,
      impression: i.event,
      feedback: feedback.flatMap(({ verdict, event }) => {
        const counts =
          verdict.kind === 'attributed' &&
          verdict.to.offset === i.offset &&
          verdict.to.place === i.place &&
          verdict.horizons.includes(horizon);
        return counts ? [event] : [];
      }),
    }));
}
