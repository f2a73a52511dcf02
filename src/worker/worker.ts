/*
 * Long because everything that affects a unit meets here: assignments, records, outcomes of commits, faults of the log.
 *
 * Each partition of the last assignment is in one of these states. A partition that is assigned elsewhere leaves all of them (`#assign`).
 *
 * | state     | where it is kept    | set by                                     | left by                                         |
 * |-----------|---------------------|--------------------------------------------|-------------------------------------------------|
 * | unclaimed | nowhere             | `#assign`; `#giveUp` after a CONFLICT      | `#claims`: to owned, or to refused              |
 * | owned     | `#units`            | `#startUnit`, once the unit is restored    | `#makeRoom`: to outgrown; `#giveUp`             |
 * | stopped   | `#units`, `stopped` | `stopUnit`: gap, damage, another log, ...  | `#makeRoom`, `#giveUp`; else by a restart       |
 * | outgrown  | `#outgrown`         | `#makeRoom`, when all units hold too much  | `#claimOutgrown`, when there is room: to owned  |
 * | left      | `#leftToOthers`     | `#giveUp` after a FENCED, `#lookForRivals` | `#claimAgain`, when the other no longer commits |
 * | refused   | `#refused`          | `#refuse`: what is stored cannot be read   | a restart                                       |
 *
 * An owned unit replays until its logs are read up to its position, and may be paused by topic meanwhile (pace.ts).
 */
import { type Batch, partsOf } from '../consumers/source/source-port.ts';
import type { Unit } from '../unit/unit.ts';
import type { CommitOutcome } from '../unit/unit-contract.ts';
import { Ending } from '../vocabulary/clock.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import { assertNever, type DurationMs, type Offset } from '../vocabulary/events.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';
import { Claims, type ClaimsHandler, isRetriable, Rivals, stopCauseOf } from './claims.ts';
import { ClockDoubt } from './clock-doubt.ts';
import { adviceFor, causeOf, largest, MemoryLoad, Outgrown } from './memory-load.ts';
import { commitOrder, newlyOwned, type Owned, refusedStatus, statusOf } from './owned.ts';
import { nextTurn, Pace } from './pace.ts';
import { RepeatedWarning } from './repeated-warning.ts';
import {
  lostLog,
  otherRecord,
  STOP_ADVICE,
  type StopCause,
  type StoppedUnit,
  Tally,
  type UnitMemory,
  type UnitStatus,
  type WorkerStatus,
} from './status.ts';
import type { WorkerDeps, WorkerSettings } from './worker-contract.ts';
import { LOOKING_UNIT, WorkerLooks } from './worker-looks.ts';

/** The bytes of rows that Redis takes in about 10 ms, and that this process prepares in 20. */
const COMMIT_BYTES = 2 ** 20;
/** The number of cohorts up to which closing lists, however many, change rows of less than COMMIT_BYTES. */
const FEW_COHORTS = 200;
const PART_RECORDS = 256;
const CHECKS_PER_IDLE_AFTER = 4;
/** How old the known lag may be. The watchdog needs it: if records wait although nothing is read, the worker is stuck. */
const LAG_KNOWN_FOR_MS = 10_000;

/** The memory of a released unit. */
const NO_MEMORY: UnitMemory = { openImpressions: 0, waitingFeedback: 0, stateBytes: 0 };

const ONE_NAMESPACE = 'two services use one namespace: give each a namespace and a kafka.groupId of its own';
const TAKEN_ADVICE = `it is left to that one, and claimed again when that has not committed for a session. If it goes on committing, ${ONE_NAMESPACE}`;

/** Why a worker waits for a partition that is assigned to it. */
function takenElsewhere(partition: number): string {
  return `partition ${partition} was claimed by another worker, and is left to it as long as it commits. If that lasts, ${ONE_NAMESPACE}`;
}

/**
 * Owns units: claims those it is assigned, feeds them, commits on time, advances idle topics, pauses topics that run ahead. The
 * unit makes all decisions on which results depend; the worker only decides when.
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
  /** The last wait to claim each partition again. */
  readonly #givenUp = new Map<number, symbol>();
  /** Partitions that another worker has claimed, although they are assigned to this one. */
  readonly #leftToOthers = new Set<number>();
  /** Units whose stored state cannot be used, by partition. */
  readonly #refused = new Map<number, UnitStatus>();
  /** Why all units are stopped, including those that are claimed later. */
  #allStopped: { readonly cause: StopCause; readonly details: object } | undefined;
  readonly #reachFaultPoint: FaultPoint;
  readonly #commitBytes: number;
  /** The ending that is reached when this worker stops. */
  readonly #stopping = new Ending();
  /** Ends the run with an error that cannot be handled, wherever it occurred. */
  #fail: (error: unknown) => void = () => {};
  #assigned = false;
  readonly #clockDoubt: ClockDoubt;
  #retention: readonly (DurationMs | undefined)[] = [];
  /** Warns of commits whose outcome is unknown, by partition. */
  readonly #unanswered: RepeatedWarning<number>;
  /** The number of commits that were begun. */
  #begun = 0;
  /** Partitions of the last assignment. */
  #ours: readonly number[] = [];
  /** The partitions among them that no newer assignment has given to others. A newer one waits for the claims of this one. */
  #claimable: ReadonlySet<number> = new Set();

  constructor(settings: WorkerSettings, deps: WorkerDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#reachFaultPoint = deps.faultPoint ?? NO_FAULT;
    this.#commitBytes = settings.commitBytes ?? COMMIT_BYTES;
    this.#tally = new Tally(settings.topics);
    this.#load = new MemoryLoad(settings);
    this.#pace = new Pace(settings, { ...deps, load: this.#load });
    this.#outgrown = new Outgrown(settings.sessionTimeout);
    this.#clockDoubt = new ClockDoubt(settings.unit(0).join.futureSkew, deps);
    this.#looks = new WorkerLooks(settings, deps);
    this.#unanswered = new RepeatedWarning(
      deps.log,
      'the store did not confirm a commit; it is sent again until it does',
      'the store confirms commits again',
    );
    this.#rivals = new Rivals(settings.sessionTimeout, (partition) => settings.unit(partition).namespace, deps);
    const handler: ClaimsHandler = {
      isOurs: (partition) => this.#claimable.has(partition),
      claimed: (partition, unit, begins) => this.#startUnit(partition, unit, begins),
      refused: (partition, cause, error) => this.#refuse(partition, cause, error),
    };
    this.#claims = new Claims(settings, deps, handler, this.#stopping);
  }

  /** Runs until `stop`, or until the logs end. Rejects with an error that it cannot handle. */
  async run(): Promise<void> {
    const { source } = this.#deps;
    const failure = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const timers = this.#startTimers();
    try {
      const reading = source.run({
        assigned: (partitions) => this.#assign(partitions),
        mayKeep: (partitions) => {
          this.#claimable = new Set(partitions.filter((partition) => this.#claimable.has(partition)));
        },
        doubted: () => {
          for (const owned of this.#units.values()) this.#readAgain(owned);
        },
        batch: (batch) => this.#take(batch),
      });
      await Promise.race([reading, failure]);
    } finally {
      for (const end of timers) end();
    }
    this.#reachFaultPoint('source ended');
    // The first call may only join a commit that is in flight, which lacks the last chunk.
    await this.#commitAll();
    await this.#commitAll();
    this.#reachFaultPoint('last commit done');
  }

  /** Starts periodic work. Returns the functions that end it. */
  #startTimers(): readonly (() => void)[] {
    const { commitInterval, idleAfter, looks, sessionTimeout } = this.#settings;
    const every = (interval: DurationMs, call: () => Promise<void>): (() => void) =>
      this.#deps.clock.every(interval, () => call().catch(this.#fail));
    return [
      every(commitInterval, async () => {
        const due = commitOrder(this.#units.values(), this.#settings);
        for (const commit of await this.#beginCommits(due)) commit.catch(this.#fail);
      }),
      every(Math.min(idleAfter / CHECKS_PER_IDLE_AFTER, LAG_KNOWN_FOR_MS), () => this.#lookForSilence()),
      every(looks.every, () => this.#lookAtExperiments()),
      every(sessionTimeout, async () => {
        // One after the other: `#lookForRivals` would take the new token of our own claim for that of another worker.
        await this.#lookForRivals();
        await this.#claimOutgrown();
      }),
    ];
  }

  /** Ends the reading. Then `run` commits the last whole chunk, and ends. */
  async stop(): Promise<void> {
    this.#stopping.reach();
    this.#reachFaultPoint('stop wanted');
    await this.#deps.source.stop();
    this.#reachFaultPoint('source stopped');
  }

  /**
   * Why this worker is not ready; empty: it is ready. A stopped unit does not make a worker unready, since any other process would
   * stop it, too.
   */
  get unready(): readonly string[] {
    if (!this.#assigned) return ['not yet assigned any partition'];
    const outgrown = new Set(this.#outgrown.units.map(({ status }) => status.partition));
    return this.#ours.flatMap((partition) => {
      const owned = this.#units.get(partition);
      if (owned === undefined) {
        if (outgrown.has(partition) || this.#refused.has(partition)) return [];
        return [
          this.#leftToOthers.has(partition) ? takenElsewhere(partition) : `partition ${partition} is not claimed yet`,
        ];
      }
      const { unit, stopped } = owned;
      if (stopped !== undefined) return [];
      if (unit.replaying) return [`partition ${partition} is replaying`];
      // If a worker that rebuilds lost state ended now, the next one would have to rebuild it again.
      return unit.isStored ? [] : [`partition ${partition} is not stored yet`];
    });
  }

  /** Units that are stopped until somebody fixes the cause. */
  get stopped(): readonly StoppedUnit[] {
    const gone = this.#statusesOfOthers.flatMap(({ partition, stopped: cause }) =>
      cause === undefined ? [] : [{ partition, cause }],
    );
    const here = [...this.#units.values()].flatMap(({ partition, stopped: cause }) =>
      cause === undefined ? [] : [{ partition, cause }],
    );
    return [...gone, ...here];
  }

  async #assign(partitions: readonly number[]): Promise<void> {
    this.#ours = partitions;
    this.#claimable = new Set(partitions);
    this.#reachFaultPoint('assigned');
    for (const owned of this.#units.values()) if (!partitions.includes(owned.partition)) this.#release(owned);
    this.#outgrown.keepOnly(partitions);
    for (const partition of this.#refused.keys()) if (!partitions.includes(partition)) this.#refused.delete(partition);
    const unclaimed: number[] = [];
    for (const partition of partitions) {
      const owned = this.#units.get(partition);
      if (this.#outgrown.has(partition) || this.#refused.has(partition)) this.#pace.pausePartition(partition);
      else if (owned === undefined) unclaimed.push(partition);
      else {
        this.#readAgain(owned);
        this.#pace.repeat(owned);
      }
    }
    await this.#claims.claimAll(unclaimed);
    this.#assigned = true;
    this.#reachFaultPoint('all claimed');
    // Learns how far behind each topic is, which decides which topic is read first.
    if (unclaimed.length > 0) this.#lookForSilence().catch(this.#fail);
  }

  async #lookForSilence(): Promise<void> {
    await this.#pace.lookForSilence(this.#units.values());
    this.#makeRoom();
  }

  #release(owned: Owned): void {
    this.#load.forget(owned);
    this.#unanswered.forget(owned.partition);
    owned.released = true;
    owned.unit.release();
    this.#units.delete(owned.partition);
  }

  /** Takes over a claimed unit: from now on it is fed, committed and reported. */
  #startUnit(partition: number, unit: Unit, begins: 'fine' | 'state_lost'): void {
    const owned = newlyOwned(partition, unit, this.#settings.unit(partition).join.topics);
    this.#units.set(partition, owned);
    this.#outgrown.remove(partition);
    this.#load.count(owned);
    this.#tally.lostKeys(unit.lost.keys.length);
    this.#deps.onClaim(partition, unit.committed.counts);
    this.#seek(owned);
    // Its predecessor may have been paused when it was released.
    this.#pace.resumeAll(owned);
    this.#pace.setAllPaused(owned, 'clock', this.#clockDoubt.isInDoubt);
    if (begins === 'state_lost') this.stopUnit(partition, begins);
    if (this.#allStopped !== undefined) this.stopUnit(partition, this.#allStopped.cause, this.#allStopped.details);
    this.#makeRoom();
  }

  /** Leaves a unit alone whose stored state cannot be used: the state stays as it is, and the other units continue. */
  #refuse(partition: number, cause: StopCause, { message }: Error): void {
    const { topics, horizons } = this.#settings.unit(partition).join;
    this.#refused.set(partition, refusedStatus(partition, cause, topics, horizons.length));
    this.#pace.pausePartition(partition);
    this.#deps.log.warn({ partition, cause, error: message, advice: STOP_ADVICE[cause] }, 'unit stopped');
  }

  /**
   * Reads the last record of each topic again: a group that rejoins, or a fetch that fails, may mean that a topic was deleted
   * and created again.
   */
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

  /**
   * Feeds a batch. If lists have many cohorts, those that one batch closes may change many rows: the batch is then fed in parts, between
   * which other work has its turn, and a commit comes early if much has changed.
   */
  async #take(batch: Batch): Promise<void> {
    const owned = this.#units.get(batch.partition);
    if (owned === undefined) return;
    const right = this.#clockDoubt.mayCallFuture(batch);
    if (right !== undefined) {
      this.#reachFaultPoint('clock asked');
      const mayJudge = await right;
      this.#reachFaultPoint('clock answered');
      if (!mayJudge) {
        this.#readLater(owned);
        return;
      }
    }
    const most = owned.unit.cohorts > FEW_COHORTS ? PART_RECORDS : Number.POSITIVE_INFINITY;
    for (const part of partsOf(batch, most)) {
      // If the unit was stopped or claimed again meanwhile, the rest of the batch is read again.
      if (owned.stopped !== undefined || this.#units.get(batch.partition) !== owned) return;
      this.#feed(owned, part);
      if (part.next === batch.next) this.#weigh(owned);
      await this.#commitEarly(owned);
      if (part.next < batch.next) await nextTurn(this.#deps.clock, this.#reachFaultPoint);
    }
  }

  /** Lets the given records be read again once the clocks have been compared and agree. */
  #readLater(owned: Owned): void {
    if (owned.released) return;
    this.#pace.setAllPaused(owned, 'clock', true);
    this.#seek(owned);
  }

  #feed(owned: Owned, batch: Batch): void {
    this.#reachFaultPoint('chunk given');
    owned.silentSince[batch.topic] = undefined;
    owned.unit.feed(batch);
    const { diverged } = owned.unit.reading;
    if (diverged !== undefined) {
      this.stopUnit(owned.partition, 'diverged', otherRecord(this.#settings.topics[diverged.topic], diverged));
    }
    this.#reachFaultPoint('chunk fed');
  }

  /** Counts what the unit holds now, and pauses or releases units if that is too much. */
  #weigh(owned: Owned): void {
    if (owned.stopped !== undefined) return;
    this.#load.count(owned);
    this.#pace.pauseLeaders(owned);
    this.#makeRoom();
  }

  /** Releases the unit that holds most, as long as all units together hold far too much although leaders wait. */
  #makeRoom(): void {
    for (let kind = this.#load.exceeded; kind !== undefined; kind = this.#load.exceeded) {
      const owned = largest(this.#units.values(), kind);
      if (owned === undefined) return;
      const { partition } = owned;
      const cause = causeOf(kind);
      const advice = adviceFor(kind, owned, this.#load);
      const now = this.#deps.clock.now();
      const status = { ...statusOf(owned, this.#retention, now), ...NO_MEMORY, stopped: cause };
      this.#pace.setAllPaused(owned, 'stopped', true);
      this.#outgrown.add(owned, status, now);
      this.#release(owned);
      // A failure is reported to the caller that started the commit.
      void owned.committing?.then(
        () => this.#outgrown.committed(owned),
        () => {},
      );
      this.#deps.log.warn({ partition, cause, ...advice }, 'unit stopped');
    }
  }

  /** Claims a unit again that did not fit into memory, when there is room for it. */
  async #claimOutgrown(): Promise<void> {
    const due = this.#outgrown.due(this.#load, this.#deps.clock.now());
    if (due !== undefined) await this.#claims.claim(due.partition);
  }

  /** A stopped unit sends no commits that could be fenced, so ask the store whether another worker has claimed it. */
  async #lookForRivals(): Promise<void> {
    const still = [...this.#units.values()].filter(({ stopped }) => stopped !== undefined);
    const tokens = still.map((owned) => ({ owned, partition: owned.partition, token: owned.unit.token }));
    await this.#rivals.lookFor(tokens, ({ owned }) => this.#giveUp(owned, 'once abandoned'));
    await this.#rivals.lookFor(this.#outgrown.units, (unit) => {
      this.#outgrown.remove(unit.partition);
      this.#claimAgain(unit.partition, 'once abandoned').catch(this.#fail);
    });
  }

  /** Stops a unit until somebody fixes the cause and restarts the process; the others continue. */
  stopUnit(partition: number, cause: StopCause, details: object = {}): void {
    const owned = this.#units.get(partition);
    if (owned === undefined || owned.stopped !== undefined) return;
    owned.stopped = cause;
    this.#pace.setAllPaused(owned, 'stopped', true);
    this.#deps.log.warn({ partition, cause, advice: STOP_ADVICE[cause], ...details }, 'unit stopped');
  }

  /** Stops every unit, including those that are claimed later. */
  stopAllUnits(cause: StopCause, details: object = {}): void {
    this.#allStopped ??= { cause, details };
    for (const partition of this.#units.keys()) this.stopUnit(partition, cause, details);
  }

  /**
   * Handles a log that starts at `start`, above the offset that was to be read. Records that expired unread are counted; they stop the
   * unit or are skipped, as `onGap` says. Returns what was done. not needed: nothing is lost that this worker has yet to read.
   */
  gap(partition: number, topic: number, start: Offset, onGap: 'skip' | 'stop'): 'skip' | 'stop' | 'not needed' {
    const owned = this.#units.get(partition);
    if (owned === undefined) return 'not needed';
    if (owned.stopped !== undefined) return 'stop';
    const { unit, silentSince } = owned;
    const missing = unit.reading.gapBelow(topic, start);
    if (missing === undefined) {
      unit.reading.beginsAt(topic, start);
      return 'not needed';
    }
    this.#tally.lost(partition, topic, { start, records: missing });
    if (onGap === 'stop') this.stopUnit(partition, 'gap');
    else unit.skipGap(topic, start);
    // The skipped records were written after the end that was known.
    silentSince[topic] = undefined;
    return onGap;
  }

  /**
   * Whether a record batch [from, to) that cannot be decoded was judged already. It is then skipped whatever the settings say: a unit
   * does not stop at what it has counted.
   */
  wasJudged(partition: number, topic: number, { from, to }: { readonly from: Offset; readonly to: Offset }): boolean {
    return this.#units.get(partition)?.unit.wasJudged(topic, from, to) === true;
  }

  /** Stops a unit, since the log of a topic ends before an offset that it had reached. */
  logLost(partition: number, topic: number, { held, end }: { readonly held: Offset; readonly end: Offset }): void {
    this.stopUnit(partition, 'diverged', lostLog(this.#settings.topics[topic], { held, end }));
  }

  /** Takes the difference of our clock from the store's. While our clock is in doubt nothing is read, since it decides which events are `future`. */
  clockIs(skew: DurationMs): void {
    this.#tally.clockSkew = skew;
    this.#clockDoubt.is(skew);
    for (const owned of this.#units.values()) this.#pace.setAllPaused(owned, 'clock', this.#clockDoubt.isInDoubt);
  }

  /** Takes how long each topic keeps records; undefined: for ever, or not known. */
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

  /**
   * Commits before the interval is over if much has changed, and reads nothing until that is stored. Otherwise, the commit of all that
   * is read in a second of catching up would hold up this process and the store for a second.
   */
  async #commitEarly(owned: Owned): Promise<void> {
    if (owned.stopped !== undefined) return;
    const { unit } = owned;
    // The first call may only join a commit that is in flight, which lacks the last chunk.
    for (let tries = 0; tries < 2; tries++) {
      if (owned.released || unit.changedBytes <= this.#commitBytes || !unit.hasToCommit) return;
      await this.#commit(owned);
    }
  }

  async #commitAll(): Promise<void> {
    await Promise.all(await this.#beginCommits([...this.#units.values()]));
  }

  /** Starts the commits of all units that have something to store, each in a turn of the event loop of its own. They run at the same time. */
  async #beginCommits(units: readonly Owned[]): Promise<readonly Promise<void>[]> {
    const begun: Promise<void>[] = [];
    for (const owned of units) {
      if (!owned.unit.hasToCommit || owned.stopped === 'damaged') continue;
      if (begun.length > 0) await nextTurn(this.#deps.clock, this.#reachFaultPoint);
      if (owned.released) continue;
      const commit = this.#commit(owned);
      // The caller handles a failure, once all have begun.
      commit.catch(() => {});
      begun.push(commit);
    }
    return begun;
  }

  /** Commits a unit, or joins its commit that is in flight. */
  #commit(owned: Owned): Promise<void> {
    owned.lastCommit = ++this.#begun;
    owned.committing ??= this.#commitNow(owned).finally(() => {
      owned.committing = undefined;
    });
    return owned.committing;
  }

  async #commitNow(owned: Owned): Promise<void> {
    const { clock } = this.#deps;
    const began = performance.now();
    let outcome: CommitOutcome;
    try {
      outcome = await owned.unit.commit();
    } catch (error) {
      if (!isRetriable(error)) {
        const cause = stopCauseOf(error);
        if (cause === undefined) throw error;
        this.stopUnit(owned.partition, cause, { error: messageOf(error) });
        return;
      }
      this.#reachFaultPoint('commit unanswered');
      this.#tally.outcome('unknown');
      // Records read now could not be stored, so nothing is read until the outcome is known.
      this.#pace.setAllPaused(owned, 'store', true);
      const { partition } = owned;
      this.#unanswered.failed(partition, error.code, { partition, error: error.message }, clock.now());
      return;
    }
    this.#unanswered.worked(owned.partition);
    switch (outcome) {
      case 'REPLAYING':
      case 'NOTHING_NEW':
      case 'DIVERGED':
        return;
      case 'OK':
      case 'ALREADY':
        // The commit has changed what rows take.
        this.#load.count(owned);
        this.#makeRoom();
        this.#tally.committed(outcome, (performance.now() - began) / 1000, clock.now());
        this.#pace.setAllPaused(owned, 'store', false);
        this.#reportUnscored(owned);
        this.#reachFaultPoint('offsets wanted');
        this.#deps.source.sendOffsets(owned.partition, owned.unit.committed.offsets);
        this.#reachFaultPoint('offsets sent');
        return;
      case 'FENCED':
        this.#tally.outcome('fenced');
        this.#giveUp(owned, 'once abandoned');
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

  #reportUnscored({ unit, partition }: Owned): void {
    const before = unit.takeUnscoredBefore();
    if (before === undefined) return;
    this.#deps.log.warn(
      { partition, before: new Date(before).toISOString() },
      'lists from before this time are left out of all numbers, as their feedback was not read',
    );
  }

  /**
   * Releases a unit whose state is no longer that of the store. If it is still assigned to us, it is claimed again: `now`, or once the
   * worker that took it has not committed for one session timeout, as it may have died after its claim. Does not wait for the new claim.
   */
  #giveUp(owned: Owned, claims: 'now' | 'once abandoned'): void {
    const { partition } = owned;
    if (claims === 'once abandoned')
      this.#deps.log.warn({ partition, advice: TAKEN_ADVICE }, 'another worker has claimed the unit');
    else
      this.#deps.log.warn(
        { partition },
        'the stored state of the unit is gone, went back or was edited: the unit is claimed again',
      );
    if (this.#units.get(partition) !== owned) return;
    this.#pace.setAllPaused(owned, 'store', true);
    this.#release(owned);
    this.#claimAgain(partition, claims).catch(this.#fail);
  }

  /** Claims a partition again. It holds no reference to the unit that was released, so that its memory is free meanwhile. */
  async #claimAgain(partition: number, claims: 'now' | 'once abandoned'): Promise<void> {
    const wait = Symbol();
    this.#givenUp.set(partition, wait);
    const isStillWanted = (): boolean =>
      !this.#stopping.isReached &&
      this.#givenUp.get(partition) === wait &&
      this.#ours.includes(partition) &&
      !this.#units.has(partition);
    if (claims === 'once abandoned') this.#leftToOthers.add(partition);
    this.#reachFaultPoint('given up');
    await (claims === 'now' || this.#rivals.abandoned(partition, isStillWanted, this.#stopping));
    this.#reachFaultPoint('claim again due');
    this.#leftToOthers.delete(partition);
    if (!isStillWanted()) return;
    this.#givenUp.delete(partition);
    await this.#claims.claim(partition);
  }

  /** The status of each unit that is not in memory. */
  get #statusesOfOthers(): readonly UnitStatus[] {
    return [...this.#outgrown.units.map(({ status }) => status), ...this.#refused.values()];
  }

  status(): WorkerStatus {
    const units = [...this.#units.values()];
    const here = units.map((owned) => statusOf(owned, this.#retention, this.#deps.clock.now()));
    return this.#tally.status(
      [...here, ...this.#statusesOfOthers].sort((a, b) => a.partition - b.partition),
      units.map(({ unit }) => unit.committed.delays),
      this.#deps.source.fetchedBytes ?? 0,
    );
  }

  /** The offsets below which no unit of this worker needs records any more, by partition, then topic. */
  committedReplayOffsets(): ReadonlyMap<number, readonly number[]> {
    const gone = this.#outgrown.units.map(({ partition, replayOffsets }) => [partition, replayOffsets] as const);
    const here = [...this.#units].map(([partition, { unit }]) => [partition, unit.committed.replayOffsets] as const);
    return new Map([...gone, ...here]);
  }
}
