import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import type { Drop } from '../../../src/consumers/decode/decoder-settings.ts';
import { dropProblems, listedFiles, withListed } from '../../../src/consumers/decode/exclusion.ts';
import { BOTH, bytes, CLICK, decode, FEEDBACK, IMPRESSION } from './fixture.ts';
import { feedback, impressions } from './hostile.ts';

/** Whether the only event of a record is left out. */
function isLeftOut(drop: Drop, record: unknown): boolean {
  const decoded = decode(record, { drop });
  if ('refused' in decoded) throw new Error(JSON.stringify(decoded));
  const { events, excluded = [] } = decoded;
  expect(events.length + excluded.length).toBe(1);
  return excluded.length === 1;
}

const shown = (more: object) => ({ ...IMPRESSION, ...more });

describe('an event is left out', () => {
  test.each<[Drop[number], object, object]>([
    [{ userId: 'bot-7' }, { userId: 'bot-7' }, { userId: 'bot-77' }],
    [{ userId: 7 }, { userId: '7' }, { userId: 70 }],
    [{ userId: '7' }, { userId: 7 }, {}],
    [{ userId: ['a', 'b'] }, { userId: 'b' }, { userId: 'c' }],
    [{ userId: { exists: false } }, { userId: null }, { userId: 'a' }],
    [{ userId: { matches: '(?i)^bot' } }, { userId: 'BOT-1' }, { userId: 'robot' }],
    [{ surface: { not: 'home' } }, { surface: 'health' }, { surface: 'home' }],
    [{ surface: { not: { matches: 'o' }, exists: true } }, { surface: 'x' }, {}],
    [{ 'cohorts.country': 'DE' }, { cohorts: { country: 'DE' } }, { cohorts: { country: 'FR' } }],
    [{ 'cohorts.staff': true }, { cohorts: { staff: true } }, { cohorts: { staff: false } }],
    [{ 'experiments.price': 'b' }, { experiments: { price: 'b' } }, { experiments: { price: 'a' } }],
    [{ 'model.name': 'als' }, { model: { name: 'als' } }, { model: { name: 'x' } }],
    [{ offset: { above: 9 } }, { offset: 10 }, { offset: 9 }],
    [{ '/headers/agent': { matches: 'bot|crawl' } }, { headers: { agent: 'a crawler' } }, { headers: {} }],
    [
      { userId: 'u', surface: 'home' },
      { userId: 'u', surface: 'home' },
      { userId: 'u', surface: 'x' },
    ],
  ])('by %j: %j, and not %j', (conditions, out, kept) => {
    expect(isLeftOut([conditions], shown(out))).toBe(true);
    expect(isLeftOut([conditions], shown(kept))).toBe(false);
    expect(isLeftOut([{ requestId: 'none' }, conditions], shown(out))).toBe(true);
  });

  test('by the values of a file, once they are read', () => {
    const drop: Drop = [{ userId: { in: 'bots.txt' } }, { userId: { not: { in: 'staff.txt' } } }];
    expect(listedFiles(drop)).toEqual(['bots.txt', 'staff.txt']);
    expect(() => createDecoder({ ...BOTH, drop })).toThrow('bots.txt was not read');
    const read = withListed(drop, (file) => new Set(file === 'bots.txt' ? ['b', '7'] : ['b', '7', 's']));
    expect(['b', 7, 's', 'x'].map((userId) => isLeftOut(read, shown({ userId })))).toEqual([true, true, false, true]);
  });

  test('alone, where its record holds others', () => {
    const map = { requestId: '/r', ts: '/t', each: '/e', 'each.itemId': '', action: { const: 'click' } };
    const drop: Drop = [{ itemId: { matches: '^ad' } }];
    const decoded = decode({ r: 'r', t: CLICK.ts, e: ['a', 'ad-1', 'b'] }, { adapter: { map }, role: FEEDBACK, drop });
    expect(decoded).toMatchObject({ events: [{ itemId: 'a' }, { itemId: 'b' }], excluded: [{ itemId: 'ad-1' }] });
  });

  test('only if it is valid', () => {
    expect(decode({ ...CLICK, userId: 'u', ts: 'noon' }, { drop: [{ userId: 'u' }] })).toMatchObject({
      code: 'bad_time',
    });
  });

  test('or not: what is kept is as it is without conditions, however it is read', () => {
    const drop: Drop = [
      { userId: { matches: '^[a-m]' } },
      { '/action': 'click' },
      { 'cohorts.country': { exists: true } },
    ];
    const [plain, dropping] = [createDecoder(BOTH), createDecoder({ ...BOTH, drop })];
    fc.assert(
      fc.property(fc.oneof(impressions, feedback), (record) => {
        const value = bytes(JSON.stringify(record));
        const [all, some] = [plain.decode(value, 's', 0), dropping.scan(value, 's', 0)];
        if ('refused' in all || 'refused' in some) return expect(some).toEqual(all);
        const { events, excluded = [] } = some;
        expect([...events, ...excluded]).toEqual(all.events);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what is wrong with conditions is reported', () => {
  test.each<[Drop, string]>([
    [[{}], 'has no condition, and would leave out everything'],
    [[{ country: 'x' }], 'unknown field; expected one of requestId, '],
    [[{ user: 'x' }], 'unknown field; did you mean "userId"?'],
    [[{ '/a~': 'x' }], 'expected a JSON pointer (RFC 6901)'],
    [[{ userId: {} }], 'asks nothing'],
    [[{ userId: { matches: '(' } }], 'matches: a ( is not closed'],
    [[{ userId: { not: { matches: 'a**' } } }], 'matches: a repeat cannot be repeated'],
  ])('%j', (drop, problem) => {
    expect(dropProblems(drop)[0]?.message).toContain(problem);
  });
});
