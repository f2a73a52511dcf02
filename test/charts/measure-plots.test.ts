import { describe, expect, it } from 'vitest';
import { barPlot } from '../../src/charts/bar-plot.ts';
import { linePlot } from '../../src/charts/line-plot.ts';
import { shortened, widthOf } from '../../src/charts/plot-frame.ts';

const SIZE = { width: 960, height: 480, grid: false };
const WORDS = { title: 'ap & <co>', description: 'what it shows', valueLabel: 'ap' };

function attributes(svg: string, element: string, name: string): number[] {
  return [...svg.matchAll(new RegExp(`<${element} [^>]*?\\b${name}="([^"]*)"`, 'g'))].map((match) => Number(match[1]));
}

describe('bars', () => {
  const plot = (values: readonly (number | undefined)[], grid = false): string =>
    barPlot({
      ...SIZE,
      ...WORDS,
      grid,
      categoryLabel: 'run',
      categories: values.map((_, i) => `r${i}`),
      series: [{ name: 'ap', values }],
    });

  it('stand on 0, as high as their values', () => {
    const heights = attributes(plot([0.2, 0.4, 0.1]), 'rect', 'height').slice(1);
    expect(heights[1] / heights[0]).toBeCloseTo(2, 3);
    expect(heights[0] / heights[2]).toBeCloseTo(2, 3);
  });

  it('of another scale have another axis, and all of them are in the picture', () => {
    const svg = barPlot({
      ...SIZE,
      ...WORDS,
      categoryLabel: 'measure',
      categories: ['rmse', 'ap', 'mae', 'mrr'],
      panels: [
        { valueLabel: 'error', categories: [0, 2] },
        { valueLabel: 'share', categories: [1, 3] },
      ],
      series: [{ name: 'a', values: [50, 0.5, 25, 0.25] }],
    });
    const [rmse, mae, ap, mrr] = attributes(svg, 'rect', 'height').slice(1);
    expect([rmse / mae, ap / mrr, ap / rmse].map((ratio) => Math.round(100 * ratio) / 100)).toEqual([2, 2, 1]);
    const left = attributes(svg, 'rect', 'x');
    expect(left).toEqual(left.toSorted((a, b) => a - b));
    expect(Math.max(...left) + attributes(svg, 'rect', 'width')[4]).toBeLessThan(SIZE.width);
    expect([...svg.matchAll(/>(error|share|rmse|mae|ap|mrr)</g)].map(([, word]) => word)).toEqual([
      'error',
      'rmse',
      'mae',
      'share',
      'ap',
      'mrr',
    ]);
  });

  it('stay inside of the picture, below 0 too', () => {
    const svg = plot([-0.5, 0.25]);
    for (const [i, y] of attributes(svg, 'rect', 'y').entries()) {
      expect(y).toBeGreaterThan(0);
      expect(y + attributes(svg, 'rect', 'height')[i + 1]).toBeLessThan(SIZE.height);
    }
  });

  it('are left out where there is no value, and the picture says so', () => {
    const svg = plot([0.2, undefined]);
    expect(attributes(svg, 'rect', 'height').length).toBe(2); // with the background
    expect(svg.match(/>no value</g)).toHaveLength(1);
    expect(plot([undefined])).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('below 0 have their number above the names', () => {
    const svg = plot([-1]);
    const [y] = attributes(svg, 'rect', 'y').slice(0);
    const number = Number(/<text [^>]*y="([\d.]+)"[^>]*>-1</.exec(svg)?.[1]);
    const name = Number(/<text [^>]*y="([\d.]+)"[^>]*>r0</.exec(svg)?.[1]);
    expect(number).toBeGreaterThan(y);
    expect(name - number).toBeGreaterThan(12);
  });

  it('with long names that begin alike keep the ends of the names, inside of the picture', () => {
    const categories = Array.from({ length: 30 }, (_, i) => `a_long_name_with_parameters_k1:0.9_b:0.4_number_${i}`);
    const series = [{ name: 'ap', values: categories.map(() => 0.1) }];
    for (const size of [SIZE, { width: 576, height: 384, grid: false }]) {
      const svg = barPlot({ ...size, ...WORDS, categoryLabel: 'run', categories, series });
      const turned = [...svg.matchAll(/translate\((\d+) \d+\) rotate\(-34\)"[^>]*>([^<]*)</g)];
      expect(turned.length).toBeGreaterThan(10);
      expect(new Set(turned.map(([, , name]) => name)).size).toBe(turned.length);
      for (const [, x, name] of turned)
        expect(Number(x) - widthOf(name) * Math.cos((34 * Math.PI) / 180)).toBeGreaterThan(0);
    }
  });

  it('for each of a hundred cut-offs leave out numbers that would touch', () => {
    const categories = Array.from({ length: 100 }, (_, i) => String(i + 1));
    const series = [{ name: 'ap', values: categories.map(() => 0.1) }];
    const svg = barPlot({ ...SIZE, ...WORDS, categoryLabel: 'cut-off', categories, series });
    const places = [...svg.matchAll(/<text x="([\d.]+)"[^>]*>(\d+)</g)].map(([, x]) => Number(x));
    expect(places.length).toBeGreaterThan(10);
    for (const [i, x] of places.entries()) if (i > 0) expect(x - places[i - 1]).toBeGreaterThan(widthOf('100'));
    expect(svg).not.toContain('rotate(-34)');
  });

  it('of several runs have a legend, and names are escaped', () => {
    const series = [
      { name: 'a<b', values: [0.1] },
      { name: 'c', values: [0.2] },
    ];
    const svg = barPlot({ ...SIZE, ...WORDS, categoryLabel: 'measure', categories: ['mrr'], series });
    expect(svg).toContain('>a&lt;b</text>');
    expect(svg).toContain('<title id="title">ap &amp; &lt;co&gt;</title>');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('have lines across where a grid is asked for', () => {
    const across = (svg: string): number => [...svg.matchAll(/stroke="#dde2ea"/g)].length;
    expect(across(plot([0.2], true))).toBeGreaterThan(3);
    expect(across(plot([0.2]))).toBe(0);
  });
});

describe('whiskers', () => {
  const plot = barPlot({
    ...SIZE,
    ...WORDS,
    categoryLabel: 'run',
    note: 'whiskers: what they are',
    categories: ['a', 'b'],
    series: [{ name: 'ap', values: [0.2, 0.4], intervals: [undefined, [0.3, 0.5]] }],
  });

  it('reach from one end of the interval to the other, around the bar that has one', () => {
    const whiskers = [...plot.matchAll(/<path d="M([\d.]+) ([\d.]+)V([\d.]+)M/g)];
    expect(whiskers).toHaveLength(1);
    const [x, top, bottom] = whiskers[0].slice(1).map(Number);
    const tops = attributes(plot, 'rect', 'y');
    const heights = attributes(plot, 'rect', 'height').slice(1);
    // 0.1 up and down where the bar of 0.2 is so high.
    expect(tops[1] - top).toBeCloseTo(heights[0] / 2, 0);
    expect(bottom - tops[1]).toBeCloseTo(heights[0] / 2, 0);
    const [left] = attributes(plot, 'rect', 'x').slice(1);
    expect(x).toBeGreaterThan(left);
    expect(plot).toContain('>whiskers: what they are</text>');
  });
});

describe('lines', () => {
  const many = (count: number): string =>
    linePlot({
      ...WORDS,
      width: 576,
      height: 384,
      grid: false,
      cutLabel: 'cut-off',
      panels: [
        {
          valueLabel: 'ap',
          series: Array.from({ length: count }, (_, i) => ({
            name: `a_long_name_with_parameters_k1:0.9_b:0.4_number_${i}`,
            points: [{ k: 1, value: 0.1 }],
          })),
        },
      ],
    });
  const legend = (svg: string): RegExpMatchArray[] => [
    ...svg.matchAll(/<g transform="translate\(\d+ (\d+)\)">.*?<text [^>]*>([^<]*)</g),
  ];

  it('of many runs keep their legend below the drawing, and say how many it does not name', () => {
    for (const [count, others] of [
      [8, 0],
      [30, 10],
      [200, 180],
    ]) {
      const svg = many(count);
      const bottom = Number(/<path d="M76 46V(\d+)H/.exec(svg)?.[1]);
      const entries = legend(svg);
      expect(entries.length).toBe(others === 0 ? count : count - others + 1);
      for (const [, y] of entries) {
        expect(Number(y)).toBeGreaterThan(bottom + 50);
        expect(Number(y)).toBeLessThan(384);
      }
      if (others > 0) expect(entries[entries.length - 1][2]).toBe(`and ${others} others`);
      expect(entries[0][2]).toMatch(/^a_long.*…r_0$|^a_long.*_0$/);
    }
  });

  it('of more runs than a legend can tell apart have their names beside them, none over another', () => {
    const svg = many(12);
    const names = [...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)">([^<]*_\d+)</g)];
    expect(names.map(([, , name]) => name.replace(/.*_/, '')).sort()).toEqual(
      Array.from({ length: 12 }, (_, i) => String(i)).sort(),
    );
    const places = names.map(([, y]) => Number(y)).sort((a, b) => a - b);
    for (let i = 1; i < places.length; i++) expect(places[i] - places[i - 1]).toBeGreaterThanOrEqual(14.9);
    expect(places[0]).toBeGreaterThan(46);
    expect(places[11]).toBeLessThan(384 - 40);
    expect(legend(svg)).toEqual([]);
  });

  it('of nothing but zeros have an axis to 1', () => {
    expect(plot([{ k: 1, value: 0 }])).toContain('>1.0</text>');
  });

  const plot = (points: readonly { k: number; value: number }[]): string =>
    linePlot({
      ...SIZE,
      ...WORDS,
      cutLabel: 'cut-off',
      panels: [
        {
          valueLabel: 'ap',
          series: [
            { name: 'a', points },
            { name: 'b', points: [] },
          ],
        },
      ],
    });

  it('of another scale have another axis beside it, and look the same as those of their name', () => {
    const line = (name: string, ...values: number[]) => ({ name, points: values.map((value, k) => ({ k, value })) });
    for (const runs of [2, 12]) {
      const scale = (most: number) => Array.from({ length: runs }, (_, r) => line(`run ${r}`, most, most / (2 + r)));
      const svg = linePlot({
        ...WORDS,
        ...SIZE,
        width: 576,
        cutLabel: 'cut-off',
        panels: [
          { valueLabel: 'ndcg', series: scale(0.5) },
          { valueLabel: 'dcg', series: scale(50) },
        ],
      });
      // Without those of the legend.
      const [xs, ys] = ['cx', 'cy'].map((name) => attributes(svg, 'circle', name).slice(0, 4 * runs));
      const of = (all: readonly number[]) => [all.slice(0, 2 * runs), all.slice(2 * runs)];
      expect(of(ys)[0]).toEqual(of(ys)[1]);
      expect(Math.max(...of(xs)[0])).toBeLessThan(Math.min(...of(xs)[1]));
      const [width] = attributes(svg, 'svg', 'width');
      for (const x of attributes(svg, 'text', 'x')) expect(x).toBeLessThan(width);
      expect(svg.match(/>run 1</g)).toHaveLength(runs === 2 ? 1 : 2);
      expect(svg.match(/>(?:n?dcg|cut-off)</g)).toEqual(['>ndcg<', '>cut-off<', '>dcg<', '>cut-off<']);
      const colours = [...svg.matchAll(/<circle [^>]*fill="([^"]*)"/g)].map(([, colour]) => colour);
      expect(colours.slice(0, 2 * runs)).toEqual(colours.slice(2 * runs, 4 * runs));
    }
  });

  it('have a mark at each cut-off, higher where the value is', () => {
    const svg = plot([
      { k: 1, value: 0.3 },
      { k: 2, value: 0.4 },
      { k: 3, value: 0.35 },
    ]);
    const marks = attributes(svg, 'circle', 'cy').slice(0, 3);
    expect(marks[1]).toBeLessThan(marks[2]);
    expect(marks[2]).toBeLessThan(marks[0]);
    const [x1, x2, x3] = attributes(svg, 'circle', 'cx');
    expect(x3 - x2).toBeCloseTo(x2 - x1, 6);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('give far cut-offs equal steps, and bear a single one and equal values', () => {
    const [x1, x2, x3] = attributes(
      plot([
        { k: 5, value: 0.3 },
        { k: 100, value: 0.4 },
        { k: 1000, value: 0.5 },
      ]),
      'circle',
      'cx',
    );
    expect(x3 - x2).toBeCloseTo(x2 - x1, 1);
    expect(plot([{ k: 5, value: 0 }])).not.toMatch(/NaN|undefined|Infinity/);
    expect(
      plot([
        { k: 1, value: 0.3 },
        { k: 2, value: 0.3 },
      ]),
    ).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('words of a plot', () => {
  it('are shortened in the middle, by letters and not by halves of them', () => {
    expect(shortened('abcdefghij', 6)).toBe('abc…ij');
    expect(shortened('abcdef', 6)).toBe('abcdef');
    expect(shortened('😀😀😀😀😀😀', 4)).toBe('😀😀…😀');
    expect(widthOf('検索')).toBeGreaterThan(widthOf('ab'));
  });
});
