import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, type RunningService, type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

const QUICK = { attribution: { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' } };
const LONGEST = 3000;

function lists(name: string, count: number, at = Date.now()): readonly Produced[] {
  return Array.from({ length: count }, (_, n) => {
    const requestId = `${name}-${n}`;
    return { topic: 'impressions', key: requestId, value: JSON.stringify({ requestId, ts: at, items: ['a'] }), at };
  });
}

/** All that is stored of the unit but who owns it. */
async function everything(stand: Stand): Promise<Record<string, Record<string, string>>> {
  const all: Record<string, Record<string, string>> = {};
  for (const key of (await stand.redis.keys(`receval:{${stand.namespace}:0}*`)).sort()) {
    const { token: _, ...fields } = await stand.redis.hgetall(key);
    all[key] = fields;
  }
  return all;
}

/** Writes ten lists, and runs a service that counts them to the end; it continues. */
async function counting(stand: Stand, closed = LONGEST): Promise<RunningService> {
  const at = Date.now();
  // Before it runs: to a service that reads meanwhile, lists that come one by one may be late where that takes long.
  await stand.produce(lists('old', 10, at));
  const service = stand.run();
  await stand.drained(1, service, at + closed);
  return service;
}

for (const [length, count] of [
  ['shorter', 4],
  ['as long', 10],
  ['longer', 25],
] as const) {
  itWith(
    SERVERS,
    `a topic that was recreated with a log that is ${length} stops its unit when the worker comes back`,
    async (servers) => {
      await withStand(servers, async (stand) => {
        stand.configure(QUICK);
        await stand.makeTopics(1);
        const first = await counting(stand);
        expect(await first.stop()).toBe(0);
        const before = await everything(stand);
        await stand.makeAnew('impressions', 1);
        await stand.produce(lists('new', count));
        const { stdout } = await stand.command(doctorCommand);
        expect(stdout).toMatch(
          /^error +state: impressions-\w+, partition 0: .*the topic was deleted and created again, or put back\. Take another/m,
        );
        const second = stand.run();
        await second.printedOnce(/"cause":"diverged".*unit stopped/);
        expect(second.printed).toContain('Take another namespace and kafka.groupId for the new topic');
        expect(second.printed).not.toContain('records that were to be read next are gone');
        await stand.produce(lists('more', 5));
        await sleep(1000);
        expect(await second.stop()).toBe(0);
        expect(await everything(stand)).toEqual(before);
      });
    },
  );

  itWith(
    SERVERS,
    `a topic that is recreated while it is read, with a log that is ${length}, stops its unit`,
    async (servers) => {
      await withStand(servers, async (stand) => {
        stand.configure(QUICK);
        await stand.makeTopics(1);
        const service = await counting(stand);
        const before = await everything(stand);
        await stand.makeAnew('impressions', 1);
        await stand.produce(lists('new', count));
        await stand.produce(lists('more', 5));
        // A topic that is missing for a moment may be seen by its number of partitions first.
        await service.printedOnce(/"cause":"(diverged|partitions)".*unit stopped/);
        await sleep(1000);
        expect(await service.stop()).toBe(0);
        const { join } = (await stand.stored(0)) ?? {};
        expect(join?.counts[0].impressions).toMatchObject({ read: 10, accepted: 10 });
        expect(join?.topics[0].committed).toBe(10);
        expect(await stand.impressionsIn('1c', '2s')).toBe(10);
        expect(Object.keys(await everything(stand))).toEqual(Object.keys(before));
      });
    },
  );
}

itWith(
  SERVERS,
  'a topic that is deleted while it is read stops its units, and the log says what to do',
  async (servers) => {
    await withStand(servers, async (stand) => {
      stand.configure(QUICK);
      await stand.makeTopics(1);
      const service = await counting(stand);
      await stand.deleteTopic('impressions');
      await service.printedOnce(/"cause":"partitions".*unit stopped/);
      expect(service.printed).toMatch(
        /there is no topic impressions-\w+ on [0-9.:]+ any more: .*Create it again with 1 partition,/,
      );
      // It continues, and waits for somebody to restart it.
      expect(await service.stop()).toBe(0);
      // As the advice says: the new topic is another log.
      await stand.makeTopics({ impressions: 1, feedback: 0 });
      const second = stand.run();
      await second.printedOnce(/"cause":"diverged".*unit stopped/);
      expect(await second.stop()).toBe(0);
    });
  },
);

itWith(SERVERS, 'a last record that retention has removed is nothing to stop for', async (servers) => {
  await withStand(servers, async (stand) => {
    stand.configure(QUICK);
    await stand.makeTopics(1);
    // So long that nothing but the last record would be read again.
    const first = await counting(stand, 8000);
    expect(await first.stop()).toBe(0);
    expect((await stand.stored(0))?.join.topics[0]).toMatchObject({ committed: 10, replay: 10 });
    await stand.deleteBelow('impressions', 10);
    const second = stand.run();
    const at = Date.now();
    await stand.produce(lists('new', 3, at));
    const [unit] = await stand.drained(1, second, at + LONGEST);
    expect(unit.join.counts[0].impressions).toMatchObject({ read: 13, accepted: 13 });
    expect(await second.stop()).toBe(0);
    expect(second.printed).not.toContain('unit stopped');
    expect(second.printed).not.toContain('records that were to be read next are gone');
  });
});
