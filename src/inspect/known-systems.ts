/** Recognises logs of known systems by their fields; they are read with the maps of docs/adapters. */

import type { FieldMap, MapCase } from '../consumers/decode/decoder-settings.ts';
import { isOfElements, mainType, type Profile } from './fields.ts';
import type { ProposedAdapter } from './proposed-adapter.ts';

export interface KnownSide {
  readonly system: string;
  /** The page of the documentation. */
  readonly page: string;
  /** undefined: each site chooses its own fields, so the map is inferred as for any log. */
  readonly adapter: ProposedAdapter | undefined;
  /** undefined: the records decide. */
  readonly role: 'impressions' | 'feedback' | 'both' | undefined;
}

interface Form {
  readonly role: KnownSide['role'];
  /** Paths that its records must have. */
  readonly needs: readonly string[];
  /** The adapter of `KnownSide`. */
  readonly adapter: 'open-bandit' | FieldMap | readonly MapCase[] | undefined;
}

interface System {
  readonly name: string;
  readonly page: string;
  readonly forms: readonly Form[];
}

const SNOWPLOW_ACTION = '/unstruct_event_com_snowplowanalytics_snowplow_ecommerce_snowplow_ecommerce_action_1';
const SNOWPLOW_PRODUCTS = '/contexts_com_snowplowanalytics_snowplow_ecommerce_product_1';
const SNOWPLOW_PAGE = '/contexts_com_snowplowanalytics_snowplow_web_page_1/0/id';

const SYSTEMS: readonly System[] = [
  {
    name: 'OpenSearch UBI',
    page: 'docs/adapters/opensearch-ubi.md',
    forms: [
      {
        role: 'impressions',
        needs: ['/query_id', '/query_response_hit_ids', '/timestamp'],
        adapter: {
          requestId: '/query_id',
          ts: '/timestamp',
          items: '/query_response_hit_ids',
          userId: '/client_id',
          surface: '/application',
          variant: '/query_attributes/variant',
        },
      },
      {
        role: 'feedback',
        needs: ['/query_id', '/action_name', '/timestamp', '/event_attributes/object/object_id'],
        adapter: [
          {
            when: { '/action_name': ['click', 'add_to_cart', 'purchase'] },
            map: {
              requestId: '/query_id',
              ts: '/timestamp',
              itemId: '/event_attributes/object/object_id',
              action: '/action_name',
            },
          },
        ],
      },
    ],
  },
  {
    name: 'Algolia',
    page: 'docs/adapters/algolia.md',
    forms: [
      {
        role: 'impressions',
        needs: ['/queryID', '/hits', '/hits[]/objectID'],
        adapter: undefined,
      },
      {
        role: 'feedback',
        needs: ['/queryID', '/eventType', '/objectIDs', '/timestamp'],
        adapter: {
          requestId: '/queryID',
          ts: '/timestamp',
          action: '/eventType',
          each: '/objectIDs',
          'each.itemId': '',
        },
      },
    ],
  },
  {
    name: 'Amazon Personalize',
    page: 'docs/adapters/amazon-personalize.md',
    forms: [
      {
        role: 'impressions',
        needs: ['/response/recommendationId', '/response/itemList', '/response/itemList[]/itemId'],
        adapter: undefined,
      },
      // A data set of interactions, each with the list in which it happened.
      { role: undefined, needs: ['/USER_ID', '/ITEM_ID', '/TIMESTAMP', '/IMPRESSION'], adapter: undefined },
      {
        role: 'feedback',
        needs: ['/eventList', '/eventList[]/eventType', '/eventList[]/recommendationId', '/eventList[]/sentAt'],
        adapter: {
          userId: '/userId',
          sessionId: '/sessionId',
          each: '/eventList',
          'each.requestId': '/recommendationId',
          'each.ts': '/sentAt',
          'each.itemId': '/itemId',
          'each.action': '/eventType',
          'each.value': '/eventValue',
          'each.eventId': '/eventId',
        },
      },
    ],
  },
  {
    name: 'Google Analytics 4',
    page: 'docs/adapters/ga4.md',
    forms: [
      {
        role: undefined,
        needs: ['/event_name', '/event_timestamp', '/items', '/items[]/item_id', '/user_pseudo_id'],
        adapter: undefined,
      },
      { role: 'impressions', needs: ['/items', '/items[]/item_id', '/user_pseudo_id'], adapter: undefined },
      { role: 'feedback', needs: ['/event_name', '/items', '/items[]/item_id'], adapter: undefined },
      {
        role: 'feedback',
        needs: ['/timestamp_micros', '/events', '/events[]/name', '/events[]/params/items'],
        adapter: {
          ts: '/timestamp_micros',
          each: '/events',
          'each.action': '/name',
          'each.requestId': '/params/list_view_id',
          'each.itemId': '/params/items/0/item_id',
        },
      },
    ],
  },
  {
    name: 'Segment',
    page: 'docs/adapters/segment.md',
    forms: [
      {
        role: 'both',
        needs: ['/type', '/event', '/messageId', '/properties/products', '/properties/list_view_id'],
        adapter: [
          {
            when: { '/type': 'track', '/event': 'Product List Viewed' },
            map: {
              requestId: '/properties/list_view_id',
              ts: '/timestamp',
              userId: '/anonymousId',
              surface: '/properties/list_id',
              items: '/properties/products',
              'items.id': '/product_id',
              'items.position': '/position',
              'items.category': '/category',
            },
          },
          {
            when: { '/type': 'track', '/event': 'Product Clicked' },
            map: {
              requestId: '/properties/list_view_id',
              ts: '/timestamp',
              eventId: '/messageId',
              itemId: '/properties/product_id',
              action: { const: 'click' },
            },
          },
          {
            when: { '/type': 'track', '/event': 'Product Added' },
            map: {
              requestId: '/properties/list_view_id',
              ts: '/timestamp',
              eventId: '/messageId',
              itemId: '/properties/product_id',
              action: { const: 'add_to_cart' },
            },
          },
          {
            when: { '/type': 'track', '/event': 'Order Completed' },
            map: {
              ts: '/timestamp',
              each: '/properties/products',
              'each.requestId': '/list_view_id',
              'each.itemId': '/product_id',
              action: { const: 'purchase' },
            },
          },
        ],
      },
    ],
  },
  {
    name: 'Snowplow',
    page: 'docs/adapters/snowplow.md',
    forms: [
      {
        role: 'both',
        needs: [`${SNOWPLOW_ACTION}/type`, SNOWPLOW_PRODUCTS, '/derived_tstamp'],
        adapter: [
          {
            when: { [`${SNOWPLOW_ACTION}/type`]: 'list_view' },
            map: {
              requestId: SNOWPLOW_PAGE,
              ts: '/derived_tstamp',
              userId: '/domain_userid',
              sessionId: '/domain_sessionid',
              surface: `${SNOWPLOW_ACTION}/name`,
              items: SNOWPLOW_PRODUCTS,
              'items.id': '/id',
              'items.position': '/position',
              'items.category': '/category',
            },
          },
          {
            when: { [`${SNOWPLOW_ACTION}/type`]: ['list_click', 'add_to_cart'] },
            map: {
              requestId: SNOWPLOW_PAGE,
              ts: '/derived_tstamp',
              action: `${SNOWPLOW_ACTION}/type`,
              each: SNOWPLOW_PRODUCTS,
              'each.itemId': '/id',
            },
          },
        ],
      },
    ],
  },
  {
    name: 'Open Bandit',
    page: 'docs/open-bandit.md',
    forms: [
      {
        role: 'both',
        needs: ['/timestamp', '/item_id', '/position', '/click', '/propensity_score'],
        adapter: 'open-bandit',
      },
    ],
  },
];

/** The system that has these fields, also inside an object. Optional fields of its map may be missing from the sample. */
export function knownSide({ fields }: Profile): KnownSide | undefined {
  const objects = [...fields.values()].filter((field) => mainType(field) === 'object' && !isOfElements(field.path));
  for (const within of ['', ...objects.map(({ path }) => path)]) {
    for (const { name, page, forms } of SYSTEMS) {
      const form = forms.find(({ needs }) => needs.every((path) => fields.has(`${within}${path}`)));
      if (form === undefined || (within !== '' && form.adapter === 'open-bandit')) continue;
      return { system: name, page, role: form.role, adapter: adapterWithin(within, adapterOf(form.adapter)) };
    }
  }
  return undefined;
}

/** Exports wrap documents: in `_source` by Elasticsearch, in `payload` by Kafka Connect. */
function adapterWithin(within: string, adapter: ProposedAdapter | undefined): ProposedAdapter | undefined {
  if (within === '' || typeof adapter !== 'object' || 'list' in adapter) return adapter;
  if ('map' in adapter) return { map: mapWithin(within, adapter.map) };
  return {
    maps: adapter.maps.map(({ when = {}, map }) => ({
      when: Object.fromEntries(Object.entries(when).map(([path, condition]) => [`${within}${path}`, condition])),
      map: mapWithin(within, map),
    })),
  };
}

function mapWithin(within: string, map: FieldMap): FieldMap {
  const isOfElement = (as: string): boolean => /^(?:each|items)\./.test(as);
  return Object.fromEntries(
    Object.entries(map).map(([as, at]) => [as, typeof at !== 'string' || isOfElement(as) ? at : `${within}${at}`]),
  );
}

function adapterOf(adapter: Form['adapter']): ProposedAdapter | undefined {
  if (adapter === undefined || adapter === 'open-bandit') return adapter;
  return isCases(adapter) ? { maps: adapter } : { map: adapter };
}

function isCases(adapter: FieldMap | readonly MapCase[]): adapter is readonly MapCase[] {
  return Array.isArray(adapter);
}

/** Canonical names and paths of a known system's fields in a sample, in the form of `Fit`. */
export function knownFields(
  adapter: ProposedAdapter,
  { fields }: Profile,
): readonly (readonly [as: string, path: string])[] {
  const maps =
    typeof adapter !== 'object'
      ? []
      : 'list' in adapter
        ? []
        : 'map' in adapter
          ? [adapter.map]
          : adapter.maps.map(({ map }) => map);
  const found = maps.flatMap((map) =>
    Object.entries(map).flatMap(([as, at]) => {
      if (typeof at !== 'string' || as === 'each') return [];
      const isOfEach = as.startsWith('each.');
      const list = isOfEach ? map['each'] : as.startsWith('items.') ? map['items'] : undefined;
      const path = typeof list === 'string' ? `${list}[]${at}` : at;
      return fields.has(path) ? [[isOfEach ? as.slice('each.'.length) : as, path] as const] : [];
    }),
  );
  return [...new Map(found.map((one) => [one.join(' '), one])).values()];
}
