import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { AccessFiles } from '../../src/connections/access-files.ts';
import { isAllowedHost } from '../../src/server/hosts.ts';
import type { Pages } from '../../src/server/routes.ts';
import {
  type RunningServer,
  type ServerSettings,
  SharedBody,
  startServer,
  takesGzip,
} from '../../src/server/server.ts';
import { TokenGuard } from '../../src/server/token.ts';
import { load } from '../config/fixture.ts';

const TEXT = Array.from({ length: 100 }, (_, n) => `receval_x{n="${n}"} ${n}\n`).join('');
const PAGES: Pages = {
  metrics: async () => TEXT,
  contentType: 'text/plain',
  ready: () => ({ ready: true, reasons: [], stopped: [] }),
  healthy: () => true,
};

const running: RunningServer[] = [];
const folder = mkdtempSync(join(tmpdir(), 'receval-http-'));

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

async function start(settings: Partial<ServerSettings> = {}, pages: Partial<Pages> = {}): Promise<RunningServer> {
  const server = await startServer({ host: '127.0.0.1', port: 0, ...settings }, { ...PAGES, ...pages });
  running.push(server);
  return server;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Unlike fetch, it sends any Host and unpacks nothing. */
function ask(
  { port }: RunningServer,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    asked.once('error', reject).end();
  });
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('the token', () => {
  it.each([
    ['/metrics', {}, 401],
    ['/metrics', bearer('wrong'), 401],
    ['/metrics', bearer('secre'), 401],
    ['/metrics', bearer('secrets'), 401],
    ['/metrics', bearer(''), 401],
    ['/metrics', { Authorization: 'Basic c2VjcmV0' }, 401],
    ['/metrics', { Authorization: 'secret' }, 401],
    ['/metrics', bearer('secret'), 200],
    ['/metrics', { Authorization: 'bearer   secret ' }, 200],
    ['/nothing', {}, 401],
    ['/nothing', bearer('secret'), 404],
    ['/healthz', {}, 200],
    ['/readyz', {}, 200],
    ['/readyz/', {}, 401],
    ['//healthz', {}, 401],
  ])('%s with %j is answered with %d', async (path, headers, status) => {
    const server = await start({ token: { kind: 'text', text: 'secret' } });
    const reply = await ask(server, path, headers);
    expect(reply.status).toBe(status);
    if (status !== 401) return;
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="receval"');
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(String(reply.bytes))).toMatchObject({ status: 401, title: 'Unauthorized' });
    expect(String(reply.bytes)).not.toContain('secret');
  });

  it('in a file may change while we serve, and stays what it was while the file is away', async () => {
    const path = join(folder, 'token');
    const guard = () => new TokenGuard({ kind: 'file', path, setting: 'http.tokenFile' });
    expect(guard).toThrow(/^http\.tokenFile: cannot read .*token: there is no such file$/);
    writeFileSync(path, 'one\n');
    const changing = guard();
    expect([changing.accepts('Bearer one'), changing.accepts('Bearer two')]).toEqual([true, false]);
    writeFileSync(path, 'two\n');
    await sleep(1100);
    expect([changing.accepts('Bearer one'), changing.accepts('Bearer two')]).toEqual([false, true]);
    rmSync(path);
    await sleep(1100);
    expect(changing.accepts('Bearer two')).toBe(true);
  });

  it('in a file that becomes too short, or gets blanks, stays what it was, and is reported; at first it is refused', async () => {
    const path = join(folder, 'short');
    const { token } = load(`http: {tokenFile: ${path}}\n`).http;
    if (token === undefined) throw new Error('there is no token');
    const files = (): AccessFiles => new AccessFiles([], [token]);
    for (const text of ['too-short', 'long enough but with blanks']) {
      writeFileSync(path, `${text}\n`);
      expect(() => new TokenGuard(token)).toThrow(/^http\.tokenFile: expected a token of 16 to 4096 .* in .*short$/);
      expect(files).toThrow(/^http\.tokenFile: expected a token/);
    }
    const good = 'long-enough-for-all';
    writeFileSync(path, `${good}\n`);
    const guard = new TokenGuard(token);
    const watched = files();
    expect(watched.look()).toMatchObject([{ setting: 'http.tokenFile', problem: undefined }]);
    writeFileSync(path, 'short\n');
    await sleep(1100);
    expect([guard.accepts('Bearer short'), guard.accepts(`Bearer ${good}`)]).toEqual([false, true]);
    const [{ problem }] = watched.look();
    expect(problem).toMatch(/^http\.tokenFile: expected a token of 16/);
    expect(problem).not.toContain(good);
  });

  it('lets nobody in by another one', () => {
    const guard = new TokenGuard({ kind: 'text', text: 'secret' });
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(text.trim() !== 'secret');
        expect(guard.accepts(`Bearer ${text}`)).toBe(false);
        expect(guard.accepts(text)).toBe(false);
      }),
    );
  });
});

describe('hosts', () => {
  const names = ['receval.example.com', '.svc.cluster.local'];
  it.each<readonly [listens: string, allowed: readonly string[] | undefined, host: string | undefined, may: boolean]>([
    ['127.0.0.1', undefined, 'localhost:9464', true],
    ['127.0.0.1', undefined, 'LOCALHOST.', true],
    ['127.0.0.1', undefined, '[::1]:9464', true],
    ['127.0.0.1', undefined, 'evil.example', false],
    ['127.0.0.1', undefined, '127.0.0.1.evil.example', false],
    ['127.0.0.1', undefined, 'localhost:9464@evil.example', false],
    ['127.0.0.1', undefined, '10.0.0.5', false],
    ['127.0.0.1', undefined, '', false],
    ['127.0.0.1', undefined, undefined, true],
    ['0.0.0.0', undefined, 'anything.example', true],
    ['0.0.0.0', names, 'receval.example.com:9464', true],
    ['0.0.0.0', names, 'RECEVAL.example.com.', true],
    ['0.0.0.0', names, 'a.receval.example.com', false],
    ['0.0.0.0', names, 'receval.shop.svc.cluster.local', true],
    ['0.0.0.0', names, '.svc.cluster.local', false],
    ['0.0.0.0', names, 'evilsvc.cluster.local', false],
    ['0.0.0.0', names, 'evil.example', false],
    ['0.0.0.0', names, '10.1.2.3:9464', true],
    ['0.0.0.0', names, '[fe80::1]:9464', true],
    ['0.0.0.0', names, '127.0.0.1:9464', true],
    ['127.0.0.1', names, 'receval.example.com', true],
  ])('on %s, allowing %j, %s: %s', (listens, allowed, host, may) => {
    expect(isAllowedHost(host, { listens, allowed })).toBe(may);
  });

  it('that are strange are refused with 421 before anything is shown, also where no token is needed', async () => {
    const server = await start({ token: { kind: 'text', text: 'secret' }, allowedHosts: names });
    for (const path of ['/metrics', '/healthz', '/readyz']) {
      const reply = await ask(server, path, { Host: 'evil.example', ...bearer('secret') });
      expect(reply.status).toBe(421);
      expect(JSON.parse(String(reply.bytes))).toMatchObject({ status: 421, title: 'Misdirected Request' });
    }
    expect((await ask(server, '/metrics', { Host: 'receval.example.com', ...bearer('secret') })).status).toBe(200);
  });
});

describe('every answer', () => {
  it.each(['/metrics', '/healthz', '/nothing'])(
    'of %s says what a browser must not do with it, and lets in no other origin',
    async (path) => {
      const { headers } = await ask(await start(), path, { Origin: 'https://evil.example' });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(headers['server']).toBeUndefined();
    },
  );
});

describe('packing', () => {
  it('gives the same text to who takes gzip, and plain text to who does not', async () => {
    const server = await start();
    const packed = await ask(server, '/metrics', { 'Accept-Encoding': 'gzip' });
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-length': String(packed.bytes.length),
    });
    expect(String(gunzipSync(packed.bytes))).toBe(TEXT);
    expect(packed.bytes.length).toBeLessThan(TEXT.length / 2);
    const plain = await ask(server, '/metrics');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['vary']).toBe('Accept-Encoding');
    expect(String(plain.bytes)).toBe(TEXT);
    const head = await ask(server, '/metrics', { 'Accept-Encoding': 'gzip' }, 'HEAD');
    expect(head.headers['content-length']).toBe(String(packed.bytes.length));
    expect(head.bytes.length).toBe(0);
  });

  it('follows the page, for many who ask at once', async () => {
    let version = 0;
    const page = async (): Promise<string> => `${version}\n${TEXT}`;
    const server = await start({}, { metrics: page });
    for (; version < 3; version++) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, n) => ask(server, '/metrics', n % 2 === 0 ? { 'Accept-Encoding': 'gzip' } : {})),
      );
      for (const { bytes, headers } of replies) {
        expect(String(headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes)).toBe(await page());
      }
    }
  });

  it('is done once for each page, whoever asks in whatever order', () => {
    const body = new SharedBody();
    const [first, second] = [TEXT, `1\n${TEXT}`];
    const packed = body.packed(first);
    expect(packed).toBeInstanceOf(Promise);
    for (let n = 0; n < 5; n++) {
      expect(body.packed(`${first}`)).toBe(packed);
      expect(body.plain(first)).toBe(body.plain(first));
    }
    expect(body.packed(second)).not.toBe(packed);
  });

  it('leaves a short page as it is', async () => {
    const { headers } = await ask(await start({}, { metrics: async () => 'x\n' }), '/metrics', {
      'Accept-Encoding': 'gzip',
    });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['deflate, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['*', true],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['br', false],
    ['identity', false],
  ])('Accept-Encoding %s: %s', (header, takes) => {
    expect(takesGzip(header)).toBe(takes);
  });
});
