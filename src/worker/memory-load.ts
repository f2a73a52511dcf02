import type { Unit } from '../unit/unit.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import { type Held, NOTHING, type Owned } from './owned.ts';
import type { StopCause, UnitStatus } from './status.ts';
import type { LoadLimits } from './worker-contract.ts';

/** The multiple of a limit at which pausing leaders is not enough, and a unit must be released. */
const HEADROOM = 1.25;

/** The memory of a worker besides its state: Node, the code, and what was fetched and waits (kafka-settings.ts). */
const OWN_BYTES = 192 * 2 ** 20;
/**
 * The share of the other memory that state may take. The rest of it is for state that is a quarter above its limit, and for memory that
 * is free but not collected yet.
 */
const STATE_SHARE = 0.5;
const LEAST_STATE_BYTES = 16 * 2 ** 20;

/** The bytes of state that fit into a process with this much memory. */
export function stateWithin(memory: number): number {
  return Math.max(LEAST_STATE_BYTES, Math.floor(STATE_SHARE * (memory - OWN_BYTES)));
}

/** The memory that a process needs for this many bytes of state. */
export function memoryFor(stateBytes: number): number {
  return stateBytes / STATE_SHARE + OWN_BYTES;
}

const KINDS: readonly (keyof Held)[] = ['state', 'rows', 'open'];

/**
 * What all units of a worker hold in memory. It is a running sum, since it is read after every chunk: a unit is counted again when it
 * has changed, and forgotten when it is released.
 */
export class MemoryLoad {
  readonly #limits: Held;
  #sum: Held = NOTHING;

  constructor({ openLimit, stateLimit, rowLimit }: LoadLimits) {
    this.#limits = { open: openLimit, state: stateLimit, rows: rowLimit };
  }

  /** Counts a unit again that has grown or shrunk. */
  count(owned: Owned): void {
    if (owned.released) return;
    this.#replace(owned, heldBy(owned.unit));
  }

  forget(owned: Owned): void {
    this.#replace(owned, NOTHING);
  }

  #replace(owned: Owned, held: Held): void {
    const { open, state, rows } = this.#sum;
    const before = owned.held;
    this.#sum = {
      open: open + held.open - before.open,
      state: state + held.state - before.state,
      rows: rows + held.rows - before.rows,
    };
    owned.held = held;
  }

  get sum(): Held {
    return this.#sum;
  }

  /** Whether a limit is exceeded, so that leaders must wait. */
  get isFull(): boolean {
    return KINDS.some((kind) => this.#sum[kind] > this.#limits[kind]);
  }

  /** The kind that exceeds its limit by more than the headroom, so that a unit must be released; undefined: none does. */
  get exceeded(): keyof Held | undefined {
    return KINDS.find((kind) => this.#sum[kind] > HEADROOM * this.#limits[kind]);
  }

  limit(kind: keyof Held): number {
    return this.#limits[kind];
  }

  /** Whether there is room for this much more. */
  hasRoomFor(held: Held): boolean {
    return KINDS.every((kind) => this.#sum[kind] + held[kind] <= this.#limits[kind]);
  }
}

/** The running unit that holds most of a kind; undefined: none runs. A unit that is stopped already is not released. */
export function largest(units: Iterable<Owned>, kind: keyof Held): Owned | undefined {
  let most: Owned | undefined;
  for (const owned of units) {
    if (owned.stopped !== undefined) continue;
    if (most === undefined || owned.held[kind] > most.held[kind]) most = owned;
  }
  return most;
}

function heldBy(unit: Unit): Held {
  const { join, rowBytes: rows } = unit;
  return { open: join.openImpressions + join.waitingFeedback, state: join.stateBytes + rows, rows };
}

/** The longest wait for room, in multiples of the first one. */
const LONGEST_WAITS = 16;
const MIB = 2 ** 20;

/** A unit that was released because the worker had no room for it. It is no longer in memory. */
interface OutgrownUnit {
  readonly partition: number;
  /** Token of the claim under which it was owned; any later claim has another one. */
  readonly token: string;
  /** Its status at the time of its release. */
  readonly status: UnitStatus;
  readonly replayOffsets: readonly Offset[];
  /** The memory that it held then, and will need again. */
  readonly held: Held;
}

/**
 * Units that were released for lack of memory, until there is room for them again or they are no longer ours. A unit is claimed
 * again when what it held fits beside what the others hold, and so never if it does not even fit alone. It first waits for one
 * session timeout, and twice as long each time that it is released again while it replays.
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

  /** Adds a unit that is released. `status`: its status, without the memory that it held. */
  add({ partition, unit, held }: Owned, status: UnitStatus, now: EpochMs): void {
    const { token, committed, replaying } = unit;
    this.#units.set(partition, { partition, token, status, replayOffsets: committed.replayOffsets, held });
    const last = replaying ? this.#waits.get(partition)?.length : undefined;
    const length = last === undefined ? this.#session : Math.min(2 * last, LONGEST_WAITS * this.#session);
    this.#waits.set(partition, { length, until: now + length });
  }

  /** Takes the state that a commit has stored which was in flight when the unit was released. */
  committed({ partition, unit: { committed, token } }: Owned): void {
    const known = this.#units.get(partition);
    if (known?.token !== token) return;
    const { counts, scored, unknownItems, unscored } = committed;
    const status = { ...known.status, counts, scored, unknownItems, unscored };
    this.#units.set(partition, { ...known, status, replayOffsets: committed.replayOffsets });
  }

  /** Removes a unit that was claimed, by us or by another. */
  remove(partition: number): void {
    this.#units.delete(partition);
  }

  /** Drops the units of all other partitions, which are no longer ours. */
  keepOnly(partitions: readonly number[]): void {
    for (const partition of [...this.#waits.keys()]) {
      if (partitions.includes(partition)) continue;
      this.#units.delete(partition);
      this.#waits.delete(partition);
    }
  }

  /** A unit that has waited long enough and fits. It returns one at a time, since each claim changes how much room there is. */
  due(load: MemoryLoad, now: EpochMs): OutgrownUnit | undefined {
    return this.units.find(
      ({ partition, held }) => now >= (this.#waits.get(partition)?.until ?? 0) && load.hasRoomFor(held),
    );
  }
}

/** The cause is `limit`, its name in the first release, for the limit by number, and `memory` for the others. */
export function causeOf(kind: keyof Held): StopCause {
  return kind === 'open' ? 'limit' : 'memory';
}

/**
 * What to log: what was held, and which limit to raise to which value. What is open now may be only a part of what can be open
 * at once, so the value is an estimate: what the unit held, scaled to the whole time that can be open, plus what the others hold.
 */
export function adviceFor(kind: keyof Held, { held, unit }: Owned, load: MemoryLoad): object {
  const others = load.sum[kind] - held[kind];
  const needed = Math.ceil(others + held[kind] / (kind === 'rows' ? 1 : unit.openShare));
  const figures = { held: held[kind], all: load.sum[kind], limit: load.limit(kind), needed };
  const most = `units of this worker hold ${load.sum[kind]}, more than ${HEADROOM} times the limit of ${load.limit(kind)}`;
  const otherwise =
    'or start more workers, so that each has fewer partitions. It continues by itself when there is room';
  switch (kind) {
    case 'open':
      return {
        ...figures,
        advice: `open impressions: ${most}: raise limits.openImpressions to at least ${needed}, ${otherwise}`,
      };
    case 'state': {
      const bytes = MIB * Math.ceil(needed / MIB);
      const process = Math.ceil(memoryFor(bytes) / MIB);
      return {
        ...figures,
        advice:
          `bytes of state: ${most}: raise limits.stateBytes to at least ${bytes}, which asks for ${process} MiB of memory (auto: give it these), ` +
          `lower limits.impressionBytes, ${otherwise}`,
      };
    }
    case 'rows': {
      const heap = Math.ceil((2 * needed) / MIB);
      return {
        ...figures,
        advice: `bytes of rows in the heap: ${most}: start Node with --max-old-space-size=${heap} or more, lower limits.cohortsPerSet, ${otherwise}`,
      };
    }
  }
}
