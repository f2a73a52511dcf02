import { describe, expect, it } from 'vitest';
import { barPlot } from '../../src/output/bar-plot.ts';
import { linePlot } from '../../src/output/line-plot.ts';

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

  it('stay inside of the picture, below 0 too', () => {
    const svg = plot([-0.5, 0.25]);
    for (const [i, y] of attributes(svg, 'rect', 'y').entries()) {
      expect(y).toBeGreaterThan(0);
      expect(y + attributes(svg, 'rect', 'height')[i + 1]).toBeLessThan(SIZE.height);
    }
  });

  it('are left out where there is no value', () => {
    expect(attributes(plot([0.2, undefined]), 'rect', 'height').length).toBe(2); // with the background
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
    const across = (svg: string): number => [...svg.matchAll(/stroke="#dde1e8"/g)].length;
    expect(across(plot([0.2], true))).toBeGreaterThan(3);
    expect(across(plot([0.2]))).toBe(0);
  });
});

describe('lines', () => {
  const plot = (points: readonly { k: number; value: number }[]): string =>
    linePlot({
      ...SIZE,
      ...WORDS,
      cutLabel: 'cut-off',
      series: [
        { name: 'a', points },
        { name: 'b', points: [] },
      ],
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
