/** Runs of experiments that a start would end, reported before it does: what they hold, and what differs. */
import type { UnitCheckpoint } from '../accumulators/store/checkpoint-codec.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import { splitOf } from '../experiment/facts.ts';
import { changedInRun, runOf } from '../experiment/run-settings.ts';
import { type ExperimentState, usersSeen } from '../experiment/state.ts';
import { readKeptRun } from '../exporter/kept-runs.ts';
import { fingerprint } from '../unit/fingerprint.ts';
import { endingRuns, endsText, RESTART_ADVICE } from '../unit/resume.ts';
import { grouped } from '../vocabulary/grouped.ts';

/** A run that a start under other settings ends. */
export interface EndingRun {
  readonly name: string;
  /** What it holds, and what ends it. */
  readonly text: string;
}

/** The names and fingerprints of the runs of a configuration. */
export function runNames({ experiments }: Pick<Settings, 'experiments'>): readonly { name: string; run: string }[] {
  return experiments.map((experiment) => ({ name: experiment.name, run: runOf(experiment) }));
}

/**
 * The runs that end if a worker starts with these settings. Rejects when the store cannot be read, or holds what this build
 * cannot read.
 */
export async function readEndingRuns(
  settings: Settings,
  stored: readonly (UnitCheckpoint | undefined)[],
  store: Store,
): Promise<readonly EndingRun[]> {
  const { shape } = fingerprint(settings);
  const ending = new Map(
    stored.flatMap((unit) => {
      if (unit === undefined) return [];
      // Rows with another meaning are not continued, so all their runs end.
      const runs = endingRuns(unit, unit.fingerprint.shape === shape ? runNames(settings) : []);
      return runs.map((state) => [`${state.name} ${state.run}`, state] as const);
    }),
  );
  const from = { namespace: settings.namespace, store, measures: settings.measures };
  return Promise.all(
    [...ending.values()].map(async ({ name, run }) => {
      return { name, text: textOf(name, settings, (await readKeptRun(from, stored, { name, run })).state) };
    }),
  );
}

/** Why the start is refused, and what to do. */
export function endingText(runs: readonly EndingRun[]): string {
  return `${endsText([...new Set(runs.map(({ name }) => name))])}:\n${lines(runs)}${RESTART_ADVICE}`;
}

/** The runs that a new generation ends as well, as text. */
export function endingToo(runs: readonly EndingRun[]): string {
  return (
    'With a new generation experiments begin at zero, too, and what they have found so far is kept for a week ' +
    `(receval compare --earlier):\n${lines(runs)}`
  ).trimEnd();
}

function lines(runs: readonly EndingRun[]): string {
  return runs.map(({ text }) => `  ${text}\n`).join('');
}

function textOf(name: string, { experiments }: Settings, state: ExperimentState | undefined): string {
  if (state === undefined)
    return `${name}: what it holds is not known, as nobody has looked at it yet, or an earlier build stored it`;
  const now = experiments.find((experiment) => experiment.name === name);
  const { exposure } = splitOf(state);
  const lists = [...state.variants.values()].reduce((sum, { impressions }) => sum + impressions, 0);
  const users = [...state.variants.keys()].reduce((sum, variant) => sum + usersSeen(state, variant, exposure), 0);
  const held = `${name}: ${grouped(lists)} lists and ${grouped(users)} users would be left out`;
  if (now === undefined) return `${held}; it is no longer configured`;
  return `${held}; ${changedInRun(state.settings, now).join('; ') || 'other settings give its rows another meaning'}`;
}
