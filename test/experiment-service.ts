/** Workers of the small shop by a clock that is moved by hand, and all that its store was asked. */

import { shapeOf } from '../src/accumulators/row.ts';
import { rowCodec } from '../src/accumulators/row-codec.ts';
import { valuesOfRun } from '../src/accumulators/run-total.ts';
import { looksKey, totalKey, unitKey, usersKey } from '../src/accumulators/store/layout.ts';
import type { Commit, Fields, Store } from '../src/accumulators/store/store-port.ts';
import type { ExperimentSettings } from '../src/config/settings.ts';
import { MemoryLog, MemorySource } from '../src/consumers/source/memory-source.ts';
import type { SourceHandler } from '../src/consumers/source/source-port.ts';
import type { ExperimentState } from '../src/experiment/state.ts';
import { stateOfUnits } from '../src/experiment/units.ts';
import { sampleOfFields } from '../src/statistics/user-sample.ts';
import type { UnitSettings } from '../src/unit/unit-contract.ts';
import type { FaultLabel } from '../src/vocabulary/fault-point.ts';
import { readUnit } from '../src/windows/unit-state.ts';
import { cutOf } from '../src/windows/windows.ts';
import { Worker } from '../src/worker/worker.ts';
import type { WorkerSettings } from '../src/worker/worker-contract.ts';
import {
  append,
  BEGIN,
  decoders,
  EXPERIMENT,
  MEASURES,
  NAMESPACE,
  nameOfRun,
  SCORER,
  unitSettings,
} from './experiment-shop.ts';
import { ManualClock, settle } from './manual-clock.ts';
import { RestorableStore, type StoreSnapshot } from './restorable-store.ts';

export const PARTITIONS = 2;
export const UNIT_TIMEOUT = 600_000;
export const LOOK_EVERY = 60_000;
const SECOND = 1000;

/** Does what a test asks for before it answers. */
export class WatchedStore implements Store {
  readonly inner = new RestorableStore();
  readonly commits: Commit[] = [];
  /** Before a read is answered. */
  onRead: ((keys: readonly string[]) => void) | undefined;

  claim = (unit: string, token: string) => this.inner.claim(unit, token);

  commit(commit: Commit): ReturnType<Store['commit']> {
    this.commits.push(commit);
    return this.inner.commit(commit);
  }

  async read(keys: readonly string[]): Promise<readonly Fields[]> {
    this.onRead?.(keys);
    return this.inner.read(keys);
  }

  /** Other texts in fields of a key. */
  tamper(key: string, changes: Readonly<Record<string, string>>): void {
    const copy = new Map([...this.inner.snapshot()].map(([name, fields]) => [name, new Map(fields)] as const));
    for (const [field, text] of Object.entries(changes)) copy.get(key)?.set(field, text);
    this.inner.restoreSnapshot(copy);
  }
}

class AssignedSource extends MemorySource {
  readonly #partitions: readonly number[];

  constructor(log: MemoryLog, partitions: readonly number[]) {
    super(log);
    this.#partitions = partitions;
  }

  override run(handler: SourceHandler): Promise<void> {
    return super.run({
      ...handler,
      batch: (batch) => handler.batch(batch),
      assigned: () => handler.assigned(this.#partitions),
    });
  }
}

export interface Running {
  readonly worker: Worker;
  /** Passed since it started. */
  readonly labels: FaultLabel[];
  stop(): Promise<void>;
}

let ids = 0;

export class ShopService {
  readonly clock = new ManualClock(BEGIN);
  readonly log = new MemoryLog(2, PARTITIONS);
  readonly store = new WatchedStore();
  readonly warnings: string[] = [];
  readonly experiments: readonly ExperimentSettings[];
  readonly #change: (unit: UnitSettings) => UnitSettings;
  onLabel: ((label: FaultLabel) => void) | undefined;
  #users = 0;

  /** @param change of the usual unit */
  constructor(
    experiments: readonly ExperimentSettings[] = [EXPERIMENT],
    change: (unit: UnitSettings) => UnitSettings = (unit) => unit,
  ) {
    this.experiments = experiments;
    this.#change = change;
  }

  async start(partitions: readonly number[] = [0, 1]): Promise<Running> {
    const labels: FaultLabel[] = [];
    const settings: WorkerSettings = {
      topics: ['impressions', 'feedback'],
      unit: (partition) => this.#change(unitSettings(this.experiments, partition, PARTITIONS)),
      commitInterval: SECOND,
      idleAfter: 3_600_000,
      outOfOrderness: 2 * SECOND,
      maxSkew: 3_600_000,
      openLimit: 1_000_000,
      stateLimit: Number.POSITIVE_INFINITY,
      rowLimit: Number.POSITIVE_INFINITY,
      sessionTimeout: 30 * SECOND,
      looks: { every: LOOK_EVERY, partitions: PARTITIONS, measures: MEASURES, unitTimeout: UNIT_TIMEOUT },
    };
    const warn = (details: object, message: string): void => {
      this.warnings.push(`${message}: ${'error' in details ? details.error : ''}`);
    };
    const worker = new Worker(settings, {
      source: new AssignedSource(this.log, partitions),
      store: this.store,
      decoders: () => decoders(),
      scorer: SCORER,
      clock: this.clock,
      newId: () => `id${ids++}`,
      onClaim: () => {},
      startOffset: async () => 0,
      log: { info: () => {}, warn },
      faultPoint: (label) => {
        labels.push(label);
        this.onLabel?.(label);
      },
    });
    const ended = worker.run();
    await settle();
    return {
      worker,
      labels,
      stop: async () => {
        await worker.stop();
        await ended;
      },
    };
  }

  /**
   * So many seconds of traffic: two lists a second in each partition, one of each variant, by users who are new.
   *
   * @param clicked rank of most clicks; undefined: nobody clicks on that variant; @param isNamed lists name their user
   */
  async live(
    seconds: number,
    clicked: { readonly A: number; readonly B: number | undefined },
    isNamed = true,
  ): Promise<void> {
    for (let s = 0; s < seconds; s++) {
      const ts = this.clock.now();
      for (let partition = 0; partition < PARTITIONS; partition++) {
        for (const variant of ['A', 'B'] as const) {
          const n = this.#users++;
          const usual = clicked[variant];
          const click = n % 5 === 4 || usual === undefined ? undefined : n % 7 === 0 ? 4 : usual;
          const user = isNamed ? `u${n}` : undefined;
          append(this.log, partition, { ts, variant, user, click });
        }
      }
      await this.clock.advance(SECOND);
    }
  }

  looks(experiment = EXPERIMENT): Fields {
    return looksIn(this.store.inner.snapshot(), experiment);
  }
}

export function looksIn(stored: StoreSnapshot, experiment: ExperimentSettings): Fields {
  const owner = { namespace: NAMESPACE, unit: 0, generation: '1' };
  return stored.get(looksKey(owner, experiment.name, nameOfRun(experiment))) ?? new Map();
}

/** What is stored of an experiment, read in the plainest way. */
export function stateIn(stored: StoreSnapshot, experiment: ExperimentSettings): Omit<ExperimentState, 'looks'> {
  const codec = rowCodec(shapeOf(MEASURES));
  const run = nameOfRun(experiment);
  const units = Array.from({ length: PARTITIONS }, (_, unit) => {
    const state = readUnit(unit, stored.get(unitKey(NAMESPACE, unit)) ?? new Map(), undefined);
    if (state === undefined) return undefined;
    const owner = { namespace: NAMESPACE, unit, generation: state.generation };
    const total = [...(stored.get(totalKey(owner, experiment.name, run)) ?? [])];
    return {
      watermark: state.watermark,
      rows: valuesOfRun(new Map(total.map(([field, text]) => [field, codec.decode(text)] as const))),
      sample: sampleOfFields(stored.get(usersKey(owner, experiment.name, run)) ?? new Map(), experiment.variants.size),
      missing: state.runs.find((known) => known.run === run)?.missing ?? 0,
    };
  }).filter((unit) => unit !== undefined);
  const cut = cutOf(units, experiment.horizon, UNIT_TIMEOUT);
  const { paneSize } = unitSettings().panes;
  const asOf = Number.isFinite(cut) ? Math.floor(cut / paneSize) * paneSize : undefined;
  return stateOfUnits(experiment, MEASURES, units, asOf);
}
