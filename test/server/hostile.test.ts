import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Pages } from '../../src/server/routes.ts';
import { LIMITS, type Limits, type RunningServer, startServer } from '../../src/server/server.ts';
import { until } from '../consumers/source/kafka/collector.ts';
import { RawConnection } from './raw.ts';

const PAGES: Pages = {
  metrics: async () => 'receval_x 1\n',
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

/** A request with these headers, and the last of its connection. */
function closing(headers: string): string {
  return `GET /metrics HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`;
}

/** One byte after another, for ever. */
async function drip(connection: RawConnection, bytes: string): Promise<void> {
  for (let at = 0; !connection.socket.destroyed && connection.socket.writable; at++) {
    connection.write(bytes[at % bytes.length]);
    await sleep(20);
  }
}

describe('a client that is slow', () => {
  it('to send its headers gets an answer and is cut, however many bytes come meanwhile', async () => {
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

  it('to take its answer gets it whole in time, also where it has ended its own side', async () => {
    const page = 'x'.repeat(5_000_000);
    const halfClosed = await connect(await start({}, { metrics: async () => page }));
    halfClosed.socket.end('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await halfClosed.ended;
    expect(halfClosed.body).toHaveLength(page.length);
  });

  it.each([
    ['its side is open', false],
    ['it has ended its side', true],
  ])('to take its answer is cut, be it drop by drop, and leaves others alone: %s', async (_, isEnded) => {
    const page = 'x'.repeat(50_000_000);
    const server = await start({ answerTimeout: 500 }, { metrics: async () => page });
    const slow = await connect(server);
    slow.socket.pause();
    slow.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    if (isEnded) slow.socket.end();
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
    const connection = await connect(await start({}, { metrics: async () => page }));
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
    const server = await start({}, { metrics: async () => page });
    const greedy = await connect(server);
    greedy.socket.pause();
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 100; n++) greedy.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10));
    await sleep(500);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
    await works(server);
  });

  it.each([
    [''],
    ['Connection: close\r\n'],
    ['Content-Length: 1\r\n'],
    ['Expect: 100-continue\r\n'],
    ['Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ])('is asked for one thing at a time, however many it asks for in one breath without reading: %j', async (header) => {
    // More than the system takes for it.
    const page = 'x'.repeat(20_000_000);
    let made = 0;
    const counted = async (): Promise<string> => {
      made++;
      return page;
    };
    const server = await start({}, { metrics: counted });
    const greedy = await connect(server);
    greedy.socket.pause();
    greedy.write(`GET /metrics HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`.repeat(900));
    await until('the first is asked', () => made > 0);
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
    expect(made).toBe(1);
  });

  it('leaves room for others in each round of the event loop, with many that ask without end', async () => {
    let asked = 0;
    const healthy = (): boolean => {
      asked++;
      return true;
    };
    const server = await start({}, { healthy });
    const all = await Promise.all(Array.from({ length: 40 }, () => connect(server)));
    for (const one of all) one.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200));
    await until('each has had an answer', () => all.every(({ text }) => text !== ''));
    const perRound: number[] = [];
    while (asked < 40 * 200) {
      const before = asked;
      await new Promise((resolve) => setImmediate(resolve));
      perRound.push(asked - before);
    }
    expect(perRound.length).toBeGreaterThan(100);
    expect(Math.max(...perRound)).toBeLessThanOrEqual(8);
  });

  it('is cut when it holds an old page while many pages are held, and who holds a new one is not', async () => {
    let made = 0;
    const page = async (): Promise<string> => `${made++}${'x'.repeat(10_000_000)}`;
    const server = await start({ heldBytes: 1_000_000 }, { metrics: page });
    const greedy: RawConnection[] = [];
    for (let n = 0; n < 12; n++) {
      const one = await connect(server);
      one.socket.pause();
      one.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
      greedy.push(one);
      await until(`page ${n} is made`, () => made > n);
    }
    for (const { socket } of greedy) socket.resume();
    const whole = await Promise.race([
      Promise.all(greedy.slice(0, 8).map(({ ended }) => ended)),
      sleep(20_000).then(() => []),
    ]);
    expect(whole.length).toBe(8);
    for (const text of whole) expect(text.length).toBeLessThan(10_000_000);
    await until('the last four have theirs', () => greedy.slice(8).every(({ text }) => text.length > 10_000_000));
  });

  it('cannot take all connections by never taking its answers', async () => {
    const page = 'x'.repeat(20_000_000);
    const patient = { answerTimeout: 3_600_000, silence: 3_600_000 };
    const server = await start({ ...patient, connections: 60 }, { metrics: async () => page });
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
    ['with two hosts', closing('Host: localhost\r\nHost: evil.example'), 400],
    ['with the same host twice', closing('Host: localhost\r\nHost: localhost'), 400],
    ['with two hosts in odd letters', closing('hOsT: localhost\r\nX-a: b\r\nHOST:evil.example'), 400],
    ['with two hosts, of HTTP/1.0', 'GET /metrics HTTP/1.0\r\nHost: localhost\r\nHost: evil.example\r\n\r\n', 400],
    ['with a list of hosts', closing('Host: localhost, evil.example'), 400],
    ['with a list of hosts without blanks', closing('Host: localhost,evil.example'), 400],
    ['with a user before its host', closing('Host: localhost@evil.example'), 400],
    ['with a path behind its host', closing('Host: localhost/metrics'), 400],
    ['with a list of ports', closing('Host: localhost:1:2'), 400],
    ['with letters that no host has', closing('Host: loc\xe4lhost'), 400],
    ['that expects what nobody knows', closing('Host: localhost\r\nExpect: 200-maybe'), 417],
  ])('%s gets an answer and no more: %#', async (_, bytes, status) => {
    const server = await start();
    const connection = await connect(server);
    connection.write(bytes);
    await connection.ended;
    expect(connection.statuses).toEqual([status]);
    expect(connection.text).toContain('application/problem+json');
    await works(server);
  });

  it('behind one whose answer is on its way is answered behind that, and ends the connection', async () => {
    const page = 'z'.repeat(2_000_000);
    const connection = await connect(await start({}, { metrics: async () => page }));
    connection.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\nrubbish\r\n\r\n');
    await connection.ended;
    expect(connection.statuses).toEqual([200, 400]);
  });

  it('is the last of its connection, however long its client goes on sending', async () => {
    const patient = { silence: 3_600_000, requestTimeout: 3_600_000, headersTimeout: 3_600_000 };
    const connection = await connect(await start(patient));
    connection.write('rubbish\r\n\r\n');
    await Promise.all([connection.ended, drip(connection, 'x')]);
    expect(connection.statuses).toEqual([400]);
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
