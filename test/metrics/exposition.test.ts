import fc from 'fast-check';
import { Counter, Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Exposition, joinLabels, labelText } from '../../src/metrics/exposition.ts';
import { parse, sampleValue } from './parse.ts';

const awkward = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', ',', '}', ' ', 'é') }),
);
const series = fc.array(fc.tuple(fc.dictionary(fc.constantFrom('a', 'b', 'k'), awkward), fc.double({ noNaN: true })), {
  maxLength: 8,
});
const HELP = awkward.filter((text) => text.trim() !== '' && !/[\r\u2028\u2029]/.test(text));

describe('the text', () => {
  it('equals what prom-client writes, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(HELP, series, fc.array(fc.nat(1e9), { maxLength: 3 }), async (help, gauges, counts) => {
        const page = new Exposition([
          { name: 'receval_g', type: 'gauge', help, labels: ['a', 'b', 'k'], role: 'exporter' },
          { name: 'receval_c_total', type: 'counter', help, labels: ['k'], role: 'worker' },
        ]);
        const registry = new Registry();
        const gauge = new Gauge({ name: 'receval_g', help, labelNames: ['a', 'b', 'k'], registers: [registry] });
        const counter = new Counter({ name: 'receval_c_total', help, labelNames: ['k'], registers: [registry] });
        const seen = new Set<string>();
        for (const [labels, value] of gauges) {
          const key = JSON.stringify(Object.entries(labels).sort());
          if (seen.has(key) || !Number.isFinite(value)) continue;
          seen.add(key);
          gauge.set(labels, value);
          page.series('receval_g')(labelText(labels), value);
        }
        for (const [i, count] of counts.entries()) {
          counter.inc({ k: `${i}` }, count);
          page.series('receval_c_total')(labelText({ k: `${i}` }), count);
        }
        expect(page.text()).toBe(await registry.metrics());
      }),
    );
  });

  it('gives back every label value and HELP when it is read', () => {
    fc.assert(
      fc.property(HELP, awkward, awkward, fc.double({ noNaN: true, noDefaultInfinity: true }), (help, a, b, value) => {
        fc.pre(!/[\r\u2028\u2029]/.test(a + b));
        const page = new Exposition([{ name: 'receval_g', type: 'gauge', help, labels: ['a', 'b'], role: 'both' }]);
        page.series('receval_g')(joinLabels(labelText({ a }), labelText({ b })), value);
        const read = parse(page.text());
        expect(read.get('receval_g')?.help).toBe(help);
        expect(sampleValue(read, 'receval_g', { a, b })).toBe(value + 0);
      }),
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'leaves out a series that is %d',
    (value) => {
      const page = new Exposition([{ name: 'receval_g', type: 'gauge', help: 'h', labels: [], role: 'both' }]);
      page.series('receval_g')('', value);
      expect(page.text()).toBe('# HELP receval_g h\n# TYPE receval_g gauge\n');
    },
  );

  it('knows no metric that is not in the catalogue', () => {
    expect(() => new Exposition([]).series('receval_x')).toThrow('"receval_x" is not in the catalogue');
  });

  it('leaves out labels that a series lacks', () => {
    expect(labelText({ a: undefined, b: '1' })).toBe('b="1"');
    expect([joinLabels('', 'b'), joinLabels('a', ''), joinLabels('', ''), joinLabels('a', 'b')]).toEqual([
      'b',
      'a',
      '',
      'a,b',
    ]);
  });
});
