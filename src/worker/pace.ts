/*
 * A topic of a unit is read, unless one of these states holds it back. The reasons to pause add up: it is read again when none is left.
 *
 * | state             | set by                                                                    | left by                                              |
 * |-------------------|---------------------------------------------------------------------------|------------------------------------------------------|
 * | paused: `leads`   | `pauseLeaders`: it leads too far, and memory is full                      | `pauseLeaders`, `letReadAgain`                       |
 * | paused: `store`   | the worker: the outcome of a commit is unknown                            | the worker: a commit is confirmed                    |
 * | paused: `clock`   | the worker: our clock is in doubt                                         | the worker: the clocks agree                         |
 * | paused: `stopped` | the worker: `stopUnit`, and before a unit that does not fit is released   | nothing; the unit that is claimed next begins anew   |
 * | `ahead`           | `pauseLeaders`: not fetched, while the topics behind it have more to read | `pauseLeaders`, `letReadAgain`                       |
 * | `silentSince`     | `lookForSilence`: it is read to its end, and neither paused nor ahead     | records, a gap, a pause by `clock`, `lookForSilence` |
 *
 * Once a topic has been silent for `idleAfter`, each `lookForSilence` advances its watermark.
 */
import type { Bounds, LogSource } from '../consumers/source/source-port.ts';
import type { Clock } from '../vocabulary/clock.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import { type FaultPoint, NO_FAULT } from '../vocabulary/fault-point.ts';
import type { MemoryLoad } from './memory-load.ts';
import type { Owned, PauseReason } from './owned.ts';

interface PaceSettings {
  readonly topics: readonly string[];
  readonly idleAfter: DurationMs;
  readonly outOfOrderness: DurationMs;
  readonly maxSkew: DurationMs;
}

interface PaceDeps {
  readonly source: LogSource;
  readonly clock: Clock;
  readonly load: MemoryLoad;
  readonly faultPoint?: FaultPoint | undefined;
}

/** Where the log of a topic partition ends, as far as the source knows. */
interface LogEnd {
  /** When the source was asked. */
  readonly checked: EpochMs;
  readonly wasPaused: boolean;
  /** The offsets; undefined: the source did not know. */
  readonly bounds: Bounds | undefined;
}

/** Pauses topics that run ahead of others, and decides when silence counts as time (specification: join 6, 7). */
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

  /** Reads all topics of a unit that was just claimed, whatever they were paused for under its last owner. */
  resumeAll({ partition }: Owned): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      this.#source.setFetching?.(partition, topic, true);
      this.#source.resume(partition, topic);
    }
  }

  /** Pauses all topics of a unit that is not in memory. */
  pausePartition(partition: number): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) this.#source.pause(partition, topic);
  }

  /** Pauses again what is paused, and what is not fetched: the source may have forgotten both at an assignment. */
  repeat({ partition, pauseReasons, ahead }: Owned): void {
    for (const [topic, reasons] of pauseReasons.entries()) {
      if (ahead.has(topic)) this.#source.setFetching?.(partition, topic, false);
      if (reasons.size > 0) this.#source.pause(partition, topic);
    }
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
    // The clock that is in doubt measured how long topics have been silent.
    if (reason === 'clock' && isPaused) owned.silentSince.fill(undefined);
    for (let topic = 0; topic < this.#settings.topics.length; topic++) this.setPaused(owned, topic, reason, isPaused);
  }

  /**
   * Stops fetching from topics whose records could only wait. These are a topic that leads the unit's slowest topic too far while others
   * have more to read, and a topic of feedback while impressions are known to be there that are older by more than `outOfOrderness`. If all
   * units together hold too much, a topic that leads too far is paused as well. Only leaders are paused. While a unit replays, silence
   * does not count as time, so a leader does not wait for topics that are read as far as they can be.
   */
  pauseLeaders(owned: Owned): void {
    const { maxSkew, outOfOrderness, topics } = this.#settings;
    const { unit } = owned;
    const { join } = unit;
    const latest = join.watermark + maxSkew;
    let others = false;
    for (let topic = 0; topic < topics.length; topic++) {
      if (join.topicWatermark(topic) <= latest && hasMore(owned, topic)) others = true;
    }
    const waits = this.#load.isFull && (!unit.replaying || others);
    for (let topic = 0; topic < topics.length; topic++) {
      const leads = join.topicWatermark(topic) > latest;
      const again = isReadAgain(owned, topic);
      this.#letCatchUp(owned, topic, !again && ((leads && others) || isEarly(owned, topic, outOfOrderness)));
      this.setPaused(owned, topic, 'leads', !again && leads && waits);
    }
  }

  #letCatchUp(owned: Owned, topic: number, waits: boolean): void {
    if (owned.released || owned.ahead.has(topic) === waits) return;
    if (waits) owned.ahead.add(topic);
    else owned.ahead.delete(topic);
    this.#source.setFetching?.(owned.partition, topic, !waits);
  }

  /** Lets topics go on whose last record must be read again: nothing else can happen before that. */
  letReadAgain(owned: Owned): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) {
      if (!isReadAgain(owned, topic)) continue;
      this.#letCatchUp(owned, topic, false);
      this.setPaused(owned, topic, 'leads', false);
    }
  }

  /**
   * Advances the watermarks of topics that have been read to their end for `idleAfter`. It asks for the ends of all partitions at the
   * same moment, so that a source that learns those of a whole topic at once sends one request per topic.
   */
  async lookForSilence(units: Iterable<Owned>): Promise<void> {
    const all = [...units];
    // Other topics may lead now that time has passed, even if no record comes.
    for (const owned of all) this.pauseLeaders(owned);
    const topics = [...this.#settings.topics.keys()];
    const asked = topics.map((topic) => all.map((owned) => this.#ask(owned, topic)));
    const answers = await Promise.all(asked.map((ends) => Promise.all(ends)));
    for (const [u, owned] of all.entries()) {
      if (owned.released) continue;
      const { unit } = owned;
      const closed = unit.closedByIdle;
      for (const topic of topics) this.#look(owned, topic, answers[topic][u]);
      this.#load.count(owned);
      this.pauseLeaders(owned);
      if (unit.closedByIdle > closed) await nextTurn(this.#clock, this.#reachFaultPoint);
    }
  }

  async #ask({ partition, pauseReasons }: Owned, topic: number): Promise<LogEnd> {
    const checked = this.#clock.now();
    // The clock may have been in doubt when `checked` was read.
    const wasPaused = pauseReasons[topic].size > 0;
    // An unknown end of the log does not count as silence.
    this.#reachFaultPoint('end wanted');
    const bounds = await this.#source.bounds(partition, topic).catch(() => undefined);
    this.#reachFaultPoint('end answered');
    return { checked, wasPaused, bounds };
  }

  #look(owned: Owned, topic: number, { checked, wasPaused, bounds }: LogEnd): void {
    const { idleAfter, outOfOrderness } = this.#settings;
    const { unit, ends, lag, inTransactions, silentSince, pauseReasons } = owned;
    const position = unit.join.position(topic);
    // An open transaction is something new: records after its start were written already, and would be late if time passed.
    ends[topic] = bounds;
    lag[topic] = bounds === undefined ? undefined : Math.max(0, bounds.end - position);
    inTransactions[topic] =
      bounds?.openFrom === undefined ? 0 : Math.max(0, bounds.end - Math.max(bounds.openFrom, position));
    if (lag[topic] !== 0 || unit.replaying || wasPaused || pauseReasons[topic].size > 0 || owned.ahead.has(topic)) {
      silentSince[topic] = undefined;
      return;
    }
    // Silence does not begin at `checked`: something may have been read since then.
    const since = silentSince[topic] ?? this.#clock.now();
    silentSince[topic] = since;
    if (checked - since >= idleAfter) unit.idle(topic, checked - idleAfter - outOfOrderness);
  }
}

/**
 * Whether a topic has more to read; true if its end is unknown. A transaction may stay open for hours, so a replay does not wait for
 * the records that it withholds: everything that a replay needs was read before.
 */
function hasMore({ unit, ends }: Owned, topic: number): boolean {
  const bounds = ends[topic];
  if (bounds === undefined) return true;
  const { end, openFrom = end } = bounds;
  return unit.join.position(topic) < (unit.replaying ? openFrom : end);
}

/**
 * Whether a topic carries nothing but feedback, and is more than `headStart` ahead of impressions that are known to be there to read.
 * The head start is needed because one topic is always a little ahead of the other, even if all is read as soon as it is written.
 */
function isEarly(owned: Owned, topic: number, headStart: DurationMs): boolean {
  if (owned.roles[topic].impressions) return false;
  const { join } = owned.unit;
  const latest = join.topicWatermark(topic) - headStart;
  return owned.roles.some(({ impressions }, other) => {
    return impressions && join.topicWatermark(other) < latest && join.position(other) < knownUpTo(owned, other);
  });
}

/** The offset below which all records of a topic can be read for certain. */
function knownUpTo({ unit, ends }: Owned, topic: number): Offset {
  const { end, openFrom = end } = ends[topic] ?? { end: 0 };
  return Math.max(unit.join.judgedBelow(topic), openFrom);
}

/** Whether a topic is read only to compare its last record, which opens nothing new. */
function isReadAgain({ unit }: Owned, topic: number): boolean {
  return unit.reading.from(topic) < unit.join.position(topic);
}

/**
 * Yields to the event loop: heartbeats, fetches, requests. A worker yields between two of its units, so that the time for which it
 * does not respond does not grow with their number.
 */
export async function nextTurn(clock: Clock, reachFaultPoint: FaultPoint): Promise<void> {
  reachFaultPoint('turn waits');
  await clock.sleep(0);
  reachFaultPoint('turn due');
}
