import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Dimensions } from '../../src/consumers/decode/dimensions.ts';
import { scanPlan } from '../../src/consumers/decode/scan-plan.ts';
import type { Scanner } from '../../src/consumers/decode/scanner.ts';
import { casedRecords, mappedRecords, SELDOM } from '../consumers/decode/mapped-records.ts';
import { agrees } from '../consumers/decode/scanned.ts';
import { compileEngines } from './compile-engines.ts';
import { withMutation } from './loader.ts';
import type { Mutation } from './mutation.ts';
import { SCAN_MUTATIONS } from './scan.ts';

type ScannerClass = typeof Scanner;

function mutated({ changes }: Pick<Mutation, 'changes'>): Promise<ScannerClass> {
  const load = async ([path]: readonly string[]): Promise<ScannerClass> =>
    (await import(/* @vite-ignore */ path)).Scanner;
  return withMutation(changes, ['consumers/decode/scanner.ts'], load, 'checked');
}

beforeAll(() => compileEngines([{ changes: [] }, ...SCAN_MUTATIONS]));

/** Whether some record is read otherwise than its map reads it. */
function isBroken(Mutated: ScannerClass, runs: number): boolean {
  const law = fc.property(fc.oneof(mappedRecords, casedRecords), ({ all, texts }) => {
    const plan = scanPlan(all.adapter);
    if (plan === undefined) return;
    const scanner = new Mutated(all, new Dimensions(all.dimensions), plan);
    for (const text of texts) agrees(text, all, scanner);
  });
  return fc.check(law, { seed: 1, numRuns: runs, endOnFailure: true, examples: SELDOM.map((one) => [one]) }).failed;
}

describe('a weakened rule of the scanner is caught', () => {
  it.each(SCAN_MUTATIONS.map((each) => [each.name, each] as const))('%s', async (_, mutation) => {
    expect(isBroken(await mutated(mutation), 20_000)).toBe(true);
  });

  it('and the rules as they are pass', async () => {
    expect(isBroken(await mutated({ changes: [] }), 500)).toBe(false);
  });
});
