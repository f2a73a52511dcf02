import { KeptLists } from '../accumulators/kept-lists.ts';
import { unitKey } from '../accumulators/store/layout.ts';
import type { Store, StoreUnavailable } from '../accumulators/store/store-port.ts';
import { LogUnavailable } from '../consumers/source/source-port.ts';
import { Unit } from '../unit/unit.ts';
import type { Clock, Ending } from '../vocabulary/clock.ts';
import type { DurationMs, Offset } from '../vocabulary/events.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';
import { LOST_ROWS, LOST_ROWS_ADVICE, STOP_CAUSES, type StopCause } from './status.ts';
import type { WorkerDeps, WorkerSettings } from './worker-contract.ts';

const FIRST_RETRY_MS: DurationMs = 200;
const LONGEST_RETRY_MS: DurationMs = 5_000;

/** The most claims in progress. A claim mostly waits for the store, but holds what it has read twice until it is taken over. */
const CLAIMS_AT_ONCE = 8;

/** How a worker handles its claims. */
export interface ClaimsHandler {
  /** Whether this partition is assigned to us now, and still will be by the group's newest assignment. */
  isOurs(partition: number): boolean;
  /** Takes a unit that was claimed. `begins` state_lost: nothing is stored for it, although it was read before. */
  claimed(partition: number, unit: Unit, begins: 'fine' | 'state_lost'): void;
  /** Called when the stored state of a unit cannot be used, for this cause; a restart does not help. */
  refused(partition: number, cause: StopCause, error: Error): void;
}

/**
 * Claims units (specification: commit 3.1): one claim per partition at a time, retried until the store answers, and for a new unit
 * until the log does.
 */
export class Claims {
  readonly #settings: WorkerSettings;
  readonly #deps: WorkerDeps;
  readonly #handler: ClaimsHandler;
  readonly #stopping: Ending;
  readonly #reachFaultPoint: FaultPoint;
  /** The scores kept by pattern, shared by all units. */
  readonly #kept: KeptLists | undefined;
  /** The claim in progress of each partition. */
  readonly #running = new Map<number, Promise<void>>();

  /** `stopping`: once it is reached, no claim is retried. */
  constructor(settings: WorkerSettings, deps: WorkerDeps, handler: ClaimsHandler, stopping: Ending) {
    this.#settings = settings;
    this.#deps = deps;
    this.#handler = handler;
    this.#stopping = stopping;
    this.#reachFaultPoint = deps.faultPoint ?? NO_FAULT;
    this.#kept = KeptLists.by(deps.scorer);
  }

  /**
   * Claims the unit of a partition, or joins the claim in progress. Resolves when the unit was handed over or is no longer
   * assigned to us. Rejects with an error of the store that a retry does not fix.
   */
  claim(partition: number): Promise<void> {
    const running = this.#running.get(partition);
    if (running !== undefined) return running;
    const claim = this.#claimNow(partition).finally(() => this.#running.delete(partition));
    this.#running.set(partition, claim);
    return claim;
  }

  /** Claims several, a few at a time. Rejects with the first that rejects. */
  async claimAll(partitions: readonly number[]): Promise<void> {
    const waiting = [...partitions];
    const claimNext = async (): Promise<void> => {
      for (let partition = waiting.shift(); partition !== undefined; partition = waiting.shift()) {
        await this.claim(partition);
      }
    };
    try {
      await Promise.all(Array.from({ length: CLAIMS_AT_ONCE }, claimNext));
    } finally {
      waiting.length = 0;
    }
  }

  async #claimNow(partition: number): Promise<void> {
    const unit = await this.#unitOf(partition);
    if (unit === undefined) return;
    const begins = unit.isNew ? await this.#begin(unit, partition) : 'fine';
    // The partition may have been assigned to another worker meanwhile.
    if (begins === undefined || !this.#handler.isOurs(partition)) {
      unit.release();
      return;
    }
    this.#handler.claimed(partition, unit, begins);
    this.#reachFaultPoint('unit sought');
    const { keys } = unit.lost;
    if (keys.length > 0) this.#deps.log.warn({ partition, keys, advice: LOST_ROWS_ADVICE }, LOST_ROWS);
    this.#deps.log.info({ partition, replayFrom: unit.committed.replayOffsets }, 'unit claimed');
  }

  /** Claims the unit of a partition. undefined: it is not wanted any more, or its stored state cannot be used. */
  async #unitOf(partition: number): Promise<Unit | undefined> {
    try {
      return await this.#until(partition, isRetriable, 'the store did not answer the claim', () =>
        Unit.claim(this.#settings.unit(partition), this.#unitDeps(partition)),
      );
    } catch (error) {
      const cause = stopCauseOf(error);
      if (cause === undefined || !(error instanceof Error)) throw error;
      if (this.#handler.isOurs(partition)) this.#handler.refused(partition, cause, error);
      return undefined;
    }
  }

  /** Repeats an attempt until it succeeds. undefined: the unit is not wanted any more. `isPassing`: whether an error is no reason to give up. */
  async #until<Done>(
    partition: number,
    isPassing: (error: unknown) => error is Error,
    message: string,
    attempt: () => Promise<Done>,
  ): Promise<Done | undefined> {
    const { clock, log } = this.#deps;
    for (let wait = FIRST_RETRY_MS; this.#isStillWanted(partition); wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (!isPassing(error)) throw error;
        log.warn({ partition, error: error.message, retryInMs: wait }, message);
        this.#reachFaultPoint('retry waits');
        await clock.sleep(wait, this.#stopping);
        this.#reachFaultPoint('retry due');
      }
    }
    return undefined;
  }

  #isStillWanted(partition: number): boolean {
    return !this.#stopping.isReached && this.#handler.isOurs(partition);
  }

  #unitDeps(partition: number): Parameters<typeof Unit.claim>[1] {
    const { store, scorer, newId, decoders, clock, samples, onInvalid, onUndecodable } = this.#deps;
    return {
      store,
      scorer,
      kept: this.#kept,
      newId,
      decoders: decoders(partition),
      now: () => clock.now(),
      samples,
      onInvalid: onInvalid === undefined ? undefined : (invalid) => onInvalid(partition, invalid),
      onUndecodable: onUndecodable === undefined ? undefined : (skipped) => onUndecodable(partition, skipped),
      faultPoint: this.#reachFaultPoint,
    };
  }

  /**
   * A unit without stored state starts where the configuration says, but never silently if its state was lost. undefined: it is not
   * wanted any more.
   */
  async #begin(unit: Unit, partition: number): Promise<'fine' | 'state_lost' | undefined> {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      const start = await this.#until(partition, isLogUnavailable, 'Kafka did not say where a new unit begins', () =>
        this.#startOffset(partition, topic),
      );
      if (start === undefined || start === 'state_lost') return start;
      unit.beginAt(topic, start);
    }
    return 'fine';
  }

  async #startOffset(partition: number, topic: number): Promise<Offset | 'state_lost'> {
    this.#reachFaultPoint('start wanted');
    const start = await this.#deps.startOffset(partition, topic);
    this.#reachFaultPoint('start answered');
    return start;
  }
}

/** Whether the same call may succeed after this error of the store, known by its name: a store may be bundled apart from the worker. */
export function isRetriable(error: unknown): error is StoreUnavailable {
  return (
    error instanceof Error && error.name === 'StoreUnavailable' && 'retriable' in error && error.retriable === true
  );
}

const NOT_ROWS: ReadonlySet<string> = new Set(['WRONGTYPE', 'BADSTATE']);

/** Why an error of the store, or of what it holds, stops only the unit that met it; undefined: it is another error. */
export function stopCauseOf(error: unknown): StopCause | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'StoreUnavailable' && 'code' in error && NOT_ROWS.has(String(error.code))) return 'damaged';
  const cause = 'stop' in error ? STOP_CAUSES.find((one) => one === error.stop) : undefined;
  return cause;
}

function isLogUnavailable(error: unknown): error is LogUnavailable {
  return error instanceof LogUnavailable;
}

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
