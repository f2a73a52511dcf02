/**
 * Draws what goes wrong in a history. Every seed has its own weights: a fault is absent from many histories, rare in some
 * and frequent in others, so that faults meet in every combination.
 */
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';
import { FAULT_LABELS } from '../../src/vocabulary/fault-point.ts';
import { WEIGHTS } from './experiment.ts';
import type { Random } from './random.ts';
import { FATES, type Fate, type Fault, type FaultKind, type SimulatedSettings } from './scenario.ts';

export const SESSION_MS: DurationMs = 30_000;
const REQUESTS = 400;
const MOST_FAULTS = 9;

export const FAULT_KINDS = [
  'crash',
  'crash at',
  'stop',
  'freeze',
  'expel',
  'rebalance',
  'clock',
  'slow fetch',
  'brokers away',
  'redis away',
  'failover',
  'restore',
  'forget',
  'group deleted',
  'trim',
] as const satisfies readonly FaultKind[];
type DrawnKind = (typeof FAULT_KINDS)[number];

/** How often one is drawn in comparison with the others, where it is drawn at all. */
const USUAL: Readonly<Record<DrawnKind, number>> = {
  crash: 3,
  'crash at': 3,
  stop: 2,
  freeze: 4,
  expel: 4,
  rebalance: 2,
  clock: 1,
  'slow fetch': 2,
  'brokers away': 1,
  'redis away': 1,
  failover: 5,
  restore: 2,
  forget: 0.5,
  'group deleted': 0.5,
  trim: 1,
};

/** By time, in [begin, end). */
export function drawFaults(
  random: Random,
  settings: SimulatedSettings,
  begin: EpochMs,
  end: EpochMs,
): readonly Fault[] {
  const weights = FAULT_KINDS.map((kind) => [USUAL[kind] * random.pick([0, 0, 1, 1, 5]), kind] as const);
  if (weights.every(([weight]) => weight === 0)) return [];
  const faults: Fault[] = [];
  const count = random.whole(0, MOST_FAULTS);
  for (let n = 0; n < count; n++) {
    // Many come right after another one: during the claim, the replay or the end that it caused.
    const after =
      faults.length > 0 && random.chance(0.4) ? faults[faults.length - 1].at + random.whole(0, 4000) : undefined;
    const kind = random.weighted(weights);
    const early = kind === 'crash at' && random.chance(0.4) ? begin : undefined;
    const at = Math.min(end - 1, early ?? after ?? random.whole(begin, end - 1));
    faults.push({ at, ...fault(random, settings, kind) });
  }
  return faults.sort((a, b) => a.at - b.at);
}

function fault(random: Random, { slots, join }: SimulatedSettings, kind: DrawnKind): DistributiveOmit<Fault, 'at'> {
  const slot = random.whole(0, slots - 1);
  const back = random.pick([100, 5000, 20_000, 60_000]);
  switch (kind) {
    case 'crash':
    case 'stop':
      return { kind, slot, back };
    case 'crash at':
      return { kind, slot, label: random.pick(FAULT_LABELS), back };
    case 'freeze':
      return { kind, slot, length: random.pick([3000, 12_000, SESSION_MS + 5000, 2 * SESSION_MS, 4 * SESSION_MS]) };
    case 'expel':
      return { kind, slot, toldAfter: random.pick([500, 6000, 15_000, 60_000]) };
    case 'clock':
      return { kind, slot, error: random.pick([-3_600_000, -20_000, -5000, 5000, 29_000, 3_600_000]) };
    case 'slow fetch':
      return { kind, slot, topic: random.whole(0, join.topics.length - 1), length: random.whole(2, 24) * 5000 };
    case 'brokers away':
    case 'redis away':
      return { kind, length: random.pick([1000, 10_000, 60_000]) };
    case 'failover':
      return { kind, back: random.whole(1, 4), split: random.chance(0.6) };
    case 'restore':
      return { kind, back: random.whole(2, 12) };
    case 'rebalance':
    case 'forget':
    case 'group deleted':
    case 'trim':
      return { kind };
  }
}

/** Changes of the weights, also back to those of before: of the traffic of each split a run of its own. */
export function drawRamps(random: Random, begin: EpochMs, end: EpochMs): readonly Fault[] {
  return Array.from({ length: random.whole(1, 3) }, () => ({
    kind: 'ramp',
    at: random.whole(begin, end - 1),
    weight: random.pick(WEIGHTS),
    every: random.pick([0, 2000, 20_000]),
  }));
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Batches that cannot be decoded, for good or for a while. */
export function drawDamages(
  random: Random,
  { partitions, join }: SimulatedSettings,
  begin: EpochMs,
  end: EpochMs,
): readonly Fault[] {
  return Array.from({ length: random.whole(1, 4) }, () => ({
    kind: 'damage',
    at: random.whole(begin, end - 1),
    partition: random.whole(0, partitions - 1),
    topic: random.whole(0, join.topics.length - 1),
    records: random.whole(1, 3),
    length: random.pick([2000, 10_000, 60_000, Number.POSITIVE_INFINITY]),
  }));
}

/** Transactions of producers, also several at a time, shorter and longer than a topic is read to its end for before it passes for silent. */
export function drawTransactions(
  random: Random,
  { partitions, join, idleAfter }: SimulatedSettings,
  begin: EpochMs,
  end: EpochMs,
): readonly Fault[] {
  return Array.from({ length: random.whole(1, 4) }, () => ({
    kind: 'transaction',
    at: random.whole(begin, end - 1),
    partition: random.whole(0, partitions - 1),
    topic: random.whole(0, join.topics.length - 1),
    length: random.pick([1000, idleAfter, 3 * idleAfter, Number.POSITIVE_INFINITY]),
  }));
}

/** By number of the request. */
export function drawFates(random: Random): readonly Fate[] {
  const rate = random.pick([0, 0.02, 0.1, 0.3]);
  const weights = FATES.map((kind) => [random.pick([0, 1, 1, 5]), kind] as const);
  if (rate === 0 || weights.every(([weight]) => weight === 0)) return [];
  const fates: Fate[] = [];
  for (let request = 0; request < REQUESTS; request++) {
    if (!random.chance(rate)) continue;
    fates.push({ request, kind: random.weighted(weights), delay: random.pick([10, 500, 3000, 15_000, 45_000]) });
  }
  return fates;
}
