import type { Unit } from '../unit/unit.ts';
import { type Held, NOTHING, type Owned } from './owned.ts';
import type { LoadLimits } from './worker-contract.ts';

/** Above the limit by so much, what holds the others back must not go on either. */
export const HEADROOM = 1.25;

/** What a worker takes beside its state: Node, the code, and what was fetched and waits (kafka-settings.ts). */
const OWN_BYTES = 192 * 2 ** 20;
/** Share of the rest that state may take. As much again is for a quarter above the limit, and for memory that is freed but not collected. */
const STATE_SHARE = 0.5;
const LEAST_STATE_BYTES = 16 * 2 ** 20;

/** Bytes of state that a process may hold that may take so much memory. */
export function stateWithin(memory: number): number {
  return Math.max(LEAST_STATE_BYTES, Math.floor(STATE_SHARE * (memory - OWN_BYTES)));
}

/** The memory that a process needs for so many bytes of state. */
export function memoryFor(stateBytes: number): number {
  return stateBytes / STATE_SHARE + OWN_BYTES;
}

const KINDS: readonly (keyof Held)[] = ['state', 'rows', 'open'];

/**
 * What the units of a worker hold together: a running sum, since it is asked after every chunk. A unit is counted anew when
 * it has changed, and forgotten when it goes.
 */
export class MemoryLoad {
  readonly #limits: Held;
  #sum: Held = NOTHING;

  constructor({ openLimit, stateLimit, rowLimit }: LoadLimits) {
    this.#limits = { open: openLimit, state: stateLimit, rows: rowLimit };
  }

  /** Its unit has taken something in, or let something go. */
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

  /** Leaders must wait. */
  get isFull(): boolean {
    return KINDS.some((kind) => this.#sum[kind] > this.#limits[kind]);
  }

  /** What is above its limit by more than the headroom: a unit must go. undefined: nothing is. */
  get exceeded(): keyof Held | undefined {
    return KINDS.find((kind) => this.#sum[kind] > HEADROOM * this.#limits[kind]);
  }

  limit(kind: keyof Held): number {
    return this.#limits[kind];
  }

  /** Whether there is room for so much more. */
  hasRoomFor(held: Held): boolean {
    return KINDS.every((kind) => this.#sum[kind] + held[kind] <= this.#limits[kind]);
  }
}

/** The working unit that holds most of it; undefined: none works. One that stands still for another reason is not given up for this one. */
export function largest(units: Iterable<Owned>, kind: keyof Held): Owned | undefined {
  let most: Owned | undefined;
  for (const owned of units) {
    if (owned.stopped !== undefined) continue;
    if (most === undefined || owned.held[kind] > most.held[kind]) most = owned;
  }
  return most;
}

function heldBy(unit: Unit): Held {
  const { join } = unit;
  return { open: join.openImpressions + join.waitingFeedback, state: unit.stateBytes, rows: unit.rowBytes };
}
