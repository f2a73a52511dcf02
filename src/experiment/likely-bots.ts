import { HEAVY_SHARE } from '../statistics/decision.ts';
import type { Comparison } from './comparison.ts';

/** Fewer lists are those of a person. */
const LEAST_LISTS = 20;
/** So many times the lists of an average user. */
const TIMES_AVERAGE = 10;

/**
 * Variants whose heaviest user may be a bot, with its share of their lists. A share alone says nothing where users are few: of ten that
 * are alike, each has a tenth.
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
