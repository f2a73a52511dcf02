import { beforeAll, describe, expect, it } from 'vitest';
import { FAULT_LABELS } from '../../src/vocabulary/fault-point.ts';
import { INCREMENTS } from '../mutations/guards.ts';
import type { Change } from '../mutations/mutation.ts';
import { runs } from '../runs.ts';
import { JUDGED, PLANTED } from './disorders.ts';
import { FAULT_KINDS } from './faults.ts';
import { drawScenario, runScenario } from './history.ts';
import { runSeeds } from './many.ts';
import { PINNED } from './pinned.ts';
import { mutatedProduct, type Product, SMALL_BOUNDS, theProduct } from './product.ts';
import { reportOf } from './report.ts';
import { FATES } from './scenario.ts';
import { shrink } from './shrink.ts';

const SEEDS = runs(150);
const LONG_MS = 300_000;

describe('the simulator', () => {
  let product: Product;
  beforeAll(async () => {
    product = await theProduct();
  });

  it(
    `finds nothing lost, double or different in ${SEEDS} histories, in which everything went wrong that can`,
    async () => {
      const { failure, happened } = await runSeeds(product, { from: 1, seeds: SEEDS });
      if (failure !== undefined) expect.fail(await reportOf(product, failure.scenario, failure.broken));
      const expected = [
        ...FAULT_KINDS,
        ...FATES,
        ...PLANTED,
        ...JUDGED,
        ...['OK', 'ALREADY', 'FENCED', 'CONFLICT'],
        ...[
          'stopped: limit',
          'stopped: codec',
          'damage',
          'transaction',
          'stopped: memory',
          'stopped: state_lost',
          'start refused',
          'orderly end',
          'ramp',
          'a run that began in mid-history',
        ],
      ];
      expect(
        expected.filter((what) => happened.of(what) === 0),
        'let what draws scenarios produce these: events in generator.ts, faults in scenario.ts',
      ).toEqual([]);
      const places = FAULT_LABELS.filter((label) => happened.of(`died at: ${label}`) > 0);
      expect(places.length).toBeGreaterThan(FAULT_LABELS.length / 3);
    },
    LONG_MS,
  );

  it(
    'finds no more where what is bounded by thousands is bounded by a few',
    async () => {
      const { failure } = await runSeeds(await mutatedProduct(SMALL_BOUNDS), {
        from: 1,
        seeds: 50,
        sample: 0.3,
      });
      if (failure !== undefined) expect.fail(await reportOf(product, failure.scenario, failure.broken));
    },
    LONG_MS,
  );

  it.each(PINNED.map(({ seed, showed }) => [showed, seed] as const))(
    'finds no more that %s',
    async (_, seed) => {
      const scenario = drawScenario(seed);
      const { broken } = await runScenario(product, scenario, { sample: 1 });
      if (broken !== undefined) expect.fail(await reportOf(product, scenario, broken));
    },
    LONG_MS,
  );

  it('does the same again with the same seed', async () => {
    const [one, other] = [
      await runScenario(product, drawScenario(12), { trace: true }),
      await runScenario(product, drawScenario(12), { trace: true }),
    ];
    expect(one.trace.length).toBeGreaterThan(50);
    expect(other.trace).toEqual(one.trace);
    expect(other.steps).toBe(one.steps);
  });

  const LOSABLE = [':pane:m:', ':vector:h:', ':total:default:', ':users:default:', ':looks:default:'] as const;
  /** A store that loses the last key of a kind right after each claim. */
  const losing = (part: (typeof LOSABLE)[number]): Change => ({
    file: 'accumulators/store/memory-store.ts',
    text: "hash.set('token', token);",
    replacement: `hash.set('token', token);
    const lost = [...this.#hashes.keys()].filter((key) => key.startsWith(unit.slice(0, -4)) && key.includes('${part}')).sort().at(-1);
    if (lost !== undefined) this.#hashes.delete(lost);`,
  });
  /** What a claim does about it, taken out. */
  const BLIND: readonly Change[] = [
    {
      file: 'unit/restore.ts',
      text: 'live.filter(({ key }) => of(key).size === 0)',
      replacement: 'live.slice(live.length)',
    },
    {
      file: 'unit/restore.ts',
      text: 'short.push(...[...lacks.why.keys()].map((part) => parts[part]));\n    return withLost(state, lacks);',
      replacement: 'return state;',
    },
  ];

  it.each(LOSABLE)(
    'hears of a lost %s from the next claim, and from nothing but what looks for it',
    async (part) => {
      const promises = async (changes: readonly Change[]): Promise<ReadonlySet<string | undefined>> => {
        const product = await mutatedProduct(changes);
        const found = new Set<string | undefined>();
        for (let seed = 1; seed <= 40; seed++)
          found.add((await runScenario(product, drawScenario(seed))).broken?.promise);
        return found;
      };
      expect(await promises([losing(part)])).toContain('lost rows');
      const blind = await promises([losing(part), ...BLIND]);
      expect(blind).not.toContain('lost rows');
      expect([...blind].some((promise) => promise !== undefined)).toBe(true);
    },
    LONG_MS,
  );

  it(
    'passes what sends additions, as long as the guard is whole',
    async () => {
      const adding = await mutatedProduct(INCREMENTS);
      expect((await runSeeds(adding, { from: 1, seeds: 20 })).failure).toBeUndefined();
    },
    LONG_MS,
  );

  it(
    'leaves of a history that breaks a promise only what breaks it',
    async () => {
      const forgetful = await mutatedProduct([
        {
          file: '../wasm/engine/rules.ts',
          text: 'drop(unit, topic, CAPPED, isReplayed, entryAt, event);',
          replacement: '',
        },
      ]);
      const { failure } = await runSeeds(forgetful, { from: 1, seeds: 50 });
      if (failure === undefined) throw new Error('feedback that is dropped and not counted must be missed');
      const { scenario, broken } = await shrink(forgetful, failure.scenario, failure.broken);
      expect(broken.promise).toBe(failure.broken.promise);
      expect(scenario.faults).toEqual([]);
      expect(scenario.fates).toEqual([]);
      // An impression and one feedback more than it takes.
      expect(scenario.traffic.length).toBeLessThanOrEqual(5);
    },
    LONG_MS,
  );
});
