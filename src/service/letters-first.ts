import type { Claimed, Commit, CommitAnswer, Fields, Store } from '../accumulators/store/port.ts';
import type { LetterQueue } from '../dead-letters/queue.ts';
import type { DurationMs } from '../vocabulary/events.ts';

/** So long a commit waits for letters. Two of them, and the end of the queue, have room in the time that a stop may take. */
const PATIENCE_MS: DurationMs = 1000;

/**
 * A store whose commits go out only when the letters of their records are written: records below a committed offset are never
 * judged again, so a letter that was still in memory when the process was killed would be missing for good. A commit was
 * built when it comes here, so all its letters have been taken. It waits for a bounded time, and not at all while nothing
 * can be written: counting comes first.
 */
export class LettersFirst implements Store {
  readonly #store: Store;
  readonly #letters: Pick<LetterQueue, 'settled'>;

  constructor(store: Store, letters: Pick<LetterQueue, 'settled'>) {
    this.#store = store;
    this.#letters = letters;
  }

  claim(unit: string, token: string): Promise<Claimed> {
    return this.#store.claim(unit, token);
  }

  async commit(commit: Commit): Promise<CommitAnswer> {
    await this.#letters.settled(PATIENCE_MS);
    return this.#store.commit(commit);
  }

  read(keys: readonly string[]): Promise<readonly Fields[]> {
    return this.#store.read(keys);
  }
}
