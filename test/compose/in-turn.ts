import type { Stack } from './stack.ts';

/** A part of the test, which begins where the one before it on the same stack ended. */
export interface Step {
  readonly name: string;
  readonly run: (stack: Stack) => Promise<void>;
}

/**
 * Takes steps one after the other, from when the stack is ready on. Returns a promise for each; those after one that failed fail
 * as it did.
 */
export function inTurn(stack: Stack, steps: readonly Step[], ready: Promise<unknown>): readonly Promise<void>[] {
  let last = ready;
  return steps.map(({ name, run }) => {
    const done = last.then(async () => {
      const began = performance.now();
      await run(stack);
      const [from, to] = [began, performance.now()].map((ms) => Math.round(ms / 1000));
      process.stderr.write(`tests: ${to - from} s, from ${from} to ${to} s: ${name}\n`);
    });
    // A failure is thrown to whoever waits for it; until then it is nobody's.
    done.catch(() => {});
    last = done;
    return done;
  });
}
