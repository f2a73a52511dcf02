import { loadSettings } from '../../src/config/load.ts';
import type { ExperimentSettings, Settings } from '../../src/config/settings.ts';

/** The usual settings, but for the measure. */
export const SETTINGS: Settings = loadSettings({
  readFile: () => `
measures: [mrr]
experiments: {default: {control: control, variants: {control: 0.5, treatment: 0.5}, primary: mrr}}
`,
  env: {},
});
export const EXPERIMENT: ExperimentSettings = SETTINGS.experiments[0];
/** Of the variants, the control first. */
export const NAMES: readonly string[] = [...EXPERIMENT.variants.keys()];

export function experimentWith(nStar: number): ExperimentSettings {
  return { ...EXPERIMENT, nStar };
}

/** Looks are this far apart. */
export const HOUR_MS = 3_600_000;
/** Event time of the first list. */
export const BEGIN = Date.UTC(2026, 0, 5);
