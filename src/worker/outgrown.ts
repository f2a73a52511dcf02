import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import { HEADROOM, type MemoryLoad, memoryFor } from './memory-load.ts';
import type { Held, Owned } from './owned.ts';
import type { StopCause, UnitStatus } from './status.ts';

/** A wait for room grows to so many times the first one. */
const LONGEST_WAITS = 16;
const MIB = 2 ** 20;

/** A unit that was let go because the worker had no room for it. It is not in memory any more. */
export interface OutgrownUnit {
  readonly partition: number;
  /** Under which it was owned: whoever claims the unit has another. */
  readonly token: string;
  /** As of the time when it was let go. */
  readonly status: UnitStatus;
  readonly replayOffsets: readonly Offset[];
  /** What it held then, which it will need again. */
  readonly held: Held;
}

/**
 * Units that were let go for want of memory, until there is room for them again, or they are no longer ours. One is claimed
 * again when what it held fits beside what the others hold: so not while it does not even fit alone. It waits a session first, and
 * twice as long each time that it has to go again while it replays.
 */
export class Outgrown {
  readonly #session: DurationMs;
  readonly #units = new Map<number, OutgrownUnit>();
  readonly #waits = new Map<number, { length: DurationMs; until: EpochMs }>();

  constructor(session: DurationMs) {
    this.#session = session;
  }

  get units(): readonly OutgrownUnit[] {
    return [...this.#units.values()];
  }

  has(partition: number): boolean {
    return this.#units.has(partition);
  }

  /** `status`: of the unit that goes, without what it held. */
  add({ partition, unit, held }: Owned, status: UnitStatus, now: EpochMs): void {
    const { token, committed, replaying } = unit;
    this.#units.set(partition, { partition, token, status, replayOffsets: committed.replayOffsets, held });
    const last = replaying ? this.#waits.get(partition)?.length : undefined;
    const length = last === undefined ? this.#session : Math.min(2 * last, LONGEST_WAITS * this.#session);
    this.#waits.set(partition, { length, until: now + length });
  }

  /** A commit that was under way when it went has been answered. */
  committed({ partition, unit: { committed, token } }: Owned): void {
    const known = this.#units.get(partition);
    if (known?.token !== token) return;
    const { counts, scored, unknownItems } = committed;
    const status = { ...known.status, counts, scored, unknownItems };
    this.#units.set(partition, { ...known, status, replayOffsets: committed.replayOffsets });
  }

  /** Claimed again, or taken by another. */
  remove(partition: number): void {
    this.#units.delete(partition);
  }

  /** Not ours any more. */
  keepOnly(partitions: readonly number[]): void {
    for (const partition of [...this.#waits.keys()]) {
      if (partitions.includes(partition)) continue;
      this.#units.delete(partition);
      this.#waits.delete(partition);
    }
  }

  /** The one that has waited for long enough and fits; one at a time, since each changes what there is room for. */
  due(load: MemoryLoad, now: EpochMs): OutgrownUnit | undefined {
    return this.units.find(
      ({ partition, held }) => now >= (this.#waits.get(partition)?.until ?? 0) && load.hasRoomFor(held),
    );
  }
}

/** Of the limit by number the cause is the old `limit`; of the others `memory`. */
export function causeOf(kind: keyof Held): StopCause {
  return kind === 'open' ? 'limit' : 'memory';
}

/**
 * For the log: what was held, and what to raise to which value. What is open now may be a part of what can be open at a time,
 * so the value is an estimate: what the unit held, as if all of that time were open, beside what the others hold.
 */
export function adviceFor(kind: keyof Held, { held, unit }: Owned, load: MemoryLoad): object {
  const others = load.sum[kind] - held[kind];
  const needed = Math.ceil(others + held[kind] / (kind === 'rows' ? 1 : unit.openShare));
  const told = { held: held[kind], all: load.sum[kind], limit: load.limit(kind), needed };
  const most = `units of this worker hold ${load.sum[kind]}, more than ${HEADROOM} times the limit of ${load.limit(kind)}`;
  const otherwise = 'or start more workers, so that each has fewer partitions. It goes on by itself when there is room';
  switch (kind) {
    case 'open':
      return {
        ...told,
        advice: `open impressions: ${most}: raise limits.openImpressions to at least ${needed}, ${otherwise}`,
      };
    case 'state': {
      const bytes = MIB * Math.ceil(needed / MIB);
      const process = Math.ceil(memoryFor(bytes) / MIB);
      return {
        ...told,
        advice:
          `bytes of state: ${most}: raise limits.stateBytes to at least ${bytes}, which asks for ${process} MiB of memory (auto: give it these), ` +
          `lower limits.impressionBytes, ${otherwise}`,
      };
    }
    case 'rows': {
      const heap = Math.ceil((2 * needed) / MIB);
      return {
        ...told,
        advice: `bytes of rows in the heap: ${most}: start Node with --max-old-space-size=${heap} or more, lower limits.cohortsPerSet, ${otherwise}`,
      };
    }
  }
}
