import type { Places } from '../../src/measures/places.ts';
import type { Joined } from '../../src/vocabulary/events.ts';

/** A list without feedback, with slots of these ranks. */
export function listOf(ranks: readonly number[]): Joined {
  return {
    length: ranks.length,
    pageOffset: 0,
    ranks: Int32Array.from(ranks),
    firstSlot: undefined,
    events: 0,
    slot: new Int32Array(0),
    action: new Int32Array(0),
    value: new Float64Array(0),
    ts: new Float64Array(0),
  };
}

export function placesOf(ranks: readonly number[]): Places {
  return { count: ranks.length, ranks: Float64Array.from(ranks) };
}
