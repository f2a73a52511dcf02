import type { Batch } from './consumers/source/port.ts';
import { assertNever, type DurationMs } from './events.ts';
import { Unit } from './unit.ts';
import type { CommitOutcome } from './unit-contract.ts';
import type { WorkerDeps, WorkerSettings } from './worker-contract.ts';
import { type Owned, own, statusOf } from './worker-owned.ts';
import { Pace } from './worker-pace.ts';
import type { StopCause, WorkerStatus } from './worker-status.ts';
import { Tally } from './worker-tally.ts';

const CHECKS_PER_IDLE_AFTER = 4;
/** Between our clock and the store's (faults.md section 5). */
const LARGEST_SKEW_MS = 30_000;
const FIRST_RETRY_MS = 200;
const LONGEST_RETRY_MS = 30_000;

/**
 * Owns units: claims what it is assigned, feeds them, commits on time, lets time pass where nothing comes, holds back what
 * runs ahead. All decisions that results depend on are the unit's; this file decides only when.
 */
export class Worker {
  readonly #settings: WorkerSettings;
  readonly #deps: WorkerDeps;
  readonly #units = new Map<number, Owned>();
  readonly #tally: Tally;
  readonly #pace: Pace;
  /** Everything that is to end with this worker. */
  readonly #stopping = new AbortController();
  #assigned = false;
  #isClockInDoubt = false;
  /** By partition: the claim under way. */
  readonly #claims = new Map<number, Promise<void>>();
  /** Partitions that the log gave us last. */
  #ours: readonly number[] = [];

  constructor(settings: WorkerSettings, deps: WorkerDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#tally = new Tally(settings.topics);
    this.#pace = new Pace(settings, deps);
  }

  /** Works until `stop`, or until the logs end. Rejects with what it cannot mend. */
  async run(): Promise<void> {
    const { clock, source } = this.#deps;
    const stopCommits = clock.every(this.#settings.commitInterval, () => this.#commitAll());
    const stopChecks = clock.every(this.#settings.idleAfter / CHECKS_PER_IDLE_AFTER, () =>
      this.#pace.lookForSilence(this.#units.values()),
    );
    try {
      await source.run({
        assigned: (partitions) => this.#take(partitions),
        batch: async (batch) => this.#feed(batch),
      });
    } finally {
      stopCommits();
      stopChecks();
    }
    // The first may only wait for a commit that was under way, and does not hold the last chunk.
    await this.#commitAll();
    await this.#commitAll();
  }

  /** Ends the run: the last whole chunk is committed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#deps.source.stop();
  }

  /** Not ready: why. */
  get unready(): readonly string[] {
    if (!this.#assigned) return ['not yet assigned any partition'];
    return [...this.#units.values()].flatMap(({ partition, unit, stopped }) => {
      if (stopped !== undefined) return [`partition ${partition} is stopped: ${stopped}`];
      return unit.join.replaying ? [`partition ${partition} is replaying`] : [];
    });
  }

  async #take(partitions: readonly number[]): Promise<void> {
    this.#ours = partitions;
    for (const partition of this.#units.keys()) if (!partitions.includes(partition)) this.#units.delete(partition);
    for (const partition of partitions) {
      const owned = this.#units.get(partition);
      if (owned === undefined) await this.#claim(partition);
      else this.#seek(owned);
    }
    this.#assigned = true;
  }

  /** One claim of a partition at a time. */
  #claim(partition: number): Promise<void> {
    const running = this.#claims.get(partition);
    if (running !== undefined) return running;
    const claim = this.#claimNow(partition).finally(() => this.#claims.delete(partition));
    this.#claims.set(partition, claim);
    return claim;
  }

  /** Claims until the store answers, as long as the partition is ours. */
  async #claimNow(partition: number): Promise<void> {
    const { store, scorer, newId, clock, log } = this.#deps;
    for (let wait = FIRST_RETRY_MS; !this.#stopping.signal.aborted; wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
      if (!this.#ours.includes(partition)) return;
      try {
        const unit = await Unit.claim(this.#settings.unit(partition), {
          store,
          scorer,
          newId,
          decoders: this.#deps.decoders(partition),
          now: () => clock.now(),
        });
        const owned = own(partition, unit, this.#settings.topics.length);
        if (unit.isNew) await this.#begin(unit, partition);
        this.#units.set(partition, owned);
        this.#deps.onClaim(partition, unit.committed.counts);
        this.#seek(owned);
        // The unit before it may have been held back when it was dropped.
        for (let topic = 0; topic < this.#settings.topics.length; topic++) this.#deps.source.resume(partition, topic);
        this.#pace.blockAll(owned, 'clock', this.#isClockInDoubt);
        log.info({ partition, replayFrom: unit.committed.replayOffsets }, 'unit claimed');
        return;
      } catch (error) {
        if (!isRetriable(error)) throw error;
        log.warn({ partition, error: error.message, retryInMs: wait }, 'the store did not answer the claim');
        await clock.sleep(wait, this.#stopping.signal);
      }
    }
  }

  /** A unit without any stored state begins where the configuration says. */
  async #begin(unit: Unit, partition: number): Promise<void> {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      unit.beginAt(topic, await this.#deps.startOffset(partition, topic));
    }
  }

  #seek({ partition, unit }: Owned): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      this.#deps.source.seek(partition, topic, unit.join.position(topic));
    }
  }

  #feed(batch: Batch): void {
    const owned = this.#units.get(batch.partition);
    if (owned === undefined || owned.stopped !== undefined) return;
    owned.quietSince[batch.topic] = undefined;
    owned.unit.feed(batch);
    if (this.#pace.holdLeaders(owned, this.#units.values()) === 'too much') this.halt(owned.partition, 'limit');
  }

  /** Stops a unit until somebody mends what is wrong and starts anew; the others go on. */
  halt(partition: number, cause: StopCause): void {
    const owned = this.#units.get(partition);
    if (owned === undefined || owned.stopped !== undefined) return;
    owned.stopped = cause;
    this.#pace.blockAll(owned, 'stopped', true);
    this.#deps.log.warn({ partition, cause }, 'unit stopped');
  }

  /** Stops every unit, and those that come. */
  haltAll(cause: StopCause): void {
    for (const partition of this.#units.keys()) this.halt(partition, cause);
  }

  /** Records of the log are gone before they were read: their windows are not whole. */
  gap(partition: number, records: number): void {
    this.#tally.missed(records);
    this.#units.get(partition)?.unit.missed();
  }

  /** Own clock minus the store's. While it is in doubt nothing is read, since the clock judges what is of the future. */
  clockIs(skew: DurationMs): void {
    this.#tally.clockSkew = skew;
    this.#isClockInDoubt = Math.abs(skew) > LARGEST_SKEW_MS;
    for (const owned of this.#units.values()) this.#pace.blockAll(owned, 'clock', this.#isClockInDoubt);
  }

  async #commitAll(): Promise<void> {
    await Promise.all([...this.#units.values()].map((owned) => this.#commit(owned)));
  }

  /** One commit of a unit at a time. */
  #commit(owned: Owned): Promise<void> {
    owned.committing ??= this.#commitNow(owned).finally(() => {
      owned.committing = undefined;
    });
    return owned.committing;
  }

  async #commitNow(owned: Owned): Promise<void> {
    const { clock, log } = this.#deps;
    const began = performance.now();
    let outcome: CommitOutcome;
    try {
      outcome = await owned.unit.commit();
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.#tally.outcome('unknown');
      // What is read meanwhile could not be stored: memory stays as it is until the answer is known.
      this.#pace.blockAll(owned, 'store', true);
      log.warn(
        { partition: owned.partition, error: error.message },
        'the store did not answer a commit; it will be sent again',
      );
      return;
    }
    switch (outcome) {
      case 'REPLAYING':
      case 'NOTHING_NEW':
        return;
      case 'OK':
      case 'ALREADY':
        this.#tally.committed(outcome, (performance.now() - began) / 1000, clock.now());
        this.#pace.blockAll(owned, 'store', false);
        this.#deps.source.witness(owned.partition, owned.unit.committed.offsets);
        return;
      case 'FENCED':
        this.#tally.outcome('fenced');
        void this.#giveUp(owned, this.#settings.sessionTimeout);
        return;
      case 'CONFLICT':
        this.#tally.outcome('conflict');
        this.#tally.rewound();
        void this.#giveUp(owned, 0);
        return;
      default:
        assertNever(outcome);
    }
  }

  /** Drops a unit whose state is not the store's any more, and claims it anew if it is still ours by then. */
  async #giveUp(owned: Owned, wait: DurationMs): Promise<void> {
    const { partition } = owned;
    this.#deps.log.warn({ partition, claimAgainInMs: wait }, 'the unit was taken over or its stored state went back');
    if (this.#units.get(partition) !== owned) return;
    this.#pace.blockAll(owned, 'store', true);
    this.#units.delete(partition);
    await this.#deps.clock.sleep(wait, this.#stopping.signal);
    if (this.#stopping.signal.aborted || !this.#ours.includes(partition) || this.#units.has(partition)) return;
    await this.#claim(partition);
  }

  status(): WorkerStatus {
    const units = [...this.#units.values()];
    return this.#tally.status(
      units.map(statusOf),
      units.map(({ unit }) => unit.committed.delays),
    );
  }

  /** Offsets that no unit of this worker needs any more, by partition, then topic. */
  committedReplayOffsets(): ReadonlyMap<number, readonly number[]> {
    return new Map([...this.#units].map(([partition, { unit }]) => [partition, unit.committed.replayOffsets] as const));
  }
}

/** An error of the store that says of itself that another try may help. */
function isRetriable(error: unknown): error is Error {
  return error instanceof Error && 'retriable' in error && error.retriable === true;
}
