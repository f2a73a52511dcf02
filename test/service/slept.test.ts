import { expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { sharedServers, shown, withStand } from './stand.ts';

const SERVERS = sharedServers();

/** Longer than what clocks may differ by (`futureSkew`), also on a machine that is busy. */
const SLEPT_MS = 3_600_000;

/** A monotonic clock stands still while its machine sleeps; the time of day is right again at once. */
const SLEEPS = `
const now = performance.now.bind(performance);
process.once('SIGUSR2', () => { performance.now = () => now() - ${SLEPT_MS}; });
`;

itWith(
  SERVERS,
  'a machine that has slept for an hour drops nothing as future, and goes on by itself',
  async (servers) => {
    await withStand(servers, async (stand) => {
      stand.configure({ attribution: { horizons: ['1s'], outOfOrderness: '500ms', idleAfter: '500ms' } });
      await stand.makeTopics(1);
      const service = stand.runAfter(SLEEPS);
      const before = Date.now();
      await stand.produce(shown('before', 5, before));
      await stand.drained(1, service, before + 1500);
      process.kill(service.pid, 'SIGUSR2');
      const after = Date.now();
      await stand.produce(shown('after', 5, after));
      const [{ join }] = await stand.drained(1, service, after + 1500);
      expect(join.counts.map(({ impressions, feedback }) => [impressions.drops.future, feedback.drops.future])).toEqual(
        [
          [0, 0],
          [0, 0],
        ],
      );
      expect(await stand.impressionsIn('1c', '1s')).toBe(10);
      expect(service.printed).toContain('the clock here and that of Redis differ: nothing is read until they agree');
      await service.printedOnce(/the clock here and that of Redis agree again/);
      expect(await service.stop()).toBe(0);
    });
  },
);
