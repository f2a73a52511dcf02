import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Pages } from '../../src/server/routes.ts';
import { LIMITS, type Limits, type RunningServer, startServer } from '../../src/server/server.ts';
import { until } from '../consumers/source/kafka-collector.ts';
import { RawConnection } from './raw.ts';

const PAGES: Pages = {
  metrics: () => 'receval_x 1\n',
  contentType: 'text/plain',
  ready: () => ({ ready: true, reasons: [], stopped: [] }),
  healthy: () => true,
};
const QUICK: Partial<Limits> = { headersTimeout: 300, requestTimeout: 600, checkEvery: 50 };

const running: RunningServer[] = [];
const open: RawConnection[] = [];

afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(limits: Partial<Limits> = {}, pages: Partial<Pages> = {}): Promise<RunningServer> {
  const server = await startServer({ host: '127.0.0.1', port: 0, limits }, { ...PAGES, ...pages });
  running.push(server);
  return server;
}

async function connect(server: RunningServer): Promise<RawConnection> {
  const connection = await RawConnection.open(server);
  open.push(connection);
  return connection;
}

async function works({ port }: RunningServer): Promise<void> {
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
}

/** One byte after another, for ever. */
async function drip(connection: RawConnection, bytes: string): Promise<void> {
  for (let at = 0; !connection.socket.destroyed && connection.socket.writable; at++) {
    connection.write(bytes[at % bytes.length]);
    await sleep(20);
  }
}

describe('a client that is slow', () => {
  it('to send its headers is told so and cut, however many bytes come meanwhile', async () => {
    const connection = await connect(await start(QUICK));
    connection.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n');
    const [text] = await Promise.all([connection.ended, drip(connection, 'X-a: b\r\n')]);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(JSON.parse(connection.body)).toMatchObject({ status: 408 });
  });

  it('to send its body is answered without it, and cut', async () => {
    const connection = await connect(await start(QUICK));
    connection.write('POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n');
    const [text] = await Promise.all([connection.ended, drip(connection, 'x')]);
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
    expect(connection.statuses).toEqual([405]);
  });

  it('to send a body in chunks is answered without it, and cut', async () => {
    const connection = await connect(await start(QUICK));
    connection.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    const [text] = await Promise.all([connection.ended, drip(connection, '1\r\nx\r\n')]);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('to take its answer is cut, be it drop by drop, and leaves others alone', async () => {
    const page = 'x'.repeat(50_000_000);
    const server = await start({ answerTimeout: 500 }, { metrics: () => page });
    const slow = await connect(server);
    slow.socket.pause();
    slow.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    for (let n = 0; n < 40; n++) {
      slow.socket.read(1000);
      await sleep(20);
    }
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
    // What the system holds for it still comes.
    slow.socket.resume();
    await slow.ended;
    expect(slow.text.length).toBeLessThan(page.length);
  });

  it('and silent between two requests is let go of', async () => {
    const connection = await connect(await start({ keepAliveTimeout: 100 }));
    connection.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await connection.ended;
    expect(connection.statuses).toEqual([200]);
  });
});

describe('a client that wants too much', () => {
  it('gets the answers of pipelined requests in their order', async () => {
    const page = `${'y'.repeat(5000)}\n`;
    const connection = await connect(await start({}, { metrics: () => page }));
    const paths = Array.from({ length: 40 }, (_, n) => ['/metrics', '/nothing', '/healthz'][n % 3]);
    const all = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n`);
    connection.write(`${all.join('')}GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await connection.ended;
    expect(connection.statuses).toEqual([...paths.map((path) => (path === '/nothing' ? 404 : 200)), 200]);
  });

  it('is not served for ever on one connection', async () => {
    const connection = await connect(await start({ requestsPerConnection: 5 }));
    connection.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
    await connection.ended;
    expect(connection.statuses.filter((status) => status === 200).length).toBe(5);
    expect(connection.statuses.slice(5)).toEqual(connection.statuses.slice(5).map(() => 503));
  });

  it('cannot fill the memory with answers that it does not take', async () => {
    const page = 'x'.repeat(1_000_000);
    const server = await start({}, { metrics: () => page });
    const greedy = await connect(server);
    greedy.socket.pause();
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 100; n++) greedy.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10));
    await sleep(500);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
    await works(server);
  });

  it('cannot take all connections by never taking its answers', async () => {
    const page = 'x'.repeat(20_000_000);
    const server = await start({ answerTimeout: 400, connections: 60 }, { metrics: () => page });
    for (let n = 0; n < 60; n++) {
      const greedy = await connect(server).catch(() => undefined);
      greedy?.socket.pause();
      greedy?.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    }
    const isServed = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${server.port}/metrics`).then(
        ({ status, body }) => body?.cancel().then(() => status === 200) ?? false,
        () => false,
      );
    await until('others are served', isServed);
  });
});

describe('a request that is no good', () => {
  it.each([
    ['without a host', 'GET /metrics HTTP/1.1\r\n\r\n', 400],
    ['with a method that nobody knows', 'HACK /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    [
      'with two lengths',
      'GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'with a length and chunks',
      'GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['with a folded header', 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n', 400],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [
      'for another server',
      'GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['for the whole server', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    ['for a file', 'GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    [
      'for a file in disguise',
      'GET /..%2f..%2fetc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['with a long path', `GET /${'a'.repeat(LIMITS.headerBytes)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
    ['with a line break in its host', 'GET /metrics HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n', 400],
  ])('%s gets an answer and no more: %#', async (_, bytes, status) => {
    const server = await start();
    const connection = await connect(server);
    connection.write(bytes);
    await connection.ended;
    expect(connection.statuses).toEqual([status]);
    expect(connection.text).toContain('application/problem+json');
    await works(server);
  });

  it('behind one whose answer is on its way ends the connection, and nothing comes in between', async () => {
    const page = 'z'.repeat(2_000_000);
    const connection = await connect(await start({}, { metrics: () => page }));
    connection.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\nrubbish\r\n\r\n');
    await connection.ended;
    expect(connection.statuses).not.toContain(400);
  });

  it('that asks to tunnel or to change the protocol gets neither', async () => {
    const server = await start();
    const tunnel = await connect(server);
    tunnel.write('CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await tunnel.ended).toBe('');
    const upgrade = await connect(server);
    upgrade.write(
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    );
    await upgrade.ended;
    expect(upgrade.statuses).toEqual([200]);
  });
});
