import { afterAll, describe, expect, it } from 'vitest';
import { type Log, NOW, type Row, removeLogs, replayed, shop } from './findings-logs.ts';

afterAll(removeLogs);

const HOUR = 3_600_000;
const LONG = 'attribution: {horizons: [1m, 24h]}';
const id = (row: Row): string => String(row['requestId']);
const ts = (row: Row): number => Number(row['ts']);

describe('a replay of logs without a mistake', () => {
  it('finds nothing', async () => {
    const { result, codes, screen } = await replayed(shop());
    expect(result.feedback).toMatchObject({ read: 60, attributed: 60 });
    expect(codes).toEqual([]);
    expect(screen).not.toContain('What looks wrong');
  });
});

/** With the feedback in the order of time. */
function inTime({ impressions, feedback }: Log): Log {
  return { impressions, feedback: [...feedback].sort((a, b) => ts(a) - ts(b)) };
}

/** Stretched from half an hour to half a day. */
function dayLong(row: Row, n: number): Row {
  return { ...row, ts: ts(row) + n * 12 * 60_000 };
}

/** As kafka-console-consumer writes a topic: every fourth record, four times. */
function dumped({ impressions, feedback }: Log): Log {
  const inTurn = (rows: readonly Row[]) => [0, 1, 2, 3].flatMap((p) => rows.filter((_, n) => n % 4 === p));
  return { impressions: inTurn(impressions), feedback: inTurn(feedback) };
}

const MAP = '{requestId: /requestId, itemId: /itemId, ts: /ts, action: /action}';

interface Mistake {
  readonly log: Log;
  readonly config?: string;
  readonly codes: readonly string[];
  /** Of the screen: cause, example, remedy. */
  readonly says: readonly string[];
  readonly attributed: number;
}

/** Clicks that say who clicked, and not in which list. */
function withoutIds({ impressions, feedback }: Log, change = (row: Row): Row => row): Log {
  const userOf = new Map(impressions.map((row) => [id(row), row['userId']]));
  return {
    impressions,
    feedback: feedback.map(({ requestId, ...row }) => change({ ...row, userId: userOf.get(String(requestId)) })),
  };
}

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'no id of the list, and the same items in many lists of a user': {
    log: withoutIds(shop()),
    config: 'join: {by: userId}',
    codes: ['several_lists'],
    says: [
      '31.7 % of the feedback without the id of a list (19 of 60) could belong to several lists with its item',
      'counts on the last of them that was shown',
      'do: Log the id of the list with each click.',
      'join.touch: first shows how much depends on it',
      'joined by userId (touch last): 60; several lists have the item of 19 (31.7 %), no list that of 0',
    ],
    attributed: 60,
  },
  'no id of the list, and users that are not those of the lists': {
    log: withoutIds(shop(), (row) => ({ ...row, userId: `x${row['userId']}` })),
    config: 'join: {by: userId}',
    codes: ['nothing_joined'],
    says: [
      'None of 60 feedback events counted: orphan 60. No list was shown to their userId within 30m before them.',
      'do: Check that both sides log the same userId',
    ],
    attributed: 0,
  },
  'request ids with a prefix on one side': {
    log: shop({ clicked: (row) => ({ ...row, requestId: `web-${id(row)}` }) }),
    codes: ['nothing_joined', 'ids_differ_by_prefix'],
    says: [
      'None of 60 feedback events counted: orphan 60.',
      'the feedback writes "web-" before the request id',
      'such as: "web-',
      'do: Log the same request id on both sides',
    ],
    attributed: 0,
  },
  'another prefix on each side': {
    log: shop({
      shown: (row) => ({ ...row, requestId: `r:${id(row)}` }),
      clicked: (row) => ({ ...row, requestId: `req/${id(row)}` }),
    }),
    codes: ['nothing_joined', 'ids_differ_by_prefix'],
    says: ['the feedback writes "req/" before the request id, the impressions "r:"'],
    attributed: 0,
  },
  'a prefix on a third of the clicks': {
    log: shop({ clicked: (row, n) => (n % 3 === 0 ? { ...row, requestId: `ios:${id(row)}` } : row) }),
    codes: ['ids_differ_by_prefix'],
    says: ['100 % of the feedback of unknown requests would be known', '"ios:"'],
    attributed: 40,
  },
  'request ids with a prefix and in capitals': {
    log: shop({ clicked: (row) => ({ ...row, requestId: `WEB/${id(row).toUpperCase()}` }) }),
    codes: ['nothing_joined', 'ids_differ_by_prefix'],
    says: ['the feedback writes "WEB/" before the request id, and the rest differs in upper and lower case'],
    attributed: 0,
  },
  'request ids with a prefix and zeros before the number': {
    log: shop({
      shown: (row, n) => ({ ...row, requestId: `r-${String(n + 1).padStart(8, '0')}` }),
      clicked: (row, n) => ({ ...row, requestId: String(n + 1) }),
    }),
    codes: ['nothing_joined', 'ids_differ_by_prefix'],
    says: ['the impressions write "r-" before the request id, and the rest differs in how the number is written'],
    attributed: 0,
  },
  'request ids with a page behind them': {
    log: shop({ clicked: (row) => ({ ...row, requestId: `${id(row)}/0` }) }),
    codes: ['nothing_joined', 'ids_differ_by_suffix'],
    says: ['the feedback writes "/0" behind the request id'],
    attributed: 0,
  },
  'request ids in upper case': {
    log: shop({ clicked: (row) => ({ ...row, requestId: id(row).toUpperCase() }) }),
    codes: ['nothing_joined', 'ids_differ_by_case'],
    says: ['differs in upper and lower case, blanks or punctuation'],
    attributed: 0,
  },
  'request ids that went through a float': {
    log: shop({
      shown: (row, n) => ({ ...row, requestId: 1000 + n }),
      clicked: (row, n) => ({ ...row, requestId: `${1000 + n}.0` }),
    }),
    codes: ['nothing_joined', 'other_type_of_id'],
    says: ['the same number in another form', '.0" in the feedback'],
    attributed: 0,
  },
  'request ids of another table': {
    log: shop({ clicked: (row, n) => ({ ...row, requestId: `session${n % 5}` }) }),
    codes: ['nothing_joined'],
    says: [
      'None of 60 feedback events counted: orphan 60. No list with their request id was shown within 30m before them.',
      'row 1 (request "session0", item "sku-0", 2026-11-21T08:00:04.000Z); row 31 (request "session0",',
      'Check that both sides log the same request id',
    ],
    attributed: 0,
  },
  'ratings without their stars': {
    log: shop({ clicked: (row, n) => ({ ...row, action: 'rating', stars: 1 + (n % 5) }) }),
    codes: ['values_missing'],
    says: [
      '100 % of the feedback with the action "rating" has no value, which is its grade (from: value)',
      'Say where the value is',
    ],
    attributed: 60,
  },
  'ratings with decimal commas': {
    log: shop({ clicked: (row, n) => ({ ...row, action: 'rating', value: `${1 + (n % 4)},5` }) }),
    codes: ['nothing_joined', 'most_invalid'],
    says: [
      '60 of 60 records of the feedback cannot be used: wrong_type: value 60',
      'value is no number, and the record has one with a decimal comma: write 3.5 in place of 3,5',
    ],
    attributed: 0,
  },
  'predicted scores with decimal commas': {
    log: shop({
      shown: (row) => ({
        ...row,
        items: [0, 1, 2].map((i) => ({ id: `sku-${i}`, position: i + 1, score: `0,${9 - i}` })),
      }),
    }),
    codes: ['nothing_counted', 'most_invalid'],
    says: ['wrong_type: items[0].score 60', 'items[0].score is no number, and the record has one with a decimal comma'],
    attributed: 0,
  },
  'variants as numbers': {
    log: shop({ shown: (row) => ({ ...row, variant: 1 }) }),
    codes: ['nothing_counted', 'most_invalid'],
    says: ['wrong_type: variant 60', 'variant is text: write "1" in place of 1, and "true" in place of true'],
    attributed: 0,
  },
  'half of the requests unknown': {
    log: shop({ clicked: (row, n) => (n % 5 < 3 ? { ...row, requestId: `session${n}` } : row) }),
    codes: ['many_dropped'],
    says: ['36 of 60 feedback events (60 %) are dropped as orphan, throughout the log'],
    attributed: 24,
  },
  'logs of different days': {
    log: shop({ clicked: (row) => ({ ...row, requestId: `x${id(row)}y`, ts: ts(row) - 48 * HOUR }) }),
    codes: ['nothing_joined'],
    says: ['the impressions are from 2026-11-21T08:00:00.000Z to', 'the feedback from 2026-11-19T08:00:04.000Z'],
    attributed: 0,
  },
  'clicks in local time, an hour ahead': {
    log: shop({ clicked: (row) => ({ ...row, ts: ts(row) + HOUR }) }),
    codes: ['nothing_joined', 'clock_offset'],
    says: ['sooner than 1 h after its list: a time zone of 1 h too much', 'Log the times of both sides in UTC'],
    attributed: 0,
  },
  'clicks in local time, within the horizon': {
    log: shop({ clicked: (row) => ({ ...row, ts: ts(row) + 2 * HOUR }) }),
    config: LONG,
    codes: ['clock_offset'],
    says: ['a time zone of 2 h too much'],
    attributed: 60,
  },
  'clicks before their list by a time zone of five and a half hours': {
    log: shop({ clicked: (row) => ({ ...row, ts: ts(row) - 5.5 * HOUR }) }),
    codes: ['nothing_joined', 'clock_offset'],
    says: ['Most feedback is dated before its list', 'a time zone of 5.5 h too little'],
    attributed: 0,
  },
  'a clock that goes some seconds wrong': {
    log: shop({ clicked: (row) => ({ ...row, ts: ts(row) - 20_000 }) }),
    codes: ['nothing_joined', 'clock_offset'],
    says: ['attribution.backward'],
    attributed: 0,
  },
  'purchases half a day later': {
    log: shop({ clicked: (row, n) => ({ ...row, ts: ts(row) + 10 * HOUR + 3 * 60_000 * n }) }),
    codes: ['nothing_joined', 'beyond_horizon'],
    says: ['60 of 60 feedback events on a known list come later than the longest horizon, 30m', 'attribution.horizons'],
    attributed: 0,
  },
  'a tenth of the clicks after the window': {
    log: inTime(shop({ clicked: (row, n) => (n % 10 === 3 ? { ...row, ts: ts(row) + 45 * 60_000 } : row) })),
    codes: ['beyond_horizon'],
    says: [
      '6 of 60 feedback events on a known list come later than the longest horizon, 30m, and are dropped as orphan',
      '1h would take 100 % of them all',
    ],
    attributed: 54,
  },
  'times without their day': {
    log: shop({ clicked: (row) => ({ ...row, ts: new Date(ts(row) % (24 * HOUR)).toISOString() }) }),
    codes: ['nothing_joined', 'unit_of_time'],
    says: ['Most times of the feedback are before 1990', 'the first of them is read as 1970-01-01T08:00:04.000Z'],
    attributed: 0,
  },
  'items of another catalogue': {
    log: shop({ clicked: (row, n) => ({ ...row, itemId: `offer${n}` }) }),
    codes: ['nothing_joined', 'items_never_match'],
    says: ['names an item that is not in its list', 'such as: "offer0" for a list of "sku-0", "sku-1", "sku-2", ...'],
    attributed: 0,
  },
  'items with a prefix': {
    log: shop({ clicked: (row) => ({ ...row, itemId: `de:${row['itemId']}` }) }),
    codes: ['nothing_joined', 'items_never_match'],
    says: ['the feedback writes "de:" before the item id'],
    attributed: 0,
  },
  'actions without a grade': {
    log: shop({ clicked: (row, n) => ({ ...row, action: n % 3 === 0 ? 'click' : 'open_details' }) }),
    codes: ['unknown_actions'],
    says: ['66.7 % of the feedback has actions without a grade', '"open_details" 40', 'grades: {open_details: 1}'],
    attributed: 60,
  },
  'an action that is misspelled now and then': {
    log: shop({ clicked: (row, n) => ({ ...row, action: n % 10 === 0 ? 'Click' : 'click' }) }),
    codes: ['unknown_actions'],
    says: ['"Click" 6', 'grades: {Click: 1}'],
    attributed: 60,
  },
  'one impression that is dated a week ahead of the others': {
    log: shop({ shown: (row, n) => (n === 2 ? { ...row, ts: NOW - HOUR } : row) }),
    codes: ['many_dropped'],
    says: [
      '57 of 60 impressions (95 %) are dropped as late, throughout the log: they came when time had passed',
      'row 3 of',
      '2026-11-21T23:00:00.000Z',
      'far ahead of the others',
    ],
    attributed: 2,
  },
  'a dump of four partitions, one after the other': {
    log: dumped(shop({ shown: dayLong, clicked: dayLong })),
    codes: ['many_dropped', 'many_dropped'],
    says: [
      '42 of 60 impressions (70 %) are dropped as late',
      '42 of 60 feedback events (70 %) are dropped as late',
      'do: Sort the log by time',
      "jq -sc 'sort_by(.ts)[]'",
      'a file for each partition',
    ],
    attributed: 18,
  },
  'a tenth of the impressions dated half a day ahead': {
    log: shop({ shown: (row, n) => (n % 10 === 2 ? { ...row, ts: ts(row) + 12 * HOUR } : row) }),
    codes: ['many_dropped'],
    says: ['52 of 60 impressions (86.7 %) are dropped as late', 'far ahead of the others'],
    attributed: 2,
  },
  'another name for the request id': {
    log: shop({ shown: ({ requestId, ...row }) => ({ request_id: requestId, ...row }) }),
    codes: ['nothing_counted', 'most_invalid'],
    says: [
      '60 of 60 records of the impressions cannot be used: missing_field: requestId 60',
      'has request_id, ts, userId, variant, items',
      'adapter: {map: {...}}',
    ],
    attributed: 0,
  },
  'most clicks without an item': {
    log: shop({ clicked: ({ itemId, ...row }, n) => (n % 4 === 0 ? { itemId, ...row } : { ...row, sku: itemId }) }),
    codes: ['most_invalid'],
    says: ['45 of 60 records of the feedback cannot be used: missing_field: itemId 45', 'row 2 of'],
    attributed: 15,
  },
  'a tenth of the clicks without an id': {
    log: shop({ clicked: (row, n) => (n % 10 === 0 ? { ...row, requestId: null } : row) }),
    codes: ['some_invalid'],
    says: [
      '6 of 60 records of the feedback cannot be used: missing_field: requestId 6.',
      'row 1 of',
      'Log requestId in every record',
    ],
    attributed: 54,
  },
  'half of the clicks without an id, and some from elsewhere': {
    log: shop({
      clicked: (row, n) => ({
        ...row,
        requestId: n % 2 === 0 ? null : n % 10 === 1 ? `session${n}` : row['requestId'],
      }),
    }),
    codes: ['many_dropped', 'some_invalid'],
    says: [
      '6 of 60 feedback events (10 %) are dropped as orphan, throughout the log',
      '30 of 60 records of the feedback cannot be used: missing_field: requestId 30.',
    ],
    attributed: 24,
  },
  'some clicks without an id, and most from elsewhere': {
    log: shop({
      clicked: (row, n) => ({
        ...row,
        requestId: n % 10 === 0 ? null : n % 2 === 1 ? `session${n}` : row['requestId'],
      }),
    }),
    codes: ['many_dropped', 'some_invalid'],
    says: [
      '30 of 60 feedback events (50 %) are dropped as orphan',
      'do: Check that both sides log the same request id',
    ],
    attributed: 24,
  },
  'ids of 64 bits as numbers': {
    log: shop({ clicked: (row, n) => ({ ...row, requestId: 2 ** 60 + 4096 * n }) }),
    codes: ['nothing_joined', 'most_invalid'],
    says: ['bad_id: requestId 60', 'a whole number below 2^53', 'write ids as text'],
    attributed: 0,
  },
  'days in place of times': {
    log: shop({ clicked: ({ ts, ...row }) => ({ ...row, ts: new Date(Number(ts)).toISOString().slice(0, 10) }) }),
    codes: ['nothing_joined', 'most_invalid'],
    says: ['bad_time: ts 60', 'A time is ISO 8601 text with its zone'],
    attributed: 0,
  },
  'files the wrong way round': {
    log: { impressions: shop().feedback, feedback: shop().impressions },
    codes: ['nothing_counted', 'files_swapped'],
    says: ['60 records of --impressions are feedback, and 60 of --feedback are impressions.', 'Swap'],
    attributed: 0,
  },
  'lists under another name, so that nothing says that they are lists': {
    log: shop({ shown: ({ items, ...row }) => ({ ...row, results: items }) }),
    codes: ['nothing_counted', 'most_invalid'],
    says: [
      '60 of 60 records of the impressions cannot be used: wrong_kind 60',
      'has requestId, ts, userId, variant, results',
      'say where the list is',
      'receval inspect FILE... finds out, and writes it',
    ],
    attributed: 0,
  },
  'an empty file of feedback': {
    log: { ...shop(), feedback: [] },
    codes: ['feedback_missing'],
    says: ['There is no feedback in the input, so no list has a positive.'],
    attributed: 0,
  },
  'a map that knows another action': {
    log: shop({ clicked: (row, n) => ({ ...row, action: n % 3 === 0 ? 'page_view' : 'product_click' }) }),
    config: `inputs: {feedback: {adapter: {maps: [{when: {/action: [click, buy]}, map: ${MAP}}]}}}`,
    codes: ['feedback_missing'],
    says: [
      'No feedback was read, so no list has a positive; 60 records meet no when of the maps, and were passed over (/action: product_click 40, page_view 20).',
      'add them to the maps, as when: {/action: product_click}',
      'records of --feedback that meet no when of its maps, and are passed over: 60 (/action: product_click 40, page_view 20)',
    ],
    attributed: 0,
  },
  'a list of feedback in each record that is always empty': {
    log: shop({ clicked: (row) => ({ ...row, actions: [] }) }),
    config: `inputs: {feedback: {adapter: {map: {each: /actions, each.action: /name, requestId: /requestId, itemId: /itemId, ts: /ts}}}}`,
    codes: ['feedback_missing'],
    says: ['The 60 records of the feedback hold no event: the list that each names is empty in all of them'],
    attributed: 0,
  },
  'maps that know no list': {
    log: shop({ shown: (row) => ({ ...row, event: 'view' }) }),
    config: `inputs: {impressions: {adapter: {maps: [{when: {/event: search}, map: {requestId: /requestId, ts: /ts, items: /items}}]}}}`,
    codes: ['nothing_counted'],
    says: ['No impression was read; 60 records meet no when of the maps, and were passed over (/event: view 60).'],
    attributed: 0,
  },
  'two empty files': {
    log: { impressions: [], feedback: [] },
    codes: ['nothing_counted'],
    says: ['There is no impression in the input.'],
    attributed: 0,
  },
};

describe('a replay says above the numbers what looks wrong:', () => {
  it.each(Object.entries(MISTAKES))('%s', async (_, { log, config = '', codes, says, attributed }) => {
    const { result, codes: found, screen } = await replayed(log, config);
    const words = screen.replace(/\s+/g, ' ');
    expect(result.feedback.attributed).toBe(attributed);
    expect(found).toEqual(codes);
    for (const text of says) expect(words).toContain(text);
    expect(screen.startsWith('What looks wrong:\n')).toBe(true);
    expect(result.isEmpty).toBe(attributed === 0);
  });

  it('one log of both sides without a map for feedback', async () => {
    const { impressions, feedback } = shop();
    const events = [...impressions.map((row) => ({ ...row, kind: 'list' })), ...feedback];
    const maps = `[{when: {/kind: list}, map: {requestId: /requestId, ts: /ts, items: /items}}, {when: {/kind: act}, map: ${MAP}}]`;
    const { result, codes, screen } = await replayed({ events }, `inputs: {events: {adapter: {maps: ${maps}}}}`);
    expect(codes).toEqual(['feedback_missing']);
    expect(screen.replace(/\s+/g, ' ')).toContain(
      '60 records meet no when of the maps, and were passed over (/kind: __none__ 60)',
    );
    expect(result.unmapped).toEqual({ events: [{ field: '/kind', value: '__none__', records: 60 }] });
    expect(result.isEmpty).toBe(true);
  });

  it('one log of both sides that holds only lists', async () => {
    const { screen } = await replayed({ events: shop().impressions });
    expect(screen.replace(/\s+/g, ' ')).toContain('feedback_missing: All 60 events of the input are lists, so no list');
  });

  it('one log of both sides that is not in the order of time', async () => {
    const { impressions, feedback } = shop();
    const { codes, screen } = await replayed(
      { events: [...impressions, ...feedback] },
      'attribution: {horizons: [1m, 1h]}',
    );
    expect(codes).toContain('out_of_order');
    expect(screen).toContain('in time order');
  });
});

describe('times of a side', () => {
  const written = (row: Row, n: number, digits: number): Row => ({
    ...row,
    ts: (ts(row) + n * 12 * 60_000).toExponential(digits).replace('e', 'E'),
  });
  const shortened = async (digits: number) => {
    const { impressions, feedback } = shop();
    return await replayed({
      impressions: impressions.map((row, n) => written(row, n, digits)),
      feedback: feedback.map((row, n) => written(row, n, digits)),
    });
  };

  it.each([3, 5, 6])('are shortened by a spreadsheet to %i digits', async (digits) => {
    const { codes, screen } = await shortened(digits);
    expect(codes.filter((code) => code === 'times_shortened')).toHaveLength(2);
    expect(screen.replace(/\s+/g, ' ')).toContain('The times of the impressions lack their last digits');
    expect(screen).toMatch(/such as: 1\d+00, which a spreadsheet writes as 1\.\d+E\+12/);
  });

  it('are whole where digits enough are left', async () => {
    expect((await shortened(9)).codes).not.toContain('times_shortened');
  });

  it('may all be a whole hour', async () => {
    const { impressions, feedback } = shop();
    const hourly = (row: Row): Row => ({ ...row, ts: 1_764_000_000_000 });
    const { codes } = await replayed({ impressions: impressions.map(hourly), feedback: feedback.map(hourly) });
    expect(codes).not.toContain('times_shortened');
  });
});

describe('feedback of a part of the time', () => {
  /** 200 lists in 200 minutes, half of them clicked within a minute, but nothing known of what came before or after. */
  const log = (from: number, to: number): Log => {
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const at = (n: number): number => NOW - 12 * HOUR + 60_000 * n;
    const clicked = numbers.filter((n) => n % 2 === 0 && n >= from && n < to);
    return {
      impressions: numbers.map((n) => ({ requestId: `r${n}x`, ts: at(n), userId: `u${n % 50}`, items: ['a', 'b'] })),
      feedback: clicked.map((n) => ({ requestId: `r${n}x`, ts: at(n) + 30_000, itemId: 'b', action: 'click' })),
    };
  };

  it.each([
    ['all of it', 0, 200, []],
    ['all but the last 59 lists', 0, 141, []],
    ['all but the last 61 lists', 0, 139, ['feedback_partial']],
    ['all but the first 58 lists', 58, 200, []],
    ['all but the first 60 lists', 60, 200, ['feedback_partial']],
    ['all but the first and last 64', 64, 136, ['feedback_partial', 'feedback_partial']],
  ] as const)('is told if it would have been of 30 lists or more: %s', async (_, from, to, codes) => {
    expect((await replayed(log(from, to))).codes).toEqual(codes);
  });

  it('is not told where the rest of the feedback joins no list, or cannot be read', async () => {
    const { impressions, feedback } = log(0, 200);
    const changed = (change: Row): Log => ({
      impressions,
      feedback: feedback.map((row, n) => (n < 50 ? row : { ...row, ...change })),
    });
    expect((await replayed(changed({ requestId: 'other' }))).codes).not.toContain('feedback_partial');
    expect((await replayed(changed({ itemId: null }))).codes).not.toContain('feedback_partial');
  });

  it('says from when on it is missing, and what its lists count as', async () => {
    const { result, screen } = await replayed(log(0, 100));
    const text = screen.replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'The feedback ends at 2026-11-21T13:38:30.000Z, and 50.5 % of the impressions are later: what people did with them is not in the logs, so they count at no horizon.',
    );
    expect(text).toContain('do: Add the feedback of that time. ');
    // The first 99 less those of the last minute and outOfOrderness.
    const counted = result.rows.find(({ by, horizon }) => by.length === 0 && horizon === '1m');
    expect(counted).toMatchObject({ impressions: 98, open: 102 });
  });

  it('says with --close-all that they count as lists without a positive', async () => {
    const text = (await replayed(log(0, 100), '', true)).screen.replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'The feedback ends at 2026-11-21T13:38:30.000Z, and 50.5 % of the impressions are later: they count as lists without a positive, though about 51 of 100 of the others have feedback.',
    );
    expect(text).toContain('Add the feedback of that time, or leave out the impressions after it.');
  });
});

describe('logs that end before their horizon', () => {
  /** A list a minute for 48 h, each third clicked up to 20 h later, in a log that is cut at this hour. */
  const log = (hours: number, shownHours = 48): Log => {
    const begin = NOW - 100 * HOUR;
    const numbers = Array.from({ length: shownHours * 60 }, (_, n) => n);
    const clicks = numbers
      .filter((n) => n % 3 === 0)
      .map((n) => ({ requestId: `r${n}x`, ts: begin + 60_000 * n + (n % 20) * HOUR, itemId: 'b', action: 'click' }));
    return {
      impressions: numbers.map((n) => ({
        requestId: `r${n}x`,
        ts: begin + 60_000 * n,
        userId: `u${n % 50}`,
        items: ['a', 'b'],
      })),
      feedback: clicks.filter(({ ts: at }) => at < begin + hours * HOUR).sort((a, b) => a.ts - b.ts),
    };
  };

  it.each([
    [72, 48, '24h', []],
    [37, 37, '24h', []],
    [35, 35, '24h', ['feedback_to_come']],
    [35, 35, '30m', ['beyond_horizon']],
  ] as const)(
    'say so if two thirds of the lists are open (cut after %d h of %d, horizon %s)',
    async (hours, shownHours, horizon, codes) => {
      const settings = `attribution: {horizons: [${horizon}]}`;
      expect((await replayed(log(hours, shownHours), settings)).codes).toEqual(codes);
    },
  );

  it('say what the numbers are of, and not that they are too low', async () => {
    const { screen, result } = await replayed(log(30, 30), LONG);
    const text = screen.replaceAll(/\s+/g, ' ');
    const counted = result.rows.find(({ by, horizon }) => by.length === 0 && horizon === '24h')?.impressions ?? 0;
    expect(counted).toBe(6 * 60 - 3);
    expect(text).toContain(
      `80.2 % of the lists are younger than 24h at the end of the feedback, 2026-11-19T01:57:00.000Z: the numbers at 24h are those of the oldest ${counted} lists alone.`,
    );
    expect(text).not.toContain('too low');
  });

  it('say so in the place of numbers where no list is old enough, once', async () => {
    const { codes, screen, result } = await replayed(log(10, 10), LONG);
    expect([codes, result.isEmpty]).toEqual([[], false]);
    expect(screen.match(/24h old/g)).toHaveLength(1);
    expect(screen).not.toMatch(/^ *24h/m);
  });

  describe('with --close-all', () => {
    it.each([
      [72, 48, '24h', []],
      [48, 48, '24h', ['feedback_to_come']],
      [10, 10, '24h', ['feedback_to_come']],
      [48, 48, '30m', ['beyond_horizon']],
    ] as const)(
      'are told if much is to come, or cannot be told (cut after %d h of %d, horizon %s)',
      async (hours, shownHours, horizon, codes) => {
        const settings = `attribution: {horizons: [${horizon}]}`;
        expect((await replayed(log(hours, shownHours), settings, true)).codes).toEqual(codes);
      },
    );

    it('are told with how much that is', async () => {
      const all = log(72).feedback.length;
      const cut = log(48).feedback.length;
      const told = (await replayed(log(48), LONG, true)).screen
        .replaceAll(/\s+/g, ' ')
        .match(/about ([\d.]+) % of all feedback/);
      expect(Number(told?.[1])).toBeCloseTo((100 * (all - cut)) / all, 0);
    });

    it.each([
      [24, 24, 'All impressions are younger than 24h'],
      [24.4, 25, 'Nearly all impressions are younger than 24h'],
    ])('say so where hardly any list is old enough to tell: %d h', async (hours, shownHours, words) => {
      const { impressions, feedback } = log(hours, shownHours);
      const end = NOW - 100 * HOUR + hours * HOUR;
      const shown = impressions.filter(({ ts }) => Number(ts) < end);
      const text = (await replayed({ impressions: shown, feedback }, LONG, true)).screen.replaceAll(/\s+/g, ' ');
      expect(text).toContain(words);
      expect(text).toContain('these logs cannot tell how much is still to come');
    });

    it('are not told of so few lists, as of a judged dump', async () => {
      const { impressions, feedback } = log(24, 24);
      const some = { impressions: impressions.slice(0, 29), feedback: feedback.slice(0, 5) };
      expect((await replayed(some, LONG, true)).codes).not.toContain('feedback_to_come');
    });
  });
});

describe('invalid records', () => {
  const clicks = (all: number, invalid: number) =>
    shop()
      .feedback.slice(0, all)
      .map((row, n) => (n < invalid ? { ...row, requestId: null } : row));

  it.each([
    [49, 1, ['some_invalid']],
    [50, 1, ['some_invalid']],
    [51, 1, []],
    [60, 0, []],
    [60, 29, ['some_invalid']],
    [60, 30, ['some_invalid']],
    [60, 31, ['most_invalid']],
  ])('are told from a fiftieth of a file on (of %d records %d)', async (all, invalid, codes) => {
    const { impressions } = shop();
    expect((await replayed({ impressions, feedback: clicks(all, invalid) })).codes).toEqual(codes);
  });

  it('are told of a file that is a small part of its side, with its name', async () => {
    const { impressions, feedback } = shop();
    const { codes, screen } = await replayed({
      impressions: impressions.slice(2),
      more: impressions.slice(0, 2).map(({ requestId, ...row }) => ({ id: requestId, ...row })),
      feedback,
    });
    expect(codes).toEqual(['most_invalid']);
    expect(screen.replace(/\s+/g, ' ')).toMatch(
      /2 of 2 records of \S+log\d+\.ndjson cannot be used: missing_field: requestId 2\./,
    );
  });

  it('of a file that ends within its last row may be of one that is still being written', async () => {
    const { impressions, feedback } = shop();
    const text = feedback
      .slice(0, 30)
      .map((row) => JSON.stringify(row))
      .join('\n');
    const { codes, screen } = await replayed({ impressions, feedback: text.slice(0, -5) });
    expect(codes).toContain('some_invalid');
    expect(screen.replace(/\s+/g, ' ')).toContain('not_json 1. such as: row 30 of');
    expect(screen.replace(/\s+/g, ' ')).toContain('the file is still being written, or was cut off');
  });

  it('of several files are told together if the reason is the same', async () => {
    const { impressions, feedback } = shop();
    const without = (from: number, to: number) =>
      impressions.slice(from, to).map((row, n) => (n % 5 === 0 ? { ...row, requestId: null } : row));
    const { result, screen } = await replayed({ impressions: without(0, 20), more: without(20, 60), feedback });
    expect(result.findings.map(({ code }) => code)).toEqual(['some_invalid']);
    expect(screen).toContain('12 of 60 records of the impressions cannot be used');
  });
});

describe('a bot that is left out', () => {
  const bot = shop({
    shown: (row, n) => (n < 12 ? { ...row, userId: 'bot' } : row),
    clicked: (row, n) => (n < 12 ? { ...row, userId: 'bot' } : row),
  });
  const drop = 'drop: {userId: bot}';

  it('is excluded on both sides, which is no finding', async () => {
    const { result, codes, screen } = await replayed(bot, `inputs: {impressions: {${drop}}, feedback: {${drop}}}`);
    expect(result.impressions).toMatchObject({ accepted: 48, drops: { excluded: 12 } });
    expect(result.feedback).toMatchObject({ attributed: 48, drops: { excluded: 12, orphan: 0 } });
    expect(codes).toEqual([]);
    expect(screen).toContain('excluded 12');
  });

  it('leaves orphans where it is left out of the lists alone, which its lists explain', async () => {
    const { result, codes } = await replayed(bot, `inputs: {impressions: {${drop}}}`);
    expect(result.feedback).toMatchObject({ attributed: 48, drops: { excluded: 0, orphan: 12 } });
    expect(codes).toEqual([]);
  });
});

describe('an event that is dated later than the wall clock allows', () => {
  const far = Date.parse('2099-01-01T00:00:00Z');
  const changed = shop({ shown: (row, n) => (n === 0 ? { ...row, ts: far } : row) });

  it('is future, and empties no replay', async () => {
    const { result, codes } = await replayed(changed);
    expect(result.impressions).toMatchObject({ accepted: 59, drops: { future: 1, late: 0 } });
    expect(result.feedback).toMatchObject({ attributed: 59, drops: { orphan: 1 } });
    expect(codes).toEqual(['dated_ahead']);
  });

  it('holds up no other file of its side', async () => {
    const half = shop().impressions.map((row, n) => (n === 0 ? { ...row, ts: far } : row));
    const { result } = await replayed({
      impressions: half.filter((_, n) => n % 2 === 0),
      feedback: shop().feedback,
      more: half.filter((_, n) => n % 2 === 1),
    });
    expect(result.impressions).toMatchObject({ accepted: 59, drops: { future: 1, late: 0 } });
  });

  it.each([
    ['at the clock and futureSkew', 0, 0],
    ['a millisecond later', 1, 1],
    ['a millisecond sooner', -1, 0],
  ])('is judged in threes: %s', async (_, more, future) => {
    const edge = NOW + 600_000 + more;
    const { result } = await replayed(
      shop({ shown: (row, n) => (n === 59 ? { ...row, ts: edge } : row) }),
      'attribution: {futureSkew: 10m}',
    );
    expect(result.impressions.drops.future).toBe(future);
  });
});
