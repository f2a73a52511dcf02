import type { LogSource } from '../consumers/source/source-port.ts';
import type { Clock } from '../vocabulary/clock.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';
import type { MemoryLoad } from './memory-load.ts';
import type { Owned, PauseReason } from './owned.ts';

export interface PaceSettings {
  readonly topics: readonly string[];
  readonly idleAfter: DurationMs;
  readonly outOfOrderness: DurationMs;
  readonly maxSkew: DurationMs;
}

export interface PaceDeps {
  readonly source: LogSource;
  readonly clock: Clock;
  readonly load: MemoryLoad;
  readonly faultPoint?: FaultPoint | undefined;
}

/** How fast the topics of a unit may be read against each other, and when silence counts as time (specification: join 6, 7). */
export class Pace {
  readonly #settings: PaceSettings;
  readonly #source: LogSource;
  readonly #clock: Clock;
  readonly #load: MemoryLoad;
  readonly #reachFaultPoint: FaultPoint;

  constructor(settings: PaceSettings, { source, clock, load, faultPoint }: PaceDeps) {
    this.#settings = settings;
    this.#source = source;
    this.#clock = clock;
    this.#load = load;
    this.#reachFaultPoint = faultPoint ?? NO_FAULT;
  }

  /** A unit that was just claimed is read at once, whatever its last owner was paused for. */
  resumeAll({ partition }: Owned): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      this.#source.setFetching?.(partition, topic, true);
      this.#source.resume(partition, topic);
    }
  }

  /** Of a unit that is not in memory. */
  pausePartition(partition: number): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) this.#source.pause(partition, topic);
  }

  setPaused(owned: Owned, topic: number, reason: PauseReason, isPaused: boolean): void {
    const pauseReasons = owned.pauseReasons[topic];
    if (owned.released || pauseReasons.has(reason) === isPaused) return;
    if (isPaused) pauseReasons.add(reason);
    else pauseReasons.delete(reason);
    if (isPaused && pauseReasons.size === 1) this.#source.pause(owned.partition, topic);
    if (!isPaused && pauseReasons.size === 0) this.#source.resume(owned.partition, topic);
  }

  setAllPaused(owned: Owned, reason: PauseReason, isPaused: boolean): void {
    // How long it has been silent was told by that clock.
    if (reason === 'clock' && isPaused) owned.quietSince.fill(undefined);
    for (let topic = 0; topic < this.#settings.topics.length; topic++) this.setPaused(owned, topic, reason, isPaused);
  }

  /**
   * No more is fetched of a topic that leads the unit's slowest too far while others have more to read: what it brings could
   * only wait. Where all units together hold too much, what is fetched already is held back as well. Only leaders are held
   * back. While a unit replays, silence is no time: a leader does not wait for topics that are read as far as they can be.
   */
  pauseLeaders(owned: Owned): void {
    const { maxSkew, topics } = this.#settings;
    const { unit } = owned;
    const { join } = unit;
    const leads = topics.map((_, topic) => join.topicWatermark(topic) - join.watermark > maxSkew);
    const others = leads.some((is, topic) => !is && hasMore(owned, topic));
    const waits = this.#load.isFull && (!unit.replaying || others);
    for (let topic = 0; topic < topics.length; topic++) {
      const isAhead = leads[topic] && !isReadAgain(owned, topic);
      this.#letCatchUp(owned, topic, isAhead && others);
      this.setPaused(owned, topic, 'leads', isAhead && waits);
    }
  }

  #letCatchUp(owned: Owned, topic: number, waits: boolean): void {
    if (owned.released || owned.ahead.has(topic) === waits) return;
    if (waits) owned.ahead.add(topic);
    else owned.ahead.delete(topic);
    this.#source.setFetching?.(owned.partition, topic, !waits);
  }

  /** The last record of a topic must come by again before anything else can happen: nothing may hold it back for long. */
  letReadAgain(owned: Owned): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      if (!isReadAgain(owned, topic)) continue;
      this.#letCatchUp(owned, topic, false);
      this.setPaused(owned, topic, 'leads', false);
    }
  }

  /** Lets time pass in topics that have been read to their end for `idleAfter`. */
  async lookForSilence(units: Iterable<Owned>): Promise<void> {
    const all = [...units];
    for (const owned of all) {
      // Who leads may have changed by the clock alone, and nothing may come any more.
      this.pauseLeaders(owned);
      for (let topic = 0; topic < this.#settings.topics.length; topic++) await this.#look(owned, topic);
      this.#load.count(owned);
      this.pauseLeaders(owned);
    }
  }

  async #look(owned: Owned, topic: number): Promise<void> {
    const { idleAfter, outOfOrderness } = this.#settings;
    const { unit, lag, inTransactions, quietSince, pauseReasons } = owned;
    const checked = this.#clock.now();
    // The clock may have been in doubt when it was asked.
    const wasPaused = pauseReasons[topic].size > 0;
    // While nobody can tell whether there is something new, nothing is taken for silence.
    this.#reachFaultPoint('end wanted');
    const bounds = await this.#source.bounds(owned.partition, topic).catch(() => undefined);
    this.#reachFaultPoint('end told');
    const position = unit.join.position(topic);
    // An open transaction is something new: what stands behind its begin was written, and may come late if time passes.
    lag[topic] = bounds === undefined ? undefined : Math.max(0, bounds.end - position);
    inTransactions[topic] =
      bounds?.openFrom === undefined ? 0 : Math.max(0, bounds.end - Math.max(bounds.openFrom, position));
    if (lag[topic] !== 0 || unit.replaying || wasPaused || pauseReasons[topic].size > 0 || owned.ahead.has(topic)) {
      quietSince[topic] = undefined;
      return;
    }
    // Not the time of the question: something may have been read since.
    const since = quietSince[topic] ?? this.#clock.now();
    quietSince[topic] = since;
    if (checked - since >= idleAfter) unit.idle(topic, checked - idleAfter - outOfOrderness);
  }
}

/**
 * There is more of a topic to wait for: also where nobody knows. The end of a transaction may take hours, so what it holds
 * back is no reason for a replay to wait: everything that a replay is after was read before.
 */
function hasMore({ unit, lag, inTransactions }: Owned, topic: number): boolean {
  const left = lag[topic];
  return left === undefined || left > (unit.replaying ? inTransactions[topic] : 0);
}

/** Only to compare its last record; it adds nothing to what is open. */
function isReadAgain({ unit }: Owned, topic: number): boolean {
  return unit.reading.from(topic) < unit.join.position(topic);
}
