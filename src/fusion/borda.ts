import { combSum } from './combsum.ts';
import { as, type Method } from './method.ts';

/**
 * Borda's count: an item gets n points for a first place, n - 1 for a second, and so on, divided by n. Items that a voter did
 * not list share the remaining places evenly.
 *
 *   score(i) = sum over lists of (n - rank + 1) / n, or (n - L + 1) / 2n if a list of L items does not contain i
 *
 * J.-C. de Borda, "Mémoire sur les élections au scrutin", 1781; the share of items that are not listed: J. A. Aslam and
 * M. Montague, "Models for metasearch", SIGIR 2001. PyFLAGR's Borda: `combsum(norm=borda)`. ranx's bordafuse counts n - rank
 * + 1 points and gives (n - L + 1) / 2 to the rest: the same except for the factor n.
 *
 * Example: lists a b c and b d, n = 4: a 1 + 3/8, b 3/4 + 1, c 1/2 + 3/8, d 1/4 + 3/4, so b a d c.
 */
export const borda: Method = {
  name: 'borda',
  aliases: ['bordafuse'],
  params: { as },
  summary: 'Borda points; items that a voter did not list share the places left over',
  source: 'Borda 1781; Aslam and Montague, SIGIR 2001',
  cost: 'n v',
  fuse: (ballots) => combSum(ballots, 'borda'),
};

/**
 * Borda's count without points for items that a voter did not list. PyFLAGR's SimpleBorda: `combsum(norm=simple-borda)`.
 *
 * Example: lists a b c and b d, n = 4: a 1, b 3/4 + 1, c 1/2, d 3/4, so b a d c.
 */
export const simpleBorda: Method = {
  name: 'simpleborda',
  params: { as },
  summary: 'Borda points, none for items that a voter did not list',
  source: 'Borda 1781; Renda and Straccia, SAC 2003',
  cost: 'n v',
  fuse: (ballots) => combSum(ballots, 'simple-borda'),
};
