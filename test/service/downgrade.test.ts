import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { MOST_IN_CHECKPOINT } from '../../src/accumulators/admission-state.ts';
import { FORMAT_VERSION, placesKey, unitKey } from '../../src/accumulators/store/layout.ts';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type Produced, type Stand, sharedServers, shown, withStand } from './stand.ts';

const SERVERS = sharedServers();
const QUICK = { attribution: { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' } };
const LONGEST = 3000;

/** Produces lists and runs the service until they are counted; returns how many impressions were ever accepted. */
async function counts(stand: Stand, name: string, count: number, ...flags: string[]): Promise<number> {
  const at = Date.now();
  await stand.produce(shown(name, count, at));
  const service = stand.run(...flags);
  const [{ join }] = await stand.drained(1, service, at + LONGEST);
  expect(await service.stop()).toBe(0);
  return join.counts[0].impressions.accepted;
}

/** Lists of so many shops, one of each, and no clicks. */
function ofShops(name: string, shops: number, at: number): readonly Produced[] {
  return Array.from({ length: shops }, (_, n): Produced => {
    const list = { requestId: `${name}-${n}`, ts: at, items: ['a'], cohorts: { shop: `shop${n}` } };
    return { topic: 'impressions', key: list.requestId, value: JSON.stringify(list), at };
  });
}

/** The whole state of a namespace, as a backup holds it; answers what puts it back. */
async function backUp(client: Redis, namespace: string): Promise<() => Promise<void>> {
  const dumps = await Promise.all(
    (await client.keys(`receval:{${namespace}:*`)).map(async (key) => [key, await client.dumpBuffer(key)] as const),
  );
  return async () => {
    await wipe(client, namespace);
    for (const [key, dump] of dumps) await client.restore(key, 0, dump);
  };
}

async function wipe(client: Redis, namespace: string): Promise<void> {
  const keys = await client.keys(`receval:{${namespace}:*`);
  if (keys.length > 0) await client.del(...keys);
}

async function refused(stand: Stand, ...flags: string[]): Promise<string> {
  const service = stand.run(...flags);
  expect(await service.ended()).toBe(2);
  return service.printed;
}

itWith(
  SERVERS,
  'a downgrade over state of a newer format is refused, and goes as docs/operations.md says',
  async (servers) => {
    await withStand(servers, async (stand) => {
      stand.configure(QUICK);
      await stand.makeTopics(1);
      const client = new Redis(servers.redis.url);
      try {
        expect(await counts(stand, 'before', 4)).toBe(4);
        const restore = await backUp(client, stand.namespace);

        // The upgrade: a version whose format is the next one counts more, and stores it in its own way.
        expect(await counts(stand, 'upgraded', 3)).toBe(7);
        await client.hset(unitKey(stand.namespace, 0), 'format', String(FORMAT_VERSION + 1));

        // Without the steps nothing starts, whatever its role, and nothing is changed.
        const newer = await client.hgetall(unitKey(stand.namespace, 0));
        for (const flags of [[], ['--role', 'worker'], ['--role', 'exporter'], ['--rebuild']]) {
          expect(await refused(stand, ...flags)).toContain(
            `format version ${FORMAT_VERSION + 1}; this build reads versions up to ${FORMAT_VERSION}: run the build that wrote it`,
          );
        }
        expect(await client.hgetall(unitKey(stand.namespace, 0))).toEqual(newer);

        // With a backup from before the upgrade: what was counted since then is counted again, once.
        await restore();
        expect(await counts(stand, 'restored', 2)).toBe(9);
        expect(await stand.impressionsIn('1c', '2s')).toBe(9);

        // Without one: the keys go, and all that Kafka still holds is counted again.
        await client.hset(unitKey(stand.namespace, 0), 'format', String(FORMAT_VERSION + 1));
        await wipe(client, stand.namespace);
        expect(await refused(stand)).toContain('the state was lost');
        expect(await counts(stand, 'rebuilt', 1, '--rebuild')).toBe(10);
        expect(await stand.impressionsIn((await stand.stored(0))?.generation ?? '', '2s')).toBe(10);
      } finally {
        client.disconnect();
      }
    });
  },
);

itWith(
  SERVERS,
  'more places of cohorts than fit the checkpoint are read by name, and are part of it again when they are few',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const configured = (limits: Readonly<Record<string, number>>): void =>
        stand.configure({
          ...QUICK,
          measures: ['mrr'],
          cohorts: [[], ['shop']],
          windows: ['5m'],
          incompleteWindows: 'show',
          limits,
          http: { port },
        });
      const shops = MOST_IN_CHECKPOINT + 10;
      const port = await freePort();
      const names = async (records: readonly Produced[], at: number): Promise<Set<string>> => {
        await stand.produce(records);
        const service = stand.run();
        await stand.drained(1, service, at + LONGEST);
        const shown = await vi.waitFor(
          async () => {
            const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
            const found = [...page.matchAll(/^receval_window_impressions\{.*by="shop".*shop="([^"]*)"/gm)].map(
              ([, shop]) => shop,
            );
            expect(found.length).toBeGreaterThan(1);
            return new Set(found);
          },
          { timeout: 30_000, interval: 200 },
        );
        expect(await service.stop()).toBe(0);
        return shown;
      };
      await stand.makeTopics(1);
      const client = new Redis(servers.redis.url);
      const format = () => client.hget(unitKey(stand.namespace, 0), 'format');
      const key = placesKey({ namespace: stand.namespace, unit: 0, generation: '1c' }, ['shop']);
      try {
        configured({ series: 1_000_000 });
        // Their minute has passed.
        const first = Date.now() - 90_000;
        expect((await names(ofShops('first', shops, first), first)).size).toBe(shops);
        expect([await format(), await client.hlen(key)]).toEqual(['5', shops + 2]);
        // A start that leaves room for fewer, as docs/operations.md says.
        configured({ series: 1_000_000, cohortsPerSet: MOST_IN_CHECKPOINT });
        const second = Date.now();
        expect(await names(ofShops('second', 5, second), second)).toContain('__other__');
        expect([await format(), await client.exists(key)]).toEqual(['5', 0]);
      } finally {
        client.disconnect();
      }
    });
  },
);
