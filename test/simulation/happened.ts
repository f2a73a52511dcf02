/** How often what really happened: a simulation that never meets a fault says nothing about it. */
export class Happened {
  readonly #counts = new Map<string, number>();

  add(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  addAll(other: Happened): void {
    for (const [what, times] of other.#counts) this.add(what, times);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  get all(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
