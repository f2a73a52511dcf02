/** Measures through the whole data path: from the text of two logs to rows, against the plain reference and by hand. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { Clusters, isClustered } from '../../src/measures/clusters.ts';
import type { Measure } from '../../src/measures/definition.ts';
import { offered } from '../../src/measures/grammar/measure-name.ts';
import { SUMS } from '../../src/measures/sums.ts';
import { classesOf, fractionOf, meanOf, ofMeans, sumsKind } from '../../src/measures/value.ts';
import { replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';
import type { ResultMeasure } from '../../src/replay/result-rows.ts';
import { scoredMeasure } from '../measures/grammar/names.ts';
import { GRADING, impressions } from '../measures/lists.ts';
import { type PlainImpression, plainPairs, plainScore } from '../measures/reference.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'receval-measures-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const T = Date.parse('2026-11-21T08:00:00.000Z');
let files = 0;

interface Shown {
  readonly requestId: string;
  readonly [more: string]: unknown;
}

/** Two logs, replayed. Impressions are a second apart, what happened to them a millisecond. */
async function result(yaml: string, shown: readonly Shown[], happened: readonly object[]): Promise<ReplayResult> {
  const write = (events: readonly object[]) => {
    const path = join(folder, `f${files++}`);
    writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    return [{ path, defaults: new Map<string, string>() }];
  };
  const at = new Map(shown.map(({ requestId }, i) => [requestId, T + 1000 * i]));
  return replay({
    settings: loadSettings({ readFile: () => `attribution: {horizons: [1m]}\n${yaml}`, env: {}, command: 'replay' }),
    inputs: {
      impressions: write(shown.map((one) => ({ ts: at.get(one.requestId), ...one }))),
      feedback: write(
        happened.map((one, i) => ({
          ts: ('requestId' in one ? (at.get(String(one.requestId)) ?? T) : T) + i + 1,
          eventId: `e${i}`,
          ...one,
        })),
      ),
    },
    adapter: undefined,
    order: 'time',
    closeAll: true,
    newId: () => String(files++),
    hashSeed: 0,
    onProgress: () => {},
  });
}

/** The measures of the row of everything. */
async function whole(
  yaml: string,
  shown: readonly Shown[],
  happened: readonly object[],
): Promise<Readonly<Record<string, ResultMeasure>>> {
  const { rows } = await result(`cohorts: [[]]\n${yaml}`, shown, happened);
  expect(rows.length).toBe(1);
  return rows[0].measures;
}

const on = (requestId: string, itemId: string, action: string, more: object = {}) => ({
  requestId,
  itemId,
  action,
  ...more,
});

describe('a replay', () => {
  it('joins predicted scores with ratings, and says how many ratings had one', async () => {
    const items = [{ id: 'a', score: 1 }, { id: 'b', score: 2 }, { id: 'c', score: 3 }, 'd'];
    const measures = await whole(
      'measures: [mae, rmse, bias, mae(avg=macro), spearman, kendall(by=rank)]',
      [
        { requestId: 'r1', items },
        { requestId: 'r2', items: ['a', 'b'] },
        { requestId: 'r3', items: [{ id: 'a', score: 0.5 }] },
      ],
      [
        on('r1', 'a', 'rating', { value: 5 }),
        on('r1', 'a', 'rating', { value: 2 }), // the last one counts
        on('r1', 'b', 'rating', { value: 4 }),
        on('r1', 'd', 'rating', { value: 3 }), // no score
        on('r1', 'c', 'click'),
        on('r2', 'a', 'rating', { value: 1 }), // no score in the whole list
        on('r3', 'a', 'rating', { value: 0.25 }),
      ],
    );
    // r1: a 2 against 1, b 4 against 2. r3: 0.25 against 0.5.
    expect(measures['mae']).toMatchObject({ value: 3.25 / 3, n: 3, pairs: 3, scoredShare: 3 / 5 });
    expect(measures['rmse'].value).toBeCloseTo(Math.sqrt((1 + 4 + 0.0625) / 3), 9);
    expect(measures['bias'].value).toBeCloseTo((1 + 2 - 0.25) / 3, 9);
    expect(measures['mae(avg=macro)']).toMatchObject({ value: (1.5 + 0.25) / 2, n: 2, pairs: 3, scoredShare: 3 / 5 });
    expect(measures['spearman']).toMatchObject({ value: 1, n: 1, pairs: 3 });
    // Ranks 1 2 4 against 2 4 3: one pair in the right order, two not.
    expect(measures['kendall(by=rank)'].value).toBeCloseTo(-1 / 3, 9);
    expect(measures['kendall(by=rank)']).toMatchObject({ n: 1, pairs: 5, scoredShare: 1 });
  });

  it('counts actions and examined slots as each policy says', async () => {
    const shown = [{ requestId: 'r1', items: ['a', 'b', 'c', 'd', 'e'] }];
    const happened = [
      on('r1', 'a', 'click'),
      on('r1', 'c', 'click'),
      ...['a', 'b', 'c', 'd'].map((item) => on('r1', item, 'view')),
      on('r1', 'b', 'share'),
    ];
    const names = {
      'precision@5': 2 / 5,
      'precision(examined=last_positive)@5': 2 / 3,
      'precision(examined=viewport)@5': 2 / 4,
      auc: 5 / 6,
      'auc(examined=last_positive)': 1 / 2,
      'auc(examined=viewport)': 3 / 4,
      ctr: 2 / 5,
      'ctr(examined=viewport)': 2 / 4,
      'ctr(examined=last_positive,slot=2)': 0,
      'rate(action=share)@2': 1 / 2,
      'rate(action=view,avg=macro)': 4 / 5,
      'hit(action=purchase)': 0,
    };
    const measures = await whole(`measures: [${Object.keys(names).map((name) => `"${name}"`)}]`, shown, happened);
    for (const [name, value] of Object.entries(names)) expect(measures[name].value, name).toBeCloseTo(value, 9);
  });

  it('combines the feedback on one item by its rules, and lets a veto win', async () => {
    const grades =
      'grades: {click: 1, star: {from: value, rule: last}, tip: {from: value, rule: sum, max: 4}, ' +
      'dwell: {from: value, max: 3}, hide: {grade: 0, veto: true}}';
    const shown = [{ requestId: 'r1', items: ['a', 'b', 'c', 'd'] }];
    const happened = [
      on('r1', 'a', 'star', { value: 5 }),
      on('r1', 'a', 'star', { value: 2 }), // last: 2
      on('r1', 'b', 'tip', { value: 3 }),
      on('r1', 'b', 'tip', { value: 3 }), // sum, at most 4
      on('r1', 'c', 'dwell', { value: 9 }),
      on('r1', 'c', 'dwell', { value: 1 }), // max, at most 3
      on('r1', 'd', 'click'),
      on('r1', 'd', 'hide'), // 0
      on('r1', 'c', 'dwell', { value: -7 }),
    ];
    const measures = await whole(
      `${grades}\nmeasures: [dcg(discount=none), "err(gmax=5)", "rate(action=hide)", "mae(action=tip,avg=macro)"]`,
      shown,
      happened,
    );
    expect(measures['dcg(discount=none)'].value).toBe(2 + 4 + 3);
    const [a, b, c] = [2, 4, 3].map((grade) => (2 ** grade - 1) / 32);
    expect(measures['err(gmax=5)'].value).toBeCloseTo(a + ((1 - a) * b) / 2 + ((1 - a) * (1 - b) * c) / 3, 9);
    expect(measures['rate(action=hide)'].value).toBe(1 / 4);
    expect(measures['mae(action=tip,avg=macro)']).toMatchObject({ value: null, pairs: 0, scoredShare: 0 });
  });

  it('takes a price as the gain, whatever it is, and a refund as nothing', async () => {
    const shown = [
      { requestId: 'r1', items: ['a', 'b', 'c'] },
      { requestId: 'r2', items: ['d', 'e'] },
      { requestId: 'r3', items: ['f', 'g'] },
    ];
    const happened = [
      on('r1', 'b', 'purchase', { value: 129.5 }),
      on('r1', 'c', 'purchase', { value: 4999.99 }),
      on('r1', 'a', 'click'),
      on('r2', 'e', 'purchase', { value: 1e30 }),
      on('r3', 'f', 'purchase', { value: -20 }),
      on('r3', 'g', 'purchase', { value: 31 }),
      on('r3', 'g', 'purchase', { value: 0.000001 }),
      on('r3', 'g', 'view', { value: 1.5e30 }),
    ];
    const { rows, invalid } = await result(
      'cohorts: [[], [req]]\ngrades: {click: 1, purchase: {from: value}}\n' +
        'measures: [dcg, "dcg@2", "ndcg(gain=linear)@3", "dcg(discount=none)", "dcg(gain=binary,rel=100)", "rbp(gain=scaled,gmax=5000)", "err(gmax=4)", mrr]',
      shown.map((one) => ({ ...one, cohorts: { req: one.requestId } })),
      happened,
    );
    expect([...invalid.feedback]).toEqual([['bad_number', 1]]);
    const of = (request: string) => rows.find(({ labels }) => labels['req'] === request)?.measures ?? {};
    const log = Math.log2;
    const r1 = of('r1');
    const dcg = 1 + 129.5 / log(3) + 4999.99 / 2;
    expect(r1['dcg'].value).toBe(Math.round(dcg * 1e9) / 1e9);
    expect(r1['dcg@2'].value).toBeCloseTo(1 + 129.5 / log(3), 9);
    expect(r1['ndcg@3'].value).toBeCloseTo(dcg / (4999.99 + 129.5 / log(3) + 1 / 2), 9);
    expect(r1['dcg(discount=none)'].value).toBe(5130.49);
    expect(r1['dcg(gain=binary,rel=100)'].value).toBeCloseTo(1 / log(3) + 1 / 2, 9);
    expect(r1['rbp(gain=scaled,gmax=5000)'].value).toBeCloseTo(
      0.2 * (1 / 5000 + (0.8 * 129.5) / 5000 + (0.64 * 4999.99) / 5000),
      9,
    );
    // A grade above gmax counts as gmax.
    expect(r1['err(gmax=4)'].value).toBeCloseTo(
      1 / 16 + ((15 / 16) * 15) / 16 / 2 + ((15 / 16) * (1 / 16) * (15 / 16)) / 3,
      9,
    );
    // Exact in its row; in print a sum of more than 53 bits is rounded.
    expect((of('r2')['dcg(discount=none)'].value ?? 0) / 1e30).toBeCloseTo(1, 14);
    expect((of('r2')['dcg'].value ?? 0) / 1e30).toBeCloseTo(1 / log(3), 14);
    expect(of('r3')['dcg(discount=none)'].value).toBe(31);
    expect(of('r3')['mrr'].value).toBe(0.5);
    const all = rows.find(({ by }) => by.length === 0)?.measures ?? {};
    expect((all['dcg(discount=none)'].value ?? 0) / 1e30).toBeCloseTo(1 / 3, 14);
  });

  it('sums the prices of one item, and cuts where asked', async () => {
    const shown = [{ requestId: 'r1', items: ['a'] }];
    const happened = [40, 60.5, 200].map((value) => on('r1', 'a', 'purchase', { value }));
    const gained = async (rule: string) =>
      (await whole(`grades: {purchase: {from: value, ${rule}}}\nmeasures: [dcg]`, shown, happened))['dcg'].value;
    expect(await gained('rule: sum')).toBe(300.5);
    expect(await gained('rule: sum, max: 250')).toBe(250);
    expect(await gained('rule: max')).toBe(200);
    expect(await gained('rule: last, max: 30')).toBe(30);
    const clicks = [1, 2, 3].map(() => on('r1', 'a', 'click'));
    expect((await whole('grades: {click: {grade: 20, rule: sum}}\nmeasures: [dcg]', shown, clicks))['dcg'].value).toBe(
      60,
    );
    expect((await whole('grades: {click: 500}\nmeasures: [dcg]', shown, clicks))['dcg'].value).toBe(500);
  });

  it('is not brought down by a rating or a score that no measure could add', async () => {
    const items = (score: number) => [{ id: 'a', score }];
    const { invalid, rows } = await result(
      'cohorts: [[]]\nmeasures: [rmse, "rmse(avg=macro)", mae, "mae(avg=macro)", bias, spearman, dcg]',
      [
        { requestId: 'r1', items: items(1) },
        { requestId: 'r2', items: items(1e300) },
        { requestId: 'r3', items: items(-1e30) },
      ],
      [
        on('r1', 'a', 'rating', { value: 1e200 }),
        on('r1', 'a', 'rating', { value: 3 }),
        on('r3', 'a', 'rating', { value: 1e30 }),
      ],
    );
    expect([[...invalid.impressions], [...invalid.feedback]]).toEqual([[['bad_number', 1]], [['bad_number', 1]]]);
    const { measures } = rows[0];
    for (const [name, wanted] of [
      ['rmse(avg=macro)', 1],
      ['mae(avg=macro)', 1],
      ['mae', 1],
      ['bias', 1],
      ['rmse', Math.SQRT2],
    ] as const) {
      expect((measures[name].value ?? 0) / 1e30, name).toBeCloseTo(wanted, 14);
    }
  });

  it('averages by user and by session, inside of each cohort', async () => {
    const list = (requestId: string, variant: string, userId?: string, sessionId?: string | number) => ({
      requestId,
      variant,
      items: ['a', 'b'],
      ...(userId === undefined ? {} : { userId }),
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    const { rows } = await result(
      'cohorts: [[], [variant]]\nmeasures: ["mrr(per=user)", "mrr(per=session)", "mrr(empty=skip,per=user)", mrr]',
      [
        list('r1', 'A', 'u', 1),
        list('r2', 'A', 'u', 1),
        list('r3', 'A', 'v,|', 2),
        list('r4', 'B', 'u', ''),
        list('r5', 'B'),
      ],
      [on('r1', 'a', 'click'), on('r3', 'b', 'click'), on('r5', 'a', 'click')],
    );
    const of = (variant: string | undefined) =>
      rows.find(({ labels }) => labels['variant'] === variant)?.measures ?? {};
    // u: 1, 0 and 0; v: 1/2. A list without a user takes no part.
    const all = of(undefined);
    expect(all['mrr(per=user)'].value).toBeCloseTo((1 / 3 + 1 / 2) / 2, 9);
    expect(all['mrr(per=user)']).toMatchObject({ n: 2, withoutId: 1, stderr: null, reason: 'few_buckets' });
    expect(all['mrr(per=session)']).toMatchObject({ value: 0.5, n: 2, withoutId: 2 });
    expect(all['mrr(empty=skip,per=user)']).toMatchObject({ value: 0.75, n: 2, withoutId: 1 });
    expect(all['mrr']).toMatchObject({ value: 0.5, n: 5 });
    expect(of('A')['mrr(per=user)']).toMatchObject({ value: 0.5, n: 2, withoutId: 0 });
    expect(of('B')['mrr(per=user)']).toMatchObject({ value: 0, n: 1, withoutId: 1 });
    expect(of('B')['mrr(per=session)']).toMatchObject({ value: null, n: 0, withoutId: 2, reason: 'no_data' });
    expect(of('B')['mrr(empty=skip,per=user)']).toMatchObject({ value: null, n: 0 });
    expect(all['mrr']).not.toHaveProperty('withoutId');
  });

  it('gives a mean over users the error of its users: sd / sqrt(users)', async () => {
    const users = Array.from({ length: 12 }, (_, u) => u);
    const measures = await whole(
      'measures: ["mrr(per=user)"]',
      users.flatMap((u) => [0, 1].map((i) => ({ requestId: `r${u}-${i}`, userId: `u${u}`, items: ['a', 'b', 'c'] }))),
      users.flatMap((u) => (u % 3 === 0 ? [] : [on(`r${u}-0`, u % 3 === 1 ? 'a' : 'c', 'click')])),
    );
    const values = users.map((u) => [0, 1 / 2, 1 / 6][u % 3]);
    const mean = values.reduce((a, b) => a + b, 0) / 12;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 11;
    expect(measures['mrr(per=user)'].value).toBeCloseTo(mean, 9);
    expect(measures['mrr(per=user)'].stderr).toBeCloseTo(Math.sqrt(variance / 12), 9);
  });

  it('shows the users of all cohorts that found no place as one', async () => {
    const shown = ['A', 'B', 'C'].map((variant, i) => ({ requestId: `r${i}`, variant, userId: 'u', items: ['a'] }));
    const { rows } = await result(
      'cohorts: [[variant]]\nexperiments: {}\nlimits: {cohortsPerSet: 1}\nmeasures: ["mrr(per=user)"]',
      shown,
      [on('r1', 'a', 'click')],
    );
    const cohorts = rows.map(({ labels, measures }) => [labels['variant'], measures['mrr(per=user)'].value]);
    expect(cohorts).toEqual([
      ['A', 0],
      ['__other__', 0.5],
    ]);
  });
});

describe('a log of many variants that come once, and of some that are real', () => {
  const shown = [
    ...Array.from({ length: 300 }, (_, i) => ({ requestId: `x${i}`, variant: `x${i}`, items: ['a'] })),
    ...Array.from({ length: 40 }, (_, i) => ({
      requestId: `r${i}`,
      variant: ['A', 'B', 'ranker_v2', 'ranker_v2'][i % 4],
      items: ['a'],
    })),
  ];
  const experiments = 'experiments: {default: {control: A, variants: {A: 0.5, B: 0.5}}}';
  const impressionsBy = async (yaml: string): Promise<ReadonlyMap<string | undefined, number>> => {
    const { rows } = await result(`cohorts: [[variant]]\nmeasures: [mrr]\n${yaml}`, shown, []);
    return new Map(rows.map(({ labels, impressions }) => [labels['variant'], impressions]));
  };

  it('is shown by name in a replay, which has room for all', async () => {
    const by = await impressionsBy('');
    expect([by.size, by.get('A'), by.get('ranker_v2'), by.get('x7')]).toEqual([303, 10, 20, 1]);
  });

  it('is shown by name in a replay also where there are more than the checkpoint itself has room for', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => ({ requestId: `m${i}`, variant: `v${i}`, items: ['a'] }));
    const { rows } = await result('cohorts: [[variant]]\nmeasures: [mrr]', many, []);
    expect(new Set(rows.map(({ labels }) => labels['variant'])).size).toBe(1000);
    expect(rows.every(({ impressions }) => impressions === 1)).toBe(true);
  });

  it('keeps the names of the configuration and of who came first where a limit leaves room for five', async () => {
    const by = await impressionsBy(`limits: {cohortsPerSet: 5}\n${experiments}`);
    expect(by).toEqual(
      new Map([
        ['A', 10],
        ['B', 10],
        ['__other__', 317],
        ['x0', 1],
        ['x1', 1],
        ['x2', 1],
      ]),
    );
  });
});

/** Values of some lists by the plain reference, rounded nowhere. */
function plainValue(measure: Measure, lists: readonly { list: PlainImpression; user: string | undefined }[]) {
  const kind = sumsKind(measure);
  const clusters = new Clusters();
  const sums = [0, 0, 0, 0];
  let n = 0;
  let positive = 0;
  for (const { list, user } of lists) {
    const score = plainScore(measure, list, GRADING);
    if (score === undefined) continue;
    n++;
    if (score.positive) positive++;
    score.values.forEach((value, i) => {
      sums[i] += value;
    });
    if (user !== undefined) clusters.add(user, score.positive, score.values[0]);
  }
  if (isClustered(measure)) {
    const means = clusters.means(measure);
    return means.length === 0 ? undefined : means.reduce((a, b) => a + b, 0) / means.length;
  }
  if (kind === 'classes') return classesOf(measure, sums[0], sums[1], sums[2], sums[3]);
  if (kind === 'means') return ofMeans(measure, n, positive, sums[0], sums[1]);
  return SUMS[kind].counted ? meanOf(measure, n, positive, sums[0]) : fractionOf(measure, sums[0], sums[1]);
}

const GRADES =
  'grades: {click: 1, view: 0, purchase: 3, rating: {from: value, rule: last, max: 5}, tip: {from: value, rule: sum, max: 4}, ' +
  'play: {grade: 0.5, rule: sum, max: 2}, dwell: {from: value, max: 30}, save: {grade: 2, rule: last}, hide: {grade: 0, veto: true}}';

it('any lists, through logs and rows, have the values of the plain reference', async () => {
  const inReplay = scoredMeasure.filter(
    (measure) => offered(measure, 'replay') === undefined && measure.params.get('per') !== 'session',
  );
  const users = fc.option(fc.constantFrom('u', 'v', 'w'), { nil: undefined });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(inReplay, { minLength: 3, maxLength: 8, selector: ({ canonical }) => canonical }),
      fc.array(fc.record({ list: impressions(6), user: users }), { minLength: 1, maxLength: 8 }),
      async (measures, lists) => {
        const shown = lists.map(({ list, user }, i) => ({
          requestId: `r${i}`,
          offset: list.offset,
          ...(user === undefined ? {} : { userId: user }),
          items: list.slots.map(({ item, rank, score }) => ({
            id: item,
            position: rank,
            ...(score === undefined ? {} : { score }),
          })),
        }));
        const happened = lists.flatMap(({ list }, i) =>
          list.events.map(({ item, action, value, ts }) => ({
            ...on(`r${i}`, item, action, value === undefined ? {} : { value }),
            ts: T + 1000 * i + ts,
          })),
        );
        const names = measures.map(({ canonical }) => JSON.stringify(canonical)).join(', ');
        const got = await whole(`${GRADES}\nmeasures: [${names}]`, shown, happened);
        for (const measure of measures) {
          const wanted = plainValue(measure, lists);
          const { value, pairs } = got[measure.canonical];
          expect([measure.canonical, value === null]).toEqual([measure.canonical, wanted === undefined]);
          if (wanted === undefined || value === null) continue;
          compared++;
          // Each list's value is rounded to 1e-9 once; a root takes the root of that.
          const tolerance = measure.name === 'rmse' ? 4e-5 : 1e-8 * Math.max(1, Math.abs(wanted));
          expect(Math.abs(value - wanted), measure.canonical).toBeLessThanOrEqual(tolerance);
          if (pairs === undefined || Number(measure.params.get('min_list_length')) > 1) continue;
          const counted = lists.map(({ list }) => plainPairs(measure, list, GRADING).pairs.length);
          expect(pairs).toBe(counted.reduce((a, b) => a + b, 0));
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(compared).toBeGreaterThan(100);
});
