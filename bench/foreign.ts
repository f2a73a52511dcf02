/** The workload as logs of others have it: other names, in objects, with a map of each topic. */
import type { FieldMap } from '../src/consumers/decode/decoder-settings.ts';
import type { WorkloadRecord } from './workload.ts';

/** The map of impressions, then that of feedback. */
export const FOREIGN_MAPS: readonly FieldMap[] = [
  {
    requestId: '/context/recommendation_id',
    ts: '/meta/emitted_at',
    userId: '/context/user/id',
    sessionId: '/meta/session',
    surface: '/context/page',
    variant: '/context/arm',
    'cohorts.country': '/context/user/country',
    'model.name': '/context/model/name',
    'model.version': '/context/model/version',
    items: '/payload/products',
    'items.id': '/sku',
    'items.score': '/relevance',
  },
  {
    requestId: '/event/recommendation_id',
    itemId: '/event/sku',
    ts: '/meta/emitted_at',
    action: '/event/type',
    eventId: '/meta/id',
    value: '/event/amount',
  },
];

/** The same events under the names of the maps. */
export function foreign(records: readonly WorkloadRecord[]): readonly WorkloadRecord[] {
  return records.map((record) => {
    const own = JSON.parse(Buffer.from(record.value).toString());
    return { ...record, value: Buffer.from(JSON.stringify(record.topic === 0 ? shown(own) : done(own))) };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: records of the workload, as JSON.parse returns them.
type Parsed = any;

function shown(own: Parsed): object {
  return {
    meta: { emitted_at: own.ts, session: own.sessionId },
    context: {
      recommendation_id: own.requestId,
      arm: own.variant,
      user: { id: own.userId, country: own.cohorts?.country },
      page: own.surface,
      model: own.model,
    },
    payload: { products: own.items.map((item: Parsed) => ({ sku: item.id, relevance: item.score })) },
  };
}

function done(own: Parsed): object {
  return {
    meta: { emitted_at: own.ts, id: own.eventId },
    event: { recommendation_id: own.requestId, sku: own.itemId, type: own.action, amount: own.value },
  };
}
