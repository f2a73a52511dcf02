/** Ports of the right host at which somebody else answers. */
import { createServer } from 'node:http';
import { expect } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { offsetsCommand } from '../../src/cli/offsets.ts';
import { explainBroker, mustBeBrokers } from '../../src/consumers/source/kafka/access/trouble.ts';
import { itWith } from '../services/it-with.ts';
import { freePort } from '../services/ports.ts';
import { type Servers, type Stand, sharedServers, withStand } from './stand.ts';

const SERVERS = sharedServers();

/** Brokers that are not the stand's own. */
function brokersOf(stand: Stand, brokers: readonly string[]): Readonly<Record<string, unknown>> {
  const topics = { impressions: { name: stand.topics.impressions }, feedback: { name: stand.topics.feedback } };
  return { kafka: { brokers, groupId: stand.namespace, topics } };
}

function redisPort({ redis }: Servers): string {
  return `127.0.0.1:${redis.port}`;
}

async function withHttp(work: (address: string) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => response.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    await work(`127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  } finally {
    server.close();
  }
}

itWith(SERVERS, 'who answers where a broker should is reported', async (servers) => {
  const ask = (broker: string) => explainBroker(broker, { brokers: [broker], clientId: 'test' });
  expect(await ask(servers.kafka.brokers[0])).toBeUndefined();
  expect(await ask(servers.kafka.listener('CONTROLLER'))).toMatch(
    /^what answers there is not the listener of a broker, but that of a controller \(KRaft\): name .* advertised\.listeners$/,
  );
  expect(await ask(redisPort(servers))).toMatch(/^this port speaks Redis, and not Kafka: name .* in kafka\.brokers/);
  await withHttp(async (address) => {
    expect(await ask(address)).toMatch(/^this port speaks HTTP, and not Kafka: name .* in kafka\.brokers/);
  });
});

itWith(
  SERVERS,
  'the port of Redis given as that of a broker is refused before the client tries it, with what to do',
  async (servers) => {
    await withStand(servers, async (stand) => {
      const broker = redisPort(servers);
      const said = `kafka (${broker}): ${broker}: this port speaks Redis, and not Kafka: name the listeners of brokers`;
      stand.configure(brokersOf(stand, [broker]));
      const service = stand.run();
      expect(await service.ended()).toBe(1);
      expect(service.printed).toContain(said);
      expect(service.printed).not.toContain('timed out');
      const offsets = await stand.command(offsetsCommand);
      expect([offsets.code, offsets.stderr]).toEqual([1, expect.stringContaining(said)]);
      // One that may be a broker is asked by the client.
      for (const other of [servers.kafka.brokers[0], `127.0.0.1:${await freePort()}`]) {
        await mustBeBrokers({ brokers: [broker, other], clientId: 'test' });
      }
    });
  },
);

itWith(SERVERS, 'the port of a controller is refused by run and doctor, with what to do', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    const controller = servers.kafka.listener('CONTROLLER');
    const said = `${controller}: what answers there is not the listener of a broker, but that of a controller (KRaft): name`;
    stand.configure(brokersOf(stand, [controller]));
    const service = stand.run();
    expect(await service.ended()).toBe(1);
    expect(service.printed).toContain(said);
    const alone = await stand.command(doctorCommand);
    expect(alone.stdout.replace(/\s+/g, ' ')).toContain(
      `error brokers: ${controller} of kafka.brokers cannot be used: ${said.slice(controller.length + 2)}`,
    );
    // Beside a broker it is no broker of another version.
    stand.configure(brokersOf(stand, [servers.kafka.brokers[0], controller]));
    const beside = await stand.command(doctorCommand, '--output', 'json');
    const { findings }: { findings: { check: string; level: string; message: string }[] } = JSON.parse(beside.stdout);
    const told = findings.filter(({ check, message }) => check === 'versions' || message.includes('controller'));
    expect(told.map(({ check, level }) => `${level} ${check}`)).toEqual(['warning brokers', 'ok versions']);
  });
});

itWith(SERVERS, 'the port of a broker given as that of Redis is refused at once, with what to do', async (servers) => {
  await withStand(servers, async (stand) => {
    await stand.makeTopics(1);
    const [broker] = servers.kafka.brokers;
    const said = `${broker} speaks Kafka, and not Redis: correct redis.url`;
    stand.configure({ redis: { url: `redis://${broker}` } });
    const service = stand.run();
    expect(await service.ended()).toBe(1);
    expect(service.printed).toContain(said);
    expect(service.printed).not.toContain('Redis did not answer yet');
    const { stdout } = await stand.command(doctorCommand, '--output', 'json');
    expect(stdout).toContain(said);
    await withHttp(async (address) => {
      stand.configure({ redis: { url: `redis://${address}` } });
      const http = await stand.command(doctorCommand, '--output', 'json');
      expect(http.stdout).toContain(`${address} speaks HTTP, and not Redis: correct redis.url`);
    });
  });
});
