import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeadLetter, lineOf } from '../../src/dead-letters/letter.ts';
import {
  LetterQueue,
  LetterRefused,
  type LetterWriter,
  type QueueLimits,
} from '../../src/dead-letters/letter-queue.ts';
import { ManualClock, settle } from '../manual-clock.ts';
import { letter, letters } from './letters.ts';

/** Writes into memory; `fails` is asked before each call. */
class Writer implements LetterWriter {
  readonly lines: string[] = [];
  fails: (batch: readonly DeadLetter[]) => Error | undefined = () => undefined;
  /** undefined: it answers at once. */
  gate: Promise<void> | undefined;
  closed = false;
  async write(batch: readonly DeadLetter[]): Promise<void> {
    await this.gate;
    const error = this.fails(batch);
    if (error !== undefined) throw error;
    this.lines.push(...batch.map(lineOf));
  }
  async close(): Promise<void> {
    this.closed = true;
  }
}

function stand(limits?: QueueLimits) {
  const writer = new Writer();
  const clock = new ManualClock();
  const said: string[] = [];
  const say = (_: object, message: string): void => void said.push(message);
  const log = { info: say, warn: say };
  return {
    writer,
    clock,
    said,
    queue: new LetterQueue({ writer, clock, log, ...(limits === undefined ? {} : { limits }) }),
  };
}

/** The error of a full disk. */
const FULL = new Error('ENOSPC');

describe('without faults', () => {
  it('every letter is written exactly once, in order, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(letters, { maxLength: 20 }), { maxLength: 5 }), async (turns) => {
        const { writer, queue } = stand();
        for (const turn of turns) {
          for (const one of turn) queue.take(one);
          await settle();
        }
        await queue.close(1000);
        expect(writer.lines).toEqual(turns.flat().map(lineOf));
        expect(queue.counts).toEqual({ written: turns.flat().length, failed: 0, dropped: 0 });
        expect(writer.closed).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('nothing is said', async () => {
    const { queue, said } = stand();
    queue.take(letter(1));
    await settle();
    expect(said).toEqual([]);
  });
});

describe('with faults', () => {
  it('every letter ends in exactly one count, and what counts as written was written', async () => {
    const fault = fc.constantFrom<(Error | undefined)[]>(undefined, undefined, FULL, new LetterRefused('no'));
    const load = fc.array(fc.tuple(fc.nat(30), fault), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(load, fc.array(fault, { minLength: 1 }), fc.boolean(), async (turns, faults, ends) => {
        const { writer, queue, clock } = stand({ letters: 40, bytes: 400 });
        let calls = 0;
        writer.fails = () => faults[calls++ % faults.length];
        let n = 0;
        for (const [count] of turns) {
          for (let i = 0; i < count; i++) queue.take(letter(n++));
          await clock.advance(1500);
        }
        if (!ends) await clock.advance(600_000);
        const closing = queue.close(1000);
        await clock.advance(2000);
        await closing;
        const { written, failed, dropped } = queue.counts;
        expect(written + failed + dropped).toBe(n);
        expect(writer.lines.length).toBe(written);
        expect(new Set(writer.lines).size).toBe(written);
      }),
      { numRuns: 100 },
    );
  });

  it('a batch is tried six times, then counted as failed, and the next one is tried anew', async () => {
    const { writer, queue, clock, said } = stand();
    let fails = true;
    writer.fails = () => (fails ? FULL : undefined);
    queue.take(letter(1));
    await clock.advance(20_000);
    expect(queue.counts).toEqual({ written: 0, failed: 0, dropped: 0 });
    await clock.advance(40_000);
    expect(queue.counts).toEqual({ written: 0, failed: 1, dropped: 0 });
    fails = false;
    queue.take(letter(2));
    await settle();
    expect(queue.counts).toEqual({ written: 1, failed: 1, dropped: 0 });
    expect(said).toEqual([
      'a dead letter could not be written; counting continues',
      'dead letters can be written again',
    ]);
  });

  it('a letter that can never be written does not take others with it', async () => {
    const { writer, queue } = stand();
    const bad = lineOf(letter(3));
    writer.fails = (batch) => (batch.some((one) => lineOf(one) === bad) ? new LetterRefused('too large') : undefined);
    for (let n = 0; n < 6; n++) queue.take(letter(n));
    await settle();
    expect(queue.counts).toEqual({ written: 5, failed: 1, dropped: 0 });
    expect(writer.lines).toEqual([0, 1, 2, 4, 5].map((n) => lineOf(letter(n))));
  });

  it('what does not fit is dropped, said once, and taken again when there is room', async () => {
    const { writer, queue, said } = stand({ letters: 3, bytes: 1000 });
    let open = (): void => {};
    writer.gate = new Promise((resolve) => {
      open = resolve;
    });
    for (let n = 0; n < 5; n++) queue.take(letter(n));
    expect(queue.counts).toEqual({ written: 0, failed: 0, dropped: 2 });
    open();
    await settle();
    queue.take(letter(9));
    queue.take(letter(10, 'x'.repeat(1001)));
    await settle();
    expect(queue.counts).toEqual({ written: 4, failed: 0, dropped: 3 });
    expect(said.length).toBe(2);
  });

  it('the end does not wait for a writer that hangs', async () => {
    const { writer, queue, clock } = stand();
    writer.gate = new Promise(() => {});
    queue.take(letter(1));
    queue.take(letter(2));
    const closing = queue.close(1000);
    await clock.advance(1000);
    await closing;
    queue.take(letter(3));
    expect(queue.counts).toEqual({ written: 0, failed: 0, dropped: 3 });
  });
});

describe('whoever waits for the letters', () => {
  /** Whether it has resolved. */
  function watched(waiting: Promise<void>): { isOver: boolean } {
    const state = { isOver: false };
    void waiting.then(() => {
      state.isOver = true;
    });
    return state;
  }

  it('goes on at once when there are none, and else when all that were taken before are written', async () => {
    const { writer, queue } = stand();
    await queue.flushed(1000);
    let open = (): void => {};
    writer.gate = new Promise((resolve) => {
      open = resolve;
    });
    queue.take(letter(1));
    const first = watched(queue.flushed(1000));
    await settle();
    expect(first.isOver).toBe(false);
    queue.take(letter(2));
    const second = watched(queue.flushed(1000));
    open();
    await settle();
    expect([first.isOver, second.isOver]).toEqual([true, true]);
    expect(writer.lines).toEqual([letter(1), letter(2)].map(lineOf));
  });

  it('goes on when they were given up', async () => {
    const { writer, queue } = stand();
    writer.fails = () => new LetterRefused('too large');
    queue.take(letter(1));
    const wait = watched(queue.flushed(1000));
    await settle();
    expect(wait.isOver).toBe(true);
    expect(queue.counts).toEqual({ written: 0, failed: 1, dropped: 0 });
  });

  it('waits no longer than it said, and not again until something was written', async () => {
    const { writer, queue, clock } = stand();
    writer.fails = () => FULL;
    queue.take(letter(1));
    const wait = watched(queue.flushed(500));
    await clock.advance(499);
    expect(wait.isOver).toBe(false);
    await clock.advance(1);
    expect(wait.isOver).toBe(true);
    queue.take(letter(2));
    const again = watched(queue.flushed(500));
    await settle();
    expect(again.isOver).toBe(true);
    writer.fails = () => undefined;
    await clock.advance(60_000);
    expect(queue.counts.written).toBe(2);
    writer.fails = () => FULL;
    queue.take(letter(3));
    const waitsAgain = watched(queue.flushed(500));
    await settle();
    expect(waitsAgain.isOver).toBe(false);
    await clock.advance(500);
    expect(waitsAgain.isOver).toBe(true);
  });

  it('is let go when the queue ends', async () => {
    const { writer, queue, clock } = stand();
    writer.gate = new Promise(() => {});
    queue.take(letter(1));
    const wait = watched(queue.flushed(1e9));
    const closing = queue.close(1000);
    await clock.advance(3000);
    await closing;
    expect(wait.isOver).toBe(true);
  });
});
