import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { inspectCommand } from '../../src/cli/inspect.ts';
import { loadSettings } from '../../src/config/load.ts';
import { lookAtRecords } from '../../src/service/topic-sample.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

/** Lists and clicks in a form of their own, over two partitions. */
function traffic(): readonly Produced[] {
  const at = Date.now() - 600_000;
  return Array.from({ length: 40 }, (_, n): readonly Produced[] => {
    const list = { when: at + n * 1000, rec: { id: `r${n}` }, shelf: [{ sku: `a${n % 7}` }, { sku: `b${n % 5}` }] };
    const click = { when: at + n * 1000 + 4000, rec: `r${n}`, sku: `b${n % 5}`, event: 'click' };
    return [
      { topic: 'impressions', key: `r${n}`, value: JSON.stringify(list) },
      { topic: 'feedback', key: `r${n}`, value: JSON.stringify(click) },
    ];
  }).flat();
}

itWith(
  SERVERS,
  'inspect --kafka says what the newest records of the topics are, and writes a configuration',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(2);
      await stand.produce([
        ...traffic(),
        { topic: 'feedback', key: 'r1', value: null },
        { topic: 'feedback', key: 'r1', value: 'no JSON' },
      ]);
      const folder = mkdtempSync(join(tmpdir(), 'receval-inspect-'));
      const file = join(folder, 'written.yaml');
      try {
        const { code, stdout } = await stand.command(inspectCommand, '--kafka', '--output', 'json', '--write', file);
        const found = JSON.parse(stdout);
        expect(found.join).toMatchObject({ feedback: 40, known: 40, inList: 40 });
        expect(found.join.tried[0]).toMatchObject({ impressions: '/rec/id', feedback: '/rec', share: 1 });
        expect(found.findings.filter(({ level }: { level: string }) => level === 'wrong')).toMatchObject([
          { code: 'bad_rows', remedy: expect.stringContaining('receval run with deadLetter') },
        ]);
        const [, ends] = await stand.ends();
        const [{ name, partition, bad }] = found.files.filter((one: { bad: readonly object[] }) => one.bad.length > 0);
        const offset = ends[partition] - 1;
        expect(name).toBe(stand.topics.feedback);
        expect(bad).toMatchObject([{ offset, why: 'is not JSON' }]);
        const [{ message }] = found.findings;
        expect(message).toContain(`${name}, partition ${partition}, cannot be read; the one at offset ${offset} is`);
        expect(code).toBe(1);
        const written = readFileSync(file, 'utf8');
        expect(written).toContain(`impressions: {name: ${stand.topics.impressions}}`);
        expect(written).toContain('items.id: /sku');
        const printed = (await stand.command(inspectCommand, '--kafka')).stdout;
        expect(printed).toContain(stand.topics.feedback);
        expect(printed).toMatch(/newest 40 records\n.*\n.*newest 41 records/);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  },
);

itWith(SERVERS, 'inspect --kafka names all topics of feedback, and a map for each', async (servers) => {
  await withStand(servers, (stand) =>
    withStand(servers, async (other) => {
      await stand.makeTopics(2);
      await other.makeTopics({ impressions: 0, feedback: 2 });
      await stand.produce(traffic());
      await other.produce(
        traffic()
          .filter(({ topic, key }) => topic === 'feedback' && Number(key?.slice(1)) % 4 === 0)
          .map(({ value, ...record }) => {
            const { when, rec, sku } = JSON.parse(value ?? '');
            return { ...record, value: JSON.stringify({ order: { list: rec, paid_at: when + 60_000 }, article: sku }) };
          }),
      );
      const names = [stand.topics.feedback, other.topics.feedback];
      stand.configure({
        kafka: {
          brokers: servers.kafka.brokers,
          topics: { impressions: { name: stand.topics.impressions }, feedback: names.map((name) => ({ name })) },
        },
      });
      const folder = mkdtempSync(join(tmpdir(), 'receval-inspect-'));
      const file = join(folder, 'written.yaml');
      try {
        const { code, stdout } = await stand.command(inspectCommand, '--kafka', '--output', 'json', '--write', file);
        expect(code).toBe(0);
        expect(JSON.parse(stdout).join).toMatchObject({ feedback: 50, known: 50, inList: 50 });
        const { kafka } = loadSettings({
          file,
          readFile: (path) => readFileSync(path, 'utf8'),
          env: {},
          command: 'run',
        });
        expect(kafka.topics.map(({ name }) => name)).toEqual([stand.topics.impressions, ...names]);
        const maps = [expect.objectContaining({ map: expect.objectContaining({ itemId: '/sku' }) })];
        const [, clicks, orders] = kafka.topics;
        expect(clicks.adapter).toMatchObject({ maps: expect.arrayContaining(maps) });
        expect(orders.adapter).toEqual(clicks.adapter);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
  );
});

itWith(SERVERS, 'inspect --kafka says which topic is missing', async (servers) => {
  await withStand(servers, async (stand) => {
    const { code, stderr } = await stand.command(inspectCommand, '--kafka');
    expect(stderr).toContain(`there is no topic ${stand.topics.impressions}, ${stand.topics.feedback}`);
    expect(code).not.toBe(0);
  });
});

itWith(
  SERVERS,
  'a service finds out of the newest records of its partitions what is wrong with them',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(2);
      const at = Date.now() - 600_000;
      // In partition 0 clicks write something before the id; in partition 1 lists have another name for it.
      const records = Array.from({ length: 40 }, (_, n): readonly Produced[] => {
        const list = { ts: at + n * 1000, items: ['a', 'b'], userId: `u${n}` };
        const click = { ts: at + n * 1000 + 4000, itemId: 'a', action: 'click' };
        return [
          { topic: 'impressions', partition: 0, value: JSON.stringify({ ...list, requestId: `r${n}` }) },
          { topic: 'feedback', partition: 0, value: JSON.stringify({ ...click, requestId: `web:r${n}` }) },
          { topic: 'impressions', partition: 1, value: JSON.stringify({ ...list, request_id: `q${n}` }) },
          { topic: 'feedback', partition: 1, value: JSON.stringify({ ...click, requestId: `q${n}` }) },
        ];
      });
      await stand.produce(records.flat());
      const settings = loadSettings({ file: stand.file, readFile: (path) => readFileSync(path, 'utf8'), env: {} });
      expect((await lookAtRecords(settings, [0], Date.now())).map(({ code }) => code)).toEqual([
        'ids_differ_by_prefix',
      ]);
      expect(await lookAtRecords(settings, [1], Date.now())).toMatchObject([
        {
          code: 'most_invalid',
          topic: stand.topics.impressions,
          cause: expect.stringContaining('The first such record has ts, items, userId, request_id.'),
          remedy: expect.stringContaining('Say where requestId is'),
        },
      ]);
    });
  },
);
