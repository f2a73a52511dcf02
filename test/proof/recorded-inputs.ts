import type { Cluster, Redis } from 'ioredis';
import type { IdleAdvance, TopicCheckpoint } from '../../src/vocabulary/checkpoint.ts';
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';
import type { LogRecord } from '../reference/logs.ts';
import { TOPICS } from './parameters.ts';
import { unitKey, withoutChecksum } from './stored.ts';

/** Records whose verdicts no checkpoint was seen to hold: they were read and needed by no replay any more in between. */
interface Unseen {
  readonly from: number;
  readonly to: number;
  /** They were read before. */
  readonly by: number;
}

interface Seen {
  /** By topic: the largest watermark by the offset before which it applies. */
  readonly advances: readonly Map<number, number>[];
  readonly clockDrops: readonly Set<number>[];
  readonly unseen: readonly Unseen[][];
  committed: readonly number[];
  watermark: number;
}

/** Records that the wall clock dropped. */
export interface ClockDrops {
  /** A checkpoint said so, or they were still ahead of the clock when they were found read. */
  readonly known: readonly number[];
  /**
   * They were ahead of the clock at first, and no more when they were found read, which may be long afterwards while Redis is
   * away. Those that were ahead longest come first.
   */
  readonly possible: readonly number[];
}

/**
 * Watches the checkpoints of all units, and gathers what they say that the wall clock did (specification: join 1.4).
 * A checkpoint lets go of these inputs when no replay needs them any more, which is long after they came.
 */
export class RecordedInputs {
  readonly #redis: Redis | Cluster;
  readonly #units: readonly Seen[];
  /** Nothing was read before. */
  readonly #since: EpochMs;
  #looks = 0;

  constructor(redis: Redis | Cluster, partitions: number, since: EpochMs = Date.now()) {
    this.#redis = redis;
    this.#since = since;
    this.#units = Array.from({ length: partitions }, () => ({
      advances: TOPICS.map(() => new Map()),
      clockDrops: TOPICS.map(() => new Set()),
      unseen: TOPICS.map(() => []),
      committed: TOPICS.map(() => 0),
      watermark: Number.NEGATIVE_INFINITY,
    }));
  }

  /** Looks once; returns whether Redis did. */
  async look(): Promise<boolean> {
    try {
      await Promise.all(this.#units.map((_, unit) => this.#lookAt(unit)));
      this.#looks++;
      return true;
    } catch {
      return false;
    }
  }

  async #lookAt(unit: number): Promise<void> {
    const [topics, watermark] = await this.#redis.hmget(unitKey(unit), 'topics', 'watermark');
    if (typeof topics !== 'string' || typeof watermark !== 'string') return;
    this.see(unit, JSON.parse(withoutChecksum(topics)), JSON.parse(withoutChecksum(watermark)), Date.now());
  }

  /** Takes in what was the checkpoint of a unit at some moment before `by`. */
  see(unit: number, checkpoints: readonly TopicCheckpoint[], watermark: number | null, by: number): void {
    const seen = this.#units[unit];
    for (const [t, { replay, idleAdvances, clockDrops }] of checkpoints.entries()) {
      // From there on it holds all. What it lacks did not happen, if Redis went back after it was seen.
      for (const before of seen.advances[t].keys()) if (before >= replay) seen.advances[t].delete(before);
      for (const at of seen.clockDrops[t]) if (at >= replay) seen.clockDrops[t].delete(at);
      const before = seen.unseen[t].map((range) => ({ ...range, to: Math.min(range.to, replay) }));
      seen.unseen[t].splice(0, Number.POSITIVE_INFINITY, ...before.filter(({ from, to }) => from < to));
      if (seen.committed[t] < replay) seen.unseen[t].push({ from: seen.committed[t], to: replay, by });
      for (const { before, watermark: to } of idleAdvances) {
        seen.advances[t].set(before, Math.max(to, seen.advances[t].get(before) ?? to));
      }
      for (const [from, to] of clockDrops) for (let at = from; at < to; at++) seen.clockDrops[t].add(at);
    }
    seen.committed = checkpoints.map(({ committed }) => committed);
    seen.watermark = watermark ?? Number.NEGATIVE_INFINITY;
  }

  get looks(): number {
    return this.#looks;
  }

  /** Records that all units have committed. */
  get committed(): number {
    return this.#units.reduce((sum, unit) => sum + unit.committed.reduce((a, b) => a + b, 0), 0);
  }

  /** By topic the offset after the last record that a unit has committed. */
  committedOf(unit: number): readonly number[] {
    return this.#units[unit].committed;
  }

  /** Whether every unit has committed up to these ends, by partition and topic, and event time has reached `at`. */
  reached(ends: readonly (readonly number[])[], at: number): boolean {
    return this.#units.every(
      (unit, p) => unit.watermark >= at && unit.committed.every((committed, t) => committed >= ends[p][t]),
    );
  }

  idleAdvances(unit: number, topic: number): readonly IdleAdvance[] {
    return [...this.#units[unit].advances[topic]].map(([before, watermark]) => ({ before, watermark }));
  }

  /** Offsets of the records of a topic that the clock was behind when they were read. */
  clockDrops(unit: number, topic: number, records: readonly LogRecord[], futureSkew: DurationMs): ClockDrops {
    const { clockDrops, unseen } = this.#units[unit];
    const known = [...clockDrops[topic]];
    const possible: { readonly offset: number; readonly ahead: DurationMs }[] = [];
    for (const record of records) {
      if (record.kind !== 'read') continue;
      const { offset, timestamp = 0 } = record;
      const range = unseen[topic].find(({ from, to }) => from <= offset && offset < to);
      if (range === undefined) continue;
      const ahead = timestamp - futureSkew - range.by;
      if (ahead > 0) known.push(offset);
      else if (timestamp - futureSkew > this.#since) possible.push({ offset, ahead });
    }
    return { known, possible: possible.sort((a, b) => b.ahead - a.ahead).map(({ offset }) => offset) };
  }
}
