import { HEAVY_SHARE } from '../statistics/decision.ts';
import type { Comparison } from './comparison.ts';

/** A user with fewer lists is taken for a person. */
const LEAST_LISTS = 20;
/** Multiple of an average user's lists from which on a user may be a bot. */
const TIMES_AVERAGE = 10;

/**
 * Variants whose heaviest user may be a bot, with its share of their lists. A share alone means nothing if users are few: of ten equal
 * users, each has a tenth.
 */
export function likelyBots({
  heaviest,
  impressions,
  users,
}: Pick<Comparison, 'heaviest' | 'impressions' | 'users'>): readonly (readonly [string, number])[] {
  return Object.entries(heaviest).filter(([name, share]) => {
    const lists = share * impressions[name];
    const others = users[name] - 1;
    return (
      share >= HEAVY_SHARE &&
      lists >= LEAST_LISTS &&
      others > 0 &&
      lists >= TIMES_AVERAGE * ((impressions[name] - lists) / others)
    );
  });
}
