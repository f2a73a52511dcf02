/** Times as spreadsheets shorten them, `1.79525E+12`: read where no digit is lost, else told. */
import { describe, expect, it } from 'vitest';
import { TOPIC } from '../../src/inspect/file-shape.ts';
import type { Inspection } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

const numbers = Array.from({ length: 40 }, (_, n) => n);
const item = (n: number, i: number): string => `p${(7 * n + i) % 23}`;

function inspected(written: (ms: number) => string): Inspection {
  const at = (n: number): string => written(MADE_AT + 9000 * n);
  const files = [
    sampledFile(
      'shown.csv',
      numbers.map((n) => ({ search: `r${n}x`, time: at(n), items: [0, 1, 2].map((i) => item(n, i)) })),
    ),
    sampledFile(
      'clicks.csv',
      numbers.map((n) => ({ search: `r${n}x`, time: at(n + 0.5), sku: item(n, n % 3), event: 'click' })),
    ),
  ].map((file) => ({ ...file, format: TOPIC }));
  return inspect(files, { now: MADE_AT + 1e9, grades: new Set(), weights: undefined });
}

const spread = (digits: number) => (ms: number) => ms.toExponential(digits).toUpperCase();
const wrongIn = ({ findings }: Inspection) => findings.filter(({ level }) => level === 'wrong');

describe('times with an exponent', () => {
  it.each([9, 12])('are read with %i digits behind the point: to the second', (digits) => {
    const inspection = inspected(spread(digits));
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.impressions?.reading.time).toEqual({ form: 'ms', quoted: true });
    expect(configurationOf(inspection, { topics: undefined })).toContain('ts: /time');
  });

  it('without the zeros at their end are read, where some have all digits', () => {
    const inspection = inspected((ms) => (ms % 60_000 === 0 ? spread(7)(ms) : spread(10)(ms)));
    expect(wrongIn(inspection)).toEqual([]);
  });

  it.each([
    [8, '10 s'],
    [5, '2 h 47 min'],
    [3, '12 days'],
  ])('are told as shortened with %i digits', (digits, by) => {
    const found = wrongIn(inspected(spread(digits)));
    const told = found.filter(({ code }) => code === 'times_shortened');
    expect(told.map(({ cause }) => cause.includes(`stands for ${by}`))).toEqual([true, true]);
    expect(told[0].remedy).toContain('a number without decimals');
  });

  it('are told with a decimal comma, which is no time', () => {
    const [{ code, remedy }] = wrongIn(inspected((ms) => spread(5)(ms).replace('.', ',')));
    expect(code).toBe('most_invalid');
    expect(remedy).toContain('a number without decimals');
  });
});
