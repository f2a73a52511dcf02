/** The plain way from a valid record to an event; what reader.ts is held against. */
import type { Feedback, Impression } from '../../vocabulary/events.ts';
import type { ValidFeedback, ValidImpression } from './canonical.ts';
import { carriedCategories, carriedScores } from './carried.ts';
import type { Dimensions } from './dimensions.ts';
import type { Carried } from './settings.ts';

export function impressionOf(valid: ValidImpression, dimensions: Dimensions, carries?: Carried): Impression {
  const offset = valid.offset ?? 0;
  const slots = valid.items.map((item, i) => ({ ...item, rank: item.position ?? offset + i + 1 }));
  slots.sort((a, b) => a.rank - b.rank);
  const isPlain = slots.every(({ rank }, i) => rank === offset + i + 1);
  return {
    kind: 'impression',
    requestId: valid.requestId,
    ts: valid.ts,
    userId: valid.userId ?? undefined,
    offset: offset === 0 ? 0 : offset,
    items: slots.map(({ id }) => id),
    ranks: isPlain ? undefined : slots.map(({ rank }) => rank),
    dimensions: dimensions.read(valid),
    ...(carries?.scores === true ? { scores: carriedScores(slots) } : {}),
    ...(carries?.categories === true ? { categories: carriedCategories(slots) } : {}),
  };
}

export function feedbackOf(valid: ValidFeedback): Feedback {
  return {
    kind: 'feedback',
    requestId: valid.requestId,
    itemId: valid.itemId,
    ts: valid.ts,
    action: valid.action,
    eventId: valid.eventId ?? undefined,
    value: valid.value ?? undefined,
  };
}
