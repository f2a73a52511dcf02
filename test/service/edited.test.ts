import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { itWith } from '../services/it-with.ts';
import { type RunningService, type Stand, sharedServers, shown, withStand } from './stand.ts';

const SERVERS = sharedServers();
const QUICK = { attribution: { horizons: ['1s'], outOfOrderness: '500ms', idleAfter: '500ms' } };
/** Longer than the horizon and what may come out of order. */
const CLOSED_MS = 1500;

/** Shows lists and waits until all have closed. */
async function counts(stand: Stand, service: RunningService, name: string): Promise<void> {
  const at = Date.now();
  await stand.produce(shown(name, 5, at));
  await stand.drained(1, service, at + CLOSED_MS);
}

itWith(
  SERVERS,
  'a service goes on as it began, whatever becomes of its file, and stops in order at SIGHUP',
  async (servers) => {
    await withStand(servers, async (stand) => {
      stand.configure(QUICK);
      await stand.makeTopics(1);
      const service = stand.run();
      await counts(stand, service, 'before');
      stand.configure({ attribution: { horizons: ['2s'] } });
      await counts(stand, service, 'changed');
      await service.printedOnce(/the configuration has changed: this process goes on with the settings of its start/);
      writeFileSync(stand.file, 'attribution: {horizons: [1s\n');
      await counts(stand, service, 'broken');
      await service.printedOnce(/"error":"[^"]*not valid YAML[^"]*","msg":"the configuration cannot be used any more/);
      rmSync(stand.file);
      await counts(stand, service, 'deleted');
      process.kill(service.pid, 'SIGHUP');
      expect(await service.ended()).toBe(0);
      expect(service.printed).toContain('settings are read at the start only');
      expect(await stand.impressionsIn('1c', '1s')).toBe(20);

      writeFileSync(stand.file, 'attribution: {horizons: [1s\n');
      const refused = stand.run();
      expect(await refused.ended()).toBe(2);
      expect(refused.printed).toMatch(/receval\.yaml:\d+:\d+: not valid YAML/);

      stand.configure(QUICK);
      const again = stand.run();
      await counts(stand, again, 'after');
      expect(await again.stop()).toBe(0);
      expect(await stand.impressionsIn('1c', '1s')).toBe(25);
    });
  },
);
