/**
 * Which list takes feedback without the id of its list, by brute force over the whole logs (specification: join 10.1), word for word. It
 * shares no code and no idea with src/consumers/join/touch.ts: every rule looks at all events again.
 */
import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { Feedback } from '../../src/vocabulary/events.ts';
import { longest } from './horizons.ts';
import { judgeImpressions } from './impressions.ts';
import type { JudgedImpression, Placed } from './judged.ts';
import type { TopicLog } from './logs.ts';
import { feedbackOf, impressionsOf, placedEvents } from './watermark.ts';

export interface ReferenceTouch {
  /** The request id that feedback gets, by its topic, offset and place; an empty text: none. */
  readonly given: ReadonlyMap<string, string>;
  readonly counts: {
    readonly looked: number;
    readonly several: number;
    readonly none: number;
    readonly listsWithoutKey: number;
  };
}

export function nameOf({ topic, offset, place }: Pick<Placed<unknown>, 'topic' | 'offset' | 'place'>): string {
  return `${topic}.${offset}.${place}`;
}

export function referenceTouch(
  settings: JoinSettings,
  touch: 'last' | 'first',
  logs: readonly TopicLog[],
): ReferenceTouch {
  const placed = logs.flatMap((log, topic) => placedEvents(settings, log, topic));
  const accepted = judgeImpressions(settings, impressionsOf(placed)).filter((i) => i.verdict.kind === 'accepted');
  const sought = feedbackOf(placed).filter((f) => f.event.requestId === '');
  const looked = sought.filter((f) => isLookedAt(settings, f));
  const holding = looked.map((f) => candidatesOf(settings, f, accepted).filter((i) => holds(i, f)));
  return {
    given: new Map(
      sought.map((f) => {
        const candidates = isLookedAt(settings, f) ? candidatesOf(settings, f, accepted) : [];
        const taker =
          choose(
            touch,
            candidates.filter((i) => holds(i, f)),
          ) ?? choose(touch, candidates);
        return [nameOf(f), taker?.event.requestId ?? ''];
      }),
    ),
    counts: {
      looked: looked.length,
      several: holding.filter((lists) => new Set(lists.map((i) => i.event.requestId)).size > 1).length,
      none: holding.filter((lists) => lists.length === 0).length,
      listsWithoutKey: accepted.filter((i) => i.event.joinKey === undefined).length,
    },
  };
}

function isLookedAt(settings: JoinSettings, f: Placed<Feedback>): boolean {
  return !f.future && !f.excluded && f.watermark < f.event.ts + settings.backward + longest(settings);
}

function candidatesOf(
  settings: JoinSettings,
  f: Placed<Feedback>,
  accepted: readonly JudgedImpression[],
): readonly JudgedImpression[] {
  const b = settings.backward;
  return accepted.filter((i) => {
    const age = f.event.ts - i.event.ts;
    const isOfKey = f.event.joinKey !== undefined && i.event.joinKey === f.event.joinKey;
    return isOfKey && -b <= age && age < longest(settings) && i.watermark <= f.event.ts + b;
  });
}

function holds(i: JudgedImpression, f: Placed<Feedback>): boolean {
  return i.event.items.includes(f.event.itemId);
}

function choose(touch: 'last' | 'first', lists: readonly JudgedImpression[]): JudgedImpression | undefined {
  const inOrder = [...lists].sort((a, b) => a.event.ts - b.event.ts || a.offset - b.offset || a.place - b.place);
  return touch === 'last' ? inOrder[inOrder.length - 1] : inOrder[0];
}
