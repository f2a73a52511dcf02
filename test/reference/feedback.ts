import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { EpochMs, Feedback, Impression } from '../../src/vocabulary/events.ts';
import { longest, splitHorizons } from './horizons.ts';
import type { FeedbackVerdict, JudgedFeedback, JudgedImpression, Placed } from './judged.ts';

/** Judges the feedback of one topic, given in log order, on all impressions of the unit. */
export function judgeFeedback(
  settings: JoinSettings,
  feedback: readonly Placed<Feedback>[],
  impressions: readonly JudgedImpression[],
  combined: EpochMs,
): readonly JudgedFeedback[] {
  const accepted = impressions.filter((each) => each.verdict.kind === 'accepted');
  const judged: JudgedFeedback[] = [];
  for (const f of feedback) {
    judged.push({ ...f, verdict: judge(settings, f, accepted, judged, combined) });
  }
  return judged;
}

function judge(
  settings: JoinSettings,
  f: Placed<Feedback>,
  accepted: readonly Placed<Impression>[],
  earlier: readonly JudgedFeedback[],
  combined: EpochMs,
): FeedbackVerdict {
  const H = longest(settings);
  const b = settings.backward;
  const deadline = f.event.ts + b + H;
  if (f.future) return { kind: 'dropped', known: 'record', reason: 'future' };
  if (f.excluded) return { kind: 'dropped', known: 'record', reason: 'excluded' };
  if (f.watermark >= deadline) return { kind: 'dropped', known: 'record', reason: 'late' };

  const candidates = accepted.filter(
    (i) => i.event.requestId === f.event.requestId && -b <= f.event.ts - i.event.ts && f.event.ts - i.event.ts < H,
  );
  const holder = candidates.findIndex((i) => i.event.items.includes(f.event.itemId));
  const upToHolder = holder === -1 ? candidates : candidates.slice(0, holder + 1);
  const late = upToHolder.find((i) => f.watermark >= i.event.ts + H);
  if (late !== undefined) return { kind: 'dropped', known: 'meeting', reason: 'late', to: late };
  if (holder === -1) {
    if (combined < deadline) return { kind: 'waiting' };
    return { kind: 'dropped', known: 'deadline', reason: candidates.length === 0 ? 'orphan' : 'not_in_list' };
  }

  const to = candidates[holder];
  const attributed = earlier.filter((each) => each.verdict.kind === 'attributed' && each.verdict.to === to);
  if (attributed.some((each) => sameIdentity(each.event, f.event))) {
    return { kind: 'dropped', known: 'meeting', reason: 'duplicate', to };
  }
  if (attributed.length >= settings.feedbackPerImpression) {
    return { kind: 'dropped', known: 'meeting', reason: 'capped', to };
  }
  return {
    kind: 'attributed',
    known: 'meeting',
    to,
    ...splitHorizons(settings, to.event.ts, f.event.ts, f.watermark),
  };
}

function sameIdentity(a: Feedback, b: Feedback): boolean {
  if (a.eventId !== undefined || b.eventId !== undefined) return a.eventId === b.eventId;
  return a.itemId === b.itemId && a.action === b.action && a.value === b.value && a.ts === b.ts;
}
