import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOUCHES } from '../../src/consumers/join/touch.ts';
import { difference, histories, type TouchClass } from '../consumers/join/touch-logs.ts';
import { withMutation } from './loader.ts';
import type { Change } from './mutation.ts';
import { TOUCH_MUTATIONS } from './touch.ts';

interface Loaded {
  readonly Touch: TouchClass;
}

/** Whether a history shows that the rule is another one. */
async function isCaught(changes: readonly Change[]): Promise<boolean> {
  const load = async ([path]: readonly string[]) => (await import(/* @vite-ignore */ path)) as Loaded;
  const { Touch } = await withMutation<Loaded>(changes, ['consumers/join/touch.ts'], load);
  return TOUCHES.some((touch) => {
    const checked = fc.check(
      fc.property(histories(touch), (history) => difference(history, Touch) === undefined),
      { numRuns: 3000, seed: 20_261_130, endOnFailure: true },
    );
    return checked.failed;
  });
}

describe('a weakened rule of feedback without the id of its list is caught', () => {
  it.each(TOUCH_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, { changes }) => {
    expect(await isCaught(changes)).toBe(true);
  });

  it('and the rules as they are pass', async () => {
    expect(await isCaught([])).toBe(false);
  });
});
