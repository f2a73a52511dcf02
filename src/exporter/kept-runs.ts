/** Reads runs as all units have stored them, whatever the configuration is now: those that have ended, or that a start would end. */
import { shapeOf } from '../accumulators/row.ts';
import { rowCodec } from '../accumulators/row-codec.ts';
import {
  type EndOfRun,
  goneFrom,
  isRun,
  KEPT_AFTER_END,
  type RunName,
  type RunState,
  runGoingOn,
} from '../accumulators/runs.ts';
import { parseGeneration } from '../accumulators/store/generation.ts';
import { keysOfRun } from '../accumulators/store/layout.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import { dimensionOf } from '../config/experiments.ts';
import type { Comparison, EarlierRun } from '../experiment/comparison.ts';
import { evaluate } from '../experiment/evaluate.ts';
import { decodeLooks, goneFromLooks, SETTINGS } from '../experiment/experiment-looks.ts';
import { totalOfRun, usersOfRun } from '../experiment/experiment-parts.ts';
import { isoTime, settingsOfRun } from '../experiment/run-settings.ts';
import type { ExperimentState } from '../experiment/state.ts';
import { UnitsSum } from '../experiment/units.ts';
import type { Measure } from '../measures/definition.ts';
import { isLowerBetter } from '../measures/direction.ts';
import { parseMeasure } from '../measures/grammar/measure-name.ts';
import type { UnitStates } from '../windows/unit-state.ts';

/** The part of a unit's state that shows where its runs are stored. */
interface RunsOfUnit {
  readonly generation: string;
  readonly runs: readonly RunState[];
}

/** Stored sums are read in the same way whatever counted as relevant, and names stay the same. */
const READ_ONLY = { relevantFrom: 1 };

/** The store, and the measures of the present configuration. */
interface KeptFrom {
  readonly namespace: string;
  readonly store: Store;
  readonly measures: readonly Measure[];
}

/** A run as it is stored. */
interface KeptRun {
  /** The state in all measures that the run has summed; undefined: no look was taken, or its definition is lost. */
  readonly state?: ExperimentState;
  /** For each key that is gone or damaged, what is wrong. */
  readonly lost: ReadonlyMap<string, string>;
}

/**
 * Reads a run. Units store it under different generations if only some have ended it. Rejects if the store cannot be read, or contains
 * what this build cannot read.
 * @param named `ended`: the run as it was when it last ended, even if the same settings run again
 */
export async function readKeptRun(
  { namespace, store, measures }: KeptFrom,
  units: readonly (RunsOfUnit | undefined)[],
  named: Pick<RunState, 'name' | 'run' | 'ended'>,
): Promise<KeptRun> {
  const { name } = named;
  const lost = new Map<string, string>();
  const held = units.flatMap((of, unit) => {
    const state = of && (named.ended ? lastEnded(of, named) : (runGoingOn(of.runs, named) ?? lastEnded(of, named)));
    return of === undefined || state === undefined
      ? []
      : [{ state, owner: { namespace, unit, generation: state.ended?.generation ?? of.generation } }];
  });
  const [first] = held;
  if (first?.owner.unit !== 0) return { lost };
  const { looks: key } = keysOfRun(first.owner, named);
  const [fields] = await store.read([key]);
  const gone = goneFrom(first.state, { looks: goneFromLooks(fields) }).why.get('looks');
  if (gone !== undefined) lost.set(key, gone);
  const text = fields.get(SETTINGS);
  if (text === undefined) return { lost };
  const defined = settingsOfRun(text, { name, dimension: dimensionOf(name) });
  const deciding = [defined.primary, ...defined.guardrails];
  const others = Object.keys(first.state.since).filter((text) => held.every(({ state }) => text in state.since));
  const summed = [...new Set([...deciding, ...others])].map(
    (text) => measures.find(({ canonical }) => canonical === text) ?? parseMeasure(text, READ_ONLY),
  );
  const lower = summed.filter((measure) => isLowerBetter(measure, { actions: [] })).map(({ canonical }) => canonical);
  const settings = { ...defined, lowerIsBetter: new Set([...defined.lowerIsBetter, ...lower]) };
  const codec = rowCodec(shapeOf(summed));
  const sum = new UnitsSum(settings, summed);
  for (const { state, owner } of held) {
    const keys = keysOfRun(owner, state);
    // Nothing is committed to a run that has ended.
    const isExact = state.ended !== undefined;
    const [rows, users] = await store.read([keys.total, keys.users]);
    const [total, { sample, missing, why }] = [
      totalOfRun(codec, rows, state, isExact),
      await usersOfRun(users, state, isExact, settings.variants.size),
    ];
    if (total.why !== undefined) lost.set(keys.total, total.why);
    if (why !== undefined) lost.set(keys.users, why);
    sum.add({ ...state, ...total, sample, missing: total.missing + missing });
  }
  const end = Math.min(...held.map(({ state }) => state.ended?.at ?? Number.POSITIVE_INFINITY));
  const ended = Number.isFinite(end) ? end : undefined;
  const looks = decodeLooks(fields, settings.horizon.text);
  const totals = sum.state(ended && ended - settings.horizon.ms);
  return { state: { ...totals, ended, looks, looksLost: totals.looksLost || gone !== undefined }, lost };
}

type EndedRun = Pick<RunState, 'name' | 'run' | 'ended'>;
function lastEnded({ runs }: Pick<RunsOfUnit, 'runs'>, named: RunName): RunState | undefined {
  return inOrderOfEnd(runs.filter(isRun(named))).at(-1);
}

function inOrderOfEnd(runs: readonly RunState[]): readonly RunState[] {
  return runs
    .flatMap((state) => (state.ended === undefined ? [] : [{ state, ended: state.ended }]))
    .sort((a, b) => numberOf(a.ended) - numberOf(b.ended) || a.ended.at - b.ended.at)
    .map(({ state }) => state);
}

function numberOf({ generation }: Pick<EndOfRun, 'generation'>): number {
  return parseGeneration(generation).number;
}

/** The last run of an experiment that all units have ended and still keep; undefined: there is none. */
export function newestEnded(units: UnitStates, name: string): EndedRun | undefined {
  const [first] = units;
  if (first === undefined) return undefined;
  const isEndedIn = (named: RunName) => (unit: UnitStates[number]) =>
    unit === undefined || lastEnded(unit, named) !== undefined || runGoingOn(unit.runs, named) === undefined;
  const newest = inOrderOfEnd(first.runs.filter((state) => state.name === name))
    .filter(({ ended }) => ended !== undefined && ended.at + KEPT_AFTER_END > first.watermark)
    .findLast((state) => units.every(isEndedIn(state)));
  return newest && { name, run: newest.run, ended: newest.ended };
}

/** The summary of such a run, which is shown beside the one that continues. */
export function earlierRun(state: ExperimentState): EarlierRun {
  const { impressions, variants }: Comparison = evaluate(state);
  return {
    ended: isoTime(state.ended ?? Number.NaN),
    impressions: Object.values(impressions).reduce((sum, lists) => sum + lists, 0),
    variants: variants.map(({ variant, decision, reason, explanation }) => ({
      variant,
      decision,
      reason,
      explanation,
    })),
  };
}
