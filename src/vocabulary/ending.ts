/**
 * The end of something, which comes once and ends waits. Any number may wait for it: of an AbortSignal, Node.js takes more than ten
 * listeners for a leak, and each partition may have one.
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

  /** Calls once it is reached, not if it is already. Returns the function that forgets the call; `call` is another one each time. */
  whenReached(call: () => void): () => void {
    this.#waiting.add(call);
    return () => this.#waiting.delete(call);
  }
}
