/** Makes a scenario that breaks a promise as short as it can: leaves out faults, then fates, then records. */
import type { Broken } from './broken.ts';
import { runScenario } from './history.ts';
import type { Product } from './product.ts';
import type { Scenario } from './scenario.ts';

type Part = 'faults' | 'fates' | 'traffic';
const PARTS: readonly Part[] = ['faults', 'fates', 'traffic'];

export interface Shrunk {
  readonly scenario: Scenario;
  readonly broken: Broken;
  readonly tries: number;
}

/**
 * `broken`: what the scenario breaks. A shorter one must break the same promise. Every commit is compared, so that the
 * first wrong one is seen.
 */
export async function shrink(product: Product, scenario: Scenario, broken: Broken, mostTries = 2000): Promise<Shrunk> {
  let best = scenario;
  let found = broken;
  let tries = 0;
  async function breaks(shorter: Scenario): Promise<boolean> {
    tries++;
    const judged = await runScenario(product, shorter, { sample: 1 });
    if (judged.broken === undefined || judged.broken.promise !== broken.promise) return false;
    best = shorter;
    found = judged.broken;
    return true;
  }
  await breaks(scenario);
  for (let before = Number.POSITIVE_INFINITY; sizeOf(best) < before && tries < mostTries; ) {
    before = sizeOf(best);
    for (const part of PARTS) {
      for (let size = best[part].length; size >= 1 && tries < mostTries; size = Math.floor(size / 2)) {
        for (let from = 0; from < best[part].length && tries < mostTries; ) {
          if (!(await breaks(without(best, part, from, size)))) from += size;
        }
      }
    }
  }
  return { scenario: best, broken: found, tries };
}

function without(scenario: Scenario, part: Part, from: number, size: number): Scenario {
  const rest = <T>(list: readonly T[]): readonly T[] => [...list.slice(0, from), ...list.slice(from + size)];
  switch (part) {
    case 'faults':
      return { ...scenario, faults: rest(scenario.faults) };
    case 'fates':
      return { ...scenario, fates: rest(scenario.fates) };
    case 'traffic':
      return { ...scenario, traffic: rest(scenario.traffic) };
  }
}

function sizeOf({ faults, fates, traffic }: Scenario): number {
  return faults.length + fates.length + traffic.length;
}
