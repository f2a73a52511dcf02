/** The experiment of the simulated service, and what the reference makes of who saw what. */
import type { RunSettings } from '../../src/accumulators/runs.ts';
import { type RowOwner, usersKey } from '../../src/accumulators/store/layout.ts';
import type { ExperimentSettings } from '../../src/config/settings.ts';
import type { DurationMs } from '../../src/events.ts';
import { runOf as nameOfRun } from '../../src/experiment/run.ts';
import type { UnitSettings } from '../../src/unit/contract.ts';
import { sampleKey } from '../../src/user-words.ts';
import type { ReferenceResult } from '../reference/join.ts';
import { MEASURES } from './scoring.ts';

type Horizons = UnitSettings['panes']['horizons'];

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
    run: nameOfRun(experiment, MEASURES),
    dimension,
    start,
    variants: [...variants.keys()],
    horizon: horizons.findIndex(({ ms }) => ms === horizon.ms),
  };
}

/** Bit r: the impression takes no part in run r, whose every record counts. */
export function leftOutOf({ panes }: UnitSettings, ts: number): number {
  return panes.runs.reduce((bits, { start }, r) => bits + (start !== undefined && ts < start ? 2 ** r : 0), 0);
}

/** The fields of the sample: of each user that was shown a variant, while the sample is not full. */
export function usersOf(unit: UnitSettings, { impressions, watermark }: ReferenceResult): Map<string, string> {
  const [{ dimension, variants, start = Number.NEGATIVE_INFINITY }] = unit.panes.runs;
  const place = unit.panes.dimensions.indexOf(dimension);
  const shown = impressions.flatMap(({ event, verdict }) => {
    const { ts, userId, dimensions } = event;
    const variant = variants.indexOf(dimensions[place]);
    const isIn = verdict.kind === 'accepted' && ts + unit.join.horizons[0] <= watermark && ts >= start;
    return isIn && userId !== undefined && variant >= 0 ? [{ userId, ts, variant }] : [];
  });
  const fields = new Map<string, string>(shown.length === 0 ? [] : [['level', '0']]);
  for (const userId of new Set(shown.map((one) => one.userId))) {
    const own = shown.filter((one) => one.userId === userId).sort((a, b) => a.ts - b.ts || a.variant - b.variant);
    const seen = [...new Set(own.map(({ variant }) => variant))].reduce((bits, variant) => bits + 2 ** variant, 0);
    fields.set(String(sampleKey(userId)), `[${seen},${own[0].ts},${own[0].variant}]`);
  }
  return fields;
}

export function usersKeyOf(owner: RowOwner, [{ name, run }]: readonly RunSettings[]): string {
  return usersKey(owner, name, run);
}
