import { describe, expect, test } from 'vitest';
import { rowObject } from '../../../src/consumers/decode/csv-row.ts';
import type { AdapterChoice } from '../../../src/consumers/decode/decoder-settings.ts';
import { BOTH, decode, IMPRESSIONS, refusal } from './fixture.ts';

const T = 1_795_248_000_000;

/** The items of the list of one row; or why there is none. */
function itemsOf(adapter: AdapterChoice, header: string, row: string, role = IMPRESSIONS): unknown {
  const record = rowObject(adapter)(header.split(','), row.split(','));
  const value = typeof adapter === 'object' && 'list' in adapter ? [record] : record;
  const decoded = decode(value, { adapter, role });
  if (!('events' in decoded)) return refusal(value, { adapter, role }).split(' ')[0];
  return decoded.events.map((event) => ('items' in event ? event.items : event.kind));
}

describe('a row of a CSV', () => {
  const split: AdapterChoice = { map: { requestId: '/id', ts: '/at', items: { at: '/shown', split: '|' } } };
  const json: AdapterChoice = { map: { requestId: '/id', ts: '/at', items: '/shown' } };

  test.each([
    ['', []],
    ['\\N', []],
    [' ', []],
    ['[]', []],
    ['a|b', ['a', 'b']],
  ])('with %j in its column of lists has the items %j', (text, items) => {
    expect(itemsOf(split, 'id,at,shown', `r,${T},${text}`)).toEqual([items]);
    expect(itemsOf('canonical', 'requestId,ts,items', `r,${T},${text}`)).toEqual([items]);
    if (text !== 'a|b') expect(itemsOf(json, 'id,at,shown', `r,${T},${text}`)).toEqual([items]);
  });

  test('has no list where its column is not there', () => {
    expect(itemsOf(split, 'id,at,other', `r,${T},`)).toBe('wrong_kind');
    expect(itemsOf('canonical', 'requestId,ts', `r,${T}`)).toBe('wrong_kind');
  });

  test('of a log of both sides that says what was done to which item is feedback', () => {
    const header = 'requestId,ts,items,itemId,action';
    const map: AdapterChoice = {
      map: {
        ...{ requestId: '/requestId', ts: '/ts', itemId: '/itemId', action: '/action' },
        items: { at: '/items', split: '|' },
      },
    };
    for (const adapter of ['canonical', map] as const) {
      const of = (row: string) => itemsOf(adapter, header, row, BOTH.role);
      expect(of(`r,${T},a|b,,`)).toEqual([['a', 'b']]);
      expect(of(`r,${T},,,`)).toEqual([[]]);
      expect(of(`r,${T},,b,click`)).toEqual(['feedback']);
      // It lacks its item, and is no list.
      expect(of(`r,${T},,,click`)).toBe('missing_field');
    }
    // A column that tells the sides apart stays absent.
    const told: AdapterChoice = {
      maps: [
        { when: { '/items': { exists: true } }, map: { requestId: '/requestId', ts: '/ts', items: '/items' } },
        { map: { requestId: '/requestId', ts: '/ts', itemId: '/itemId', action: '/action' } },
      ],
    };
    expect(itemsOf(told, header, `r,${T},,b,click`, BOTH.role)).toEqual(['feedback']);
  });

  test('may hold feedback in a list, of which an empty one holds none', () => {
    const each: AdapterChoice = {
      map: {
        requestId: '/id',
        ts: '/at',
        each: { at: '/clicked', split: '|' },
        'each.itemId': '',
        action: { const: 'click' },
      },
    };
    const feedback = { impressions: false, feedback: true };
    expect(itemsOf(each, 'id,at,clicked', `r,${T},a|b`, feedback)).toEqual(['feedback', 'feedback']);
    expect(itemsOf(each, 'id,at,clicked', `r,${T},`, feedback)).toEqual([]);
  });

  test('without an item, where each row is an item, is a request that found nothing', () => {
    const list = { by: 'id', within: 10 };
    const mapped: AdapterChoice = { list, map: { ts: '/at', itemId: '/item' }, feedback: { clicked: 'click' } };
    expect(itemsOf(mapped, 'id,at,item,clicked', `r,${T},,`, BOTH.role)).toEqual([[]]);
    expect(itemsOf(mapped, 'id,at,item,clicked', `r,${T},a,1`, BOTH.role)).toEqual([['a'], 'feedback']);
    // What was clicked is missing.
    expect(itemsOf(mapped, 'id,at,item,clicked', `r,${T},,1`, BOTH.role)).toBe('bad_id');
    // The column has another name: nothing is known of the items.
    expect(itemsOf(mapped, 'id,at,product,clicked', `r,${T},,`, BOTH.role)).toBe('missing_field');
    expect(itemsOf({ list }, 'id,ts,itemId', `r,${T},`, BOTH.role)).toEqual([[]]);
  });
});
