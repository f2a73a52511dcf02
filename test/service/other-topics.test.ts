import { expect } from 'vitest';
import { until } from '../consumers/source/kafka/collector.ts';
import { itWith } from '../services/it-with.ts';
import { sharedServers, shown, withStand } from './stand.ts';

const SERVERS = sharedServers();
const QUICK = { attribution: { horizons: ['1s'], outOfOrderness: '500ms', idleAfter: '500ms' } };

itWith(
  SERVERS,
  'a service with other topics is refused where another one counts, also if that has counted nothing yet',
  async (servers) => {
    await withStand(servers, async (first) => {
      await withStand(servers, async (other) => {
        first.configure(QUICK);
        other.configure({ ...QUICK, namespace: first.namespace });
        await first.makeTopics(1);
        await other.makeTopics(1);
        await other.produce(shown('other', 7));
        const service = first.run();
        await until('its position is stored', async () => (await first.stored(0)) !== undefined);
        const refused = other.run();
        expect(await refused.ended()).toBe(2);
        expect(refused.printed).toContain(
          `was counted from the topics ${Object.values(first.topics).join(', ')}, and kafka.topics names ${Object.values(other.topics).join(', ')}`,
        );
        const at = Date.now();
        await first.produce(shown('first', 5, at));
        await first.drained(1, service, at + 1500);
        expect(await first.impressionsIn('1c', '1s')).toBe(5);
        expect(service.printed).not.toContain('another worker has claimed the unit');
        expect(await service.stop()).toBe(0);
      });
    });
  },
);
