import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Pages } from '../../src/server/routes.ts';
import { LIMITS, type Limits, type RunningServer, startServer } from '../../src/server/server.ts';

const TEXT = '# HELP receval_x x\n# TYPE receval_x gauge\nreceval_x 1\n';
const PAGES: Pages = {
  metrics: async () => TEXT,
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  ready: () => ({ ready: true, reasons: [], stopped: [] }),
  healthy: () => true,
};

const running: RunningServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(
  pages: Partial<Pages> = {},
  host = '127.0.0.1',
  limits: Partial<Limits> = {},
): Promise<RunningServer> {
  const server = await startServer({ host, port: 0, limits }, { ...PAGES, ...pages });
  running.push(server);
  return server;
}

function open({ port }: RunningServer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => {});
    sockets.push(socket);
  });
}

/** Sends raw bytes and answers all that comes until the end. */
async function raw(server: RunningServer, bytes: string): Promise<string> {
  const socket = await open(server);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const end = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  await end;
  return text;
}

function get(server: RunningServer, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}${path}`, init);
}

describe('the server', () => {
  it('serves the metrics as they were rendered, with their content type', async () => {
    const response = await get(await start(), '/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe(TEXT);
  });

  it('counts the bytes of the text, not its letters', async () => {
    const response = await get(await start({ metrics: async () => 'receval_x{country="Türkiye"} 1\n' }), '/metrics');
    expect(response.headers.get('content-length')).toBe('32');
    expect(await response.text()).toBe('receval_x{country="Türkiye"} 1\n');
  });

  it.each(['/metrics', '/healthz', '/readyz', '/nothing'])(
    'answers HEAD %s with the headers of GET and no body',
    async (path) => {
      const server = await start();
      const [got, head] = [await get(server, path), await get(server, path, { method: 'HEAD' })];
      for (const name of ['content-type', 'content-length']) expect(head.headers.get(name)).toBe(got.headers.get(name));
      expect(head.status).toBe(got.status);
      expect(await head.text()).toBe('');
      expect(Number(got.headers.get('content-length'))).toBe(Buffer.byteLength(await got.text()));
    },
  );

  it.each<readonly [path: string, pages: Partial<Pages>, status: number]>([
    ['/healthz', { healthy: () => true }, 200],
    ['/healthz', { healthy: () => false }, 503],
    ['/readyz', { ready: () => ({ ready: true, reasons: [], stopped: [] }) }, 200],
    [
      '/readyz',
      { ready: () => ({ ready: false, reasons: ['unit 3 replays', 'Redis does not answer'], stopped: [] }) },
      503,
    ],
    ['/metrics?x=1', {}, 200],
    ['/metrics/', {}, 404],
    ['/', {}, 404],
    ['/../metrics', {}, 200],
    ['/%2e%2e/etc/passwd', {}, 404],
  ])('answers %s of %j with %d', async (path, pages, status) => {
    expect((await get(await start(pages), path)).status).toBe(status);
  });

  it('reports partitions that are stopped, and what to do, ready or not', async () => {
    const stopped = [{ partition: 3, cause: 'codec', advice: 'skip that batch' }];
    const ready = await get(await start({ ready: () => ({ ready: true, reasons: [], stopped }) }), '/readyz');
    expect([ready.status, await ready.text()]).toEqual([
      200,
      'ready\npartition 3 is stopped: codec; skip that batch\n',
    ]);
    const other = await get(await start({ ready: () => ({ ready: false, reasons: ['x'], stopped }) }), '/readyz');
    expect([other.status, await other.json()]).toMatchObject([503, { reasons: ['x'], stopped }]);
  });

  it('reports in problem+json why it is not ready', async () => {
    const reasons = ['unit 3 replays', 'Redis does not answer'];
    const response = await get(await start({ ready: () => ({ ready: false, reasons, stopped: [] }) }), '/readyz');
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'unit 3 replays; Redis does not answer',
      reasons,
      stopped: [],
    });
  });

  it('reports in problem+json what there is when a path is unknown', async () => {
    const response = await get(await start(), '/metric');
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      status: 404,
      title: 'Not Found',
      detail: expect.stringContaining('/metrics'),
    });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s and names what is allowed', async (method) => {
    const response = await get(await start(), '/metrics', { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await response.json()).toMatchObject({ status: 405 });
  });

  it('answers 500 when a page throws, logs why and does not say it to the client, and goes on', async () => {
    let broken = true;
    const told: string[] = [];
    const server = await start({
      failed: (path, { message }) => told.push(`${path} ${message}`),
      metrics: async () => {
        if (broken) throw new Error('secret');
        return TEXT;
      },
    });
    const response = await get(server, '/metrics');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(told).toEqual(['/metrics secret']);
    broken = false;
    expect((await get(server, '/metrics')).status).toBe(200);
  });

  it('does not read a body: it answers and ends the connection', async () => {
    const text = await raw(
      await start(),
      'GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\nxxx',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toMatch(/\r\nConnection: close\r\n/);
    expect(text.endsWith(TEXT)).toBe(true);
  });

  it('does not ask for a body that a client offers to send', async () => {
    const text = await raw(
      await start(),
      'POST /metrics HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
  });

  it.each([
    [LIMITS.headerBytes - 100, 200],
    [LIMITS.headerBytes + 100, 431],
  ])('answers headers of %d bytes with %d', async (bytes, status) => {
    const opening = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: ';
    const text = await raw(await start(), `${opening}${'x'.repeat(bytes - opening.length)}\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (status === 431) expect(JSON.parse(text.split('\r\n\r\n')[1])).toMatchObject({ status: 431 });
  });

  it('answers what is no HTTP with problem+json', async () => {
    const text = await raw(await start(), 'hello\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(text.split('\r\n\r\n')[1])).toMatchObject({ status: 400 });
  });

  it.each([
    ['127.0.0.1', 'evil.example', 421],
    ['127.0.0.1', 'localhost:1', 200],
    ['127.0.0.1', '127.0.0.1', 200],
    ['127.0.0.1', '[::1]:9464', 200],
    ['127.0.0.1', '127.evil.example', 421],
    ['0.0.0.0', 'evil.example', 200],
  ])('that listens on %s answers the host %s with %d', async (host, name, status) => {
    const server = await start({}, host);
    const text = await raw(server, `GET /metrics HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('names a port that is in use, and what to do', async () => {
    const { port } = await start();
    await expect(startServer({ host: '127.0.0.1', port }, PAGES)).rejects.toThrow(
      new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is in use: .*--port`),
    );
  });

  it('names a host that is not this machine', async () => {
    await expect(startServer({ host: '192.0.2.1', port: 0 }, PAGES)).rejects.toThrow(
      /^"192\.0\.2\.1" is not an address/,
    );
  });

  it('is not stopped by 500 connections that say nothing, or half a request', async () => {
    const server = await start();
    const slow = await Promise.all(Array.from({ length: 500 }, () => open(server).catch(() => undefined)));
    for (const [i, socket] of slow.entries()) if (i % 2 === 0 && !socket?.destroyed) socket?.write('GET /metr');
    await sleep(50);
    for (let i = 0; i < 5; i++) expect((await get(server, '/metrics')).status).toBe(200);
    const left = slow.filter((socket) => socket !== undefined && !socket.destroyed && !socket.readableEnded).length;
    expect(left).toBeLessThanOrEqual(LIMITS.connections);
    expect(left).toBeGreaterThan(100);
  });

  it('closes while connections are kept alive, silent or waiting, however long they may be', async () => {
    const long = 3_600_000;
    const patient = { keepAliveTimeout: long, headersTimeout: long, requestTimeout: long, silence: long };
    const server = await start({}, '127.0.0.1', patient);
    await get(server, '/metrics');
    const kept = request({
      port: server.port,
      host: '127.0.0.1',
      path: '/metrics',
      headers: { Connection: 'keep-alive' },
    });
    await new Promise((resolve) => kept.once('response', (response) => response.resume().once('end', resolve)).end());
    await open(server);
    (await open(server)).write('GET /metrics HTTP/1.1\r\nHost: loc');
    await server.close();
    await expect(get(server, '/metrics')).rejects.toThrow();
  });
});
