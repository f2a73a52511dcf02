import { beforeAll, describe, expect, it } from 'vitest';
import { type LostParts, outcomes } from '../unit/lost-histories.ts';
import { withMutation } from './loader.ts';
import { LOST_MUTATIONS } from './lost-rows.ts';
import type { Change } from './mutation.ts';

const FILES = [
  'unit/unit.ts',
  'consumers/decode/decoder.ts',
  'measures/scorer.ts',
  'exporter/exporter.ts',
  'experiment/experiment-parts.ts',
];

/** What becomes of each harm by the source with these changes. */
function judged(changes: readonly Change[]): Promise<string> {
  return withMutation(changes, FILES, async (paths) => {
    const parts = await Promise.all(paths.map((path) => import(/* @vite-ignore */ path)));
    const code: LostParts = Object.assign({}, ...parts);
    return JSON.stringify([...(await outcomes(code))]);
  });
}

let plain: string;
beforeAll(async () => {
  plain = await judged([]);
});

describe('a weakened check of rows that are lost or contradict themselves is caught', () => {
  it.each(LOST_MUTATIONS.map(({ name, changes }) => [name, changes] as const))('%s', async (_, changes) => {
    expect(await judged(changes)).not.toBe(plain);
  });

  it('and the checks as they are say the same again, and of each harm more than of none', async () => {
    expect(await judged([])).toBe(plain);
    const said = new Map<string, string>(JSON.parse(plain));
    const { nothing, ...harms } = Object.fromEntries(said);
    for (const text of Object.values(harms)) expect(text).not.toBe(nothing);
  });
});
