import type { Unit } from '../unit/unit.ts';
import { type Held, NOTHING, type Owned } from './owned.ts';
import type { LoadLimits } from './worker-contract.ts';

/** The multiple of a limit at which pausing leaders is not enough, and a unit must be released. */
export const HEADROOM = 1.25;

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
