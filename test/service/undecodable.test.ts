import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, type RunningService, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const QUICK = { attribution: { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' } };

function shown(requestId: string, at: number): readonly Produced[] {
  const list = { requestId, ts: at, items: ['a', 'b'] };
  const click = { requestId, itemId: 'a', ts: at, action: 'click' };
  return [
    { topic: 'impressions', key: requestId, value: JSON.stringify(list), at },
    { topic: 'feedback', key: requestId, value: JSON.stringify(click), at },
  ];
}

/** Until the page of the running service says this: what it shows is refreshed on a timer. */
async function pageSays(service: RunningService, path: string, text: RegExp): Promise<void> {
  await service.printedOnce(/"port":\d+/);
  const [, port] = /"port":(\d+)/.exec(service.printed) ?? [];
  await until(`${path} with ${text}`, async () => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return text.test(`${response.status} ${await response.text()}`);
  });
}

itWith(
  SERVERS,
  'a partition that has stopped at a batch goes on with start.onUndecodable: skip, and nobody is needed for the next',
  async (servers) => {
    await withStand(servers, async (stand) => {
      stand.configure(QUICK);
      await stand.makeTopics(1);
      const at = Date.now();
      await stand.produce(shown('before', at));
      await stand.produceBomb('impressions', 40 * 2 ** 20);
      await stand.produce(shown('after', at));
      const stops = stand.run();
      await stops.printedOnce(/"cause":"codec".*unit stopped/);
      // The process is as well as another one in its place would be.
      await pageSays(stops, '/readyz', /^200 ready\npartition 0 is stopped: codec; .*start\.onUndecodable: skip.*\n$/);
      expect(await stops.stop()).toBe(0);

      const file = `${stand.file}.letters`;
      stand.configure({ ...QUICK, start: { onUndecodable: 'skip' }, deadLetter: { to: 'file', file } });
      const examined = await stand.command(doctorCommand);
      expect(examined.stdout).toMatch(/^warning +records: .*\(gzip data is .*counted as undecodable/m);

      const skips = stand.run();
      const [first] = await stand.drained(1, skips, at + 3000);
      expect(first.join.counts[0].impressions).toMatchObject({ read: 3, accepted: 2, drops: { undecodable: 1 } });
      expect(first.generation).toBe('1c');
      expect(first.incompleteBefore).toBeGreaterThanOrEqual(at);
      await stand.produceBomb('feedback', 40 * 2 ** 20);
      const later = Date.now();
      await stand.produce(shown('later', later));
      const [second] = await stand.drained(1, skips, later + 3000);
      expect(second.join.counts[1].feedback).toMatchObject({ read: 4, attributed: 3, drops: { undecodable: 1 } });
      await pageSays(
        skips,
        '/metrics',
        new RegExp(`^receval_drops_total\\{topic="${stand.topics.impressions}",reason="undecodable"[^}]*\\} 1$`, 'm'),
      );
      await pageSays(skips, '/readyz', /^200 ready\n$/);
      expect(await skips.stop()).toBe(0);

      const letters = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
      expect(letters).toMatchObject([
        { topic: stand.topics.impressions, partition: 0, offset: 1, next: 2, records: 1, reason: 'undecodable' },
        { topic: stand.topics.feedback, partition: 0, offset: 2, next: 3, records: 1, reason: 'undecodable' },
      ]);
      for (const letter of letters) {
        const bytes = Buffer.from(String(letter['valueBase64']), 'base64');
        expect(bytes.length).toBe(letter['bytes']);
        expect(bytes.readInt32BE(57)).toBe(1);
      }
      // With stop again: what was skipped stays skipped.
      stand.configure(QUICK);
      const again = stand.run();
      const last = Date.now();
      await stand.produce(shown('last', last));
      const [third] = await stand.drained(1, again, last + 3000);
      expect(third.join.counts[0].impressions).toMatchObject({ read: 5, accepted: 4, drops: { undecodable: 1 } });
      expect(await again.stop()).toBe(0);
    });
  },
);
