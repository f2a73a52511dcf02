import { execFileSync } from 'node:child_process';
import type { Broken } from './broken.ts';
import { runScenario } from './history.ts';
import type { Product } from './product.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';

/** All that is needed to see a failure again: the seed, the commit, what is left of the scenario, and what happened. */
export async function reportOf(product: Product, scenario: Scenario, broken: Broken): Promise<string> {
  const shrunk = await shrink(product, scenario, broken);
  const { trace } = await runScenario(product, shrunk.scenario, { trace: true, sample: 1 });
  const { settings, traffic, faults, fates } = shrunk.scenario;
  return [
    `seed ${scenario.seed} at commit ${commit()} breaks a promise`,
    broken.message,
    `shrunk by ${shrunk.tries} tries to ${traffic.length} records, ${faults.length} faults and ${fates.length} troubled requests:`,
    shrunk.broken.message,
    `settings: ${JSON.stringify({ ...settings, panes: { ...settings.panes, shape: undefined } })}`,
    ...trace,
    `again: npm run simulate:faults -- --seeds 1 --seed ${scenario.seed}`,
  ].join('\n');
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '(unknown)';
  }
}
