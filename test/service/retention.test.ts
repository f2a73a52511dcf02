import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { type RunningService, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const HOUR = 3600;

/** The sample without labels, once it is as wanted; undefined: there is none. */
async function headroom(service: RunningService, wanted: (seconds: number | undefined) => boolean): Promise<void> {
  await service.printedOnce(/"port":\d+/);
  const port = /"port":(\d+)/.exec(service.printed)?.[1];
  let seconds: number | undefined;
  for (const until = Date.now() + 20_000; Date.now() < until; await sleep(200)) {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const sample = /^receval_retention_headroom_seconds (\S+)$/m.exec(page);
    seconds = sample === null ? undefined : Number(sample[1]);
    if (page.includes('receval_commits_total{outcome="ok"} 1') && wanted(seconds)) return;
  }
  throw new Error(`the headroom stayed ${seconds}\n${service.printed.slice(-2000)}`);
}

itWith(SERVERS, 'the time that retention leaves is shown, as the topics have it', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1, { 'retention.ms': String(2 * HOUR * 1000) });
    const at = Date.now() - 600_000;
    const list = { requestId: 'r', ts: at, items: ['a'] };
    await stand.produce([{ topic: 'impressions', key: 'r', value: JSON.stringify(list), at }]);
    const service = stand.run();
    // The list is needed again, and ten minutes old.
    await headroom(service, (seconds) => {
      if (seconds === undefined) return false;
      expect(seconds).toBeGreaterThan(2 * HOUR - 660);
      expect(seconds).toBeLessThanOrEqual(2 * HOUR - 600);
      return true;
    });
    expect(await service.stop()).toBe(0);
    expect(service.printed).not.toContain('how long the topics keep records');
  });
});

itWith(SERVERS, 'topics that keep records for ever have no such time', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1, { 'retention.ms': '-1' });
    await stand.produce([{ topic: 'impressions', key: 'r', value: null }]);
    const service = stand.run();
    await headroom(service, (seconds) => seconds === undefined);
    await sleep(3000);
    await headroom(service, (seconds) => seconds === undefined);
    expect(await service.stop()).toBe(0);
  });
});
