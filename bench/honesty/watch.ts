import type { Comparison } from '../../src/experiment/comparison.ts';
import { Watcher } from '../../src/experiment/take-looks.ts';
import { MISMATCH_P } from '../../src/statistics/sample-ratio.ts';
import { EXPERIMENT } from './experiment.ts';
import { drawStream, type StreamSettings } from './model.ts';
import { Totals } from './totals.ts';

/** Where a stream stood when something was found. */
export interface Found {
  /** Looks so far, this one included. */
  readonly looks: number;
  readonly users: number;
  readonly lists: number;
}

/** What watching one stream found, at any of its looks. */
export interface Watched {
  /** First look with the decision `regressed`. */
  readonly regressed: Found | undefined;
  /** First look with the decision `improved`. */
  readonly improved: Found | undefined;
  /** First look that found users split otherwise than configured. */
  readonly srm: Found | undefined;
  /** The split's p fell below .001, however small the deviation. */
  readonly srmP: boolean;
  /** Naive: lists as if independent, tested at each look that the product judges. */
  readonly listsEachLook: boolean;
  /** Naive: the right error, tested at each look that the product judges. */
  readonly usersEachLook: boolean;
  /** The right error, tested once, at the end. */
  readonly usersOnce: boolean;
  /** Lists as if independent, tested once, at the end. */
  readonly listsOnce: boolean;
  /** At the end. */
  readonly last: Found;
}

/** The critical value of a normal test at 5 %. */
export const Z = 1.959963984540054;

/** One stream through the product's evaluation, with a look after each of its spans. */
export function watch(seed: number, settings: StreamSettings): Watched {
  const totals = new Totals(drawStream(seed, settings));
  const watcher = new Watcher();
  let regressed: Found | undefined;
  let improved: Found | undefined;
  let srm: Found | undefined;
  let last: Found = { looks: 0, users: 0, lists: 0 };
  const naive = { srmP: false, listsEachLook: false, usersEachLook: false, usersOnce: false, listsOnce: false };
  for (let looks = 1; looks <= settings.looks; looks++) {
    const comparison = watcher.look(totals.next());
    const [{ decision, reason, measures }] = comparison.variants;
    last = foundAt(comparison, looks);
    if (decision === 'regressed') regressed ??= last;
    if (decision === 'improved') improved ??= last;
    if (reason === 'srm') srm ??= last;
    naive.srmP ||= (comparison.srm.p ?? 1) < MISMATCH_P;
    if (decision === 'insufficient' && reason !== 'wide_interval') continue;
    const [control, treatment] = totals.plain;
    const z = (treatment.mean - control.mean) / Math.sqrt(treatment.variance + control.variance);
    naive.listsOnce = Math.abs(z) > Z;
    naive.usersOnce = (measures[0].fixedHorizon?.p ?? 1) < EXPERIMENT.alpha;
    naive.listsEachLook ||= naive.listsOnce;
    naive.usersEachLook ||= naive.usersOnce;
  }
  return { regressed, improved, srm, ...naive, last };
}

export function foundAt({ users, impressions }: Comparison, looks: number): Found {
  return { looks, users: total(users), lists: total(impressions) };
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
