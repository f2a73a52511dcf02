import type { ListedPane } from '../accumulators/panes-settings.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { UnitStates } from '../windows/unit-state.ts';
import { LOST_ROWS_ADVICE } from '../worker/status.ts';

/** A pane that a checkpoint lists, but whose rows are missing from the store or damaged. */
export interface LostPane extends ListedPane {
  /** What is wrong with the rows, such as `gone`. */
  readonly why: string;
}

/** The losses that an exporter has found. */
export interface LostKeys {
  /** For each key whose rows are gone or damaged, what is wrong. What is read now lacks them. */
  readonly keys: ReadonlyMap<string, string>;
  /** Number of such keys found so far. */
  readonly found: number;
}

export const GONE = 'gone';

/**
 * The panes that a reader has found lost, as long as no unit goes back. What it has read of their units before the ends of these panes is
 * incomplete.
 */
export class LostRows {
  /** For each unit, the latest end of a lost pane. */
  readonly #upTo = new Map<number, EpochMs>();
  readonly #why = new Map<string, string>();
  #found = 0;

  /** Number found, regardless of resets. */
  get found(): number {
    return this.#found;
  }

  /** For each key, what is wrong. */
  get why(): ReadonlyMap<string, string> {
    return this.#why;
  }

  add(unit: number, panes: readonly LostPane[]): void {
    for (const { size, key, end, why } of panes) {
      if (size !== 'v') this.#upTo.set(unit, Math.max(end, this.#upTo.get(unit) ?? end));
      if (!this.#why.has(key)) this.#found++;
      this.#why.set(key, why);
    }
  }

  /** Forgets all losses, because everything is read again. */
  reset(): void {
    this.#upTo.clear();
    this.#why.clear();
  }

  /** The units, with their lost panes marked as incomplete. Those without losses are the same objects. */
  applied(units: UnitStates): UnitStates {
    return units.map((unit, u) => {
      const upTo = this.#upTo.get(u);
      if (unit === undefined || upTo === undefined || upTo <= unit.incompleteBefore) return unit;
      return { ...unit, incompleteBefore: upTo };
    });
  }
}

/** Number of keys that are named; the log has all of them. */
const NAMED = 3;

/**
 * The keys as text.
 *
 * Example: 2 keys (a: gone; b: gone).
 */
export function keysText(keys: ReadonlyMap<string, string>): string {
  const named = [...keys].slice(0, NAMED).map(([key, why]) => `${key}: ${why}`);
  const more = keys.size > NAMED ? `; and ${keys.size - NAMED} more` : '';
  return `${keys.size} ${keys.size === 1 ? 'key' : 'keys'} (${named.join('; ')}${more})`;
}

/** Troubles for the page; empty if nothing is lost. */
export function lostTroubles(
  lost: LostKeys | undefined,
): readonly { readonly cause: string; readonly remedy: string }[] {
  if (lost === undefined || lost.keys.size === 0) return [];
  return [
    {
      cause: `Rows that were stored are gone from Redis, or damaged: ${keysText(lost.keys)}.`,
      remedy: `${LOST_ROWS_ADVICE.charAt(0).toUpperCase()}${LOST_ROWS_ADVICE.slice(1)}.`,
    },
  ];
}
