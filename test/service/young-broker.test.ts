/**
 * A broker that has just started serves topics before a coordinator has loaded what the groups have committed. Here a front in
 * place of the broker says so as often as is wanted, and passes on everything else.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { offsetsCommand } from '../../src/cli/offsets.ts';
import { KafkaAdmin } from '../../src/consumers/source/kafka/access/admin.ts';
import { itWith, type Service } from '../services/it-with.ts';
import { type RunningKafka, startKafka } from '../services/kafka.ts';
import { freePort } from '../services/ports.ts';
import { startRedis } from '../services/redis.ts';
import { type Servers, withStand } from './stand.ts';

/** Numbers of Kafka's protocol: kafka.apache.org/protocol#protocol_api_keys, and of its errors. */
const OFFSET_FETCH = 9;
const DESCRIBE_GROUPS = 15;
const LOADING = 14;
const NOT_COORDINATOR = 16;

/** How often each request is still refused, and with which error. */
const refused = new Map<number, { left: number; readonly code: number }>();

/** What version 2 of DescribeGroups and version 4 of OffsetFetch answer, after the number of the request: no throttling, one error. */
function refusal(api: number, code: number): Buffer {
  const none = [0, 0, 0, 0];
  if (api === OFFSET_FETCH) return Buffer.from([...none, ...none, 0, code]);
  const empty = [0, 0];
  return Buffer.from([...none, 0, 0, 0, 1, 0, code, ...empty, ...empty, ...empty, ...empty, ...none]);
}

function framed(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** Calls with each message of a connection, without its length. */
function onMessage(socket: Socket, take: (message: Buffer) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
      const end = 4 + bytes.readInt32BE(0);
      take(bytes.subarray(4, end));
      bytes = bytes.subarray(end);
    }
  });
}

function front(broker: number): Server {
  return createServer((client) => {
    const behind = connect(broker, '127.0.0.1');
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ]) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    onMessage(behind, (answer) => void client.write(framed(answer)));
    onMessage(client, (request) => {
      const refuse = refused.get(request.readInt16BE(0));
      if (refuse === undefined || refuse.left === 0) {
        behind.write(framed(request));
        return;
      }
      refuse.left--;
      client.write(framed(Buffer.concat([request.subarray(4, 8), refusal(request.readInt16BE(0), refuse.code)])));
    });
  });
}

let started: Promise<Servers & { readonly door: Server }> | undefined;

async function start(): Promise<Servers & { readonly door: Server }> {
  const port = await freePort();
  const [behind, redis] = await Promise.all([
    startKafka({ properties: { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}` } }),
    startRedis({ config: { appendonly: 'yes' } }),
  ]);
  const door = front(Number(behind.brokers[0].split(':')[1]));
  await new Promise<void>((resolve) => door.listen(port, '127.0.0.1', resolve));
  const kafka: RunningKafka = { ...behind, brokers: [`127.0.0.1:${port}`] };
  return { kafka, redis, door };
}

const SERVERS: Service<Servers> = {
  name: 'Kafka behind a front, and Redis',
  get: () => {
    started ??= start();
    return started;
  },
};

afterAll(async () => {
  const servers = await started?.catch(() => undefined);
  servers?.door.close();
  await Promise.all([servers?.kafka.stop(), servers?.redis.stop()]);
});

/** More often than kafkajs asks by itself. */
function refuse(code: number, left = 5): void {
  for (const api of [OFFSET_FETCH, DESCRIBE_GROUPS]) refused.set(api, { left, code });
}

itWith(SERVERS, 'doctor and offsets ask again until the group has its coordinator', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    for (const code of [NOT_COORDINATOR, LOADING]) {
      refuse(code);
      const { stdout } = await stand.command(doctorCommand, '--output', 'json');
      const { findings }: { readonly findings: readonly { readonly check: string; readonly level: string }[] } =
        JSON.parse(stdout);
      expect(findings.filter(({ check }) => check === 'group')).toMatchObject([{ level: 'ok' }]);
      expect(findings.filter(({ check }) => check === 'state')).not.toEqual([]);
      expect([...refused.values()].map(({ left }) => left)).toEqual([0, 0]);

      refuse(code);
      expect(await stand.command(offsetsCommand)).toMatchObject({ code: 0, stderr: '' });
      expect(refused.get(OFFSET_FETCH)?.left).toBe(0);
    }
  });
});

itWith(SERVERS, 'a group that never has a coordinator is reported, with what to look at', async ({ kafka }) => {
  const admin = new KafkaAdmin({ brokers: kafka.brokers, clientId: 'test', topics: [], coordinatorTimeout: 0 });
  try {
    refuse(NOT_COORDINATOR, Number.POSITIVE_INFINITY);
    const told =
      /^the group g has had no coordinator for 0 s \(This is not the correct coordinator .*__consumer_offsets/;
    await expect(admin.group('g')).rejects.toThrow(told);
    await expect(admin.committedBy('g')).rejects.toThrow(told);
  } finally {
    refused.clear();
    await admin.close();
  }
});
