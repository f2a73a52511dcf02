/**
 * Logs in a form that no event has. Whatever was done to the ids, lists and times of a sound log, what is proposed reads it: a replay gives the number of the log
 * as it was, and inspect says what the map mends.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Inspection } from '../../src/inspect/inspected.ts';
import { runs } from '../runs.ts';
import { LogsInFolder, lines, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const numbers = Array.from({ length: 40 }, (_, n) => n);
const places = [0, 1, 2];
// Ids have no common beginning or end, so that a test alone decides how they differ.
const request = (n: number): string => `${1000 + ((7919 * (n + 3)) % 8999)}q${n}`;
const item = (n: number, i: number): string => idOf((7 * n + 5 * i) % 23);
const idOf = (k: number): string => `${String.fromCharCode(97 + k)}${k + 10}s${k}`;
const clicked = (n: number): string => item(n, n % 3);
const at = (n: number): number => MADE_AT + 9000 * n;
/** Each list is clicked, at ranks 1, 2, 3, 1, ... */
const MRR = Number(((14 + 13 / 2 + 13 / 3) / 40).toFixed(6));

const asIs = (id: string): string => id;
const upper = (id: string): string => id.toUpperCase();

/** How lists and clicks are written: the ids of both, and the records. */
interface Writing {
  readonly requests: readonly [lists: (id: string) => string, clicks: (id: string) => string];
  readonly items: readonly [lists: (id: string) => string, clicks: (id: string) => string];
  readonly names: readonly [request: string, item: string];
}

const PLAIN: Writing = { requests: [asIs, asIs], items: [asIs, asIs], names: ['rid', 'sku'] };

function writeLogs({ requests, items, names: [rid, sku] }: Writing): void {
  logs.write(
    'shown.ndjson',
    lines(
      numbers.map((n) => ({
        [rid]: requests[0](request(n)),
        time: at(n),
        shown: places.map((i) => items[0](item(n, i))),
      })),
    ),
  );
  logs.write(
    'clicks.ndjson',
    lines(
      numbers.map((n) => ({
        [rid]: requests[1](request(n)),
        time: at(n) + 2000,
        [sku]: items[1](clicked(n)),
        event: 'click',
      })),
    ),
  );
}

/** Expects a sound log with the number of the log as it was, and these findings of mends. */
async function expectSound(inspection: Inspection, codes: readonly string[]): Promise<void> {
  expect([wrongIn(inspection), inspection.mends.map(({ finding }) => finding.code)]).toEqual([[], codes]);
  expect(inspection.findings.slice(0, codes.length).map(({ level }) => level)).toEqual(codes.map(() => 'note'));
  expect(await logs.mrr(inspection)).toBe(MRR);
}

const DIFFERENCES = [
  ['a prefix of feedback', [asIs, (id: string) => `web:${id}`], 'ids_differ_by_prefix'],
  ['a prefix of lists', [(id: string) => `urn:x/${id}`, asIs], 'ids_differ_by_prefix'],
  ['two prefixes', [(id: string) => `a-${id}`, (id: string) => `bb:${id}`], 'ids_differ_by_prefix'],
  ['a suffix', [asIs, (id: string) => `${id}.html`], 'ids_differ_by_prefix'],
  ['capitals', [upper, asIs], 'ids_differ_by_case'],
  ['a prefix and capitals', [asIs, (id: string) => `Q:${id.toUpperCase()}`], 'ids_differ_by_prefix'],
  ['blanks', [(id: string) => ` ${id} `, asIs], 'ids_differ'],
  ['dashes', [(id: string) => `${id.slice(0, 2)}-${id.slice(2)}`, asIs], 'ids_differ'],
  ['braces and capitals', [(id: string) => `{${id.toUpperCase()}}`, asIs], 'ids_differ'],
] as const;

describe('ids that differ by', () => {
  it.each(DIFFERENCES)('%s, of lists', async (_, requests, code) => {
    writeLogs({ ...PLAIN, requests });
    await expectSound(await logs.look('shown.ndjson', 'clicks.ndjson'), [code]);
  });

  it.each(DIFFERENCES)('%s, of items', async (_, items, code) => {
    writeLogs({ ...PLAIN, items });
    await expectSound(await logs.look('shown.ndjson', 'clicks.ndjson'), [code]);
  });

  it('zeros in front, and decimals of none', async () => {
    const number = (id: string): string => id.replace(/\D/g, '');
    writeLogs({
      ...PLAIN,
      requests: [(id) => number(id).padStart(9, '0'), number],
      items: [number, (id) => `${number(id)}.0`],
    });
    await expectSound(await logs.look('shown.ndjson', 'clicks.ndjson'), ['other_type_of_id', 'other_type_of_id']);
  });

  it('both ids at once, in any combination, under any names', async () => {
    const difference = fc.constantFrom(...DIFFERENCES);
    const name = fc.constantFrom(
      'rid',
      'x"]|=.',
      '\\(env.SECRET)',
      "';touch touched;'",
      'a\nb',
      '__proto__',
      'a~b/c',
      'é\u2028',
      '😀 a',
    );
    await fc.assert(
      fc.asyncProperty(
        difference,
        difference,
        fc.uniqueArray(name, { minLength: 2, maxLength: 2 }),
        async (one, two, [a, b]) => {
          writeLogs({ requests: one[1], items: two[1], names: [`${a}request_id`, `${b}item_id`] });
          const found = await logs.look('shown.ndjson', 'clicks.ndjson');
          await expectSound(found, [one[2], two[2]]);
        },
      ),
      { numRuns: runs(25) },
    );
  });

  it('capitals, in rows of items', async () => {
    logs.write(
      'rows.csv',
      [
        'list,time,sku,rank',
        ...numbers.flatMap((n) => places.map((i) => `${request(n)},${at(n)},${upper(item(n, i))},${i + 1}`)),
      ].join('\n'),
    );
    logs.write(
      'clicks.ndjson',
      lines(numbers.map((n) => ({ list: request(n), time: at(n) + 2000, sku: clicked(n), event: 'click' }))),
    );
    await expectSound(await logs.look('rows.csv', 'clicks.ndjson'), ['ids_differ_by_case']);
  });

  it('nothing that a transform undoes: it is wrong', async () => {
    const mixed = (id: string): string => (id.length % 2 === 0 ? upper(id) : `${id}${id}`);
    writeLogs({ ...PLAIN, items: [(id) => `other ${id}`.replace(/\d/g, (digit) => String(9 - Number(digit))), mixed] });
    const found = await logs.look('shown.ndjson', 'clicks.ndjson');
    expect(found.mends).toEqual([]);
    expect(wrongIn(found).map(({ code }) => code)).toEqual(['items_never_match']);
  });
});

const two = (value: number): string => String(value).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly clock: string;
}

function partsOf(ts: number): Parts {
  const date = new Date(ts);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    clock: date.toISOString().slice(11, 19),
  };
}

const DATES: readonly (readonly [string, (parts: Parts, ts: number) => string | number])[] = [
  ['21.11.2026 08:00:05', ({ year, month, day, clock }) => `${day}.${month}.${year} ${clock}`],
  [
    '11/21/2026 8:00:05 AM',
    ({ year, month, day, clock }) =>
      `${month}/${day}/${year} ${Number(clock.slice(0, 2)) % 12 || 12}${clock.slice(2)} ${Number(clock.slice(0, 2)) < 12 ? 'AM' : 'PM'}`,
  ],
  [
    '21/Nov/2026:08:00:05 +0000',
    ({ year, month, day, clock }) => `${two(day)}/${MONTHS[month - 1]}/${year}:${clock} +0000`,
  ],
  ['20261121080005', ({ year, month, day, clock }) => `${year}${two(month)}${two(day)}${clock.replaceAll(':', '')}`],
  [
    '20261121T080005Z',
    ({ year, month, day, clock }) => `${year}${two(month)}${two(day)}T${clock.replaceAll(':', '')}Z`,
  ],
  ['46347.333391', (_, ts) => (ts / 86_400_000 + 25_569).toFixed(6)],
  ['46347,333391', (_, ts) => (ts / 86_400_000 + 25_569).toFixed(6).replace('.', ',')],
];

describe('times', () => {
  it.each(DATES)('as %s', async (_, write) => {
    const time = (ts: number): string | number => write(partsOf(ts), ts);
    // Both sides of 20 days, so that day and month can be told apart.
    const when = (n: number): number => at(n) + Math.floor(n / 20) * 86_400_000 * 3;
    logs.write(
      'shown.csv',
      [
        'rid;when;shown',
        ...numbers.map((n) => `${request(n)};${time(when(n))};${places.map((i) => item(n, i)).join('|')}`),
      ].join('\n'),
    );
    logs.write(
      'clicks.csv',
      ['rid;when;sku', ...numbers.map((n) => `${request(n)};${time(when(n) + 2000)};${clicked(n)}`)].join('\n'),
    );
    await expectSound(await logs.look('shown.csv', 'clicks.csv'), ['read_by_transforms', 'read_by_transforms']);
  });

  it('that count from a start are read from one that nobody takes for true', async () => {
    logs.write(
      'shown.ndjson',
      lines(numbers.map((n) => ({ rid: request(n), time: 60 + 9 * n, shown: places.map((i) => item(n, i)) }))),
    );
    logs.write('clicks.ndjson', lines(numbers.map((n) => ({ rid: request(n), time: 62 + 9 * n, sku: clicked(n) }))));
    const found = await logs.look('shown.ndjson', 'clicks.ndjson');
    await expectSound(found, ['read_by_transforms', 'read_by_transforms']);
    expect(found.findings[0].remedy).toContain(
      'Put in your own start and unit; s since 2001-01-01T00:00:00Z are assumed.',
    );
    expect(found.facts.joining.delays).toEqual(numbers.map(() => 2000));
  });
});

describe('lists', () => {
  const clicks = (): void =>
    logs.write(
      'clicks.ndjson',
      lines(numbers.map((n) => ({ rid: request(n), time: at(n) + 2000, sku: clicked(n), event: 'click' }))),
    );
  const shown = (list: (n: number) => object): void =>
    logs.write('shown.ndjson', lines(numbers.map((n) => ({ rid: request(n), time: at(n), ...list(n) }))));
  const ids = (n: number): readonly string[] => places.map((i) => item(n, i));

  it.each([
    ['Python', (list: readonly string[]) => `['${list.join("', '")}']`],
    ['Python, in double quotes', (list: readonly string[]) => `("${list.join('", "')}")`],
    ['NumPy', (list: readonly string[]) => `['${list.join("' '")}']`],
    ['PostgreSQL', (list: readonly string[]) => `{${list.join(',')}}`],
    ['nobody, with prices', (list: readonly string[]) => list.map((id, i) => `${id}:${i}.99`).join(', ')],
    ['nobody, with scores', (list: readonly string[]) => list.map((id, i) => `${id}=${i}`).join(';')],
  ])('as text of %s', async (_, write) => {
    shown((n) => ({ products: write(ids(n)) }));
    clicks();
    await expectSound(await logs.look('shown.ndjson', 'clicks.ndjson'), ['read_by_transforms']);
  });

  it.each([
    ['fields of the record', (n: number) => Object.fromEntries(ids(n).map((id, i) => [`item_${i + 1}`, id]))],
    ['fields from 0', (n: number) => Object.fromEntries(ids(n).map((id, i) => [`item_${i}`, id]))],
    [
      'an object of slots',
      (n: number) => ({ slots: Object.fromEntries(ids(n).map((id, i) => [`${i + 1}`, { sku: id }])) }),
    ],
    [
      'fields of an object',
      (n: number) => ({ out: Object.fromEntries(ids(n).map((id, i) => [`slot${i + 1}`, { ref: { sku: id } }])) }),
    ],
  ])('in %s', async (_, list) => {
    shown(list);
    clicks();
    await expectSound(await logs.look('shown.ndjson', 'clicks.ndjson'), ['read_by_transforms']);
  });

  it('within the rows of a page', async () => {
    shown((n) => ({
      rows: [
        { title: 'a', tiles: [{ sku: item(n, 0) }] },
        { title: 'b', tiles: [{ sku: item(n, 1) }, { sku: item(n, 2) }] },
      ],
    }));
    clicks();
    await expectSound(await logs.look('shown.ndjson', 'clicks.ndjson'), ['read_by_transforms']);
  });

  it.each([
    ['true and false', true, false],
    ['1 and 0', 1, 0],
    ['yes and no', 'yes', 'no'],
  ])('with a click in each item, as %s', async (_, yes, no) => {
    shown((n) => ({ products: ids(n).map((sku) => ({ sku, clicked: sku === clicked(n) ? yes : no })) }));
    await expectSound(await logs.look('shown.ndjson'), ['feedback_within_items']);
  });
});

describe('fields', () => {
  it('in pairs of a name and a value', async () => {
    const pairs = (values: Readonly<Record<string, string>>): readonly object[] =>
      Object.entries(values).map(([key, value]) => ({ key, value: { string_value: value, int_value: null } }));
    const record = (n: number, event: string, ts: number, more: object) => ({
      event,
      ts,
      params: pairs({ page: '/', list_id: request(n) }),
      ...more,
    });
    logs.write(
      'events.ndjson',
      lines(
        numbers.flatMap((n) => [
          record(n, 'view_list', at(n), { products: places.map((i) => ({ sku: item(n, i) })) }),
          record(n, 'click', at(n) + 2000, { sku: clicked(n) }),
        ]),
      ),
    );
    await expectSound(await logs.look('events.ndjson'), ['fields_in_pairs']);
  });

  it('inside the address of a page', async () => {
    writeLogs(PLAIN);
    logs.write(
      'clicks.ndjson',
      lines(
        numbers.map((n) => ({
          time: at(n) + 2000,
          url: `https://shop.example/p/${clicked(n)}?utm=x&rid=${request(n)}#top`,
        })),
      ),
    );
    await expectSound(await logs.look('shown.ndjson', 'clicks.ndjson'), ['read_by_transforms']);
  });
});
