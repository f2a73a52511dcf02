import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../../src/charts/plot-frame.ts';
import { rowPlot } from '../../src/charts/row-plot.ts';

const WORDS = {
  title: 'ap & <co>',
  description: 'what it shows',
  width: 800,
  height: 300,
  grid: true,
};

function numbers(svg: string, element: string, name: string): number[] {
  return [...svg.matchAll(new RegExp(`<${element} [^>]*?\\b${name}="([^"]*)"`, 'g'))].map((match) => Number(match[1]));
}

const NO_NUMBER = /NaN|undefined|Infinity/;
/** Without the words that are looked for. */
const text = (lengths: fc.StringConstraints) => fc.string(lengths).filter((drawn) => !NO_NUMBER.test(drawn));
const row = fc.record({
  name: text({ minLength: 1, maxLength: 60 }),
  value: fc.option(fc.double({ min: -5, max: 5, noNaN: true }), { nil: undefined }),
  colour: fc.constant('#000'),
  says: text({ maxLength: 40 }),
});

describe('a plot of rows', () => {
  it('has a dot for each value, inside of the picture, however many rows there are', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
        const svg = rowPlot({ ...WORDS, panels: [{ valueLabel: 'ap', sections: [{ heading: 'all', rows }] }] });
        const [width, height] = [numbers(svg, 'svg', 'width')[0], numbers(svg, 'svg', 'height')[0]];
        const [xs, ys] = [numbers(svg, 'circle', 'cx'), numbers(svg, 'circle', 'cy')];
        expect(xs).toHaveLength(rows.filter(({ value }) => value !== undefined).length);
        for (const x of xs) expect(x > 0 && x < width).toBe(true);
        for (const y of ys) expect(y > 0 && y < height - 40).toBe(true);
        for (const [i, y] of ys.slice(1).entries()) expect(y - ys[i]).toBeGreaterThanOrEqual(17.9);
        expect(svg).not.toMatch(NO_NUMBER);
      }),
      { numRuns: 50 },
    );
  });

  it.each([60, 120, 300])('keeps a label of %d letters inside of the picture', (letters) => {
    const rows = [{ name: 'the name of a run that takes room', value: 0.5, colour: '#000', says: '0.5' }];
    const svg = rowPlot({
      ...WORDS,
      panels: [{ valueLabel: `b${'a'.repeat(letters - 2)}b`, sections: [{ heading: '', rows }] }],
    });
    const [, x, shown] = /<text x="([\d.]+)"[^>]*>(ba[a…]*b)<\/text>/.exec(svg) ?? [];
    expect(Number(x) - widthOf(shown) / 2).toBeGreaterThanOrEqual(0);
    expect(Number(x) + widthOf(shown) / 2).toBeLessThanOrEqual(WORDS.width);
  });

  it('draws what is hollow so, and to the scale of the values alone where the axis is tight', () => {
    const rows = [0.6, 0.4].map((value, i) => ({
      ...{ name: `run ${i}`, value, interval: [value - 0.1, value + 0.1] as const },
      ...{ colour: '#123456', isHollow: i === 1, says: '' },
    }));
    const panels = [{ valueLabel: 'ap', sections: [{ heading: '', rows }] }];
    const reference = { value: 0.4, name: 'best input' };
    const [loose, tight] = [false, true].map((isTight) => rowPlot({ ...WORDS, panels, isTight, reference }));
    expect([...tight.matchAll(/<circle [^>]*fill="(#\w+)"/g)].map(([, fill]) => fill)).toEqual(['#123456', '#fff']);
    const [best, other] = numbers(tight, 'circle', 'cx');
    expect(Number(/<line x1="([\d.]+)" x2="\1"[^>]*stroke-width="1.5"/.exec(tight)?.[1])).toBe(other);
    const [looseBest, looseOther] = numbers(loose, 'circle', 'cx');
    expect(best - other).toBeGreaterThan(1.3 * (looseBest - looseOther));
  });

  it('bears values that nearly are nothing, or nearly the same', () => {
    for (const values of [[4.4e-323], [0], [1, 1 + 2e-16], [-1e-12, 1e-12], [5, 5]]) {
      const rows = values.map((value) => ({ name: 'a', value, colour: '#000', says: '' }));
      expect(rowPlot({ ...WORDS, panels: [{ valueLabel: 'ap', sections: [{ heading: '', rows }] }] })).not.toMatch(
        NO_NUMBER,
      );
    }
  });

  it('has an axis for each scale, and all rows are in the picture', () => {
    const rows = (most: number) =>
      Array.from({ length: 10 }, (_, i) => ({
        name: `run ${i}`,
        value: most - (most / 20) * i,
        colour: '#000',
        says: '',
      }));
    const svg = rowPlot({
      ...WORDS,
      note: 'whiskers: what they are',
      panels: [
        {
          valueLabel: 'value',
          sections: [
            { heading: 'ndcg', rows: rows(0.5) },
            { heading: 'ap', rows: rows(0.5) },
          ],
        },
        { valueLabel: 'rmse (lower is better)', sections: [{ heading: 'rmse', rows: rows(50) }] },
      ],
    });
    const xs = numbers(svg, 'circle', 'cx');
    expect(xs.slice(0, 10)).toEqual(xs.slice(20));
    const words = ['ndcg', 'ap', 'value', 'rmse', 'rmse (lower is better)', 'whiskers: what they are'];
    const places = words.map((word) =>
      Number(svg.match(`<text [^>]*y="([0-9.]+)"[^>]*>${word.replace(/[()]/g, '.')}<`)?.[1]),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(Math.max(...places)).toBeLessThan(numbers(svg, 'svg', 'height')[0]);
  });

  it('draws intervals around their dots, and the line that values are held against', () => {
    const svg = rowPlot({
      ...WORDS,
      grid: false,
      reference: { value: 0, name: 'no difference' },
      panels: [
        {
          valueLabel: 'lift',
          sections: [
            {
              heading: 'B against A: regressed',
              rows: [
                { name: 'mrr', value: -0.2, interval: [-0.3, -0.1], colour: '#d55e00', says: '-20 %' },
                { name: 'hit@10', value: undefined, colour: '#0072b2', says: 'no error yet' },
              ],
            },
          ],
        },
      ],
    });
    const interval = /<line x1="([\d.]+)" x2="([\d.]+)" y1="[\d.]+" y2="[\d.]+" stroke="#d55e00"/.exec(svg) ?? [];
    const [from, to] = interval.slice(1).map(Number);
    const [dot] = numbers(svg, 'circle', 'cx');
    expect(dot - from).toBeCloseTo(to - dot, 1);
    const reference = /<text x="([\d.]+)"[^>]*>no difference</.exec(svg);
    expect(Number(reference?.[1]) - to).toBeCloseTo(to - dot, 1);
    expect(svg).toContain('>B against A: regressed</text>');
    expect(svg).toContain('>no error yet</text>');
  });
});
