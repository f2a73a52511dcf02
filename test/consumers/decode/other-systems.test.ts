/** The samples of other systems' logs, through the configuration that stands beside them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../../src/consumers/decode/decoder.ts';
import type { Event } from '../../../src/vocabulary/events.ts';
import { load } from '../../config/fixture.ts';
import { BOTH, bytes } from './fixture.ts';

const SAMPLES = resolve(import.meta.dirname, '../../../sample/adapters');

/** What the lines of a file hold: the events of each, or its code. */
function read(folder: string, file: string, config = 'receval.yaml'): readonly (readonly Event[] | string)[] {
  const path = join(SAMPLES, folder);
  const { kafka, join: joined } = load(readFileSync(join(path, config), 'utf8'), { reads: 'files' });
  const { topics } = kafka;
  const joinBy = joined.by === 'requestId' ? undefined : joined.by;
  const side = file === 'impressions.ndjson' ? 'impressions' : 'feedback';
  const topic = topics.find(({ role }) => role[side]);
  if (topic === undefined) throw new Error(`no topic of ${side}`);
  const { adapter, role, tsUnit, positionBase } = topic;
  const carries = { scores: true, categories: true };
  const dimensions = ['surface', 'variant'];
  const form = { adapter, role, tsUnit, positionBase, dimensions, carries, joinBy };
  const decoder = createDecoder({ ...BOTH, ...form, sessions: true });
  return readFileSync(join(path, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const decoded = decoder.decode(bytes(line), file, 0);
      return 'events' in decoded ? decoded.events : JSON.stringify(decoded);
    });
}

const unmapped = (field: string, value: string) => JSON.stringify({ refused: 'unmapped', condition: { field, value } });
const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);
const feedback = (requestId: string, itemId: string, time: string, action: string, more: object = {}) => ({
  kind: 'feedback',
  requestId,
  itemId,
  ts: at(time),
  action,
  eventId: undefined,
  value: undefined,
  ...more,
});

describe('records of', () => {
  it('OpenSearch UBI', () => {
    expect(read('opensearch-ubi', 'impressions.ndjson')).toMatchObject([
      [
        {
          kind: 'impression',
          requestId: '6d5c1a30',
          ts: at('08:00:00.120'),
          userId: 'c-17',
          items: ['B0731', 'B0112', 'B0450'],
          dimensions: ['shop-search', 'b'],
        },
      ],
      [{ requestId: '0b7e44f2', items: ['B0450', 'B0998'], dimensions: ['shop-search', 'a'] }],
    ]);
    expect(read('opensearch-ubi', 'feedback.ndjson')).toEqual([
      unmapped('/action_name', 'product_sort'),
      [feedback('6d5c1a30', 'B0112', '08:00:07', 'click')],
      [feedback('6d5c1a30', 'B0112', '08:03:40', 'add_to_cart')],
    ]);
  });

  it('Google Analytics 4', () => {
    expect(read('ga4', 'impressions.ndjson')).toMatchObject([
      [
        {
          requestId: 'lv-81',
          ts: at('08:00:00.250'),
          userId: '1044.1795',
          items: ['SKU_12', 'SKU_40', 'SKU_7'],
          categories: ['shoes', 'hats', 'shoes'],
          dimensions: ['home', '__none__'],
        },
      ],
    ]);
    expect(read('ga4', 'feedback.ndjson')).toEqual([
      [feedback('lv-81', 'SKU_40', '08:00:08.100', 'select_item')],
      [feedback('lv-81', 'SKU_40', '08:09:30', 'purchase'), feedback('lv-81', 'SKU_7', '08:09:30', 'purchase')],
    ]);
    expect(read('ga4', 'export.ndjson', 'export.yaml')).toMatchObject([
      [{ requestId: 'lv-81', ts: at('08:00:00.250'), userId: '1044.1795', items: ['SKU_12', 'SKU_40', 'SKU_7'] }],
      [feedback('lv-81', 'SKU_40', '08:00:08.100', 'select_item')],
      unmapped('/event_name', 'scroll'),
    ]);
    const [list, click] = read('ga4', 'no-id.ndjson', 'no-id.yaml');
    expect(list).toMatchObject([
      { joinKey: '1044.1795', ts: at('08:00:00.250'), items: ['SKU_12', 'SKU_40', 'SKU_7'] },
    ]);
    expect(click).toEqual([feedback('', 'SKU_40', '08:00:08.100', 'select_item', { joinKey: '1044.1795' })]);
    expect(read('ga4', 'measurement.ndjson', 'measurement.yaml')).toEqual([
      [
        feedback('lv-81', 'SKU_40', '08:00:08.100', 'select_item'),
        feedback('lv-81', 'SKU_40', '08:00:08.100', 'add_to_cart'),
      ],
    ]);
  });

  it('Segment', () => {
    expect(read('segment', 'events.ndjson')).toMatchObject([
      unmapped('/type', 'page'),
      [
        {
          kind: 'impression',
          requestId: 'lv-81',
          ts: at('08:00:00.300'),
          userId: 'a-507',
          items: ['p-12', 'p-40', 'p-7'],
          ranks: undefined,
          categories: ['Shoes', 'Hats', 'Shoes'],
        },
      ],
      [feedback('lv-81', 'p-40', '08:00:09', 'click', { eventId: 'm-3' })],
      [feedback('lv-81', 'p-40', '08:11:00', 'purchase'), feedback('lv-81', 'p-7', '08:11:00', 'purchase')],
    ]);
  });

  it('Snowplow', () => {
    expect(read('snowplow', 'events.ndjson')).toMatchObject([
      unmapped('/unstruct_event_com_snowplowanalytics_snowplow_ecommerce_snowplow_ecommerce_action_1/type', '__none__'),
      [
        {
          kind: 'impression',
          requestId: 'pv-81',
          ts: at('08:00:00.400'),
          userId: 'd-77',
          sessionId: 's-5',
          items: ['P123', 'P124'],
          dimensions: ['recommended', '__none__'],
        },
      ],
      [feedback('pv-81', 'P124', '08:00:12', 'list_click')],
    ]);
  });

  it('Amazon Personalize', () => {
    expect(read('amazon-personalize', 'impressions.ndjson')).toMatchObject([
      [
        {
          requestId: 'RID-6f2c',
          ts: at('08:00:00.700'),
          userId: 'u-31',
          items: ['m-296', 'm-318', 'm-593'],
          scores: [0.0317, 0.0201, 0.0188],
        },
      ],
    ]);
    expect(read('amazon-personalize', 'feedback.ndjson')).toEqual([
      [
        feedback('RID-6f2c', 'm-318', '08:00:09', 'click', { eventId: 'e-1' }),
        feedback('RID-6f2c', 'm-318', '08:02:10', 'purchase', { eventId: 'e-2', value: 4.99 }),
      ],
    ]);
  });

  it('Algolia', () => {
    expect(read('algolia', 'impressions.ndjson')).toMatchObject([
      [
        {
          requestId: '43b15df305339e82',
          ts: at('08:00:00.350'),
          pageOffset: 0,
          items: ['9780545139700', '9780439784542', '9780439139601'],
        },
      ],
    ]);
    expect(read('algolia', 'feedback.ndjson')).toEqual([
      [feedback('43b15df305339e82', '9780439784542', '08:00:06.962', 'click')],
      [
        feedback('43b15df305339e82', '9780439784542', '08:05:01', 'conversion'),
        feedback('43b15df305339e82', '9780439139601', '08:05:01', 'conversion'),
      ],
    ]);
  });
});
