/**
 * A cluster on which no consumer group can be had: its topic of committed offsets wants more copies than there are brokers, as on a
 * single broker with the usual settings, and before the first consumer comes there is none anywhere. Looking needs no group.
 */
import { afterAll, expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { inspectCommand } from '../../src/cli/inspect.ts';
import { offsetsCommand } from '../../src/cli/offsets.ts';
import { skipCommand } from '../../src/cli/skip.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { startKafka } from '../services/kafka.ts';
import { startRedis } from '../services/redis.ts';
import { type Produced, type Servers, withStand } from './stand.ts';

let started: Promise<Servers> | undefined;
const SERVERS: Service<Servers> = {
  name: 'Kafka without groups, and Redis',
  get: () => {
    started ??= Promise.all([
      startKafka({ properties: { 'offsets.topic.replication.factor': 3 } }),
      startRedis({ config: { appendonly: 'yes' } }),
    ]).then(([kafka, redis]) => ({ kafka, redis }));
    return started;
  },
};
afterAll(async () => {
  const servers = await started?.catch(() => undefined);
  await Promise.all([servers?.kafka.stop(), servers?.redis.stop()]);
});

function traffic(): readonly Produced[] {
  const at = Date.now() - 600_000;
  return Array.from({ length: 30 }, (_, n): readonly Produced[] => {
    const list = { requestId: `r${n}`, ts: at + n * 1000, items: [`a${n % 7}`, `b${n % 5}`] };
    const click = { requestId: `r${n}`, ts: at + n * 1000 + 4000, itemId: `b${n % 5}`, action: 'click' };
    return [
      { topic: 'impressions', key: `r${n}`, value: JSON.stringify(list) },
      { topic: 'feedback', key: `r${n}`, value: JSON.stringify(click) },
    ];
  }).flat();
}

itWith(
  SERVERS,
  'inspect --kafka, doctor, offsets and skip look at a cluster that has no groups yet',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(2);
      await stand.produce(traffic());

      const seen = await stand.command(inspectCommand, '--kafka', '--output', 'json');
      expect(seen.stderr).toBe('');
      expect(JSON.parse(seen.stdout).join).toMatchObject({ feedback: 30, known: 30, inList: 30 });

      const { stdout } = await stand.command(doctorCommand, '--output', 'json');
      const report: { readonly findings: readonly { readonly check: string; readonly level: string }[] } =
        JSON.parse(stdout);
      const told = report.findings;
      const of = (check: string) => told.filter((one) => one.check === check);
      expect(of('group')).toMatchObject([{ level: 'ok', message: expect.stringContaining('no worker has run') }]);
      expect(of('records').filter(({ level }) => level !== 'ok')).toEqual([]);
      expect(of('state')).not.toEqual([]);

      const offsets = await stand.command(offsetsCommand);
      expect(offsets.stderr).toBe('');
      expect(offsets.code).toBe(0);

      const skip = await stand.command(
        skipCommand,
        '--partition',
        '0',
        '--topic',
        stand.topics.feedback,
        '--to',
        '2',
        '--yes',
      );
      // Nothing is stored that could be moved: it says so at once.
      expect(skip.stderr).toContain('nothing is stored of this partition yet');
    });
  },
);
