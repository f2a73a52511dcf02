import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import { BOTH, bytes, CLICK, decode, event, FEEDBACK, IMPRESSION, IMPRESSIONS, refusal } from './fixture.ts';

describe('impressions', () => {
  test('the required fields suffice', () => {
    expect(event(IMPRESSION)).toEqual({
      kind: 'impression',
      requestId: 'r-1',
      ts: 1_795_248_000_123,
      userId: undefined,
      pageOffset: 0,
      items: ['i7', 'i3', 'i9'],
      ranks: undefined,
      dimensions: ['__none__', '__none__', '__none__', '__none__', '__none__'],
    });
  });

  test('items may be plain strings, numbers, or none at all', () => {
    expect(event({ ...IMPRESSION, items: ['a', 7, { id: 8 }] })).toMatchObject({ items: ['a', '7', '8'] });
    expect(event({ ...IMPRESSION, items: [] })).toMatchObject({ items: [], ranks: undefined });
  });

  test('fields that are unknown, and optional fields that are null, count as absent', () => {
    const nulls = { eventId: null, userId: null, sessionId: null, surface: null, variant: null, experiments: null };
    const more = { cohorts: null, model: null, offset: null, unknown: { deep: [1] } };
    const item = { id: 'i7', position: null, score: null, propensity: null, team: null, category: null, unknown: 1 };
    expect(event({ ...IMPRESSION, ...nulls, ...more, items: [item] })).toEqual(event({ ...IMPRESSION, items: ['i7'] }));
  });

  test('ids that are not required count as absent when they are empty', () => {
    const empty = { userId: '', eventId: '', sessionId: '' };
    expect(event({ ...IMPRESSION, ...empty })).toEqual(event(IMPRESSION));
    expect(event({ ...CLICK, ...empty })).toEqual(event(CLICK));
    expect(event({ ...CLICK, eventId: 'e' })).toMatchObject({ eventId: 'e' });
  });

  test('positions become ranks, and the slots stand in their order', () => {
    const at = (...positions: number[]) => ({
      ...IMPRESSION,
      items: positions.map((position, i) => ({ id: `i${i}`, position })),
    });
    expect(event(at(3, 1, 4))).toMatchObject({ items: ['i1', 'i0', 'i2'], ranks: [1, 3, 4] });
    expect(event(at(1, 3, 4))).toMatchObject({ items: ['i0', 'i1', 'i2'], ranks: [1, 3, 4] });
    expect(event(at(2, 1, 3))).toMatchObject({ items: ['i1', 'i0', 'i2'], ranks: undefined });
    expect(event(at(0, 1), { positionBase: 0 })).toMatchObject({ ranks: undefined });
    expect(event(at(0, 2), { positionBase: 0 })).toMatchObject({ ranks: [1, 3] });
    expect(event({ ...at(11, 12), offset: 10 })).toMatchObject({ pageOffset: 10, ranks: undefined });
    expect(event({ ...at(1, 2), offset: 10 })).toMatchObject({ pageOffset: 10, ranks: [1, 2] });
  });

  test.each([
    [{ requestId: undefined }, 'missing_field requestId'],
    [{ requestId: null }, 'missing_field requestId'],
    [{ requestId: '' }, 'bad_id requestId'],
    [{ requestId: 2 ** 53 }, 'bad_id requestId'],
    [{ requestId: 1.5 }, 'bad_id requestId'],
    [{ requestId: true }, 'wrong_type requestId'],
    [{ ts: undefined }, 'missing_field ts'],
    [{ ts: '2026-11-21' }, 'bad_time ts'],
    [{ ts: -1 }, 'bad_time ts'],
    [{ ts: [1] }, 'wrong_type ts'],
    [{ userId: {} }, 'wrong_type userId'],
    [{ sessionId: 0.5 }, 'bad_id sessionId'],
    [{ eventId: false }, 'wrong_type eventId'],
    [{ items: 'a,b' }, 'wrong_type items'],
    [{ items: { 0: 'a' } }, 'wrong_type items'],
    [{ items: ['a', null] }, 'missing_field items[1].id'],
    [{ items: ['a', ''] }, 'bad_id items[1].id'],
    [{ items: [{ id: 'a' }, {}] }, 'missing_field items[1].id'],
    [{ items: [['a']] }, 'wrong_type items[0].id'],
    [{ items: [{ id: 'a', score: '1' }] }, 'wrong_type items[0].score'],
    [{ items: [{ id: 'a', propensity: true }] }, 'wrong_type items[0].propensity'],
    [{ items: [{ id: 'a', team: 1 }] }, 'wrong_type items[0].team'],
    [{ items: [{ id: 'a', category: [] }] }, 'wrong_type items[0].category'],
    [{ items: [{ id: 'a', position: 0 }] }, 'bad_position items[0].position'],
    [{ items: [{ id: 'a', position: 1.5 }] }, 'bad_position items[0].position'],
    [{ items: [{ id: 'a', position: 2 ** 31 }] }, 'bad_position items[0].position'],
    [{ items: [{ id: 'a', position: '1' }] }, 'wrong_type items[0].position'],
    [{ items: [{ id: 'a', position: 1 }, 'b'] }, 'mixed_positions items'],
    [{ items: ['b', { id: 'a', position: 1 }] }, 'mixed_positions items'],
    [{ items: [{ id: 'a', position: 2 }, { id: 'b' }] }, 'mixed_positions items'],
    [{ items: [3, 1, 3].map((position) => ({ id: 'a', position })) }, 'duplicate_position items'],
    [{ items: [1, 1].map((position) => ({ id: 'a', position })) }, 'duplicate_position items'],
    [{ offset: -1 }, 'bad_number offset'],
    [{ offset: 0.5 }, 'bad_number offset'],
    [{ offset: 1_000_001 }, 'bad_number offset'],
    [{ offset: '0' }, 'wrong_type offset'],
    [{ surface: 1 }, 'wrong_type surface'],
    [{ variant: 1 }, 'wrong_type variant'],
    [{ experiments: ['a'] }, 'wrong_type experiments'],
    [{ experiments: { ranker: 1 } }, 'wrong_type experiments'],
    [{ cohorts: 'DE' }, 'wrong_type cohorts'],
    [{ model: 'm' }, 'wrong_type model'],
    [{ model: {} }, 'missing_field model.name'],
    [{ model: { name: 'm', version: [] } }, 'wrong_type model.version'],
  ])('%j is refused: %s', (change, expected) => {
    expect(refusal({ ...IMPRESSION, ...change })).toBe(expected);
  });

  test('numbers that are infinite in JSON are refused', () => {
    expect(refusal('{"requestId":1e999,"ts":1795248000001,"items":[]}')).toBe('bad_id requestId');
    expect(refusal('{"requestId":"r","ts":1e999,"items":[]}')).toBe('bad_time ts');
    expect(refusal('{"requestId":"r","ts":1795248000001,"items":[{"id":"a","score":-1e999}]}')).toBe(
      'bad_number items[0].score',
    );
    expect(refusal('{"requestId":"r","ts":1795248000001,"items":[{"id":"a","position":1e999}]}')).toBe(
      'bad_position items[0].position',
    );
    expect(refusal('{"requestId":"r","ts":1795248000001,"items":[],"offset":1e999}')).toBe('bad_number offset');
    expect(refusal('{"requestId":"r","ts":1795248000001,"itemId":"i","action":"a","value":1e999}')).toBe(
      'bad_number value',
    );
  });

  test('values and scores from -1e30 to 1e30 count; beyond, where squares of sums would leave the doubles, they are refused', () => {
    const feedback = (value: string) =>
      `{"requestId":"r","ts":1795248000001,"itemId":"i","action":"a","value":${value}}`;
    const list = (score: string) => `{"requestId":"r","ts":1795248000001,"items":[{"id":"a","score":${score}}]}`;
    const zeros = '0'.repeat(30);
    for (const inside of [
      '1e30',
      '-1e30',
      `1${zeros}`,
      `-1${zeros}`,
      `1${zeros}.0`,
      `9${zeros.slice(1)}.25`,
      '1E-40',
      '50',
      '-0',
    ]) {
      expect(decode(feedback(inside)), inside).toMatchObject({ events: [{ value: Number(inside) }] });
      expect(decode(list(inside)), inside).toHaveProperty('events');
    }
    for (const outside of [
      '1.0001e30',
      '-1.0001e30',
      '1e200',
      `1${zeros}0`,
      `-2${zeros}`,
      `3${zeros}.5`,
      `1${'0'.repeat(250)}`,
    ]) {
      expect(refusal(feedback(outside)), outside).toBe('bad_number value');
      expect(refusal(list(outside)), outside).toBe('bad_number items[0].score');
    }
  });

  test('an id that is a number is exact or refused', () => {
    expect(event('{"requestId":9007199254740991,"ts":1795248000001,"items":[-5]}')).toMatchObject({
      requestId: '9007199254740991',
      items: ['-5'],
    });
    expect(refusal('{"requestId":9007199254740993,"ts":1795248000001,"items":[]}')).toBe('bad_id requestId');
  });

  test('a list holds at most itemsPerList items', () => {
    const list = (n: number) => ({ ...IMPRESSION, items: Array.from({ length: n }, (_, i) => i) });
    expect(event(list(9), { itemsPerList: 10 })).toMatchObject({ kind: 'impression' });
    expect(event(list(10), { itemsPerList: 10 })).toMatchObject({ kind: 'impression' });
    expect(refusal(list(11), { itemsPerList: 10 })).toBe('too_many_items items');
  });

  test('an offset may be 0 to a million', () => {
    for (const offset of [0, 1, 999_999, 1_000_000])
      expect(event({ ...IMPRESSION, offset })).toMatchObject({ pageOffset: offset });
  });
});

describe('feedback', () => {
  test('optional fields are kept where the event has them', () => {
    const plain = { kind: 'feedback', ...CLICK, eventId: undefined, value: undefined };
    expect(event(CLICK)).toEqual(plain);
    expect(event({ ...CLICK, eventId: 5, value: -2.5, userId: 'u' })).toEqual({ ...plain, eventId: '5', value: -2.5 });
  });

  test.each([
    [{ itemId: undefined }, 'missing_field itemId'],
    [{ itemId: '' }, 'bad_id itemId'],
    [{ action: undefined }, 'missing_field action'],
    [{ action: '' }, 'missing_field action'],
    [{ action: 1 }, 'wrong_type action'],
    [{ value: '1' }, 'wrong_type value'],
    [{ ts: undefined }, 'missing_field ts'],
  ])('%j is refused: %s', (change, expected) => {
    expect(refusal({ ...CLICK, ...change })).toBe(expected);
  });
});

describe('bytes', () => {
  test('a null value is a tombstone of the topic’s side', () => {
    const of = (role: typeof BOTH.role) => createDecoder({ ...BOTH, role }).decode(null, 't', 0);
    expect(of(BOTH.role)).toEqual({ refused: 'tombstone', side: 'impressions' });
    expect(of(IMPRESSIONS)).toEqual({ refused: 'tombstone', side: 'impressions' });
    expect(of(FEEDBACK)).toEqual({ refused: 'tombstone', side: 'feedback' });
  });

  test('a record may be as large as its limit; on a topic of both sides the larger limit holds', () => {
    const sized = (n: number) => JSON.stringify(CLICK).padEnd(n, ' ');
    const limits = { impressionBytes: 300, feedbackBytes: 200 };
    expect([199, 200].map((n) => event(sized(n), { ...limits, role: FEEDBACK }).kind)).toEqual([
      'feedback',
      'feedback',
    ]);
    expect(refusal(sized(201), { ...limits, role: FEEDBACK })).toBe('too_large');
    expect(event(sized(300), limits).kind).toBe('feedback');
    expect(refusal(sized(301), limits)).toBe('too_large');
    expect(refusal(sized(301), { ...limits, role: IMPRESSIONS })).toBe('too_large');
  });

  test('the prefix of a schema registry and a byte order mark are taken away', () => {
    const body = bytes(JSON.stringify(CLICK));
    const decoder = createDecoder(BOTH);
    for (const prefix of [
      [0, 0, 0, 0, 9],
      [0xef, 0xbb, 0xbf],
      [0, 0, 0, 0, 9, 0xef, 0xbb, 0xbf],
    ]) {
      expect(decoder.decode(Uint8Array.from([...prefix, ...body]), 't', 0)).toEqual({ events: [event(CLICK)] });
    }
    expect(decoder.decode(Uint8Array.from([0, 0]), 't', 0)).toMatchObject({ code: 'not_json' });
  });

  test('a value in the middle of a larger buffer is read from its own bytes', () => {
    const body = bytes(JSON.stringify(CLICK));
    const larger = Uint8Array.from([1, 2, 3, ...body, 4, 5]);
    const decoded = createDecoder(BOTH).decode(larger.subarray(3, 3 + body.length), 't', 0);
    expect(decoded).toEqual({ events: [event(CLICK)] });
  });

  test.each([
    ['', 'not_json'],
    ['{', 'not_json'],
    ['{"requestId":"r"}x', 'not_json'],
    ['NaN', 'not_json'],
    ['[]', 'not_an_object'],
    ['null', 'not_an_object'],
    ['"r"', 'not_an_object'],
    ['1', 'not_an_object'],
  ])('%j is refused: %s', (text, code) => {
    expect(refusal(text)).toBe(code);
    expect(refusal(text, { role: FEEDBACK })).toBe(code);
  });

  test('errors keep their stack traces after a record that is no JSON, and one that is', () => {
    const before = Error.stackTraceLimit;
    for (const text of ['{', '{}']) refusal(text);
    expect(Error.stackTraceLimit).toBe(before);
    expect(new Error('x').stack).toContain('decoder.test');
  });

  test('bytes that are no UTF-8 are refused', () => {
    const body = bytes(JSON.stringify(CLICK));
    body[15] = 0xff;
    expect(createDecoder(BOTH).decode(body, 't', 0)).toMatchObject({ code: 'not_utf8', side: 'impressions' });
  });
});

describe('kinds', () => {
  test('an event is an impression if it has items, and the other kind is wrong on a topic of one side', () => {
    expect(refusal(IMPRESSION, { role: FEEDBACK })).toBe('wrong_kind');
    expect(refusal(CLICK, { role: IMPRESSIONS })).toBe('wrong_kind');
    expect(event({ ...CLICK, items: null }).kind).toBe('feedback');
  });

  test('a refused object counts on the side of its kind, or on the topic’s only side', () => {
    expect(decode({ items: 1 })).toMatchObject({ side: 'impressions' });
    expect(decode({})).toMatchObject({ side: 'feedback' });
    expect(decode('[')).toMatchObject({ side: 'impressions' });
    expect(decode({ items: 1 }, { role: FEEDBACK })).toMatchObject({ code: 'wrong_kind', side: 'feedback' });
    expect(decode({}, { role: IMPRESSIONS })).toMatchObject({ code: 'wrong_kind', side: 'impressions' });
    expect(decode('[', { role: FEEDBACK })).toMatchObject({ side: 'feedback' });
  });
});

describe('defaults', () => {
  const defaults = new Map([
    ['variant', 'bts'],
    ['userId', 'u'],
    ['action', 'view'],
    ['country', 'DE'],
  ]);

  test('they are set where the record lacks them', () => {
    const dimensions = ['country', 'variant'];
    expect(event(IMPRESSION, { defaults, dimensions })).toMatchObject({ userId: 'u', dimensions: ['DE', 'bts'] });
    expect(event({ ...CLICK, action: null }, { defaults })).toMatchObject({ action: 'view' });
  });

  test('what the record has stays', () => {
    const own = { variant: 'a', userId: 'v', cohorts: { country: 'FR' } };
    const dimensions = ['country', 'variant'];
    expect(event({ ...IMPRESSION, ...own }, { defaults, dimensions })).toMatchObject({
      userId: 'v',
      dimensions: ['FR', 'a'],
    });
    expect(event({ ...IMPRESSION, experiments: { default: 'e' } }, { defaults, dimensions })).toMatchObject({
      dimensions: ['DE', 'e'],
    });
    expect(event(CLICK, { defaults })).toMatchObject({ action: 'click' });
    expect(refusal({ ...IMPRESSION, cohorts: 'x' }, { defaults })).toBe('wrong_type cohorts');
  });
});
