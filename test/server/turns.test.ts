import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TurnTaking } from '../../src/server/turns.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { freePort } from '../services/ports.ts';
import { RawConnection } from './raw.ts';

const clients: Socket[] = [];
let accepted: Socket[] = [];
const server = createServer({ allowHalfOpen: true }, (socket) => accepted.push(socket));
let port = 0;

beforeAll(async () => {
  port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const socket of [...clients.splice(0), ...accepted]) socket.destroy();
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Both ends of a connection. */
async function pair(): Promise<{ readonly client: RawConnection; readonly turns: TurnTaking }> {
  accepted = [];
  const client = await RawConnection.open({ port });
  clients.push(client.socket);
  await until('it is accepted', () => accepted.length > 0);
  return { client, turns: new TurnTaking(accepted[0]) };
}

/** Whether it holds the ends of two requests: an empty line, and another behind what follows. */
function hasTwo(bytes: string): boolean {
  return /\n\r?\n[\r\n]*[^\r\n](?:.|[\r\n])*\n\r?\n/.test(bytes);
}

const request = fc
  .tuple(
    fc.constantFrom('', '\r\n', '\n\r\n\r\n'),
    fc.constantFrom('GET / HTTP/1.1\r\n\r\n', 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n', 'A\nB: c\n\n', '\r\r\n'),
  )
  .map((parts) => parts.join(''));

test('all bytes come in order, and never two requests between two answers, wherever the network cuts them', async () => {
  const cut = fc.tuple(
    fc.array(request, { minLength: 1, maxLength: 12 }),
    fc.infiniteStream(fc.integer({ min: 1, max: 60 })),
  );
  await fc.assert(
    fc.asyncProperty(cut, async ([requests, sizes]) => {
      const bytes = requests.join('');
      const { client, turns } = await pair();
      let all = '';
      let turn = '';
      turns.on('data', (piece: Buffer) => {
        all += piece.toString('latin1');
        turn += piece.toString('latin1');
        expect(hasTwo(turn)).toBe(false);
        if (!/\n\r?\n[\r\n]*$/.test(turn)) return;
        turns.asked();
        // Whatever still comes before the answer belongs to this turn, and should be nothing.
        const before = all;
        setImmediate(() => {
          expect(all).toBe(before);
          turn = '';
          turns.answered();
        });
      });
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value;
        client.write(bytes.slice(at, at + size));
        at += size;
        if (size % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await until('all of it has come', () => all.length === bytes.length);
      expect(all).toBe(bytes);
      turns.destroy();
      client.socket.destroy();
    }),
    { numRuns: 60 },
  );
});

test('no more is read from the network than two reads, while an answer is on its way', async () => {
  const { client, turns } = await pair();
  let handed = 0;
  turns.on('data', (piece: Buffer) => {
    handed += piece.length;
    turns.asked();
  });
  const wave = 'GET / HTTP/1.1\r\n\r\n'.repeat(100_000);
  client.write(wave);
  await until('the first is handed over', () => handed > 0);
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
  expect(handed).toBe('GET / HTTP/1.1\r\n\r\n'.length);
  expect(accepted[0].bytesRead).toBeLessThanOrEqual(2 * 65_536);
  turns.destroy();
  client.socket.destroy();
});

test('what comes behind the last request is thrown away, and the answer still arrives', async () => {
  const { client, turns } = await pair();
  let handed = '';
  turns.on('data', (piece: Buffer) => {
    handed += piece.toString('latin1');
    turns.asked();
    turns.deafen();
  });
  client.write('POST / HTTP/1.1\r\n\r\n');
  for (let n = 0; n < 50; n++) client.write('x'.repeat(100_000));
  await until('all is read', () => accepted[0].bytesRead > 5_000_000);
  turns.end('answer');
  client.socket.end();
  await until('it has the answer', () => client.text === 'answer');
  expect(handed).toBe('POST / HTTP/1.1\r\n\r\n');
  turns.destroy();
  client.socket.destroy();
});
