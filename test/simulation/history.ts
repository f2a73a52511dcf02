/** From a seed to a judged history. */
import type { Broken } from './broken.ts';
import { drawDamages, drawFates, drawFaults, drawRamps, drawTransactions } from './faults.ts';
import { BEGIN, drawSettings, drawTraffic, STEP_MS, shortOfMemory } from './generator.ts';
import { Happened } from './happened.ts';
import type { Product } from './product.ts';
import { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import { Trace } from './trace.ts';
import { World } from './world.ts';

/** Share of the commits at which all that is stored is compared; the end always is. */
export const USUAL_SAMPLE = 0.03;

export interface Judged {
  readonly broken: Broken | undefined;
  readonly steps: number;
  /** From the first record to the end. */
  readonly simulatedMs: number;
  readonly happened: Happened;
  readonly trace: readonly string[];
}

/** In one of so many histories the weights of the experiment change. The others are as they were before there were ramps. */
const RAMPED = 10;
/** In these of so many there are batches that cannot be decoded. */
const DAMAGED = { of: 20, are: [4, 15] } as const;

/** In these of so many producers have transactions. */
const WITH_TRANSACTIONS = { of: 23, are: [5, 17] } as const;

/** In one of so many a process that owns two units lets them commit in turns. */
const IN_TURNS = { of: 3, commitsPerSecond: 0.1 } as const;

/** In one of so many the processes have little memory. */
const SHORT_OF_MEMORY = 13;

export function drawScenario(seed: number): Scenario {
  const random = new Random(seed);
  const drawn = drawSettings(random.stream('settings'));
  const free = seed % SHORT_OF_MEMORY === 0 ? shortOfMemory(random.stream('memory'), drawn) : drawn;
  const settings = seed % IN_TURNS.of === 0 ? { ...free, commitsPerSecond: IN_TURNS.commitsPerSecond } : free;
  const traffic = drawTraffic(random.stream('traffic'), settings);
  const last = traffic.length === 0 ? BEGIN : traffic[traffic.length - 1].at;
  const end = last + 6 * STEP_MS;
  const faults = drawFaults(random.stream('faults'), settings, BEGIN, end);
  const ramps = seed % RAMPED === 0 ? drawRamps(random.stream('ramps'), BEGIN, end) : [];
  const isDamaged = DAMAGED.are.some((one) => seed % DAMAGED.of === one);
  const damage = random.stream('damage');
  const damages = isDamaged ? drawDamages(damage, settings, BEGIN, end) : [];
  const isTransactional = WITH_TRANSACTIONS.are.some((one) => seed % WITH_TRANSACTIONS.of === one);
  const transactions = isTransactional ? drawTransactions(random.stream('transactions'), settings, BEGIN, end) : [];
  return {
    seed,
    settings,
    onUndecodable: damage.pick(['stop', 'skip', 'mixed']),
    traffic,
    faults: [...faults, ...ramps, ...damages, ...transactions].sort((a, b) => a.at - b.at),
    fates: drawFates(random.stream('fates')),
    begin: BEGIN,
    end,
  };
}

export async function runScenario(
  product: Product,
  scenario: Scenario,
  { trace = false, sample = USUAL_SAMPLE }: { readonly trace?: boolean; readonly sample?: number } = {},
): Promise<Judged> {
  const happened = new Happened();
  const lines = new Trace(trace);
  const world = new World(product, scenario, happened, lines, sample);
  const broken = await world.run();
  return {
    broken,
    steps: world.steps,
    simulatedMs: world.scheduler.now - scenario.begin,
    happened,
    trace: lines.lines,
  };
}
