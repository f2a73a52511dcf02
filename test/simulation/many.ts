import type { Broken } from './broken.ts';
import { Happened } from './happened.ts';
import { drawScenario, runScenario } from './history.ts';
import type { Product } from './product.ts';
import type { Scenario } from './scenario.ts';

export interface Many {
  readonly histories: number;
  readonly steps: number;
  readonly simulatedMs: number;
  readonly happened: Happened;
  /** The first that broke a promise; the others after it did not run. */
  readonly failure: { readonly scenario: Scenario; readonly broken: Broken } | undefined;
}

/** Runs the histories of so many seeds, up to the first that breaks a promise. */
export async function runSeeds(
  product: Product,
  { from, seeds, sample }: { readonly from: number; readonly seeds: number; readonly sample?: number | undefined },
  progress: (so: Omit<Many, 'failure'>) => void = () => {},
): Promise<Many> {
  const happened = new Happened();
  let steps = 0;
  let simulatedMs = 0;
  for (let n = 0; n < seeds; n++) {
    const scenario = drawScenario(from + n);
    const judged = await runScenario(product, scenario, sample === undefined ? {} : { sample });
    steps += judged.steps;
    simulatedMs += judged.simulatedMs;
    happened.addAll(judged.happened);
    const so = { histories: n + 1, steps, simulatedMs, happened };
    if (judged.broken !== undefined) return { ...so, failure: { scenario, broken: judged.broken } };
    progress(so);
  }
  return { histories: seeds, steps, simulatedMs, happened, failure: undefined };
}
