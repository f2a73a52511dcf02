import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Commit } from '../../src/accumulators/store/store-port.ts';
import { LetterQueue } from '../../src/dead-letters/letter-queue.ts';
import { LettersFirst } from '../../src/service/dead-letters.ts';
import { letter } from '../dead-letters/letters.ts';
import { ManualClock, settle } from '../manual-clock.ts';
import { RestorableStore } from '../restorable-store.ts';

const UNIT = 'receval:{test:0}:unit';

function commitOf(seq: number, position: number): Commit {
  return {
    unit: UNIT,
    token: 'me',
    seq,
    cid: `c${seq}`,
    parent: seq === 1 ? '' : `c${seq - 1}`,
    checkpoint: new Map([['position', String(position)]]),
    rows: new Map(),
    deletes: [],
  };
}

it('while letters can be written, none of a committed record is ever only in memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ letters: fc.nat(4), takes: fc.integer({ min: 0, max: 900 }) }), {
        minLength: 1,
        maxLength: 8,
      }),
      async (steps) => {
        const clock = new ManualClock();
        const memory = new RestorableStore();
        const written: number[] = [];
        let takes = 0;
        const quiet = { info: () => {}, warn: () => {} };
        const queue = new LetterQueue({
          clock,
          log: quiet,
          writer: {
            async write(batch) {
              await clock.sleep(takes);
              for (const { place } of batch) written.push('offset' in place ? place.offset : -1);
            },
            close: async () => {},
          },
        });
        const store = new LettersFirst(memory, queue);
        await store.claim(UNIT, 'me');
        let position = 0;
        for (const [n, step] of steps.entries()) {
          takes = step.takes;
          for (let i = 0; i < step.letters; i++) queue.take(letter(position++));
          const committing = store.commit(commitOf(n + 1, position));
          for (let waited = 0; waited < 1000; waited += 100) {
            // The process may be killed now.
            const stored = memory.snapshot().get(UNIT)?.get('position');
            expect(written.length).toBeGreaterThanOrEqual(Number(stored ?? 0));
            await clock.advance(100);
          }
          expect(await committing).toBe('OK');
          await settle();
        }
      },
    ),
    { numRuns: 50 },
  );
});

it('a place that cannot be written holds commits up once, not for ever', async () => {
  const clock = new ManualClock();
  const quiet = { info: () => {}, warn: () => {} };
  const writer = { write: () => new Promise<never>(() => {}), close: async () => {} };
  const queue = new LetterQueue({ clock, log: quiet, writer });
  const store = new LettersFirst(new RestorableStore(), queue);
  await store.claim(UNIT, 'me');
  queue.take(letter(1));
  const first = store.commit(commitOf(1, 1));
  await clock.advance(1000);
  expect(await first).toBe('OK');
  queue.take(letter(2));
  expect(await store.commit(commitOf(2, 2))).toBe('OK');
});
