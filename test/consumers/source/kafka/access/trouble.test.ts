import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { explained, troubleOf } from '../../../../../src/consumers/source/kafka/access/trouble.ts';
import { freePort } from '../../../../services/ports.ts';

/** The words for an error of kafkajs while nobody listens at the broker. */
async function told(name: string, message: string): Promise<string> {
  const broker = `127.0.0.1:${await freePort()}`;
  const failing = () => Promise.reject(Object.assign(new Error(message), { name }));
  const error: unknown = await explained({ brokers: [broker], clientId: 'test' }, failing).catch((error) => error);
  return error instanceof Error ? error.message.replace(broker, 'BROKER') : '';
}

it('a broker that cannot be reached is reported with what to look at', async () => {
  expect(await told('KafkaJSConnectionError', 'Connection error: connect ECONNREFUSED 10.0.0.1:9092')).toBe(
    'kafka (BROKER): Connection error: connect ECONNREFUSED 10.0.0.1:9092; check kafka.brokers and the network',
  );
  expect(await told('KafkaJSNoBrokerAvailableError', 'No broker available')).toMatch(
    /; check kafka\.brokers and the network$/,
  );
  expect(await told('KafkaJSConnectionError', 'Connection timeout')).toMatch(/; check kafka\.brokers and the network$/);
});

it('what a broker says itself is not taken for the network', async () => {
  expect(await told('KafkaJSProtocolError', 'The coordinator is loading')).toBe(
    'kafka (BROKER): The coordinator is loading',
  );
});

it('another error stays what it is', async () => {
  expect(await told('TypeError', 'Connection error')).toBe('Connection error');
});

it('one address of several that is no broker is named, and the others are waited for; alone, it is never one', async () => {
  const web = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => web.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void web.close());
  const wrong = `127.0.0.1:${port}`;
  const away = `127.0.0.1:${await freePort()}`;
  const lost = Object.assign(new Error('Connection error'), { name: 'KafkaJSConnectionError' });
  const of = async (...brokers: string[]) => {
    const { kind, message } = await troubleOf(lost, { brokers, clientId: 'test' });
    return { kind, names: message.includes(`; ${wrong}: `) };
  };
  expect(await of(wrong)).toEqual({ kind: 'access', names: true });
  expect(await of(away, wrong)).toEqual({ kind: 'passing', names: true });
  expect(await of(away)).toEqual({ kind: 'passing', names: false });
});
