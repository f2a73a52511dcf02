/**
 * An event that occurs once and ends waits. Any number of waits may register with it: Node.js reports more than ten listeners of an
 * AbortSignal as a leak, and each partition may have one.
 */
export class Ending {
  readonly #waiting = new Set<() => void>();
  #isReached = false;

  get isReached(): boolean {
    return this.#isReached;
  }

  reach(): void {
    if (this.#isReached) return;
    this.#isReached = true;
    for (const call of this.#waiting) call();
    this.#waiting.clear();
  }

  /**
   * Calls `call` once the ending is reached, but not if it has been already. Returns the function that forgets the call. Pass a new
   * `call` each time.
   */
  whenReached(call: () => void): () => void {
    this.#waiting.add(call);
    return () => this.#waiting.delete(call);
  }
}
