import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { kafkajs } from '../../src/consumers/source/kafka/access/client.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { client, makeTopics } from '../consumers/source/kafka/fixture.ts';
import { header, lettersIn } from '../dead-letters/letter-log.ts';
import { itWith } from '../services/it-with.ts';
import { type Produced, type RunningService, type Servers, type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();
const { Partitioners } = kafkajs;
const QUICK = { horizons: ['1s', '2s'], outOfOrderness: '500ms', idleAfter: '500ms' };
const LONGEST = 3000;

type Headers = Readonly<Record<string, string | Buffer | (string | Buffer)[]>>;

async function write(
  { kafka }: Servers,
  topic: string,
  key: string | Buffer | null,
  value: string | Buffer | null,
  headers: Headers = {},
): Promise<void> {
  const producer = client(kafka).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic, messages: [{ key, value, headers, timestamp: '1790000000000' }] });
  await producer.disconnect();
}

function clean(count: number, at: number): readonly Produced[] {
  return Array.from({ length: count }, (_, n): readonly Produced[] => {
    const requestId = `r-${at}-${n}`;
    return [
      { topic: 'impressions', value: JSON.stringify({ requestId, ts: at, items: ['a', 'b'] }), at },
      { topic: 'feedback', value: JSON.stringify({ requestId, itemId: 'a', ts: at, action: 'click' }), at },
    ];
  }).flat();
}

/** Lists and clicks of now, and the service until they have closed. */
async function counted(stand: Stand, seen: (service: RunningService) => Promise<void> = async () => {}): Promise<void> {
  const at = Date.now();
  await stand.produce(clean(3, at));
  const service = stand.run();
  try {
    await stand.drained(1, service, at + LONGEST);
    await seen(service);
    expect(await service.stop()).toBe(0);
  } finally {
    if (service.isRunning) await service.stop();
  }
}

async function metrics(service: RunningService): Promise<string> {
  const port = /"port":(\d+)/.exec(service.printed)?.[1];
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

const outcome = (name: string, n: number): string => `receval_dead_letters_total{outcome="${name}"} ${n}`;

itWith(
  SERVERS,
  'invalid records go to a topic as they were read, once, with what is wrong in headers',
  async (servers) => {
    await withStand(servers, async (stand) => {
      await stand.makeTopics(1);
      const [letters] = await makeTopics(servers.kafka, 1, 1);
      stand.configure({ attribution: QUICK, deadLetter: { to: 'topic', topic: letters } });
      const { impressions, feedback } = stand.topics;
      const trace = { trace: ['1', '2'], '__receval.errors.code': 'older' };
      await write(servers, impressions, Buffer.from([0xff, 0x00]), Buffer.from([0xfe, 0xfd]), trace);
      await write(servers, impressions, 'u1', '{"requestId":"r1","items":[],"ts":"soon"}', { 'content-type': 'json' });
      await write(servers, impressions, 'u1', null);
      await write(servers, feedback, null, '{"items":[]}');
      await counted(stand, async (service) => {
        await until('they are counted', async () => (await metrics(service)).includes(outcome('written', 3)));
        expect(await metrics(service)).toContain(outcome('failed', 0));
        expect(service.printed).not.toContain('dead letter');
      });
      // Read again from the replay offsets, but below what is committed.
      await counted(stand);
      const found = await lettersIn(servers.kafka, letters, 3);
      expect(found.length).toBe(3);
      const [bytes, text, kind] = ['not_utf8', 'bad_time', 'wrong_kind'].map((code) =>
        found.find((one) => header(one, '__receval.errors.code') === code),
      );
      expect(bytes).toMatchObject({ key: '0xff00', value: '0xfefd' });
      expect(bytes?.headers.filter(([name]) => name === 'trace')).toEqual([
        ['trace', '1'],
        ['trace', '2'],
      ]);
      expect(bytes?.headers.filter(([name]) => name === '__receval.errors.code')).toEqual([
        ['__receval.errors.code', 'older'],
        ['__receval.errors.code', 'not_utf8'],
      ]);
      expect(text).toEqual({
        key: 'u1',
        value: '{"requestId":"r1","items":[],"ts":"soon"}',
        headers: [
          ['content-type', 'json'],
          ['__receval.errors.reason', 'invalid'],
          ['__receval.errors.code', 'bad_time'],
          ['__receval.errors.field', 'ts'],
          ['__receval.errors.topic', impressions],
          ['__receval.errors.partition', '0'],
          ['__receval.errors.offset', '1'],
          ['__receval.errors.timestamp', '1790000000000'],
        ],
      });
      expect(kind).toMatchObject({ key: null, value: '{"items":[]}' });
    });
  },
);

itWith(SERVERS, 'counting continues while letters cannot be written, and says so', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    for (const deadLetter of [
      { to: 'file', file: '/dev/full' },
      { to: 'file', file: '/nowhere/letters.ndjson' },
      { to: 'topic', topic: `missing-${randomUUID()}` },
    ]) {
      stand.configure({ attribution: QUICK, deadLetter });
      await write(servers, stand.topics.impressions, null, 'broken');
      await counted(stand, async (service) => {
        await service.printedOnce(/a dead letter could not be written; counting continues/);
        const counts = /receval_invalid_total\{[^}]*code="not_json"\} 1/;
        await until('it is counted', async () => counts.test(await metrics(service)));
        expect(await metrics(service)).toContain(outcome('written', 0));
      });
    }
  });
});

itWith(SERVERS, 'invalid records go to a file', async (servers) => {
  const folder = mkdtempSync(join(tmpdir(), 'receval-letters-'));
  try {
    await withStand(servers, async (stand) => {
      const file = join(folder, 'letters.ndjson');
      await stand.makeTopics(1);
      stand.configure({ attribution: QUICK, deadLetter: { to: 'file', file } });
      await write(servers, stand.topics.feedback, 'k', 'broken', { a: 'b' });
      await counted(stand);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
        topic: stand.topics.feedback,
        partition: 0,
        offset: 0,
        timestamp: 1_790_000_000_000,
        reason: 'invalid',
        code: 'not_json',
        key: 'k',
        value: 'broken',
        headers: [{ name: 'a', value: 'b' }],
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

itWith(SERVERS, 'a worker that is killed leaves the letter of every record that it has counted', async (servers) => {
  const folder = mkdtempSync(join(tmpdir(), 'receval-letters-'));
  try {
    await withStand(servers, async (stand) => {
      const file = join(folder, 'letters.ndjson');
      await stand.makeTopics(1);
      const { impressions, feedback } = stand.topics;
      const topics = { impressions: { name: impressions }, feedback: { name: feedback } };
      let counted = 0;
      for (let round = 0; round < 3; round++) {
        // A group of its own does not wait for the one who was killed.
        const kafka = { brokers: servers.kafka.brokers, groupId: `${stand.namespace}-${round}`, topics };
        const deadLetter = { to: 'file', file };
        stand.configure({ kafka, attribution: QUICK, commit: { interval: '50ms' }, deadLetter });
        const service = stand.run();
        const before = counted;
        const feeding = stand.produce(
          Array.from({ length: 300 }, (_, n): Produced => ({ topic: 'impressions', value: `broken ${round} ${n}` })),
        );
        await until('some are counted', async () => {
          counted = (await stand.stored(0))?.join.topics[0].committed ?? 0;
          return counted > before + 20;
        });
        expect(await service.ended(0)).toBeNull();
        await feeding;
        counted = (await stand.stored(0))?.join.topics[0].committed ?? 0;
        const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
        const kept = new Set(lines.map((line): unknown => Reflect.get(JSON.parse(line), 'offset')));
        const missing = Array.from({ length: counted }, (_, offset) => offset).filter((offset) => !kept.has(offset));
        expect(missing).toEqual([]);
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

itWith(SERVERS, 'the doctor looks where letters go, and writes nothing', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    const [small, large] = [
      ...(await makeTopics(servers.kafka, 1, 2)),
      ...(await makeTopics(servers.kafka, 1, 1, { 'max.message.bytes': '2000000' })),
    ];
    const told = async (deadLetter: unknown): Promise<string> => {
      stand.configure({ deadLetter });
      const { stdout } = await stand.command(doctorCommand);
      return stdout
        .split('\n')
        .filter((line) => line.includes('dead letters'))
        .join('\n');
    };
    expect(await told('off')).toBe('');
    expect(await told({ to: 'topic', topic: 'nowhere' })).toMatch(
      /^error +dead letters: there is no topic nowhere: create/,
    );
    expect(await told({ to: 'topic', topic: large })).toMatch(/^ok +dead letters: \S+ can be written$/);
    expect(await told({ to: 'topic', topic: small })).toMatch(
      /^warning +dead letters: max\.message\.bytes of .* higher$/m,
    );
    expect(await told({ to: 'file', file: '/nowhere/a' })).toMatch(
      /^error +dead letters: .*cannot be made in \/nowhere/,
    );
    expect(await told({ to: 'file', file: '/dev/full' })).toMatch(/^ok +dead letters: \/dev\/full can be written$/);
    const admin = client(servers.kafka).admin();
    await admin.connect();
    for (const topic of [small, large]) {
      expect((await admin.fetchTopicOffsets(topic)).map(({ high }) => high)).not.toContain('1');
    }
    await admin.disconnect();
  });
});
