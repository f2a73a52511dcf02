import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printComparison } from '../../src/cli/comparison-output.ts';
import { comparisonPlot } from '../../src/cli/comparison-plot.tsx';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { compareStored } from '../../src/service/compare-stored.ts';
import { load } from '../config/fixture.ts';
import { redisIsThere } from '../contracts/store/redis-harness.ts';
import { ShopService } from '../experiment-service.ts';
import { freePort } from '../services/ports.ts';
import { type RunningRedis, startRedis } from '../services/redis.ts';
import { ROOT, receval } from './receval.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receval-compare-'));
  const simulate = (name: string, treatment: number) =>
    receval([
      'simulate',
      '--to',
      join(folder, name),
      '--events',
      '20000',
      '--rate',
      '2',
      '--variants',
      `control:0.5:0.7,treatment:0.5:${treatment}`,
    ]);
  const runs = await Promise.all([simulate('same', 0.7), simulate('worse', 0.1)]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function logs(name: string): string[] {
  return [
    '--impressions',
    join(folder, name, 'impressions.ndjson.gz'),
    '--feedback',
    join(folder, name, 'feedback.ndjson.gz'),
  ];
}

/** Two lists of each of 2,000 users; of the lists of a variant every so many-th is clicked, of 0 none. */
function written(name: string, every: Readonly<Record<string, number>>): string[] {
  const names = Object.keys(every);
  const lists = Array.from({ length: 4000 }, (_, n) => {
    const variant = names[(n % 2000) % names.length];
    return { requestId: `r${n}`, ts: 1_700_000_000_000 + 1000 * n, userId: `u${n % 2000}`, variant, items: ['a', 'b'] };
  });
  const clicked = lists.filter(
    ({ variant }, n) => every[variant] > 0 && Math.floor(n / names.length) % every[variant] === 0,
  );
  const clicks = clicked.map(({ requestId, ts }) => ({ requestId, itemId: 'a', ts: ts + 1000, action: 'click' }));
  const path = (what: string, rows: readonly object[]): string => {
    const file = join(folder, `${name}-${what}.ndjson`);
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return file;
  };
  // Each click comes a second after its list.
  return ['--close-all', '--impressions', path('impressions', lists), '--feedback', path('feedback', clicks)];
}

describe('receval compare where it hurts', () => {
  it.each([
    ['no click at all', { control: 5, treatment: 0 }, 'has no lists with a positive'],
    ['20 clicks', { control: 5, treatment: 100 }, 'has only 20 lists with a positive'],
  ])('calls a variant with %s regressed, and exits with 3', async (what, every, words) => {
    const { code, stdout } = await receval(['compare', ...written(`dead ${what}`, every)]);
    expect(stdout).toContain('treatment: regressed (primary_worse)');
    expect(stdout).toContain(`treatment ${words}: if its ranking is not broken, its feedback is.`);
    const [, least, most] = /worse than control on \S+ by ([\d.]+) % to ([\d.]+) %/.exec(stdout) ?? [];
    expect(Number(least)).toBeGreaterThan(50);
    expect(Number(most)).toBeLessThanOrEqual(100);
    expect(code).toBe(3);
  });

  it('does not pass over a control without a click', async () => {
    const { stdout } = await receval(['compare', ...written('dead control', { control: 0, treatment: 5 })]);
    expect(stdout).toContain('treatment: improved (primary_better)');
    expect(stdout).toContain('control has no lists with a positive: if its ranking is not broken, its feedback is.');
  });

  it('says that nothing can be decided by a measure that has no standard error', async () => {
    const files = written('items', { control: 5, treatment: 5 });
    const { code, stdout, stderr } = await receval(['compare', ...files, '--measures', 'gini']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('gini has no standard error, so nothing can be decided by it; add a measure that has one');
  });

  it('calls an experiment invalid of which one variant gets all users', async () => {
    const { stdout } = await receval(['compare', ...written('one arm', { control: 5 })]);
    expect(stdout).toContain('treatment: invalid (srm)');
  });

  it.each([
    ['one arm', { control: 5 }, ['--fail-on', 'invalid'], 4],
    ['one arm', { control: 5 }, ['--fail-on', 'insufficient'], 0],
    ['one arm', { control: 5 }, ['--fail-on', 'insufficient, invalid'], 4],
    ['one arm', { control: 5 }, [], 0],
    ['no click', { control: 5, treatment: 0 }, ['--fail-on', 'invalid,insufficient'], 3],
  ])('of %s %j exits as %j asks', async (name, every, flags, expected) => {
    expect((await receval(['compare', ...written(name, every), ...flags])).code).toBe(expected);
  });

  it('exits with 1 where nothing counted, whatever it is to fail on', async () => {
    const files = written('nothing', { other: 5 });
    writeFileSync(files[2], '');
    const { code } = await receval(['compare', ...files, '--fail-on', 'insufficient']);
    expect(code).toBe(1);
  });
});

describe('receval compare', () => {
  it('finds nothing between variants of one quality, and exits with 0', async () => {
    const { code, stdout } = await receval(['compare', ...logs('same'), '--output', 'json']);
    const comparison = JSON.parse(stdout) as Comparison;
    expect(comparison).toMatchObject({ experiment: 'default', control: 'control', srm: { mismatch: false } });
    expect(['insufficient', 'healthy']).toContain(comparison.variants[0].decision);
    expect(code).toBe(0);
  });

  it('finds a planted loss, says so in words, draws it, and exits with 3', async () => {
    const plot = join(folder, 'effect.svg');
    const { code, stdout } = await receval(['compare', ...logs('worse'), '--plot', plot]);
    expect(stdout).toContain('treatment: regressed (primary_worse)');
    expect(stdout).toMatch(
      /treatment is worse than control on ndcg@10 by \d+\.\d % to \d+\.\d %, over all lists since the start; this holds/,
    );
    expect(readFileSync(plot, 'utf8')).toMatch(/^<svg .*\n/);
    expect(code).toBe(3);
  });

  it('plans with the rate of users since the first of them, though its first look comes later', async () => {
    // 2,000 users in 4,000 s, from 22:13:20 on; the first look is at 23:00.
    const flags = ['--plan', '--output', 'json'];
    const { stdout } = await receval(['compare', ...written('pace', { control: 3, treatment: 3 }), ...flags]);
    const { plan } = JSON.parse(stdout) as { readonly plan: readonly { readonly usersPerDay: number | null }[] };
    expect(plan[0].usersPerDay).toBeCloseTo(2000 / (4000 / 86_400), -2);
  });

  it('answers the same bytes for the same files', async () => {
    const [a, b] = await Promise.all([1, 2].map(() => receval(['compare', ...logs('worse'), '--output', 'json'])));
    expect(a.stdout).toBe(b.stdout);
  });

  it('compares the two policies of the Open Bandit sample', async () => {
    const sample = join(ROOT, 'sample/open_bandit');
    const events = ['random', 'bts'].map((policy) => join(sample, `${policy}_men.csv.gz@variant=${policy}`));
    const { code, stdout } = await receval([
      'compare',
      '--events',
      ...events,
      '--adapter',
      'open-bandit',
      '--config',
      join(sample, 'receval.yaml'),
      '--output',
      'json',
    ]);
    const comparison = JSON.parse(stdout) as Comparison;
    expect(comparison.impressions).toEqual({ bts: 10_000, random: 10_000 });
    const clicks = comparison.variants[0].measures.find(({ measure }) => measure === 'ctr');
    expect(clicks).toMatchObject({ control: 0.0046, value: 0.0069 });
    expect(code).toBe(0);
  });

  it.each([
    [['--experiment', 'defualt'], '--experiment: no experiment "defualt"; did you mean "default"?'],
    [['--output', 'csv'], '--output: no form "csv"; expected one of table, json, md, html'],
    [['--redis', 'redis://x'], '--redis is for a running service: leave it out when you name files'],
    [['--concat'], '--concat says how files are read: name some, or leave it out'],
    [
      ['--ratio-by', 'country', '--redis', 'redis://x'],
      '--redis is for a running service: leave it out when you name files',
    ],
    [['--fail-on', 'invald'], '--fail-on: no "invald"; did you mean "invalid"?'],
    [['--ratio-by', 'Country'], '--ratio-by: "Country" is not a dimension; expected names such as country,platform'],
    [['--ratio-by', 'country,'], '--ratio-by: "" is not a dimension'],
    [['--ratio-by', 'variant'], '--ratio-by: "variant" holds the variants of experiment "default" themselves'],
    [['--ratio-by', 'experiment_default'], '"experiment_default" holds the variants of experiment "default"'],
    [['--ratio-by', 'tenure, tenure'], '--ratio-by: "tenure" is given twice'],
  ])('%j is a wrong usage', async (flags, message) => {
    const files = flags[0] === '--concat' ? [] : logs('same');
    const { code, stderr, stdout } = await receval(['compare', ...files, ...flags]);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('says that a running service cannot split its users by cohort', async () => {
    const { code, stderr, stdout } = await receval(['compare', '--ratio-by', 'country']);
    expect(stderr).toContain('--ratio-by needs files: a running service does not keep the cohorts of its users');
    expect([code, stdout]).toEqual([2, '']);
  });

  it('finds the country in which users of the treatment are lost', async () => {
    const lines = gunzipSync(readFileSync(join(folder, 'same/impressions.ndjson.gz'))).toString('utf8');
    const broken = join(folder, 'broken.ndjson');
    const isLost = /"userId":"u\d*[0-6]",.*"variant":"treatment","cohorts":\{"country":"JP"/;
    writeFileSync(
      broken,
      lines.replace(/.*\n/g, (line) => (isLost.test(line) ? '' : line)),
    );
    const flags = ['--impressions', broken, '--ratio-by', 'country,tenure', '--output', 'json'];
    const runs = await Promise.all([1, 2].map(() => receval(['compare', ...flags])));
    expect(runs[0].stdout).toBe(runs[1].stdout);
    const { srm, users, ratioBy } = JSON.parse(runs[0].stdout);
    expect(srm).toMatchObject({ mismatch: false, warning: false });
    expect(ratioBy.map(({ by }: { readonly by: string }) => by)).toEqual(['country', 'tenure']);
    for (const { users: all } of ratioBy) expect(all).toBe(users.control + users.treatment);
    const warned = ratioBy.map(({ cohorts }: { readonly cohorts: readonly { value: string; warning: boolean }[] }) =>
      cohorts.filter(({ warning }) => warning).map(({ value }) => value),
    );
    expect(warned).toEqual([['JP'], []]);
    expect(runs[0].code).toBe(0);
  });

  it('says which experiments there are when none of them is the usual one', async () => {
    const config = join(folder, 'two.yaml');
    const one = '{control: a, variants: {a: 1, b: 1}}';
    writeFileSync(config, `experiments: {x: ${one}, y: ${one}}\n`);
    const { code, stderr } = await receval(['compare', ...logs('same'), '--config', config]);
    expect(stderr).toContain('--experiment: name one of x, y');
    expect(code).toBe(2);
  });

  it('reads nothing when the picture has no place', async () => {
    const plot = join(folder, 'no/such/effect.svg');
    const { code, stderr, stdout } = await receval(['compare', ...logs('same'), '--plot', plot]);
    expect(stderr).toContain('there is no folder');
    expect(stdout).toBe('');
    expect(code).toBe(2);
    expect(existsSync(plot)).toBe(false);
  });
});

const SHOP = `namespace: shop
kafka: {brokers: ['127.0.0.1:9']}
attribution: {horizons: [10s, 1m]}
paneSize: 20s
measures: [ndcg@10, mrr, ctr(avg=micro)]
experiments:
  default: {control: A, variants: {A: 0.5, B: 0.5}, guardrails: [mrr]}
`;

if (await redisIsThere()) {
  describe('receval compare without files', () => {
    let redis: RunningRedis;
    let config: string;
    let service: ShopService;
    beforeAll(async () => {
      config = join(folder, 'shop.yaml');
      writeFileSync(config, SHOP);
      redis = await startRedis();
      service = new ShopService();
      const running = await service.start();
      await service.live(190, { A: 1, B: 3 });
      await service.clock.advance(2000);
      await running.stop();
      const admin = new Redis(redis.url);
      for (const [key, fields] of service.store.inner.snapshot()) await admin.hset(key, fields);
      admin.disconnect();
    });
    afterAll(() => redis.stop());

    it('shows what a running service has stored, and exits with 3 when a variant regressed', async () => {
      const flags = ['--config', config, '--redis', redis.url];
      const { code, stdout, stderr } = await receval(['compare', ...flags, '--output', 'json']);
      expect(stderr).toBe('');
      const settings = load(SHOP);
      const stored = await compareStored(settings, settings.experiments[0], 'shop', service.store);
      expect(stdout).toBe(printComparison(stored.comparison, 'json'));
      expect(stored.comparison.variants[0].decision).toBe('regressed');
      expect(code).toBe(3);
      const table = await receval(['compare', ...flags]);
      expect(table.stdout).toContain('B: regressed');
      expect(table.code).toBe(3);
    });

    it('takes Redis and namespace from the configuration, too, and writes nothing', async () => {
      const admin = new Redis(redis.url);
      const before = await admin.dbsize();
      const tokens = await admin.hget('receval:{shop:0}:unit', 'token');
      const own = join(folder, 'own.yaml');
      writeFileSync(own, `${SHOP}redis: {url: '${redis.url}'}\n`);
      expect((await receval(['compare', '--config', own])).code).toBe(3);
      expect(await admin.dbsize()).toBe(before);
      expect(await admin.hget('receval:{shop:0}:unit', 'token')).toBe(tokens);
      admin.disconnect();
    });

    it('has no value of a measure that the service does not count, and all others', async () => {
      const flags = [
        '--config',
        config,
        '--redis',
        redis.url,
        '--measures',
        'ndcg@10,mrr,precision@3',
        '--output',
        'json',
      ];
      const { code, stdout } = await receval(['compare', ...flags]);
      const [{ measures }] = JSON.parse(stdout).variants;
      expect(measures).toMatchObject([
        { measure: 'mrr', value: expect.any(Number) },
        { measure: 'ndcg@10', value: expect.any(Number) },
        { measure: 'precision@3', value: null, reason: 'no_data' },
      ]);
      expect(code).toBe(3);
    });

    it.each([
      [['--namespace', 'shopp'], 'nothing is stored under namespace "shopp": check --redis and --namespace'],
      [['--earlier'], 'namespace "shop" keeps no earlier run of experiment "default"'],
    ])('%j: says what is there and what to do', async (flags, message) => {
      const { code, stderr, stdout } = await receval(['compare', '--config', config, '--redis', redis.url, ...flags]);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain('    at ');
      expect(stdout).toBe('');
      expect(code).not.toBe(0);
      expect(code).not.toBe(3);
    });

    it('draws the looks that the service has taken, also in a page', async () => {
      const plot = join(folder, 'live.svg');
      const flags = ['--config', config, '--redis', redis.url];
      const { code, stdout, stderr } = await receval(['compare', ...flags, '--plot', plot, '--output', 'html']);
      expect(stderr).toBe('');
      const settings = load(SHOP);
      const { comparison, trail } = await compareStored(settings, settings.experiments[0], 'shop', service.store);
      expect(trail.get('B')?.length).toBeGreaterThan(1);
      const svg = comparisonPlot(comparison, trail);
      expect(readFileSync(plot, 'utf8')).toBe(svg);
      expect(stdout).toContain('<path class="effect');
      expect(code).toBe(3);
    });

    it('says so when no Redis is there', async () => {
      const url = `redis://127.0.0.1:${await freePort()}`;
      const { code, stderr } = await receval(['compare', '--config', config, '--redis', url]);
      expect(stderr).toMatch(/Redis/);
      expect(stderr).not.toContain('    at ');
      expect(code).not.toBe(0);
      expect(code).not.toBe(3);
    });
  });
}
