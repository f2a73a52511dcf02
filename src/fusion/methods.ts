import { agglomerative } from './agglomerative.ts';
import { borda, simpleBorda } from './borda.ts';
import { anz, gmnz, max, med, min } from './comb-extremes.ts';
import { combmnz } from './combmnz.ts';
import { combsum } from './combsum.ts';
import { dibra } from './dibra.ts';
import { kemeny, kemenyLocal } from './kemeny.ts';
import { condorcet, copeland } from './majorities.ts';
import { mc1, mc2, mc3, mc4, mct } from './markov-chains.ts';
import type { Method } from './method.ts';
import { outranking } from './outranking.ts';
import { prefrel } from './prefrel.ts';
import { isr, lognIsr, rrf } from './reciprocal-rank.ts';
import { rra } from './rra.ts';
import { bayesfuse, mapfuse } from './trained.ts';

/** All methods, in the order of the documents. */
export const METHODS: readonly Method[] = [
  combsum,
  combmnz,
  gmnz,
  anz,
  med,
  max,
  min,
  borda,
  simpleBorda,
  rrf,
  isr,
  lognIsr,
  condorcet,
  copeland,
  outranking,
  kemeny,
  kemenyLocal,
  mc1,
  mc2,
  mc3,
  mc4,
  mct,
  rra,
  prefrel,
  agglomerative,
  dibra,
  bayesfuse,
  mapfuse,
];
