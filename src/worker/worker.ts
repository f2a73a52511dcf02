// Long because all that decides over a unit meets here: assignments, records, answers to commits, faults of the log.
import type { Batch } from '../consumers/source/source-port.ts';
import type { Unit } from '../unit/unit.ts';
import type { CommitOutcome } from '../unit/unit-contract.ts';
import { assertNever, type DurationMs, type Offset } from '../vocabulary/events.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';
import { Claims, type ClaimsHandler, isRetriable } from './claims.ts';
import { LOST_STATE, lostLog, otherRecord } from './divergence.ts';
import { largest, MemoryLoad } from './memory-load.ts';
import { adviceFor, causeOf, Outgrown } from './outgrown.ts';
import { type Owned, own, statusOf } from './owned.ts';
import { Pace } from './pace.ts';
import { Rivals } from './rivals.ts';
import { LARGEST_SKEW, type StopCause, type StoppedUnit, Tally, type WorkerStatus } from './status.ts';
import type { WorkerDeps, WorkerSettings } from './worker-contract.ts';
import { LOOKING_UNIT, WorkerLooks } from './worker-looks.ts';

const CHECKS_PER_IDLE_AFTER = 4;
/** How old an answer may be to how much waits to be read: the watchdog takes records that wait for a worker that is stuck. */
const LAG_KNOWN_FOR_MS = 10_000;
/** In memory, of a unit that was let go. */
const EMPTY = { openImpressions: 0, waitingFeedback: 0, stateBytes: 0 };

/**
 * Owns units: claims what it is assigned, feeds them, commits on time, lets time pass where nothing comes, holds back what
 * runs ahead. All decisions that results depend on are the unit's; this file decides only when.
 */
export class Worker {
  readonly #settings: WorkerSettings;
  readonly #deps: WorkerDeps;
  readonly #units = new Map<number, Owned>();
  readonly #tally: Tally;
  readonly #load: MemoryLoad;
  readonly #pace: Pace;
  readonly #rivals: Rivals;
  readonly #claims: Claims;
  readonly #looks: WorkerLooks;
  readonly #outgrown: Outgrown;
  /** By partition: what was given up last, while it waits to be claimed again. */
  readonly #givenUp = new Map<number, { readonly partition: number }>();
  /** Why no unit may work, also none that comes. */
  #allStopped: StopCause | undefined;
  readonly #reachFaultPoint: FaultPoint;
  /** Everything that is to end with this worker. */
  readonly #stopping = new AbortController();
  /** Ends the run with what cannot be mended, wherever it came up. */
  #fail: (error: unknown) => void = () => {};
  #assigned = false;
  #isClockInDoubt = false;
  #retention: readonly (DurationMs | undefined)[] = [];
  /** Partitions that the log gave us last. */
  #ours: readonly number[] = [];

  constructor(settings: WorkerSettings, deps: WorkerDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#reachFaultPoint = deps.faultPoint ?? NO_FAULT;
    this.#tally = new Tally(settings.topics);
    this.#load = new MemoryLoad(settings);
    this.#pace = new Pace(settings, { ...deps, load: this.#load });
    this.#outgrown = new Outgrown(settings.sessionTimeout);
    this.#looks = new WorkerLooks(settings, deps);
    this.#rivals = new Rivals(settings.sessionTimeout, (partition) => settings.unit(partition).namespace, deps);
    const handler: ClaimsHandler = {
      isOurs: (partition) => this.#ours.includes(partition),
      claimed: (partition, unit, begins) => this.#startUnit(partition, unit, begins),
    };
    this.#claims = new Claims(settings, deps, handler, this.#stopping.signal);
  }

  /** Works until `stop`, or until the logs end. Rejects with what it cannot mend. */
  async run(): Promise<void> {
    const { source } = this.#deps;
    const failure = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const timers = this.#startTimers();
    try {
      const reading = source.run({
        assigned: (partitions) => this.#take(partitions),
        doubted: () => {
          for (const owned of this.#units.values()) this.#readAgain(owned);
        },
        batch: async (batch) => this.#feed(batch),
      });
      await Promise.race([reading, failure]);
    } finally {
      for (const end of timers) end();
    }
    this.#reachFaultPoint('source ended');
    // The first may only wait for a commit that was under way, and does not hold the last chunk.
    await this.#commitAll();
    await this.#commitAll();
    this.#reachFaultPoint('last commit done');
  }

  /** What is done on time. Answers what ends it. */
  #startTimers(): readonly (() => void)[] {
    const { commitInterval, idleAfter, looks, sessionTimeout } = this.#settings;
    const every = (interval: DurationMs, call: () => Promise<void>): (() => void) =>
      this.#deps.clock.every(interval, () => call().catch(this.#fail));
    return [
      every(commitInterval, () => this.#commitAll()),
      every(Math.min(idleAfter / CHECKS_PER_IDLE_AFTER, LAG_KNOWN_FOR_MS), async () => {
        await this.#pace.lookForSilence(this.#units.values());
        this.#makeRoom();
      }),
      every(looks.every, () => this.#lookAtExperiments()),
      every(sessionTimeout, () => this.#lookAtStopped()),
      every(sessionTimeout, () => this.#claimOutgrown()),
    ];
  }

  /** Ends the run: the last whole chunk is committed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#reachFaultPoint('stop wanted');
    await this.#deps.source.stop();
    this.#reachFaultPoint('source stopped');
  }

  /** Not ready: why. A unit that is stopped makes no worker unready: another process would stop there as well. */
  get unready(): readonly string[] {
    if (!this.#assigned) return ['not yet assigned any partition'];
    return [...this.#units.values()].flatMap(({ partition, unit, stopped }) =>
      stopped === undefined && unit.replaying ? [`partition ${partition} is replaying`] : [],
    );
  }

  /** Units that stand still until somebody mends what is wrong. */
  get stopped(): readonly StoppedUnit[] {
    const gone = this.#outgrown.units.flatMap(({ status: { partition, stopped: cause } }) =>
      cause === undefined ? [] : [{ partition, cause }],
    );
    const here = [...this.#units.values()].flatMap(({ partition, stopped: cause }) =>
      cause === undefined ? [] : [{ partition, cause }],
    );
    return [...gone, ...here];
  }

  async #take(partitions: readonly number[]): Promise<void> {
    this.#ours = partitions;
    this.#reachFaultPoint('assigned');
    for (const owned of this.#units.values()) if (!partitions.includes(owned.partition)) this.#release(owned);
    this.#outgrown.keepOnly(partitions);
    for (const partition of partitions) {
      const owned = this.#units.get(partition);
      if (this.#outgrown.has(partition)) {
        this.#pace.pausePartition(partition);
      } else if (owned === undefined) {
        await this.#claims.claim(partition);
      } else {
        this.#readAgain(owned);
      }
    }
    this.#assigned = true;
    this.#reachFaultPoint('all claimed');
  }

  #release(owned: Owned): void {
    this.#load.forget(owned);
    owned.released = true;
    this.#units.delete(owned.partition);
  }

  /** From now on a unit is fed, committed and told of. */
  #startUnit(partition: number, unit: Unit, begins: 'fine' | 'state_lost'): void {
    const owned = own(partition, unit, this.#settings.topics.length);
    this.#units.set(partition, owned);
    this.#outgrown.remove(partition);
    this.#load.count(owned);
    this.#deps.onClaim(partition, unit.committed.counts);
    this.#seek(owned);
    // The unit before it may have been held back when it was dropped.
    this.#pace.resumeAll(owned);
    this.#pace.setAllPaused(owned, 'clock', this.#isClockInDoubt);
    if (begins === 'state_lost') this.stopUnit(partition, begins, LOST_STATE);
    if (this.#allStopped !== undefined) this.stopUnit(partition, this.#allStopped);
    this.#makeRoom();
  }

  /** The last record of each topic: a topic that was deleted and made anew makes a group join again, or a fetch fail. */
  #readAgain(owned: Owned): void {
    owned.unit.reading.doubt();
    this.#seek(owned);
    this.#pace.letReadAgain(owned);
  }

  #seek({ partition, unit }: Owned): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      this.#deps.source.seek(partition, topic, unit.reading.from(topic), unit.reading.heldUpTo(topic));
    }
  }

  #feed(batch: Batch): void {
    this.#reachFaultPoint('chunk given');
    const owned = this.#units.get(batch.partition);
    if (owned === undefined || owned.stopped !== undefined) return;
    owned.quietSince[batch.topic] = undefined;
    owned.unit.feed(batch);
    const { diverged } = owned.unit.reading;
    if (diverged !== undefined) {
      this.stopUnit(owned.partition, 'diverged', otherRecord(this.#settings.topics[diverged.topic], diverged));
    } else {
      this.#load.count(owned);
      this.#pace.pauseLeaders(owned);
      this.#makeRoom();
    }
    this.#reachFaultPoint('chunk fed');
  }

  /** While units hold far too much, though leaders wait, the one that holds most is let go, with all that it has in memory. */
  #makeRoom(): void {
    for (let kind = this.#load.exceeded; kind !== undefined; kind = this.#load.exceeded) {
      const owned = largest(this.#units.values(), kind);
      if (owned === undefined) return;
      const { partition } = owned;
      const cause = causeOf(kind);
      const advice = adviceFor(kind, owned, this.#load);
      const now = this.#deps.clock.now();
      const status = { ...statusOf(owned, this.#retention, now), ...EMPTY, stopped: cause };
      this.#pace.setAllPaused(owned, 'stopped', true);
      this.#outgrown.add(owned, status, now);
      this.#release(owned);
      // Whoever began the commit is told of its failure.
      void owned.committing?.then(
        () => this.#outgrown.committed(owned),
        () => {},
      );
      this.#deps.log.warn({ partition, cause, ...advice }, 'unit stopped');
    }
  }

  /** A unit that did not fit is taken in again when there is room for it. */
  async #claimOutgrown(): Promise<void> {
    const due = this.#outgrown.due(this.#load, this.#deps.clock.now());
    if (due !== undefined) await this.#claims.claim(due.partition);
  }

  /** Who stands still sends no commit that could be refused: whether another has taken the unit must be asked. */
  async #lookAtStopped(): Promise<void> {
    const still = [...this.#units.values()].filter(({ stopped }) => stopped !== undefined);
    const tokens = still.map((owned) => ({ owned, partition: owned.partition, token: owned.unit.token }));
    await this.#rivals.lookFor(tokens, ({ owned }) => this.#giveUp(owned, 'silent'));
    await this.#rivals.lookFor(this.#outgrown.units, (unit) => {
      this.#outgrown.remove(unit.partition);
      this.#claimAgain(unit, 'silent').catch(this.#fail);
    });
  }

  /** Stops a unit until somebody mends what is wrong and starts anew; the others go on. */
  stopUnit(partition: number, cause: StopCause, details: object = {}): void {
    const owned = this.#units.get(partition);
    if (owned === undefined || owned.stopped !== undefined) return;
    owned.stopped = cause;
    this.#pace.setAllPaused(owned, 'stopped', true);
    this.#deps.log.warn({ partition, cause, ...details }, 'unit stopped');
  }

  /** Stops every unit, and those that come. */
  stopAllUnits(cause: StopCause): void {
    this.#allStopped ??= cause;
    for (const partition of this.#units.keys()) this.stopUnit(partition, cause);
  }

  /**
   * The log of a topic begins at `start`, above the offset that was to be read. Records that were never read and are gone make
   * their windows incomplete. Answers whether there are any: else the offset was asked for only to look at the last record.
   */
  gap(partition: number, topic: number, { asked, start }: { readonly asked: Offset; readonly start: Offset }): boolean {
    const unit = this.#units.get(partition)?.unit;
    const missed = unit === undefined ? start - asked : unit.reading.beginsAt(topic, start);
    if (missed === 0) return false;
    this.#tally.missed(missed);
    unit?.missed(missed);
    return true;
  }

  /**
   * A record batch [from, to) cannot be decoded. Answers whether it was judged already, so that it is passed whatever the
   * settings say: a unit does not stop at what it has counted.
   */
  hasPassed(partition: number, topic: number, { from, to }: { readonly from: Offset; readonly to: Offset }): boolean {
    return this.#units.get(partition)?.unit.hasPassed(topic, from, to) === true;
  }

  /** The log of a topic ends before an offset that it has reached before. */
  lost(partition: number, topic: number, { held, end }: { readonly held: Offset; readonly end: Offset }): void {
    this.stopUnit(partition, 'diverged', lostLog(this.#settings.topics[topic], { held, end }));
  }

  /** Own clock minus the store's. While it is in doubt nothing is read, since the clock judges what is of the future. */
  clockIs(skew: DurationMs): void {
    this.#tally.clockSkew = skew;
    this.#isClockInDoubt = Math.abs(skew) > LARGEST_SKEW;
    for (const owned of this.#units.values()) this.#pace.setAllPaused(owned, 'clock', this.#isClockInDoubt);
  }

  /** By topic: how long it keeps records; undefined: for ever, or not known. */
  retentionIs(retention: readonly (DurationMs | undefined)[]): void {
    this.#retention = retention;
  }

  async #lookAtExperiments(): Promise<void> {
    const owned = this.#units.get(LOOKING_UNIT);
    try {
      if (owned !== undefined) await this.#looks.look(owned);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#deps.log.warn({ error: error.message }, 'the experiments were not looked at; the next look comes on time');
    }
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
      this.#reachFaultPoint('commit unanswered');
      this.#tally.outcome('unknown');
      // What is read meanwhile could not be stored: memory stays as it is until the answer is known.
      this.#pace.setAllPaused(owned, 'store', true);
      log.warn(
        { partition: owned.partition, error: error.message },
        'the store did not answer a commit; it will be sent again',
      );
      return;
    }
    switch (outcome) {
      case 'REPLAYING':
      case 'NOTHING_NEW':
      case 'DIVERGED':
        return;
      case 'OK':
      case 'ALREADY':
        // Rows were counted anew by the commit.
        this.#load.count(owned);
        this.#makeRoom();
        this.#tally.committed(outcome, (performance.now() - began) / 1000, clock.now());
        this.#pace.setAllPaused(owned, 'store', false);
        this.#reachFaultPoint('witness wanted');
        this.#deps.source.witness(owned.partition, owned.unit.committed.offsets);
        this.#reachFaultPoint('witness sent');
        return;
      case 'FENCED':
        this.#tally.outcome('fenced');
        this.#giveUp(owned, 'silent');
        return;
      case 'CONFLICT':
        this.#tally.outcome('conflict');
        this.#tally.rewound();
        this.#giveUp(owned, 'now');
        return;
      default:
        assertNever(outcome);
    }
  }

  /**
   * Drops a unit whose state is not the store's any more. It is claimed anew if the log still gives it to us: `now`, or once
   * the one who took it has been `silent` for a session, which may have claimed it last and died. Nobody waits for it.
   */
  #giveUp(owned: Owned, claims: 'now' | 'silent'): void {
    this.#dropAndClaim(owned, claims).catch(this.#fail);
  }

  async #dropAndClaim(owned: Owned, claims: 'now' | 'silent'): Promise<void> {
    const { partition } = owned;
    this.#deps.log.warn({ partition, claims }, 'the unit was taken over or its stored state went back');
    if (this.#units.get(partition) !== owned) return;
    this.#pace.setAllPaused(owned, 'store', true);
    this.#release(owned);
    await this.#claimAgain(owned, claims);
  }

  async #claimAgain(gone: { readonly partition: number }, claims: 'now' | 'silent'): Promise<void> {
    const { partition } = gone;
    this.#givenUp.set(partition, gone);
    const { signal } = this.#stopping;
    const isStillWanted = (): boolean =>
      !signal.aborted &&
      this.#givenUp.get(partition) === gone &&
      this.#ours.includes(partition) &&
      !this.#units.has(partition);
    this.#reachFaultPoint('given up');
    await (claims === 'now' || this.#rivals.silence(partition, isStillWanted, signal));
    this.#reachFaultPoint('claim again due');
    if (!isStillWanted()) return;
    this.#givenUp.delete(partition);
    await this.#claims.claim(partition);
  }

  status(): WorkerStatus {
    const units = [...this.#units.values()];
    const here = units.map((owned) => statusOf(owned, this.#retention, this.#deps.clock.now()));
    return this.#tally.status(
      [...here, ...this.#outgrown.units.map(({ status }) => status)].sort((a, b) => a.partition - b.partition),
      units.map(({ unit }) => unit.committed.delays),
      this.#deps.source.fetchedBytes ?? 0,
    );
  }

  /** Offsets that no unit of this worker needs any more, by partition, then topic. */
  committedReplayOffsets(): ReadonlyMap<number, readonly number[]> {
    const gone = this.#outgrown.units.map(({ partition, replayOffsets }) => [partition, replayOffsets] as const);
    const here = [...this.#units].map(([partition, { unit }]) => [partition, unit.committed.replayOffsets] as const);
    return new Map([...gone, ...here]);
  }
}
