import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type RunningService, sharedServers, shown, withStand } from './stand.ts';

const SERVERS = sharedServers();
const PARTITIONS = 4;
const LISTS = 40;

/** Until the worker holds so many open lists, which it need not have committed. */
async function holds(service: RunningService, lists: number): Promise<void> {
  await service.printedOnce(/receval is running/);
  const [, port] = /"port":(\d+)/.exec(service.printed) ?? [];
  for (const until = Date.now() + 300_000; ; await sleep(50)) {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const open = [...page.matchAll(/^receval_open_impressions\{.*\} (\d+)$/gm)];
    if (open.reduce((sum, [, count]) => sum + Number(count), 0) === lists) return;
    if (Date.now() > until) throw new Error(`it does not hold ${lists} lists:\n${service.printed.slice(-3000)}`);
  }
}

itWith(
  SERVERS,
  'a service that is asked to stop commits all that it has read, also on a slow Redis',
  async (servers) => {
    await withStand(servers, async (stand) => {
      // Nothing is committed before the end.
      stand.configure({ commit: { interval: '1h' } });
      await stand.makeTopics(PARTITIONS);
      await stand.produce(shown('open', LISTS));
      const service = stand.run();
      try {
        await holds(service, LISTS);
        expect(await stand.stored(0)).toBeUndefined();
        await stand.redis.call('CLIENT', 'PAUSE', '500', 'WRITE');
        expect(await service.stop()).toBe(0);
      } finally {
        if (service.isRunning) await service.kill();
      }
      const units = await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => stand.stored(partition)));
      const [lists] = await stand.ends();
      expect(units.map((unit) => unit?.join.topics[0].committed)).toEqual(lists);
      expect(service.printed).not.toContain('Redis could not');
    });
  },
);

itWith(SERVERS, 'a service that still waits for Redis ends at once when it is asked to', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    stand.configure({ redis: { url: `redis://127.0.0.1:${await freePort()}` } });
    const service = stand.run();
    try {
      await service.printedOnce(/Redis did not answer yet/);
      expect(await service.stop()).toBe(0);
      expect(service.printed).toContain('stopped before it was running');
    } finally {
      if (service.isRunning) await service.kill();
    }
  });
});
