import { type Clock, Ending } from '../vocabulary/clock.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { type DeadLetter, kept, sizeOf } from './letter.ts';

/** The destination of letters. Calls must not overlap. */
export interface LetterWriter {
  /** Rejects if not all letters were written; with a LetterRefused if a retry would not help. */
  write(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}

/** The error for a letter that can never be written. */
export class LetterRefused extends Error {
  override readonly name = 'LetterRefused';
}

export const LETTER_OUTCOMES = ['written', 'failed', 'dropped'] as const;

/** Number of letters by outcome. failed: could not be written; dropped: did not fit into memory, or was left at the end. */
export type LetterCounts = Readonly<Record<(typeof LETTER_OUTCOMES)[number], number>>;

export const NO_LETTERS: LetterCounts = { written: 0, failed: 0, dropped: 0 };

interface LetterQueueOptions {
  readonly writer: LetterWriter;
  readonly clock: Clock;
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Limits of what is in memory. Default: QUEUE. */
  readonly limits?: QueueLimits;
}

export interface QueueLimits {
  readonly letters: number;
  /** Bytes of keys, values and headers. */
  readonly bytes: number;
}

const QUEUE: QueueLimits = { letters: 10_000, bytes: 16 * 2 ** 20 };

const BATCH: QueueLimits = { letters: 200, bytes: 2 ** 19 };
/** Number of attempts for a batch, with waits of 1, 2, 4, 8 and 16 s in between. */
const TRIES = 6;
const FIRST_WAIT: DurationMs = 1000;

/**
 * The queue of letters to write. The caller never waits: a letter that does not fit is dropped and counted; one that cannot be
 * written is retried for at least half a minute, then counted as well. Each letter that was taken is counted exactly once.
 */
export class LetterQueue {
  readonly #options: LetterQueueOptions;
  readonly #limits: QueueLimits;
  #waiting: DeadLetter[] = [];
  /** Number of letters that wait or are being written. */
  #letters = 0;
  #bytes = 0;
  readonly #counts = { ...NO_LETTERS };
  #writing: Promise<void> | undefined;
  readonly #ending = new Ending();
  #isFailing = false;
  #isFull = false;
  /**
   * Number of letters that were ever taken, and of those that have been counted. They are counted in the order in which they were
   * taken.
   */
  #taken = 0;
  #finished = 0;
  #waiters: { readonly upTo: number; readonly done: () => void }[] = [];
  /** Whether the writer is behind: then `flushed` does not wait until a letter has been written again. */
  #isBehind = false;

  constructor(options: LetterQueueOptions) {
    this.#options = options;
    this.#limits = options.limits ?? QUEUE;
  }

  get counts(): LetterCounts {
    return { ...this.#counts };
  }

  /** Copies the bytes. Never throws. */
  take(letter: DeadLetter): void {
    const size = sizeOf(letter);
    const fits = this.#letters < this.#limits.letters && this.#bytes + size <= this.#limits.bytes;
    if (!fits || this.#ending.isReached) {
      this.#counts.dropped++;
      if (!this.#isFull) {
        this.#options.log.warn(
          { waiting: this.#letters },
          'dead letters come faster than they can be written: dropping',
        );
      }
      this.#isFull = true;
      return;
    }
    this.#waiting.push(kept(letter));
    this.#letters++;
    this.#taken++;
    this.#bytes += size;
    this.#writing ??= this.#drain();
  }

  /**
   * Resolves when each letter that was taken so far is written or given up, or after `timeout`; and at once if nothing has been
   * written since `timeout` last ran out. Never rejects.
   */
  async flushed(timeout: DurationMs): Promise<void> {
    const upTo = this.#taken;
    if (this.#finished >= upTo || this.#isBehind) return;
    const inTime = new Ending();
    let done = (): void => {};
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#waiters.push({ upTo, done });
    await Promise.race([all, this.#options.clock.sleep(timeout, inTime)]);
    inTime.reach();
    this.#waiters = this.#waiters.filter((waiter) => waiter.done !== done);
    this.#isBehind = this.#finished < upTo;
  }

  /** Writes the queued letters for at most `timeout` and drops the rest. No more letters are accepted. */
  async close(timeout: DurationMs): Promise<void> {
    const inTime = new Ending();
    this.#ending.reach();
    await Promise.race([this.#writing, this.#options.clock.sleep(timeout, inTime)]);
    inTime.reach();
    this.#counts.dropped += this.#letters;
    this.#letters = 0;
    this.#waiting = [];
    this.#reached(this.#taken);
    await Promise.race([this.#options.writer.close().catch(() => {}), this.#options.clock.sleep(timeout)]);
  }

  async #drain(): Promise<void> {
    // Letters of the same turn of the event loop are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#next();
      await this.#write(batch, TRIES);
      this.#isFull = false;
    }
    this.#writing = undefined;
  }

  #next(): readonly DeadLetter[] {
    let count = 1;
    let bytes = sizeOf(this.#waiting[0]);
    while (count < Math.min(BATCH.letters, this.#waiting.length)) {
      bytes += sizeOf(this.#waiting[count]);
      if (bytes > BATCH.bytes) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(batch: readonly DeadLetter[], tries: number): Promise<void> {
    const { writer, clock } = this.#options;
    for (let left = tries, wait = FIRST_WAIT; ; left--, wait *= 2) {
      try {
        await writer.write(batch);
        this.#finish(batch, 'written');
        this.#report(undefined);
        return;
      } catch (error) {
        this.#report(error);
        if (error instanceof LetterRefused && batch.length > 1) {
          for (const letter of batch) await this.#write([letter], 1);
          return;
        }
        if (error instanceof LetterRefused || left <= 1 || this.#ending.isReached) {
          this.#finish(batch, 'failed');
          return;
        }
        await clock.sleep(wait, this.#ending);
      }
    }
  }

  #finish(batch: readonly DeadLetter[], outcome: 'written' | 'failed'): void {
    // `close` has counted them as dropped already.
    if (this.#letters === 0) return;
    this.#counts[outcome] += batch.length;
    this.#letters -= batch.length;
    for (const letter of batch) this.#bytes -= sizeOf(letter);
    if (outcome === 'written') this.#isBehind = false;
    this.#reached(this.#finished + batch.length);
  }

  #reached(finished: number): void {
    this.#finished = finished;
    for (const { upTo, done } of this.#waiters) if (upTo <= finished) done();
  }

  /** Logs once when writing begins to fail, and once when it works again. */
  #report(error: unknown): void {
    const { log } = this.#options;
    if (error !== undefined && !this.#isFailing) {
      const reason = messageOf(error);
      log.warn({ error: reason }, 'a dead letter could not be written; counting continues');
    }
    if (error === undefined && this.#isFailing) log.info({}, 'dead letters can be written again');
    this.#isFailing = error !== undefined;
  }
}
