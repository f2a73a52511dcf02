/** Lists that are JSON inside a text are read as lists are: with positions, and under canonical names too. */
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import type { Inspection } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

const numbers = Array.from({ length: 40 }, (_, n) => n);
const at = (n: number): number => MADE_AT + n * 9000;
const item = (n: number, i: number): string => `p${(7 * n + i) % 23}`;

function inspected(lists: (n: number) => object, clicks: (n: number) => object): Inspection {
  const files = [sampledFile('lists', numbers.map(lists)), sampledFile('clicks', numbers.map(clicks))];
  return inspect(files, { now: at(9999), grades: new Set(), weights: undefined });
}

/** The adapter of impressions in the configuration that is written. */
function adapterIn(inspection: Inspection): unknown {
  const written = configurationOf(inspection, { topics: undefined });
  const settings = loadSettings({ file: 'written', readFile: () => written ?? '', env: {}, command: 'replay' });
  return settings.inputs.impressions.adapter;
}

const wrongIn = ({ findings }: Inspection) => findings.filter(({ level }) => level === 'wrong').map(({ code }) => code);

describe('lists as JSON text', () => {
  it.each([
    ['text', JSON.stringify],
    ['lists', (list: unknown) => list],
  ])('have their positions mapped, which need not be in order: %s', (_, write) => {
    const inspection = inspected(
      (n) => ({
        list_id: `r${n}x`,
        time: at(n),
        out: { reco: write([2, 0, 1].map((i) => ({ product: item(n, i), rank: i + 1, score: 1 / (i + 2) }))) },
      }),
      (n) => ({ list_id: `r${n}x`, time: at(n) + 3000, product: item(n, n % 3), kind: 'click' }),
    );
    expect(wrongIn(inspection)).toEqual([]);
    expect(adapterIn(inspection)).toEqual({
      map: {
        requestId: '/list_id',
        ts: '/time',
        items: '/out/reco',
        'items.id': '/product',
        'items.position': '/rank',
        'items.score': '/score',
      },
    });
  });

  it('from position 0 on have that base', () => {
    const inspection = inspected(
      (n) => ({
        list_id: `r${n}x`,
        time: at(n),
        reco: JSON.stringify([1, 0].map((i) => ({ product: item(n, i), rank: i }))),
      }),
      (n) => ({ list_id: `r${n}x`, time: at(n) + 3000, product: item(n, n % 2), kind: 'click' }),
    );
    expect(inspection.impressions?.reading.positionBase).toBe(0);
  });

  it.each([
    ['ids', (n: number) => [0, 1, 2].map((i) => item(n, i)), {}],
    [
      'objects',
      (n: number) => [0, 1, 2].map((i) => ({ id: item(n, i), position: i + 1 })),
      { 'items.id': '/id', 'items.position': '/position' },
    ],
  ])('under canonical names are not canonical: %s', (_, items, more) => {
    const inspection = inspected(
      (n) => ({ requestId: `r${n}x`, ts: at(n), items: JSON.stringify(items(n)) }),
      (n) => ({ requestId: `r${n}x`, ts: at(n) + 3000, itemId: item(n, n % 3), action: 'click' }),
    );
    expect(wrongIn(inspection)).toEqual([]);
    expect(adapterIn(inspection)).toEqual({ map: { requestId: '/requestId', ts: '/ts', items: '/items', ...more } });
  });
});

describe('lists with a separator', () => {
  it.each(['|', ', ', ';'])('are empty where they are written as []: separated by "%s"', (separator) => {
    const inspection = inspected(
      (n) => ({
        list: `r${n}x`,
        time: at(n),
        shown: n % 4 === 3 ? '[]' : [0, 1, 2].map((i) => item(n, i)).join(separator),
      }),
      (n) => ({ list: `r${n - (n % 4)}x`, time: at(n) + 3000, product: item(n - (n % 4), n % 3), kind: 'click' }),
    );
    expect(wrongIn(inspection)).toEqual([]);
    const lists = inspection.impressions?.sample.lists ?? [];
    expect(lists.map(({ items }) => items.length)).toEqual(numbers.map((n) => (n % 4 === 3 ? 0 : 3)));
  });
});

describe('several clicked items in one text', () => {
  it.each([
    ['|', (ids: readonly string[]) => ids.join('|'), { at: '/clicked', split: '|' }],
    [', ', (ids: readonly string[]) => ids.join(', '), { at: '/clicked', split: ',' }],
    ['JSON', (ids: readonly string[]) => JSON.stringify(ids), '/clicked'],
  ])('are feedback on each: %s', (_, write, each) => {
    const inspection = inspected(
      (n) => ({ list: `r${n}x`, time: at(n), shown: [0, 1, 2].map((i) => item(n, i)) }),
      (n) => ({
        list: `r${n}x`,
        time: at(n) + 3000,
        clicked: write(n % 3 === 0 ? [item(n, 0), item(n, 2)] : [item(n, 1)]),
      }),
    );
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.facts.joining).toMatchObject({ known: 54, inList: 54 });
    const written = configurationOf(inspection, { topics: undefined });
    const settings = loadSettings({ file: 'written', readFile: () => written ?? '', env: {}, command: 'replay' });
    expect(settings.inputs.feedback.adapter).toEqual({
      map: { each, requestId: '/list', ts: '/time', 'each.itemId': '', action: { const: 'click' } },
    });
  });

  it('are not found in the id of one item that contains the separator', () => {
    const inspection = inspected(
      (n) => ({ list: `r${n}x`, time: at(n), shown: [0, 1, 2].map((i) => `${item(n, i)},xl`) }),
      (n) => ({ list: `r${n}x`, time: at(n) + 3000, product: `${item(n, n % 3)},xl` }),
    );
    expect(wrongIn(inspection)).toEqual([]);
    expect(inspection.feedback?.map).toMatchObject({ itemId: '/product' });
  });
});
