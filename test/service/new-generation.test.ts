import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { parse } from '../metrics/parse.ts';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type Produced, type RunningService, type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const SECOND = 1000;
const LISTS = 600;

/** A list per second, each clicked at rank 2 after a quarter of one. Those of the last minute are not closed: a window has whole ones. */
function lists(name: string, count: number, start: number): readonly Produced[] {
  return Array.from({ length: count }, (_, n): readonly Produced[] => {
    const [requestId, ts] = [`${name}${n}`, start + SECOND * n];
    const list = { requestId, ts, items: ['a', 'b'] };
    const click = { requestId, itemId: 'b', ts: ts + 250, action: 'click' };
    return [
      { topic: 'impressions', key: requestId, value: JSON.stringify(list), at: ts },
      { topic: 'feedback', key: requestId, value: JSON.stringify(click), at: ts + 250 },
    ];
  }).flat();
}

itWith(
  SERVERS,
  'a changed horizon shows no value that is too low, and all that Kafka holds when asked to',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const port = await freePort();
      const horizons = (...texts: readonly string[]): void =>
        stand.configure({
          attribution: { horizons: texts, outOfOrderness: '1s', idleAfter: '1h' },
          measures: ['mrr'],
          cohorts: [[]],
          windows: ['5m', '24h'],
          incompleteWindows: 'show',
          http: { port },
        });
      await stand.makeTopics(1);
      const start = 60 * SECOND * (Math.floor(Date.now() / 60 / SECOND) - 12);
      horizons('10s', '30s');
      await stand.produce(lists('old', LISTS, start));
      expect(await counted(stand, port, { generation: '1c', end: start + (LISTS - 2) * SECOND })).toBe(LISTS - 60);

      horizons('10s', '60s');
      await stand.produce(lists('new', 60, start + LISTS * SECOND));
      const end = start + (LISTS + 58) * SECOND;
      const some = await counted(stand, port, { generation: '2c', end }, '--new-generation');
      // Of those that are read again it leaves out the ones whose clicks are not.
      expect(some).toBeGreaterThan(0);
      expect(some).toBeLessThan(60);

      for (const flags of [['--new-generation', '--from', 'earliest'], ['--rebuild']]) {
        const service = stand.run(...flags);
        expect(await service.ended()).toBe(2);
        expect(service.printed).toContain('nothing was done');
      }
      horizons('10s', '45s');
      expect(await counted(stand, port, { generation: '3c', end }, '--new-generation', '--from', 'earliest')).toBe(
        LISTS,
      );

      const wrong = stand.run('--from', 'latest');
      expect(await wrong.ended()).toBe(2);
    });
  },
);

/** Runs the service until it has closed all: how many lists its longest window has then. No value that it shows meanwhile is another than 1/2. */
async function counted(
  stand: Stand,
  port: number,
  { generation, end }: { readonly generation: string; readonly end: number },
  ...flags: readonly string[]
): Promise<number> {
  const service: RunningService = stand.run(...flags);
  try {
    let isDrained = false;
    const drained = (async () => {
      while ((await stand.stored(0))?.generation !== generation) await sleep(100);
      await stand.drained(1, service, end);
      isDrained = true;
    })();
    for (let more = 10; more > 0; await sleep(200)) {
      const page = await fetch(`http://127.0.0.1:${port}/metrics`)
        .then((answer) => answer.text())
        .catch(() => '\n');
      const values =
        parse(page)
          .get('receval_mrr')
          ?.samples.map(({ value }) => value) ?? [];
      expect(values.filter((value) => value !== 0.5)).toEqual([]);
      if (isDrained) more--;
      if (more > 0) continue;
      await drained;
      const windows = parse(page).get('receval_window_impressions')?.samples ?? [];
      return windows.find(({ labels }) => labels['window'] === '24h' && labels['horizon'] === '10s')?.value ?? 0;
    }
    throw new Error('it is never asked');
  } finally {
    if (service.isRunning) await service.stop();
  }
}
