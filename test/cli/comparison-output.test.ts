import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printComparison } from '../../src/cli/comparison-output.ts';
import { comparisonPlot } from '../../src/cli/comparison-plot.tsx';
import type { Comparison } from '../../src/experiment/comparison.ts';
import { type Trail, Watcher } from '../../src/experiment/take-looks.ts';
import { AS_OF, SETTINGS, sampleOf, state, variant } from '../experiment/states.ts';

const THREE = {
  ...SETTINGS,
  variants: new Map([
    ['A', 1],
    ['C', 1],
    ['B <x>', 1],
  ]),
  guardrails: ['hit@10'],
};

function arm(primary: number, guard: number) {
  return variant(
    new Map([
      ['ndcg@10', { value: primary, stderr: 0.0007, df: 255 }],
      ['hit@10', { value: guard, stderr: 0.0007, df: 255 }],
      ['distinct', { value: 12, stderr: { absent: 'no_vector' } as const, df: 0 }],
    ]),
  );
}

function watched(): { comparison: Comparison; trail: Trail } {
  const watcher = new Watcher();
  let comparison: Comparison | undefined;
  for (const hour of [1, 2, 3]) {
    const { looks: _, ...totals } = state(
      { A: arm(0.3, 0.6), 'B <x>': arm(0.29, 0.6), C: arm(0.3 + hour / 1000, 0.6) },
      {
        settings: THREE,
        measures: ['distinct', 'hit@10', 'ndcg@10'],
        sample: sampleOf([1234, 1230, 1240]),
        asOf: AS_OF + hour * 3_600_000,
        others: new Map([
          ['D', 1500],
          ['__none__', 7],
        ]),
      },
    );
    comparison = watcher.look(totals);
  }
  if (comparison === undefined) throw new Error('there were looks');
  return { comparison, trail: watcher.trail };
}

const { comparison, trail } = watched();

describe('json', () => {
  const text = printComparison(comparison, 'json');

  test('the order of keys, variants and measures does not change a byte', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (stream) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((one) => ({ one, key: stream.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ one }) => one);
        const shaken = (value: unknown): unknown => {
          if (Array.isArray(value)) {
            return value.every((one) => typeof one === 'object') ? shuffled(value).map(shaken) : value;
          }
          if (typeof value !== 'object' || value === null) return value;
          return Object.fromEntries(shuffled(Object.entries(value)).map(([key, one]) => [key, shaken(one)]));
        };
        expect(printComparison(shaken(comparison) as Comparison, 'json')).toBe(text);
      }),
      { seed: 1, numRuns: 30 },
    );
  });

  test('is one object with the answers', () => {
    const parsed = JSON.parse(text) as Comparison;
    expect(parsed).toMatchObject({ experiment: 'default', control: 'A', asOf: '2026-11-21T12:00:00.000Z' });
    expect(parsed.variants.map((one) => [one.variant, one.decision, one.reason])).toEqual([
      ['B <x>', 'regressed', 'primary_worse'],
      ['C', 'healthy', 'within_tolerance'],
    ]);
    expect(parsed.variants[0].measures.map(({ measure }) => measure)).toEqual(['distinct', 'hit@10', 'ndcg@10']);
    expect(parsed.variants[0].measures[0]).toMatchObject({ value: 12, ci: null, logE: null, reason: 'no_vector' });
  });
});

describe('for people', () => {
  test('the table says the decision, why, and every measure', () => {
    const lines = printComparison(comparison, 'table').split('\n');
    expect(lines[0]).toBe('Experiment default against A, at 30m, up to 2026-11-21T12:00:00.000Z');
    expect(lines).toContain('B <x>: regressed (primary_worse), decided at 2026-11-21T10:30:00.000Z');
    const row = lines.find((line) => /^ *B <x> +ndcg@10/.test(line)) ?? '';
    expect(row.trim().split(/ {2,}/)).toEqual([
      'B <x>',
      'ndcg@10',
      'primary',
      '0.3',
      '0.29',
      '-0.01',
      expect.stringMatching(/^-0\.013\d to -0\.00[67]\d*$/),
      '-3.33 %',
      expect.stringMatching(/^-4\.\d\d % to -2\.\d\d %$/),
      '<0.0001',
      '<0.0001',
      expect.stringMatching(/^0\.003\d+$/),
    ]);
    expect(lines.find((line) => /distinct/.test(line))).toMatch(/ - .*no_vector$/);
    expect(lines.join('\n')).toContain(
      'Impressions of other variants, which take no part: D 1,500, without a variant 7.',
    );
    expect(lines.join('\n')).toContain('Split of the users: as configured');
  });

  test('the start of the run is named with what it leaves out', () => {
    const text = printComparison({ ...comparison, start: '2026-11-21T09:30:00.000Z' }, 'table');
    expect(text.split('\n')[0]).toBe(
      'Experiment default against A, at 30m, from 2026-11-21T09:30:00.000Z up to 2026-11-21T12:00:00.000Z',
    );
    expect(text).toContain('Impressions before 2026-11-21T09:30:00.000Z take no part: experiments.default.start.\n');
  });

  test('markdown is tables and a list', () => {
    const text = printComparison(comparison, 'md');
    expect(text).toMatch(/^## Experiment default/);
    expect(text).toContain('**B <x>: regressed** (`primary_worse`), decided at 2026-11-21T10:30:00.000Z.');
    expect(text).toMatch(/\| variant \| measure \| role \|.*\n\|---\|---\|---\|---:\|/);
    expect(text).toMatch(/\n\* Split of the users/);
  });
});

describe('the split by cohort', () => {
  const cohort = (value: string, a: number, b: number, p: number) => ({
    value,
    users: { A: 1000, 'B <x>': b, C: a },
    expected: { A: 1000, 'B <x>': 1000, C: 1000.4 },
    deviation: Math.abs(b - 1000) / 1000,
    p,
    pAdjusted: Math.min(1, 2 * p),
    warning: 2 * p < 0.001,
  });
  const quiet = Array.from({ length: 30 }, (_, i) => cohort(`v${i}`, 1000, 1000, 1));
  const ratioBy = [
    { by: 'platform', users: 800_000, sampled: 100_000, cohorts: [cohort('a_*b*', 1000, 800, 1e-7), ...quiet] },
    { by: 'country', users: 6000, sampled: 6000, cohorts: [cohort('__none__', 1000, 1000, 1)] },
  ];

  test('is a table with what is off first, and a sentence that says where to look', () => {
    const text = printComparison(comparison, 'table', { ratioBy });
    expect(text.startsWith(printComparison(comparison, 'table'))).toBe(true);
    const lines = text.split('\n').map((line) => line.trim().split(/ {2,}/));
    const head = lines.findIndex(([first]) => first === 'platform');
    expect(lines[head]).toEqual([
      ...['platform', 'A', 'expected', 'C', 'expected', 'B <x>', 'expected', 'deviation', 'p', 'p adjusted'],
    ]);
    expect(lines[head + 1]).toEqual([
      ...['a_*b*', 'WARNING', '1,000', '1,000', '1,000', '1,000', '800', '1,000', '20 %', '<0.0001', '<0.0001'],
    ]);
    expect(lines[head + 20][0]).toBe('v18');
    expect(lines[head + 21]).toEqual(['']);
    expect(text).toContain(
      'Split of the users by platform: WARNING, not as configured in a_*b* (B <x> 800 users, 1,000 expected). Look at',
    );
    expect(text).toContain('Not shown: 11 more without a warning. JSON has all.');
    expect(text).toContain('1 user in 8.');
    expect(text).toContain('Split of the users by country: as configured in each of 1.');
    expect(text).toContain('No impression of the experiment has a "country"');
  });

  test('stands in every form, and names from events are text', () => {
    expect(JSON.parse(printComparison(comparison, 'json', { ratioBy })).ratioBy).toEqual(ratioBy);
    const md = printComparison(comparison, 'md', { ratioBy });
    expect(md).toContain('| a\\_\\*b\\* | WARNING |');
    expect(md).toContain('not as configured in a\\_\\*b\\* (B \\<x> 800 users');
    expect(md).toContain('| \\_\\_none\\_\\_ |');
  });

  test('says why it could not be tested', () => {
    const none = [{ by: 'country', users: 0, sampled: 0, cohorts: [] }];
    const userless: Comparison = { ...comparison, srm: { ...comparison.srm, p: null, reason: 'no_user_ids' } };
    expect(printComparison(userless, 'table', { ratioBy: none })).toContain(
      'Split of the users by country: not tested (no_user_ids).',
    );
  });
});

describe('the picture', () => {
  const svg = comparisonPlot(comparison, trail);

  test('has a title, a description in words, and a panel for each variant', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 880 \d+"/);
    expect(svg).toContain('<title id="title">Experiment default: ndcg@10 at 30m');
    expect(svg).toMatch(/<desc id="desc">[^<]*worse than A on ndcg@10/);
    expect(svg).toContain('>B &lt;x&gt; against A: regressed</text>');
    expect(svg).toContain('>C against A: healthy</text>');
  });

  test('names both axes, with their units, and the line of no difference', () => {
    expect(svg).toContain('>difference of ndcg@10 (variant − control)</text>');
    expect(svg).toContain('>event time of the look, UTC, 2026-11-21</text>');
    expect(svg).toContain('>no difference</text>');
  });

  test('draws the band as one closed path and the effect as one line, with no number that is not finite', () => {
    const paths = [...svg.matchAll(/<path class="(?:band|effect) \w+" d="([^"]+)"/g)].map((match) => match[1]);
    expect(paths).toHaveLength(4);
    expect(paths[0]).toMatch(/^M[\d.,ML-]+Z$/);
    expect(paths[1].split('L')).toHaveLength(3);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('shows better and worse in colours of their own', () => {
    const improved: Comparison = {
      ...comparison,
      variants: comparison.variants.map((one) => ({ ...one, decision: 'improved', reason: 'primary_better' })),
    };
    const tones = (picture: string): ReadonlySet<string> =>
      new Set([...picture.matchAll(/<path class="band (\w+)"/g)].map((match) => match[1]));
    // B regressed, and nothing is wrong with C.
    expect(tones(svg)).toEqual(new Set(['bad', 'plain']));
    expect(svg).toContain('.band.bad{fill:#b42318}');
    expect(svg).not.toContain('var(');
    expect(tones(comparisonPlot(improved, trail))).toEqual(new Set(['good']));
    // The curve is that of the primary measure: it is not worse because a guardrail is.
    const guarded = comparison.variants.map((one) => ({ ...one, reason: 'guardrail_worse' as const }));
    expect(tones(comparisonPlot({ ...comparison, variants: guarded }, trail))).toEqual(new Set(['plain']));
  });

  test('is well-formed XML whatever the name of a variant', () => {
    const [first] = comparison.variants;
    const named = { ...comparison, variants: [{ ...first, variant: 'a]]>&<b>"' }] };
    for (const looks of [3, 1]) {
      const picture = comparisonPlot(named, new Map([['a]]>&<b>"', trail.get(first.variant)?.slice(0, looks) ?? []]]));
      expect(picture).toContain('>a]]&gt;&amp;&lt;b&gt;&quot; against A');
      expect(picture).not.toMatch(/]]>|<[a-z]+(?: [\w:-]+="[^"]*")* [\w-]+[ />]/);
    }
  });

  test('of one or two looks shows the effects on all measures, of none a sentence', () => {
    for (const looks of [1, 2]) {
      const few: Trail = new Map([...trail].map(([name, points]) => [name, points.slice(0, looks)]));
      const forest = comparisonPlot(comparison, few);
      expect(forest).toContain('>B &lt;x&gt; against A: regressed</text>');
      for (const name of ['ndcg@10 (primary)', 'hit@10 (guardrail)', 'distinct'])
        expect(forest).toContain(`>${name}</text>`);
      expect(forest).toContain('>no difference</text>');
      expect(forest).toMatch(/<circle [^>]*fill="#b42318"/);
      expect(forest).not.toMatch(/<path|NaN|Infinity|undefined/);
    }
    expect(comparisonPlot(comparison, new Map())).toContain('there is nothing to draw yet');
  });
});

describe('a heavy user', () => {
  const asked = (heaviest: number, impressions: number, users: number): boolean => {
    const changed: Comparison = {
      ...comparison,
      heaviest: { A: heaviest, C: 0, 'B <x>': 0 },
      impressions: { ...comparison.impressions, A: impressions },
      users: { ...comparison.users, A: users },
      notes: ['heavy_user'],
    };
    return printComparison(changed, 'table').includes('of the impressions of A come from one user');
  };

  test.each([
    ['one list of one user', 1, 1, 1, false],
    ['one list each of ten users', 0.1, 10, 10, false],
    ['a tenth of the lists of each of ten users', 0.1, 1000, 10, false],
    ['19 of 200 lists among 182 users', 0.095, 200, 182, false],
    ['20 of 200 lists among 181 users', 0.1, 200, 181, true],
    ['a fifth of the lists, and 24 times as many as an average user', 0.2, 1000, 100, true],
    ['almost a twentieth', 0.049, 10_000, 5000, false],
  ])('%s: a bot?', (_, heaviest, impressions, users, expected) => {
    expect(asked(heaviest, impressions, users)).toBe(expected);
  });
});
