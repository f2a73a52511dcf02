import { describe, expect } from 'vitest';
import { eventually } from '../rules/polling.ts';
import { quickConfig, usualRules } from '../rules/quick-rules.ts';
import { DEMO } from '../services/demo.ts';
import { itWith } from '../services/it-with.ts';
import { PROMETHEUS, startPrometheus } from '../services/prometheus.ts';
import { type Dashboard, SHIPPED, visualsOf } from './model.ts';
import { type Choices, choicesOf, interpolate } from './variables.ts';

/** Queries that have no data in the demo, by title of the panel and legend, and why. Prometheus must take them all the same. */
const SILENT: Readonly<Record<string, string>> = {
  'Alerts that fire / firing': 'nothing is wrong yet',
  'Lag of each partition / {{topic}} {{partition}}': 'the demo reads faster than events come',
  'Lag of each partition / {{topic}} {{partition}}, in transactions': 'the log of the demo has none',
  'Retention headroom / {{instance}}': 'the log of the demo deletes nothing',
  'Stopped partitions / is stopped': 'none does',
  'Invalid records by code / {{topic}} {{code}}': 'the shop sends no invalid record',
  'Records that no map is for / {{topic}} {{field}} {{value}}': 'the demo has no map',
  'Open impressions / {{instance}}: limit': 'the demo holds what comes',
  'State in memory / {{instance}}: limit': 'the demo holds what comes',
  'Memory of Redis / used': 'the demo has none',
  'Memory of Redis / maxmemory': 'the demo has none',
  'Keys evicted by Redis / keys': 'the demo has none',
  'Redis may evict keys / may evict': 'the demo has none',
  'Certificates expire in / {{instance}}: {{setting}}': 'the demo needs to be let in nowhere',
  'Certificates expire in / {{setting}}: renew before': 'the demo needs to be let in nowhere',
  'Files that cannot be used / cannot be used': 'the demo needs to be let in nowhere',
  'Clock skew / {{instance}}': 'the store of the demo has no clock of its own',
};
/** Three minutes of events pass in a second. */
const FLAGS = ['--speed', '180', '--seed', '7', '--for', '900s'];
const PATIENCE_MS = 300_000;

interface Asked {
  readonly name: string;
  readonly promql: string;
}

/** Every query of a dashboard, with the first choices of its variables. */
function queriesOf(dashboard: Dashboard, choices: Choices): readonly Asked[] {
  return visualsOf(dashboard).flatMap(({ title, repeat, targets }) => {
    const names = targets.map(({ expr, legendFormat }) => ({ expr, name: `${title} / ${legendFormat}` }));
    if (repeat === undefined) return names.map(({ expr, name }) => ({ name, promql: interpolate(expr, choices) }));
    const [first] = choices.get(repeat)?.options ?? [];
    if (first === undefined) return names.map(({ name }) => ({ name, promql: NOTHING }));
    const own: Choices = new Map([...choices, [repeat, { ...first, options: [] }]]);
    return names.map(({ expr, name }) => ({ name, promql: interpolate(expr, own) }));
  });
}

/** Of a panel that is repeated for no value. */
const NOTHING = 'vector(0) > 1';

describe('the shipped dashboards', () => {
  itWith(
    { name: 'demo and prometheus', get: async () => ({ demo: await DEMO.get(), program: await PROMETHEUS.get() }) },
    'have data in every panel where the demo can have it, and every query is one that Prometheus takes',
    async ({ demo }) => {
      const shop = await demo(FLAGS);
      const prometheus = await startPrometheus({
        configYaml: quickConfig(shop.port),
        files: { 'rules.yml': usualRules() },
      });
      try {
        for (const dashboard of SHIPPED) {
          const empty = async (): Promise<readonly string[]> => {
            const choices = await choicesOf(dashboard.templating.list, prometheus.query);
            const found = queriesOf(dashboard, choices).map(async ({ name, promql }) => {
              const samples = await prometheus.query(promql);
              return samples.length > 0 || name in SILENT ? [] : [name];
            });
            return (await Promise.all(found)).flat();
          };
          expect(await eventually(empty, (names) => names.length === 0, PATIENCE_MS)).toEqual([]);
          // The demo does not run for a day: a window that is not complete has no gauges.
          const silent = await everyChoice(dashboard, prometheus.query);
          expect(silent.filter((name) => name !== 'window: 24h')).toEqual([]);
        }
        expect(await unused(SHIPPED, prometheus.query)).toEqual([]);
      } finally {
        await prometheus.stop();
        await shop.stop();
      }
    },
    3 * PATIENCE_MS,
  );
});

/** Options of a choice with which the first panel shows nothing. */
async function everyChoice(dashboard: Dashboard, ask: Parameters<typeof choicesOf>[1]): Promise<readonly string[]> {
  const choices = await choicesOf(dashboard.templating.list, ask);
  const [first] = visualsOf(dashboard)[0].targets;
  const customs = dashboard.templating.list.flatMap(({ type, name }) => (type === 'custom' ? [name] : []));
  const found = customs.flatMap((name) =>
    (choices.get(name)?.options ?? []).map(async (option) => {
      const promql = interpolate(first.expr, new Map([...choices, [name, { ...option, options: [] }]]));
      return (await ask(promql)).length > 0 ? [] : [`${name}: ${option.text}`];
    }),
  );
  return (await Promise.all(found)).flat();
}

/** Exceptions that no panel has. */
async function unused(
  dashboards: readonly Dashboard[],
  ask: Parameters<typeof choicesOf>[1],
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const dashboard of dashboards) {
    const choices = await choicesOf(dashboard.templating.list, ask);
    for (const { name } of queriesOf(dashboard, choices)) names.add(name);
  }
  return Object.keys(SILENT).filter((name) => !names.has(name));
}
