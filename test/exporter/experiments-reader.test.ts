import { describe, expect, it } from 'vitest';
import { looksKey, totalKey, unitKey } from '../../src/accumulators/store/layout.ts';
import type { ExperimentSettings } from '../../src/config/settings.ts';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { decodeLooks } from '../../src/experiment/experiment-looks.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import type { ExporterSettings } from '../../src/exporter/exporter-contract.ts';
import { experimentsText } from '../../src/metrics/registry.ts';
import { looksIn, PARTITIONS, ShopService, stateIn, UNIT_TIMEOUT } from '../experiment-service.ts';
import { EXPERIMENT, HORIZONS, MEASURES, NAMESPACE, nameOfRun, RAMPED, unitSettings } from '../experiment-shop.ts';
import { unwatched } from './unwatched.ts';

const WORSE = { A: 1, B: 3 };
const SECOND: ExperimentSettings = { ...EXPERIMENT, name: 'second', horizon: HORIZONS[0], guardrails: [] };
const { paneSize } = unitSettings().panes;

function exporterOf(
  { store }: Pick<ShopService, 'store'>,
  experiments: readonly ExperimentSettings[] = [EXPERIMENT],
): Exporter {
  const settings: ExporterSettings = {
    measures: MEASURES,
    cohorts: [[]],
    experiments,
    statistics: { clustered: [] },
    detect: unwatched(HORIZONS[0]),
    paneSize: { text: '20s', ms: paneSize },
    windows: [{ text: '1m', ms: 60_000 }],
    attribution: { horizons: HORIZONS, window: HORIZONS[HORIZONS.length - 1], unitTimeout: UNIT_TIMEOUT },
  };
  return new Exporter(settings, { store, namespace: NAMESPACE, partitions: PARTITIONS, hour: 60_000 });
}

/** What the store holds, in the plainest way: nothing of experiments that nobody has looked at. */
function plainly({ store }: ShopService, experiments: readonly ExperimentSettings[] = [EXPERIMENT]) {
  const stored = store.inner.snapshot();
  return experiments.flatMap((experiment): readonly Comparison[] => {
    const fields = looksIn(stored, experiment);
    if (fields.size === 0) return [];
    return [evaluate({ ...stateIn(stored, experiment), looks: decodeLooks(fields, experiment.horizon.text) })];
  });
}

async function shown(exporter: Exporter): Promise<readonly Comparison[]> {
  return (await exporter.refresh()).experiments;
}

/** A service that has run for a while and has ended. */
async function ended(
  experiments?: readonly ExperimentSettings[],
  seconds = 200,
  clicked: Parameters<ShopService['live']>[1] = WORSE,
): Promise<ShopService> {
  const service = new ShopService(experiments);
  const running = await service.start();
  await service.live(seconds, clicked);
  await service.clock.advance(2000);
  await running.stop();
  return service;
}

describe('the experiments of an exporter', () => {
  it('are what all units and the looks have stored, at every time', async () => {
    const both = [EXPERIMENT, SECOND];
    const service = new ShopService(both);
    const exporter = exporterOf(service, both);
    const running = await service.start();
    const decisions = new Set<string>();
    for (let i = 0; i < 12; i++) {
      await service.live(23, WORSE);
      // All that was read is stored then.
      await service.clock.advance(1500);
      const found = await shown(exporter);
      expect(found).toEqual(plainly(service, both));
      for (const { experiment, variants } of found) decisions.add(`${experiment}: ${variants[0].decision}`);
    }
    expect([...decisions].sort()).toEqual([
      'default: insufficient',
      'default: regressed',
      'second: insufficient',
      'second: regressed',
    ]);
    await running.stop();
  });

  it('call a variant without a click regressed, as their gauges do', async () => {
    const experiments = [{ ...EXPERIMENT, guardrails: [] }];
    const service = await ended(experiments, 200, { A: 1, B: undefined });
    const comparisons = await shown(exporterOf(service, experiments));
    expect(comparisons.map(({ variants }) => variants.map(({ decision, reason }) => [decision, reason]))).toEqual([
      [['regressed', 'primary_worse']],
    ]);
    const [{ measures }] = comparisons[0].variants;
    expect(measures[0]).toMatchObject({ measure: 'ndcg@10', value: 0, lift: -1 });
    const decided = experimentsText(comparisons)
      .split('\n')
      .filter((line) => line.startsWith('receval_experiment_decision{'));
    expect(decided.filter((line) => line.endsWith(' 1'))).toEqual([
      'receval_experiment_decision{experiment="default",variant="B",decision="regressed"} 1',
    ]);
    expect(decided).toHaveLength(5);
  });

  it('are the same object as long as neither time nor looks have moved', async () => {
    const service = await ended();
    const exporter = exporterOf(service);
    const first = await exporter.refresh();
    const again = await exporter.refresh();
    expect(again.experiments).toBe(first.experiments);
    // A commit that moves no time.
    const running = await service.start();
    service.log.append(0, 0, null, service.clock.now());
    await service.clock.advance(2000);
    expect(await shown(exporter)).toBe(first.experiments);
    await running.stop();
  });

  it('are not shown before the first look, and then at the totals of before', async () => {
    const service = await ended();
    const before = await shown(exporterOf(service));
    const exporter = exporterOf(service);
    const key = looksKey({ namespace: NAMESPACE, unit: 0, generation: '1' }, 'default', nameOfRun(EXPERIMENT));
    const stored = new Map(service.store.inner.snapshot());
    service.store.inner.restoreSnapshot(new Map([...stored].filter(([name]) => name !== key)));
    const unit = unitKey(NAMESPACE, 0);
    const runs = stored.get(unit)?.get('runs') ?? '';
    service.store.tamper(unit, { runs: runs.replace(',"looks":true', '') });
    expect(await shown(exporter)).toEqual([]);
    service.store.inner.restoreSnapshot(stored);
    expect(await shown(exporter)).toEqual(before);
    expect(before).toHaveLength(1);
  });

  it('are none while nothing is stored, of a run that nobody counts, and without experiments', async () => {
    expect(await shown(exporterOf(new ShopService()))).toEqual([]);
    const service = await ended();
    expect(await shown(exporterOf(service, [RAMPED]))).toEqual([]);
    expect(await shown(exporterOf(service, []))).toEqual([]);
  });

  it('are read anew when a unit changed hands meanwhile', async () => {
    const service = await ended();
    const { store } = service;
    const total = totalKey({ namespace: NAMESPACE, unit: 1, generation: '1' }, 'default', nameOfRun(EXPERIMENT));
    const want = plainly(service);
    let reads = 0;
    store.onRead = (keys) => {
      if (keys.includes(total) && reads++ === 0) void store.claim(unitKey(NAMESPACE, 1), 'another');
    };
    expect(await shown(exporterOf(service))).toEqual(want);
    expect(reads).toBe(2);
  });

  it('are refused when a unit changes hands again and again, and come back when it rests', async () => {
    const service = await ended();
    const { store } = service;
    const total = totalKey({ namespace: NAMESPACE, unit: 1, generation: '1' }, 'default', nameOfRun(EXPERIMENT));
    const exporter = exporterOf(service);
    let reads = 0;
    store.onRead = (keys) => {
      if (keys.includes(total)) void store.claim(unitKey(NAMESPACE, 1), `another ${reads++}`);
    };
    await expect(exporter.refresh()).rejects.toThrow(
      'unit 1 of namespace "shop" changed hands while it was read, 5 times in a row',
    );
    expect(reads).toBe(5);
    store.onRead = undefined;
    expect(await shown(exporter)).toEqual(plainly(service));
  });

  it('follow a store that went back', async () => {
    const service = new ShopService();
    const running = await service.start();
    const exporter = exporterOf(service);
    await service.live(150, WORSE);
    await service.clock.advance(1500);
    const backup = service.store.inner.snapshot();
    const before = await shown(exporter);
    await service.live(60, WORSE);
    await service.clock.advance(1500);
    expect(await shown(exporter)).not.toEqual(before);
    await running.stop();
    service.store.inner.restoreSnapshot(backup);
    expect(await shown(exporter)).toEqual(before);
  });

  it('are shown without a decision where a part of the looks is gone, or all of them', async () => {
    for (const gone of ['fields', 'settings', 'srm', '1m|B|decision', undefined]) {
      const { store } = await ended();
      const key = looksKey({ namespace: NAMESPACE, unit: 0, generation: '1' }, 'default', nameOfRun(EXPERIMENT));
      const looks = store.inner.snapshot().get(key) ?? new Map();
      expect(gone === undefined || looks.has(gone)).toBe(true);
      const left = new Map([...looks].filter(([field]) => gone !== undefined && field !== gone));
      store.inner.restoreSnapshot(new Map([...store.inner.snapshot(), [key, left]]));
      const { experiments, lost } = await exporterOf({ store }).refresh();
      expect(experiments.flatMap(({ variants }) => variants)).toMatchObject([
        { decision: 'invalid', reason: 'incomplete', explanation: expect.stringContaining('lost what earlier looks') },
      ]);
      expect([...(lost?.keys ?? [])]).toEqual([[key, expect.stringMatching(/gone$/)]]);
    }
  });

  it('are not called lost while the unit that looks is another: then the looks may be another’s, too', async () => {
    const { store } = await ended();
    const exporter = exporterOf({ store });
    const before = await shown(exporter);
    const key = looksKey({ namespace: NAMESPACE, unit: 0, generation: '1' }, 'default', nameOfRun(EXPERIMENT));
    const whole = store.inner.snapshot();
    let claims = 0;
    store.onRead = (keys) => {
      if (!keys.includes(key)) return;
      store.inner.restoreSnapshot(new Map([...whole].filter(([name]) => name !== key)));
      void store.claim(unitKey(NAMESPACE, 0), `another ${claims++}`);
    };
    const { lost } = await exporter.refresh();
    expect(lost?.keys.size).toBe(0);
    expect(await shown(exporter)).toEqual(before);
  });

  it('whose looks are damaged are shown without a decision, and the key is named with the field', async () => {
    const service = await ended();
    const key = looksKey({ namespace: NAMESPACE, unit: 0, generation: '1' }, 'default', nameOfRun(EXPERIMENT));
    service.store.tamper(key, { srm: '{}' });
    const { experiments, windows, lost } = await exporterOf(service).refresh();
    expect(experiments.map(({ variants }) => variants[0].reason)).toEqual(['incomplete']);
    expect(windows.length).toBeGreaterThan(0);
    expect([...(lost?.keys ?? [])]).toEqual([[key, expect.stringContaining('looks: srm')]]);
  });
});
