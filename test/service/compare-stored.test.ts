import { beforeEach, describe, expect, it } from 'vitest';
import { shapeOf } from '../../src/accumulators/row.ts';
import { totalKey, unitKey } from '../../src/accumulators/store/layout.ts';
import { printComparison } from '../../src/cli/comparison-output.ts';
import type { ExperimentSettings, Settings } from '../../src/config/settings.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { NO_EXPERIMENT_LOOKS } from '../../src/experiment/experiment-looks.ts';
import { runOf } from '../../src/experiment/run-settings.ts';
import { takeLooks } from '../../src/experiment/take-looks.ts';
import { Experiments } from '../../src/exporter/experiments-reader.ts';
import { compareEarlier, compareStored, NothingStored, storedPositions } from '../../src/service/compare-stored.ts';
import { NO_PERMISSIONS } from '../../src/unit/resume.ts';
import { readUnit } from '../../src/windows/unit-state.ts';
import { load } from '../config/fixture.ts';
import { ShopService, stateIn, UNIT_TIMEOUT } from '../experiment-service.ts';
import { EXPERIMENT, HORIZONS, MEASURES, NAMESPACE, RAMPED, unitSettings } from '../experiment-shop.ts';

const USUAL = load(JSON.stringify({ kafka: { brokers: ['localhost:9092'] }, redis: { url: 'redis://localhost' } }));

function settingsOf(experiment: ExperimentSettings): Settings {
  const { attribution } = USUAL;
  return {
    ...USUAL,
    attribution: {
      ...attribution,
      horizons: HORIZONS,
      window: HORIZONS[HORIZONS.length - 1],
      unitTimeout: UNIT_TIMEOUT,
    },
    paneSize: { text: '20s', ms: unitSettings().panes.paneSize },
    measures: MEASURES,
    experiments: [experiment],
  };
}

async function service(experiments?: readonly ExperimentSettings[]): Promise<ShopService> {
  const shop = new ShopService(experiments);
  const running = await shop.start();
  await shop.live(190, { A: 1, B: 3 });
  await shop.clock.advance(2000);
  await running.stop();
  return shop;
}

describe('an experiment of a running service', () => {
  it('is compared as the gauges of that service show it, and nothing is written', async () => {
    const { store } = await service();
    const before = store.inner.snapshot();
    const settings = settingsOf(EXPERIMENT);
    const found = await compareStored(settings, EXPERIMENT, NAMESPACE, store);
    const hashes = await store.read([0, 1].map((unit) => unitKey(NAMESPACE, unit)));
    const experiments = new Experiments(settings, { store, namespace: NAMESPACE });
    await experiments.read(hashes.map((fields, unit) => readUnit(unit, fields, undefined)));
    expect(JSON.stringify(found.comparison)).toBe(JSON.stringify(experiments.made[0]));
    expect(found.comparison.variants[0]).toMatchObject({ decision: 'regressed', variant: 'B' });
    expect(store.inner.snapshot()).toEqual(before);
  });

  it('says which rows of it are gone, and counts their lists as missing', async () => {
    const { store } = await service();
    const settings = settingsOf(EXPERIMENT);
    const compare = () => compareStored(settings, EXPERIMENT, NAMESPACE, store);
    const whole = await compare();
    expect([whole.lost, whole.lostLists]).toEqual([new Map(), 0]);
    const key = totalKey({ namespace: NAMESPACE, unit: 1, generation: '1' }, EXPERIMENT.name, runOf(EXPERIMENT));
    const stored = store.inner.snapshot();
    const lists = [...(stored.get(key) ?? new Map()).values()].reduce(
      (sum, row) => sum + JSON.parse(row).impressions,
      0,
    );
    expect(lists).toBeGreaterThan(50);
    store.inner.restoreSnapshot(new Map([...stored].filter(([one]) => one !== key)));
    const { comparison, lost, lostLists } = await compare();
    expect(lost).toEqual(new Map([[key, `${lists} of ${lists} lists are gone`]]));
    expect(lostLists).toBe(lists);
    expect(comparison.variants[0]).toMatchObject({ decision: 'invalid', reason: 'incomplete' });

    const altered = [...(stored.get(key) ?? [])].map(
      ([field, row]) => [field, row.replace(/"positives":\d+/, '"positives":9999')] as const,
    );
    store.inner.restoreSnapshot(new Map([...stored, [key, new Map(altered)]]));
    const damaged = await compare();
    expect(damaged.lost?.get(key)).toMatch(/^row\.positives: 9999 of \d+ lists$/);
    expect(damaged.lostLists).toBe(lists);
    expect(damaged.comparison).toEqual(comparison);
  });

  it('still lacks what was gone when a worker claimed its partition, and went on', async () => {
    const shop = await service();
    const { store } = shop;
    const key = totalKey({ namespace: NAMESPACE, unit: 1, generation: '1' }, EXPERIMENT.name, runOf(EXPERIMENT));
    store.inner.restoreSnapshot(new Map([...store.inner.snapshot()].filter(([one]) => one !== key)));
    const running = await shop.start();
    await shop.live(300, { A: 1, B: 3 });
    await shop.clock.advance(2000);
    await running.stop();
    const { lost, lostLists } = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, store);
    expect(lost).toEqual(new Map());
    expect(lostLists).toBeGreaterThan(50);
    expect(shop.warnings.filter((warning) => warning.startsWith('rows of the unit are gone'))).toHaveLength(1);
  });

  it('is still without its looks when a worker claimed its partition without them, and went on', async () => {
    const shop = await service();
    const { store } = shop;
    const compare = () => compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, store);
    expect((await compare()).looksLost).toBe(false);
    store.inner.restoreSnapshot(new Map([...store.inner.snapshot()].filter(([key]) => !key.includes(':looks:'))));
    const running = await shop.start();
    await shop.live(300, { A: 1, B: 3 });
    await shop.clock.advance(2000);
    await running.stop();
    expect(await compare()).toMatchObject({ lost: new Map(), lostLists: 0, looksLost: true });
  });

  it('comes with the looks that the service has taken, each with what it saw', async () => {
    const shop = new ShopService();
    const running = await shop.start();
    const seen: unknown[] = [];
    shop.onLabel = (label) => {
      if (label !== 'look wanted') return;
      const state = { ...stateIn(shop.store.inner.snapshot(), EXPERIMENT), looks: NO_EXPERIMENT_LOOKS };
      const [{ measures }] = evaluate(state).variants;
      const { effect, ci, control, value } = measures.find(({ role }) => role === 'primary') ?? {};
      if (ci) seen.push({ at: state.asOf, effect, lower: ci[0], upper: ci[1], means: [control, value] });
    };
    await shop.live(310, { A: 1, B: 3 });
    await shop.clock.advance(2000);
    await running.stop();
    const { trail } = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, shop.store);
    const points = (trail.get('B') ?? []).map(({ arms, ...point }) => {
      const { control, variant } = arms?.get(EXPERIMENT.primary) ?? {};
      return { ...point, means: [control?.value, variant?.value] };
    });
    expect(points).toEqual(seen);
    expect(seen.length).toBeGreaterThan(3);
  });

  it('is looked at here while the service has not done so', async () => {
    const { store } = await service();
    const { comparison: found } = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, store);
    const stored = store.inner.snapshot();
    const unlooked = [...stored].flatMap(([key, fields]) => {
      if (key.includes(':looks:')) return [];
      const runs = fields.get('runs')?.replaceAll(',"looks":true', '');
      return [[key, runs === undefined ? fields : new Map([...fields, ['runs', runs]])] as const];
    });
    store.inner.restoreSnapshot(new Map(unlooked));
    const { comparison: first, trail } = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, store);
    const state = { ...stateIn(stored, EXPERIMENT), looks: NO_EXPERIMENT_LOOKS };
    expect(first).toEqual(evaluate({ ...state, looks: takeLooks(state) }));
    expect(first.variants[0]).toMatchObject({ decision: 'regressed', decidedAsOf: found.asOf });
    expect(trail.get('B')?.map(({ at }) => new Date(at).toISOString())).toEqual([found.asOf]);
  });

  it('names the partitions that hold nothing of its run, as their workers have another configuration', async () => {
    const shop = new ShopService();
    const running = await shop.start([0]);
    const others = new ShopService([]);
    others.store.inner.restoreSnapshot(shop.store.inner.snapshot());
    await shop.live(100, { A: 1, B: 3 });
    await shop.clock.advance(2000);
    await running.stop();
    others.store.inner.restoreSnapshot(shop.store.inner.snapshot());
    const second = await others.start([1]);
    await others.live(100, { A: 1, B: 3 });
    await others.clock.advance(2000);
    await second.stop();
    const found = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, others.store);
    expect(found.partitionsWithout).toEqual([1]);
    const all = await service();
    expect((await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, all.store)).partitionsWithout).toEqual(
      [],
    );
  });

  describe('when other settings have ended its run', () => {
    let settings: ExperimentSettings[];
    let shape: string;
    let shop: ShopService;
    beforeEach(async () => {
      settings = [EXPERIMENT];
      shape = '{}';
      shop = new ShopService(undefined, (unit) => ({
        ...unitSettings(settings, unit.partition, unit.partitions),
        fingerprint: { shape, additive: '[]' },
        permissions: { ...NO_PERMISSIONS, newGeneration: true, restartExperiments: true },
      }));
      await ran([0, 1], 190);
      settings = [RAMPED];
    });
    const ran = async (partitions: readonly number[], seconds: number): Promise<void> => {
      const running = await shop.start(partitions);
      await shop.live(seconds, { A: 1, B: 3 });
      await shop.clock.advance(2000);
      await running.stop();
    };

    it('names the partitions whose workers have done so', async () => {
      await ran([1], 60);
      const found = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, shop.store);
      expect(found.partitionsWithout).toEqual([1]);
    });

    it('shows the newest of several, also where a new generation has ended the one of the same settings', async () => {
      const lists = async (): Promise<number> => {
        const { comparison } = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, shop.store);
        return Object.values(comparison.impressions).reduce((sum, n) => sum + n, 0);
      };
      const before = await lists();
      // Ramped for a moment, and set back.
      await ran([0, 1], 20);
      settings = [EXPERIMENT];
      await ran([0, 1], 150);
      expect(await lists()).toBeGreaterThan(before);
      shape = '{"grades":[]}';
      await ran([0, 1], 1);
      const { comparison } = await compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, shop.store);
      expect(comparison.impressions).toEqual({ A: 0, B: 0 });
      expect(comparison.earlier?.impressions).toBeGreaterThan(before);
      const earlier = await compareEarlier(settingsOf(EXPERIMENT), EXPERIMENT.name, NAMESPACE, shop.store);
      expect(earlier.comparison.variants[0].decision).toBe('regressed');
      expect(earlier.comparison.variants[0].measures.map(({ measure, value }) => [measure, value !== null])).toEqual(
        MEASURES.map(({ canonical }) => [canonical, true]),
      );
    });

    it.each([
      ['says that it began at zero while no list has closed since', 1, /^The experiment began at zero when /],
      ['says what it finds as soon as there are lists', 150, /^(?!The experiment began)/],
    ])('%s, and what the run before had found', async (_, seconds, explanation) => {
      await ran([0, 1], seconds);
      const { comparison } = await compareStored(settingsOf(RAMPED), RAMPED, NAMESPACE, shop.store);
      expect(comparison.variants[0].explanation).toMatch(explanation);
      const [{ decision }] = comparison.earlier?.variants ?? [];
      expect(decision).toBe('regressed');
      const screen = printComparison(comparison, 'table');
      expect(screen).toMatch(
        /\nOther settings ended the run before this one at .*Z, with [\d,]+ lists\. It had found: B was worse/,
      );
    });
  });

  it('is one of several', async () => {
    const second = { ...EXPERIMENT, name: 'second', horizon: HORIZONS[0] };
    const { store } = await service([EXPERIMENT, second]);
    const { comparison: found } = await compareStored(settingsOf(second), second, NAMESPACE, store);
    expect(found).toMatchObject({ experiment: 'second', horizon: '10s' });
  });

  it('has counts by rank of each variant where the service keeps them', async () => {
    const shop = new ShopService([EXPERIMENT], (unit) => ({
      ...unit,
      panes: {
        ...unit.panes,
        sets: [[], ['variant']],
        shape: shapeOf(MEASURES, undefined, 3),
        positions: { sets: [['variant']], inTotals: false, horizon: 1 },
      },
    }));
    const running = await shop.start();
    await shop.live(190, { A: 1, B: 3 });
    await shop.clock.advance(2000);
    await running.stop();
    const before = shop.store.inner.snapshot();
    const settings = { ...settingsOf(EXPERIMENT), positions: { ranks: 3, sets: [['variant']] } };
    const found = await storedPositions(settings, EXPERIMENT, NAMESPACE, shop.store);
    expect(found).toMatchObject({ horizon: '1m', window: settings.windows.at(-1)?.text });
    const rows = found?.rows.map(({ values, row: { impressions, positions } }) => {
      const lists = Array.from({ length: 3 }, () => impressions);
      expect([...(positions?.exposed ?? [])]).toEqual(lists);
      return [values, (positions?.positives ?? []).map((n) => Math.sign(n))];
    });
    // Where each variant is clicked.
    expect(rows).toEqual([
      [['A'], new Float64Array([1, 0, 0])],
      [['B'], new Float64Array([0, 0, 1])],
    ]);
    expect(shop.store.inner.snapshot()).toEqual(before);
  });

  it('has none where the service keeps none', async () => {
    const { store } = await service();
    const settings = { ...settingsOf(EXPERIMENT), positions: { ranks: 3, sets: [['variant']] } };
    expect(await storedPositions(settings, EXPERIMENT, NAMESPACE, store)).toBeUndefined();
  });

  it.each([
    [
      'nothing is there',
      EXPERIMENT,
      'elsewhere',
      'nothing is stored under namespace "elsewhere": check --redis and --namespace',
    ],
    [
      'it is not counted',
      { ...EXPERIMENT, name: 'other' },
      NAMESPACE,
      'counts no experiment "other": its service runs without it',
    ],
    [
      'it has other settings',
      RAMPED,
      NAMESPACE,
      'counts experiment "default" with other settings than these (variants: was [["A",0.5],["B",0.5]], now',
    ],
  ])('is refused when %s, with what to do', async (_, experiment, namespace, message) => {
    const { store } = await service();
    const compared = compareStored(settingsOf(experiment), experiment, namespace, store);
    await expect(compared).rejects.toThrow(NothingStored);
    await expect(compared).rejects.toThrow(message);
  });

  it('is refused when it was only claimed, and nothing committed yet', async () => {
    const shop = new ShopService();
    await shop.store.claim(unitKey(NAMESPACE, 0), 'somebody');
    await expect(compareStored(settingsOf(EXPERIMENT), EXPERIMENT, NAMESPACE, shop.store)).rejects.toThrow(
      'nothing is stored',
    );
  });
});
