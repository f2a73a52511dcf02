/** The map of a known system is a start: actions with names of the site's own, variants, and what stands around the records, are found. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogsInFolder, lines, wrongIn } from './logs-in-folder.ts';
import { MADE_AT } from './made-log.ts';

let logs: LogsInFolder;
beforeEach(() => {
  logs = new LogsInFolder();
});
afterEach(() => logs.remove());

const iso = (ms: number): string => new Date(MADE_AT + ms).toISOString();
const numbers = Array.from({ length: 40 }, (_, n) => n);
/** Every second list is clicked at ranks 1, 2, 3, 4, 1, ... */
const MRR = Number(((10 * (1 + 1 / 2 + 1 / 3 + 1 / 4)) / 2 / 40).toFixed(6));
const item = (n: number, rank: number): string => `B${(7 * n + rank) % 31}`;

const queries = numbers.map((n) => ({
  application: 'shop',
  query_id: `q${n}x`,
  client_id: `c${n % 9}`,
  timestamp: iso(9000 * n),
  query_response_hit_ids: [0, 1, 2, 3].map((rank) => item(n, rank)),
  query_attributes: { bucket: n % 9 < 4 ? 'control' : 'treatment' },
}));

function events(click: string): readonly object[] {
  const about = (n: number) => ({ query_id: `q${n}x`, client_id: `c${n % 9}` });
  return numbers.flatMap((n) => [
    { action_name: 'on_search', ...about(n), timestamp: iso(9000 * n + 500) },
    ...(n % 2 === 0
      ? [
          {
            action_name: click,
            ...about(n),
            timestamp: iso(9000 * n + 4000),
            event_attributes: { object: { object_id: item(n, (n / 2) % 4) } },
          },
        ]
      : []),
  ]);
}

const within = (name: string, records: readonly object[]): readonly object[] =>
  records.map((record, i) => ({ _index: 'i', _id: `d${i}`, [name]: record }));

describe('a known system', () => {
  it.each([
    ['click', undefined],
    ['product_click', undefined],
    ['tile_tapped', '_source'],
    ['product_click', 'payload'],
  ])('whose click is called %s is read, within %s', async (click, object) => {
    const written = (records: readonly object[]) => (object === undefined ? records : within(object, records));
    logs.write('q.ndjson', lines(written(queries)));
    logs.write('e.ndjson', lines(written(events(click))));
    const inspection = await logs.look('q.ndjson', 'e.ndjson');
    expect(inspection.files.map(({ known }) => known?.system)).toEqual(['OpenSearch UBI', 'OpenSearch UBI']);
    expect(wrongIn(inspection)).toEqual([]);
    expect(Object.fromEntries(inspection.facts.actions)).toEqual({ [click]: 20 });
    expect(inspection.findings.find(({ code }) => code === 'kinds_skipped')?.cause).toContain('on_search (40)');
    expect(Object.fromEntries(inspection.facts.variants)).toEqual({ control: 20, treatment: 20 });
    expect(await logs.mrr(inspection)).toBe(MRR);
  });

  it('whose answer to a search holds its records is told to be one, with the command that writes them', async () => {
    const answer = (records: readonly object[]) => ({
      took: 3,
      timed_out: false,
      _shards: { total: 1 },
      hits: { total: { value: 40 }, hits: within('_source', records) },
    });
    logs.write('q.json', JSON.stringify(answer(queries)));
    logs.write('e.json', JSON.stringify(answer(events('product_click')), null, 2));
    const found = wrongIn(await logs.look('q.json', 'e.json'));
    expect(found.map(({ code }) => code)).toEqual(['format_not_read', 'format_not_read']);
    for (const { command } of found) logs.run(command);
    expect(await logs.mrr(await logs.look('documents-q.ndjson', 'documents-e.ndjson'))).toBe(MRR);
  });

  it('of one log has actions that its page does not name, each with its own name, and a variant', async () => {
    const record = (n: number, later: number, event: string, properties: object) => ({
      type: 'track',
      event,
      messageId: `m${n}-${event}`,
      anonymousId: `a${n % 9}`,
      timestamp: iso(9000 * n + later),
      properties: { list_view_id: `v${n}x`, ...properties },
    });
    const all = numbers.flatMap((n) => [
      record(n, 0, 'Product List Viewed', {
        group: n % 9 < 4 ? 'control' : 'treatment',
        products: [0, 1, 2, 3].map((rank) => ({ product_id: item(n, rank), position: rank + 1 })),
      }),
      ...(n % 2 === 0 ? [record(n, 4000, 'Product Clicked', { product_id: item(n, (n / 2) % 4) })] : []),
      ...(n % 4 === 0 ? [record(n, 5000, 'Product Added', { product_id: item(n, (n / 2) % 4) })] : []),
      ...(n % 8 === 0 ? [record(n, 6000, 'Product Shared', { product_id: item(n, (n / 2) % 4) })] : []),
      ...(n % 5 === 0 ? [record(n, 7000, 'Coupon Entered', { coupon: 'x' })] : []),
    ]);
    logs.write('events.ndjson', lines(all));
    const inspection = await logs.look('events.ndjson');
    expect(inspection.files[0].known?.system).toBe('Segment');
    expect(Object.fromEntries(inspection.facts.actions)).toEqual({ click: 20, add_to_cart: 10, 'Product Shared': 5 });
    expect(inspection.facts.variants.size).toBe(2);
    expect(inspection.findings.find(({ code }) => code === 'kinds_skipped')?.cause).toContain('Coupon Entered (8)');
    expect(await logs.mrr(inspection)).toBe(MRR);
  });

  it('of which no record is feedback is never said to be right', async () => {
    logs.write('q.ndjson', lines(queries));
    const lone = events('zoomed')
      .slice(0, 2)
      .map((one) => ({ ...one, query_id: null }));
    logs.write('e.ndjson', lines([...lone, ...events('click').filter((one) => !('event_attributes' in one))]));
    const [first] = wrongIn(await logs.look('q.ndjson', 'e.ndjson'));
    expect(first.code).toBe('feedback_missing');
    expect(first.cause).toContain('none meets the conditions on /action_name');
  });
});
