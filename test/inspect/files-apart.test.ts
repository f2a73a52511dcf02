/** Clicks in one log and orders in another: no map of one reads the other, so each has its own, or that is told, whatever their order. */
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import type { Fields } from '../../src/consumers/decode/raw.ts';
import type { Inspection, SampledFile } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { recordOf } from '../../src/inspect/made-fields.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import type { SampledFeedback } from '../../src/inspect/reading.ts';
import { event, FEEDBACK } from '../consumers/decode/fixture.ts';
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

/** As in exports of databases. */
const local = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** What the written configuration reads in the sample, by a decoder as that of a replay. */
function readAs(inspection: Inspection) {
  const yaml = configurationOf(inspection, { topics: undefined }) ?? '';
  const { adapter } = loadSettings({ file: 'written', readFile: () => yaml, env: {} }).inputs.feedback;
  const read = inspection.files.filter(({ name }) => name !== 'shown').flatMap(({ rows }) => rows.map(recordOf));
  return read
    .map((row) => event(row, { adapter, role: FEEDBACK }))
    .flatMap((one) => (one.kind === 'feedback' ? [{ ts: one.ts, itemId: one.itemId, action: one.action }] : []))
    .sort((a, b) => a.ts - b.ts);
}

const wrongIn = ({ findings }: Inspection) => findings.filter(({ level }) => level === 'wrong');

/** The records as others wrote them. */
function changed(file: SampledFile, name: string, change: (row: Fields) => Fields): SampledFile {
  return sampledFile(name, file.rows.map(change));
}

const events = ({ feedback }: Inspection) => feedback?.sample.feedback ?? [];

describe('files of one side whose fields are in different places', () => {
  const given = (file: SampledFile, role: 'impressions' | 'feedback'): SampledFile => ({ ...file, role });

  it.each([
    ['orders first', [given(shown, 'impressions'), given(orders, 'feedback'), given(clicks, 'feedback')]],
    ['clicks first', [given(shown, 'impressions'), given(clicks, 'feedback'), given(orders, 'feedback')]],
    ['without roles', [shown, orders, clicks]],
  ])('are read by a map each, as by themselves: %s', (_, files) => {
    const inspection = inspected(...files);
    const { impressions, feedback, findings, refused } = inspection;
    expect([impressions?.files, feedback?.files.toSorted()]).toEqual([['shown'], ['clicks', 'orders']]);
    expect([wrongIn(inspection), refused]).toEqual([[], []]);
    expect(findings.find(({ code }) => code === 'files_differ')?.cause).toMatch(/clicks.*orders|orders.*clicks/);
    const alone = [clicks, orders].flatMap((file) => events(inspected(shown, file)));
    const ordered = (some: readonly SampledFeedback[]) => some.toSorted((a, b) => a.ts - b.ts);
    expect(alone).toHaveLength(75);
    expect(ordered(events(inspection))).toEqual(ordered(alone));
    expect(readAs(inspection)).toEqual(ordered(alone).map(({ ts, itemId, action }) => ({ ts, itemId, action })));
  });

  it.each(['revenue', 'purchased_at', 'orderedAt'])(
    'are read by a map each where only a column, %s, says which of them were bought',
    (column) => {
      const plain = (row: Fields, n: number) => ({ trace: row['trace'], when: at(n) + 5000, sku: sku(n) });
      const seen = sampledFile('seen', clicks.rows.map(plain));
      const bought = sampledFile(
        'bought',
        seen.rows.filter((_, n) => n % 3 === 0).map((row) => ({ ...row, [column]: row['when'] })),
      );
      const inspection = inspected(shown, seen, bought);
      expect(wrongIn(inspection)).toEqual([]);
      expect(inspection.facts.actions).toEqual(
        new Map([
          ['purchase', 20],
          ['click', 60],
        ]),
      );
      // Without it no record says which it is.
      const alike = inspected(
        shown,
        seen,
        sampledFile(
          'orders',
          seen.rows.filter((_, n) => n % 3 === 0),
        ),
      );
      expect(wrongIn(alike).map(({ code }) => code)).toEqual(['action_assumed']);
    },
  );

  it.each([
    ['ids of no list', (row: Fields) => ({ ...row, trace: `q${String(row['trace']).slice(1)}` })],
    ['times of another zone', (row: Fields) => ({ ...row, when: local(Number(row['when']) + 3_600_000) })],
    ['no time', ({ when: _, ...row }: Fields) => row],
  ])('are named, with what each lacks, and no configuration is written, if one has %s', (_, change) => {
    const inspection = inspected(shown, changed(clicks, 'clicks', change), orders);
    const finding = wrongIn(inspection).find(({ code }) => code === 'files_differ');
    expect(finding?.cause).toMatch(/orders has no|clicks has no/);
    expect(configurationOf(inspection, { topics: undefined })).toBeUndefined();
  });

  it('are read by a map each, if one of them has ids that must be mended', () => {
    const prefixed = changed(clicks, 'clicks', (row) => ({ ...row, trace: `web:${String(row['trace'])}` }));
    const inspection = inspected(shown, prefixed, orders);
    expect([wrongIn(inspection), inspection.mends.map(({ finding }) => finding.code)]).toEqual([
      [],
      ['ids_differ_by_prefix'],
    ]);
    expect(inspection.facts.joining).toMatchObject({ asked: 75, known: 75, inList: 75 });
    expect(readAs(inspection)).toHaveLength(75);
  });

  it('may be in two zones if only one of them does not say so', () => {
    const inspection = inspected(
      shown,
      changed(clicks, 'clicks', (row) => ({ ...row, when: local(Number(row['when'])) })),
      orders,
    );
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.zones.feedback).toBe('UTC');
    expect(configurationOf(inspection, { topics: undefined })).toContain('timeZone: UTC\n');
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
