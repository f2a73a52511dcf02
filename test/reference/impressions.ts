import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { Impression } from '../../src/vocabulary/events.ts';
import { longest, splitHorizons } from './horizons.ts';
import type { ImpressionVerdict, JudgedImpression, Placed } from './judged.ts';

/** Judges the impressions of a unit, given in log order. */
export function judgeImpressions(
  settings: JoinSettings,
  impressions: readonly Placed<Impression>[],
): readonly JudgedImpression[] {
  const judged: JudgedImpression[] = [];
  for (const impression of impressions) {
    judged.push({ ...impression, verdict: judge(settings, impression, judged) });
  }
  return judged;
}

function judge(settings: JoinSettings, i: Placed<Impression>, earlier: readonly JudgedImpression[]): ImpressionVerdict {
  const H = longest(settings);
  if (i.future) return { kind: 'dropped', reason: 'future' };
  if (i.excluded) return { kind: 'dropped', reason: 'excluded' };
  if (i.watermark >= i.event.ts + H) return { kind: 'dropped', reason: 'late' };
  const predecessor = earlier.findLast(
    (j) =>
      (j.verdict.kind === 'accepted' || j.verdict.reason === 'duplicate') &&
      j.event.requestId === i.event.requestId &&
      j.event.pageOffset === i.event.pageOffset &&
      Math.abs(i.event.ts - j.event.ts) < H,
  );
  if (predecessor !== undefined) return { kind: 'dropped', reason: 'duplicate', of: predecessor };
  return { kind: 'accepted', ...splitHorizons(settings, i.event.ts, i.event.ts, i.watermark) };
}
