/** Measures of every kind through the real service: what /metrics shows is what a replay of the same events prints. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { receval } from '../cli/receval.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { parse } from '../metrics/parse.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, type RunningService, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const MINUTE = 60_000;
const LISTS = 240;
const PARTITIONS = 2;
const CATALOGUE = [
  'item,popularity,category',
  ...Array.from({ length: 40 }, (_, i) => `i${i},${1 + ((i * 37) % 90)},c${i % 5}`),
];

const MEASURES = [
  // Of rankings, by several conventions and averages.
  'mrr',
  'mrr(empty=skip)',
  'hit(action=purchase)@3',
  'precision(denom=list)@2',
  'precision(examined=last_positive)@4',
  'precision(rel=3)@2',
  'recall(avg=micro)@2',
  'f1(of=means)@3',
  'f1(per=class)@3',
  'ap(denom=capped)@3',
  'rprec',
  'dcg(discount=clipped)',
  'ndcg@3',
  'ndcg(gain=exp,norm=minmax)@4',
  'ndcg(avg=weighted,dup=each)@4',
  'rbp(p=0.9)',
  'err(gmax=5)@5',
  'auc(by=score)',
  // Of actions.
  'ctr',
  'ctr(examined=viewport)@3',
  'rate(action=purchase,slot=1)',
  'rate(action=hide)',
  // Of predicted scores.
  'mae',
  'rmse',
  'bias',
  'spearman',
  'kendall(by=rank,tau=c)',
  // Of the list alone.
  'distinct',
  'coverage@3',
  'gini(over=catalogue)',
  'gini(exposure=log2)@3',
  'entropy(norm=max)',
  'popularity@2',
  'novelty(users=1000)',
  'diversity@3',
  'length',
  'short(below=5)',
  'duplicated',
];

const SETTINGS = {
  attribution: { horizons: ['30s'], outOfOrderness: '1s', idleAfter: '1s' },
  grades: {
    click: 1,
    purchase: { grade: 2, rule: 'sum', max: 5 },
    rating: { from: 'value', rule: 'last', max: 5 },
    hide: { grade: 0, veto: true },
    view: { grade: 0 },
  },
  measures: MEASURES,
  cohorts: [[], ['variant']],
  itemSets: [[], ['variant']],
  windows: ['1h'],
  incompleteWindows: 'show',
};

/** Lists with scores, categories of their own, repeated items and pages, and several feedbacks for an item. */
function events(start: number): readonly Produced[] {
  let state = 7;
  const below = (n: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * n);
  };
  return Array.from({ length: LISTS }, (_, n): readonly Produced[] => {
    const [requestId, ts] = [`r${n}`, start + 1000 * n];
    // One in twenty-five items is unknown to the catalogue; a list may repeat one, or be empty.
    const items = Array.from({ length: below(9) }, () => ({
      id: `i${below(42)}`,
      ...(below(4) === 0 ? {} : { score: below(50) / 10 }),
      ...(below(5) === 0 ? { category: `c${below(9)}` } : {}),
    }));
    const offset = below(6) === 0 ? { offset: 2 } : {};
    const list = { requestId, ts, variant: n % 3 === 0 ? 'b' : 'a', items, ...offset };
    const feedback = Array.from({ length: items.length === 0 ? 0 : below(6) }, (_item, e) => ({
      requestId,
      itemId: items[below(items.length)].id,
      ts: ts + 1000 + e,
      action: ['click', 'click', 'view', 'purchase', 'rating', 'rating', 'hide'][below(7)],
      value: 1 + below(5),
    }));
    return [
      { topic: 'impressions', key: requestId, value: JSON.stringify(list), at: ts },
      ...feedback.map(
        (one) => ({ topic: 'feedback', key: requestId, value: JSON.stringify(one), at: one.ts }) as const,
      ),
    ];
  }).flat();
}

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly measures: Readonly<Record<string, { readonly value: number | null }>>;
}

async function page(service: RunningService): Promise<ReturnType<typeof parse>> {
  const port = /"port":(\d+)/.exec(service.printed)?.[1];
  return parse(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
}

/** The gauge of a measure; undefined: there is none. */
function shown(metrics: ReturnType<typeof parse>, name: string, variant: string | undefined): number | undefined {
  const [, measure, params, k] = /^(\w+)(?:\((.*)\))?(?:@(\d+))?$/.exec(name) ?? [];
  return metrics
    .get(`receval_${measure}`)
    ?.samples.find(
      ({ labels }) =>
        labels['by'] === (variant === undefined ? '' : 'variant') &&
        labels['variant'] === variant &&
        labels['k'] === k &&
        labels['params'] === params,
    )?.value;
}

itWith(SERVERS, 'what the service shows of measures of every kind is what a replay prints', async (servers) => {
  const folder = mkdtempSync(join(tmpdir(), 'receval-kinds-'));
  try {
    await withStand(servers, async (stand) => {
      const catalogue = join(folder, 'items.csv');
      writeFileSync(catalogue, `${CATALOGUE.join('\n')}\n`);
      stand.configure({ ...SETTINGS, catalogue });
      await stand.makeTopics(PARTITIONS);
      const start = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * MINUTE;
      const produced = events(start);
      await stand.produce(produced);

      const config = join(folder, 'receval.yaml');
      writeFileSync(config, JSON.stringify({ ...SETTINGS, catalogue }));
      const files = (['impressions', 'feedback'] as const).flatMap((side) => {
        const lines = produced.filter(({ topic }) => topic === side).map(({ value }) => `${value}\n`);
        writeFileSync(join(folder, side), lines.join(''));
        return [`--${side}`, join(folder, side)];
      });
      const replayed = await receval(['replay', ...files, '--close-all', '--config', config, '--output', 'json']);
      expect(replayed.code, replayed.stderr).toBe(0);
      const { rows }: { readonly rows: readonly Row[] } = JSON.parse(replayed.stdout);
      expect(rows.length).toBe(3);

      const service = stand.run();
      try {
        await stand.drained(PARTITIONS, service, start + 1000 * LISTS + MINUTE);
        await until('the gauges hold every list', async () => {
          const counted = (await page(service)).get('receval_window_impressions')?.samples ?? [];
          return counted.some(({ labels, value }) => labels['by'] === '' && value === LISTS);
        });
        const metrics = await page(service);
        let values = 0;
        for (const { labels, measures } of rows) {
          for (const [name, { value }] of Object.entries(measures)) {
            const where = `${name} of ${labels['variant'] ?? 'everything'}`;
            expect(value, where).not.toBeNull();
            expect(shown(metrics, name, labels['variant']), where).toBeCloseTo(Number(value), 9);
            values++;
          }
        }
        expect(values).toBe(3 * MEASURES.length);
        expect(await service.stop()).toBe(0);
      } finally {
        if (service.isRunning) await service.stop();
      }
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
