/** The experiment of the simulated service, and what the reference makes of who saw what. */
import type { RunSettings } from '../../src/accumulators/runs.ts';
import { type RowOwner, usersKey } from '../../src/accumulators/store/layout.ts';
import type { ExperimentSettings } from '../../src/config/settings.ts';
import { runOf as nameOfRun } from '../../src/experiment/run-settings.ts';
import type { UnitSettings } from '../../src/unit/unit-contract.ts';
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';
import { sampleKey } from '../../src/vocabulary/user-words.ts';
import type { ReferenceResult } from '../reference/join.ts';
import type { JudgedImpression } from '../reference/judged.ts';
import type { RunSpan } from './lineage.ts';
import type { SimulatedSettings } from './scenario.ts';
import { MEASURES } from './scoring.ts';

type Horizons = UnitSettings['panes']['horizons'];

/** Of the last variant; that of the others is 1. A history begins with the first. */
export const WEIGHTS = [1, 2, 3] as const;

/** The same with another weight of the last variant: another run of the experiment. */
export function rampedTo(settings: SimulatedSettings, weight: number): SimulatedSettings {
  const { experiments, panes } = settings;
  const ramped = experiments.map((experiment) => {
    const last = [...experiment.variants.keys()].at(-1) ?? '';
    return { ...experiment, variants: new Map([...experiment.variants, [last, weight] as const]) };
  });
  const runs = ramped.map((experiment) => runOf(experiment, panes.horizons));
  return { ...settings, experiments: ramped, panes: { ...panes, runs } };
}

/** Made of what was drawn already. `begin`: the first impressions come a little later. */
export function experimentOf(horizons: Horizons, begin: number, step: DurationMs, drawn: number): ExperimentSettings {
  const variants = drawn % 3 === 0 ? ['A', 'B'] : ['DE', 'FR', 'NL'];
  return {
    name: 'default',
    dimension: drawn % 3 === 0 ? 'variant' : 'country',
    control: variants[0],
    variants: new Map(variants.map((name) => [name, 1])),
    primary: MEASURES[0].canonical,
    guardrails: [MEASURES[1].canonical],
    horizon: horizons[drawn % horizons.length],
    start: drawn % 2 === 0 ? undefined : begin + 9 * step,
    alpha: 0.05,
    nStar: 5000,
    tolerance: 0.01,
    lowerIsBetter: new Set(),
    interleaved: false,
  };
}

export function runOf(experiment: ExperimentSettings, horizons: Horizons): RunSettings {
  const { name, dimension, start, variants, horizon } = experiment;
  return {
    name,
    run: nameOfRun(experiment),
    dimension,
    start,
    variants: [...variants.keys()],
    horizon: horizons.findIndex(({ ms }) => ms === horizon.ms),
  };
}

/** An impression that was accepted, and whose record counts, while the run went on at `at`. */
function takesPart(
  start: number | undefined,
  spans: readonly RunSpan[],
  { event, topic, offset }: JudgedImpression,
  at: EpochMs,
): boolean {
  if (event.ts < (start ?? Number.NEGATIVE_INFINITY)) return false;
  return spans.some(({ begins, until, to }) => offset >= (begins[topic] ?? 0) && offset < until[topic] && at <= to);
}

/** Bit r: the impression, which closes at `at`, takes no part in run r. */
export function leftOutOf(
  { panes }: UnitSettings,
  spans: readonly RunSpan[],
  impression: JudgedImpression | undefined,
  at: EpochMs,
): number {
  if (impression === undefined) return 0;
  return panes.runs.reduce((bits, { start }, r) => bits + (takesPart(start, spans, impression, at) ? 0 : 2 ** r), 0);
}

/** The fields of the sample: its level, the least at which no more than `capacity` are in, and of each user that is in what was shown. */
export function usersOf(
  unit: UnitSettings,
  spans: readonly RunSpan[],
  { impressions, watermark }: ReferenceResult,
  capacity: number,
): Map<string, string> {
  const [{ dimension, variants, start }] = unit.panes.runs;
  const place = unit.panes.dimensions.indexOf(dimension);
  const shown = impressions.flatMap((impression) => {
    const { event, verdict } = impression;
    const { ts, userId, dimensions } = event;
    const variant = variants.indexOf(dimensions[place]);
    const at = ts + unit.join.horizons[0];
    const counts = verdict.kind === 'accepted' && at <= watermark && takesPart(start, spans, impression, at);
    return counts && userId !== undefined && variant >= 0 ? [{ userId, ts, variant }] : [];
  });
  const all = [...new Set(shown.map((one) => one.userId))];
  const isIn = (userId: string, level: number): boolean => !isOut(String(sampleKey(userId)), level);
  let level = 0;
  while (all.filter((userId) => isIn(userId, level)).length > capacity) level++;
  const fields = new Map<string, string>(shown.length === 0 ? [] : [['level', String(level)]]);
  for (const userId of all.filter((one) => isIn(one, level))) {
    const own = shown.filter((one) => one.userId === userId).sort((a, b) => a.ts - b.ts || a.variant - b.variant);
    const seen = [...new Set(own.map(({ variant }) => variant))].reduce((bits, variant) => bits + 2 ** variant, 0);
    fields.set(String(sampleKey(userId)), `[${seen},${own[0].ts},${own[0].variant}]`);
  }
  return fields;
}

export function usersKeyOf(owner: RowOwner, [{ name, run }]: readonly RunSettings[]): string {
  return usersKey(owner, name, run);
}

/** Whether a stored field of a sample of this level is of a user who is out: it may be removed by a later commit. */
export function isOut(field: string, level: number): boolean {
  return Number(field) >= 2 ** (53 - level);
}
