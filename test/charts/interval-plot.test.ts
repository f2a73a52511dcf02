import { describe, expect, it } from 'vitest';
import { type IntervalRow, intervalPlot } from '../../src/charts/interval-plot.ts';

const WORDS = { title: 'ap & <co>', description: 'what it shows', valueLabel: 'ap' };
const KINDS = { marked: 'merged', others: 'input', line: 'best input' };

function row(name: string, value: number | undefined, half = 0.1, isMarked = false): IntervalRow {
  const interval = value === undefined || half === 0 ? undefined : { lower: value - half, upper: value + half };
  return { name, value, interval, isMarked };
}

function plot(rows: readonly IntervalRow[], kinds: typeof KINDS | undefined = KINDS, height = 400): string {
  return intervalPlot({ ...WORDS, rows, kinds, width: 700, height, grid: true });
}

function numbers(svg: string, element: string, name: string): number[] {
  return [...svg.matchAll(new RegExp(`<${element} [^>]*?\\b${name}="([^"]*)"`, 'g'))].map((match) => Number(match[1]));
}

describe('dots with intervals', () => {
  it('stand best first, in the middle of their intervals, to scale', () => {
    const svg = plot([row('low', 0.2), row('high', 0.6, 0.2), row('mid', 0.4)], undefined);
    const x = numbers(svg, 'circle', 'cx');
    expect((x[0] - x[1]) / (x[1] - x[2])).toBeCloseTo(1, 1);
    expect(numbers(svg, 'circle', 'cy')).toEqual(numbers(svg, 'circle', 'cy').toSorted((a, b) => a - b));
    const spans = [...svg.matchAll(/<line x1="([\d.]+)" x2="([\d.]+)"[^>]*stroke-width="2"/g)];
    const [first, second] = spans.map(([, from, to]) => [Number(from), Number(to)]);
    expect((first[0] + first[1]) / 2).toBeCloseTo(x[0], 1);
    expect((first[1] - first[0]) / (second[1] - second[0])).toBeCloseTo(2, 1);
    expect(svg.indexOf('>high<')).toBeLessThan(svg.indexOf('>mid<'));
  });

  it('what is merged is filled, and the line stands at the best input, not at the best of all', () => {
    const svg = plot([row('a', 0.3), row('b', 0.5), row('m', 0.7, 0.1, true)]);
    expect([...svg.matchAll(/<circle [^>]*fill="#fff"/g)]).toHaveLength(3); // two inputs, one in the legend
    const dashed = Number(/<line x1="([\d.]+)" x2="\1"[^>]*stroke-dasharray/.exec(svg)?.[1]);
    expect(dashed).toBe(numbers(svg, 'circle', 'cx')[1]);
  });

  it('no value, no interval, one value, nothing', () => {
    expect(plot([row('a', 0.3), row('none', undefined)]).match(/>no value</g)).toHaveLength(1);
    expect(plot([row('a', 0.3, 0)])).not.toMatch(/NaN|undefined|Infinity/);
    expect(plot([])).not.toMatch(/NaN|undefined|Infinity/);
    expect(plot([row('a', undefined)])).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('grows with its rows, and keeps names inside', () => {
    const rows = Array.from({ length: 60 }, (_, i) =>
      row(`a_method(with=parameters,that=are_long,number=${i})`, i / 60),
    );
    const svg = plot(rows);
    const height = Number(/<svg [^>]*\bheight="(\d+)"/.exec(svg)?.[1]);
    expect(height).toBeGreaterThan(60 * 20);
    for (const y of numbers(svg, 'circle', 'cy')) expect(y).toBeLessThan(height - 10);
    for (const x of numbers(svg, 'circle', 'cx')) expect(x).toBeGreaterThan(0.39 * 700);
    expect(svg).toContain('ap &amp; &lt;co&gt;');
  });
});
