import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { sourceOver } from '../fixture.ts';
import { Told } from '../told.ts';

/** Of a request without a client id: those of kafkajs have one, those that look for the cause of a crash have none. */
const NO_CLIENT_ID = -1;

it('a source stops without waiting for the cause of a crash, and says nothing of it afterwards', async () => {
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const silent = new Set<Socket>();
  // Breaks every connection of kafkajs, and is silent when it is asked for the cause.
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => silent.delete(socket));
    socket.on('data', (bytes) => {
      if (bytes.length < 14 || bytes.readInt16BE(12) !== NO_CLIENT_ID) {
        socket.destroy();
        return;
      }
      silent.add(socket);
      asked();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const told = new Told();
  const source = sourceOver({ brokers: [`127.0.0.1:${port}`] }, ['a'], told, { stopTimeout: 500 });
  const running = source.run({ assigned: async () => {}, batch: async () => {} });
  await isAsked;
  await source.stop();
  expect(silent.size).toBe(1);
  await running;
  const [asking] = silent;
  const closed = new Promise((resolve) => asking.once('close', resolve));
  asking.destroy();
  await closed;
  server.close();
  await new Promise((resolve) => server.once('close', resolve));
  expect(told.warnings.filter((warning) => warning.includes('is replaced'))).toEqual([]);
});
