/** The virtual clock and what is due when. Nothing else moves time, and nothing happens but what is scheduled here. */
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';

/** Whom an event happens to; undefined elsewhere: to the world. */
export interface Actor {
  readonly alive: boolean;
  /** A frozen one does what is due when it continues. */
  readonly frozenUntil: EpochMs;
}

export interface Scheduled {
  at: EpochMs;
  readonly order: number;
  readonly actor: Actor | undefined;
  readonly run: () => void;
  /** Not to happen any more. */
  cancelled: boolean;
}

export class Scheduler {
  #now: EpochMs;
  #order = 0;
  /** A binary heap: the earliest at the root, at equal times the one that was scheduled first. */
  readonly #heap: Scheduled[] = [];

  constructor(now: EpochMs) {
    this.#now = now;
  }

  get now(): EpochMs {
    return this.#now;
  }

  in(delay: DurationMs, run: () => void, actor?: Actor): Scheduled {
    const event = { at: this.#now + delay, order: this.#order++, actor, run, cancelled: false };
    this.#push(event);
    return event;
  }

  at(time: EpochMs, run: () => void, actor?: Actor): Scheduled {
    return this.in(Math.max(0, time - this.#now), run, actor);
  }

  /** Time passes at once: everything that would have been due meanwhile is due now. */
  leap(length: DurationMs): void {
    this.#now += length;
  }

  /** Moves the clock to what is due next and returns it; undefined: nothing is. */
  next(): Scheduled | undefined {
    for (;;) {
      const event = this.#pop();
      if (event === undefined) return undefined;
      if (event.cancelled || event.actor?.alive === false) continue;
      if (event.at > this.#now) this.#now = event.at;
      if (event.actor !== undefined && event.actor.frozenUntil > this.#now) {
        event.at = event.actor.frozenUntil;
        this.#push(event);
        continue;
      }
      return event;
    }
  }

  #push(event: Scheduled): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(event, heap[above])) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = event;
  }

  #pop(): Scheduled | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return last;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1], heap[below])) below++;
      if (!isBefore(heap[below], last)) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
