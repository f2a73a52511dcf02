import { ExperimentParts } from '../experiment/experiment-parts.ts';
import type { ExperimentState } from '../experiment/state.ts';
import { UnitsSum } from '../experiment/units.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';
import type { UnitState } from '../windows/unit-state.ts';
import { completeUpTo } from '../windows/windows.ts';
import type { Owned } from './owned.ts';
import type { WorkerDeps, WorkerSettings } from './worker-contract.ts';

/** The worker that owns this unit looks at the experiments, for all units. */
export const LOOKING_UNIT = 0;

/**
 * Looks at experiments while they run (specification: statistics 4.3), whenever the newest complete pane has moved. A look sees
 * the totals of all units; it reads those of other units from the store, as they are committed. The next commit of the unit that looks
 * stores what it has found. Skipping a look does no harm.
 */
export class WorkerLooks {
  readonly #settings: WorkerSettings;
  readonly #parts: ExperimentParts | undefined;
  readonly #reachFaultPoint: FaultPoint;
  /** The end of the newest complete pane at the last look, by experiment. */
  readonly #seen: EpochMs[] = [];
  /** What the last look saw, by experiment. */
  readonly #totals: Omit<ExperimentState, 'looks'>[] = [];
  /** The token of the unit that looked last. */
  #by: string | undefined;

  constructor(settings: WorkerSettings, { store, faultPoint }: Pick<WorkerDeps, 'store' | 'faultPoint'>) {
    this.#settings = settings;
    const { namespace, experiments } = settings.unit(LOOKING_UNIT);
    const { measures } = settings.looks;
    this.#parts =
      experiments.length === 0 ? undefined : new ExperimentParts({ namespace, experiments, measures }, store);
    this.#reachFaultPoint = faultPoint ?? NO_FAULT;
  }

  /** Looks at all experiments. Rejects as `ExperimentParts` does. @param owned the unit that looks */
  async look(owned: Owned): Promise<void> {
    if (this.#parts === undefined || !mayLook(owned)) return;
    const { experiments, join } = this.#settings.unit(LOOKING_UNIT);
    const { measures } = this.#settings.looks;
    const { hashSeed } = join;
    const sums = experiments.map(
      (experiment, e) => new UnitsSum(experiment, measures, { before: this.#totals[e], hashSeed }),
    );
    const others: UnitState[] = [];
    for (let unit = 0; unit < this.#settings.looks.partitions; unit++) {
      if (unit === LOOKING_UNIT) continue;
      this.#reachFaultPoint('look wanted');
      const parts = await this.#parts.read(unit);
      this.#reachFaultPoint('look read');
      if (parts === undefined) {
        for (const sum of sums) sum.addUnstored();
        continue;
      }
      others.push(parts.state);
      for (const [e, sum] of sums.entries()) sum.add(parts.parts[e]);
    }
    if (mayLook(owned)) this.#take(owned, others, sums);
  }

  /** Adds the sums of our own unit, and takes a look where a pane is new. @param sums the sums of the other units, by experiment */
  #take(owned: Owned, others: readonly UnitState[], sums: readonly UnitsSum[]): void {
    const { unit } = owned;
    if (this.#by !== unit.token) this.#seen.length = 0;
    this.#by = unit.token;
    const { unitTimeout } = this.#settings.looks;
    const { experiments, panes } = this.#settings.unit(LOOKING_UNIT);
    const watermarks = [{ watermark: unit.join.watermark }, ...others];
    for (const [e, experiment] of experiments.entries()) {
      const asOf = completeUpTo(watermarks, experiment.horizon, { paneSize: panes.paneSize, unitTimeout });
      if (!Number.isFinite(asOf) || asOf <= (this.#seen[e] ?? Number.NEGATIVE_INFINITY)) continue;
      this.#seen[e] = asOf;
      sums[e].add(unit.part(e));
      const totals = sums[e].state(asOf);
      this.#totals[e] = totals;
      unit.look(e, totals);
    }
  }
}

function mayLook({ unit, stopped, released }: Owned): boolean {
  return !released && stopped === undefined && !unit.replaying;
}
