import { unitKey } from '../accumulators/store/layout.ts';
import type { Store } from '../accumulators/store/store-port.ts';
import type { Clock, Ending } from '../vocabulary/clock.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';

interface RivalsDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Returns a random number in [0, 1); default: always 0. */
  readonly random?: (() => number) | undefined;
  readonly faultPoint?: FaultPoint | undefined;
}

/** A unit that we own, under a claim. */
interface OwnedUnit {
  readonly partition: number;
  readonly token: string;
}

/** The owner of a unit, and how often it has committed. */
interface Owner {
  readonly token: string;
  readonly seq: string;
}

/** Waits are longer by up to this share, so that two workers that wait for the same unit do not claim it at the same moment. */
const JITTER = 0.25;

/** Other workers that own units which are assigned to us (specification: commit 3.3). */
export class Rivals {
  readonly #deps: RivalsDeps;
  readonly #reachFaultPoint: FaultPoint;
  readonly #sessionTimeout: DurationMs;
  readonly #keyOf: (partition: number) => string;

  constructor(sessionTimeout: DurationMs, namespaceOf: (partition: number) => string, deps: RivalsDeps) {
    this.#deps = deps;
    this.#reachFaultPoint = deps.faultPoint ?? NO_FAULT;
    this.#sessionTimeout = sessionTimeout;
    this.#keyOf = (partition) => unitKey(namespaceOf(partition), partition);
  }

  /** Calls `taken` for each of these units that another worker has claimed. A unit is assumed to be ours while the store does not answer. */
  async lookFor<One extends OwnedUnit>(units: readonly One[], taken: (unit: One) => void): Promise<void> {
    for (const unit of units) {
      const owner = await this.#owner(unit.partition);
      if (owner !== undefined && owner.token !== unit.token) taken(unit);
    }
  }

  /**
   * Resolves once nobody has claimed the unit or committed to it for one session timeout: the worker that took it may have died
   * since. It also resolves as soon as `isStillWanted`, which is called after each wait, returns false.
   */
  async abandoned(partition: number, isStillWanted: () => boolean, stopping: Ending): Promise<void> {
    const { clock, random } = this.#deps;
    let before = await this.#owner(partition);
    for (;;) {
      this.#reachFaultPoint('silence waits');
      await clock.sleep(this.#sessionTimeout * (1 + JITTER * (random?.() ?? 0)), stopping);
      this.#reachFaultPoint('silence due');
      if (!isStillWanted()) return;
      const now = await this.#owner(partition);
      if (!isStillWanted()) return;
      if (before !== undefined && now !== undefined && now.token === before.token && now.seq === before.seq) return;
      before = now;
    }
  }

  /** The owner of a unit in the store; undefined: the store does not answer now. */
  async #owner(partition: number): Promise<Owner | undefined> {
    try {
      this.#reachFaultPoint('owner wanted');
      const [fields] = await this.#deps.store.read([this.#keyOf(partition)]);
      this.#reachFaultPoint('owner answered');
      return { token: fields.get('token') ?? '', seq: fields.get('seq') ?? '' };
    } catch {
      return undefined;
    }
  }
}
