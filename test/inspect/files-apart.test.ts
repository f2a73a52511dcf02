/** Clicks in one log and orders in another: no map of one reads the other, and that is told, whatever their order. */
import { describe, expect, it } from 'vitest';
import type { Inspection, SampledFile } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

const numbers = Array.from({ length: 60 }, (_, n) => n);
const at = (n: number): number => MADE_AT + n * 9000;
const sku = (n: number): string => `p${(7 * n + (n % 4)) % 23}`;

const shown = sampledFile(
  'shown',
  numbers.map((n) => ({
    trace: `r${n}x`,
    served: at(n),
    visitor: `u${n % 31}`,
    tiles: [0, 1, 2, 3].map((i) => `p${(7 * n + i) % 23}`),
  })),
);
const clicks = sampledFile(
  'clicks',
  numbers.map((n) => ({ trace: `r${n}x`, when: at(n) + 5000, target: { sku: sku(n) }, what: 'tap' })),
);
const orders = sampledFile(
  'orders',
  numbers
    .filter((n) => n % 4 === 0)
    .map((n) => ({
      order: { no: `o${n}`, placed: at(n) + 60_000, trace: `r${n}x`, lines: [{ sku: sku(n), qty: 1, amount: 9.9 }] },
    })),
);

function inspected(...files: readonly SampledFile[]): Inspection {
  return inspect(files, { now: at(9999), grades: new Set(), weights: undefined });
}

const wrongIn = ({ findings }: Inspection) => findings.filter(({ level }) => level === 'wrong');

describe('files of one side whose fields are in different places', () => {
  const given = (file: SampledFile, role: 'impressions' | 'feedback'): SampledFile => ({ ...file, role });

  it.each([
    ['orders first', [given(shown, 'impressions'), given(orders, 'feedback'), given(clicks, 'feedback')]],
    ['clicks first', [given(shown, 'impressions'), given(clicks, 'feedback'), given(orders, 'feedback')]],
    ['without roles', [shown, orders, clicks]],
  ])('are named, with what each lacks: %s', (_, files) => {
    const inspection = inspected(...files);
    expect(inspection.impressions?.files).toEqual(['shown']);
    const [finding, ...others] = wrongIn(inspection);
    expect([finding.code, others]).toEqual(['files_differ', []]);
    expect(finding.message).toMatch(/(?:orders has no .*\/when|clicks has no .*\/order\/placed) \(ts\)/);
  });

  it.each([
    ['clicks', clicks],
    ['orders', orders],
  ])('are each sound by themselves: %s', (_, file) => {
    expect(wrongIn(inspected(shown, file))).toEqual([]);
  });

  it('may have fields of their own, as long as those that are needed are in one place', () => {
    const more = sampledFile(
      'more',
      numbers.map((n) => ({
        trace: `r${n}x`,
        when: at(n) + 7000,
        target: { sku: sku(n) },
        what: 'tap',
        device: `d${n}`,
      })),
    );
    expect(wrongIn(inspected(shown, clicks, more))).toEqual([]);
  });
});
