/** `receval report`, as a user calls it, of a server that has a page. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LivePage } from '../../src/live/live.ts';
import { pagesOf } from '../../src/live/live-pages.ts';
import type { LivePages } from '../../src/server/routes.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { historyUpTo, liveInput, SETTINGS } from '../live/live-input.ts';
import { freePort } from '../services/ports.ts';
import { receval } from './receval.ts';

const TOKEN = 'a-token-that-nobody-finds';
const folder = mkdtempSync(join(tmpdir(), 'receval-service-report-'));

function serve(page: LivePages | undefined, token?: string): Promise<RunningServer> {
  const ready = () => ({ ready: true, reasons: [], stopped: [] });
  return startServer(
    { host: '127.0.0.1', port: 0, token: token === undefined ? undefined : { kind: 'text', text: token } },
    { metrics: async () => '', contentType: 'text/plain', ready, healthy: () => true, page },
  );
}

function livePage(): LivePage {
  const ready = () => ({ ready: true, reasons: [], stopped: [] });
  const page = new LivePage(SETTINGS, { ready, history: historyUpTo(2), about: [['receval', '1.2.3']] });
  for (const minute of [0, 1, 2]) page.update(liveInput('B', minute));
  return page;
}

let open: RunningServer;
let guarded: RunningServer;
let pageless: RunningServer;
const urlOf = ({ port }: RunningServer): string => `http://127.0.0.1:${port}`;
const at = (server: RunningServer, path = ''): string => `${urlOf(server)}${path}`;

beforeAll(async () => {
  [open, guarded, pageless] = await Promise.all([
    serve(pagesOf(livePage())),
    serve(pagesOf(livePage()), TOKEN),
    serve(undefined),
  ]);
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  writeFileSync(join(folder, 'no-token'), 'short\n');
  writeFileSync(join(folder, 'other-token'), 'another-token-than-theirs\n');
});

afterAll(async () => {
  await Promise.all([open, guarded, pageless].map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

const report = (...args: readonly string[]) => receval(['report', ...args], { cwd: folder });

describe('receval report', () => {
  it('writes what the service shows as one file, the same bytes each time', async () => {
    const written = await report(at(open), '--output', 'report.html');
    expect(written).toEqual({ code: 0, stdout: '', stderr: '' });
    const html = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(html).toBe((await livePage().report()).body);
    expect(html).toContain('>regressed</span><p class="sentence">');
    expect(html).toContain('1.2.3');
    expect((await report(at(open))).stdout).toBe(html);
  });

  it.each(['', '/', '/?window=5m&sort=mrr#cohorts'])(
    'takes the address of the page with %j behind it',
    async (path) => {
      const { code, stdout } = await report(at(open, path));
      expect(code).toBe(0);
      expect(stdout).toBe((await livePage().report(path.includes('5m') ? 'window=5m' : '')).body);
    },
  );

  it('takes an address without http://, and that of the configuration where none is given', async () => {
    expect((await report(`127.0.0.1:${open.port}`)).code).toBe(0);
    writeFileSync(join(folder, 'here.yaml'), `http: {host: 0.0.0.0, port: ${open.port}}\n`);
    expect((await report('--config', 'here.yaml')).stdout).toContain('Service default');
  });

  it('finds a service behind a path', async () => {
    const { body } = await livePage().report();
    const { stdout, close } = await asked((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(request.url === '/receval/api/v1/report?window=5m' ? body : 'nothing');
    }, '/receval/?window=5m');
    expect(stdout).toContain('Service default');
    await close();
  });

  it.each([
    ['a file', ['--token-file', 'token'], ''],
    ['the configuration', ['--config', 'guarded.yaml'], `http: {token: ${TOKEN}}\n`],
    ['a file of the configuration', ['--config', 'guarded.yaml'], 'http: {tokenFile: token}\n'],
  ])('shows the token of %s', async (_, args, yaml) => {
    writeFileSync(join(folder, 'guarded.yaml'), yaml);
    expect((await report(at(guarded), ...args)).stdout).toContain('Service default');
  });

  it.each([
    ['no token', [], 'needs its http.token: name a file that holds it (--token-file), or set RECEVAL_HTTP_TOKEN'],
    ['another token', ['--token-file', 'other-token'], 'refuses this token: it must be that of its own http.token'],
  ])('says what to do where it has %s', async (_, args, words) => {
    const { code, stdout, stderr } = await report(at(guarded), ...args, '--output', 'refused.html');
    expect([code, stdout, stderr]).toEqual([1, '', `receval: ${at(guarded)} ${words}\n`]);
    expect(existsSync(join(folder, 'refused.html'))).toBe(false);
  });

  it('says that nothing listens there', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stderr } = await report(url);
    expect([code, stderr]).toEqual([
      1,
      `receval: nothing listens at ${url}: start receval run, or name the address of its page (http.host and http.port)\n`,
    ]);
  });

  it('says that there is no such host', async () => {
    const { code, stderr } = await report('http://no-such-host.invalid:9464');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no such host|cannot be reached/)]);
  });

  it('says that the page is switched off', async () => {
    const { code, stderr } = await report(at(pageless));
    expect([code, stderr]).toEqual([1, expect.stringContaining('set http.page to true')]);
  });

  async function asked(listener: RequestListener, path = '') {
    const server = createServer(listener);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const close = () => new Promise((done) => server.close(done));
    return { ...(await report(`http://127.0.0.1:${port}${path}`)), close };
  }

  const PROBLEM = { 'content-type': 'application/problem+json' };

  it.each([
    [
      'an older receval',
      404,
      PROBLEM,
      JSON.stringify({ detail: 'there is nothing at this path; there are /, /api/v1/state, /metrics' }),
      'is older than this one and makes no reports: upgrade it',
    ],
    ['another program', 404, {}, 'not found', 'is not receval (status 404)'],
    ['another program with a page', 200, { 'content-type': 'text/html' }, '<p>log in', 'is not receval (status 200)'],
    ['a receval that fails', 500, PROBLEM, '{"detail":"the log says why"}', 'answers 500: the log says why'],
    [
      'a page that lies elsewhere',
      302,
      { location: 'https://there.example/' },
      '',
      'sends elsewhere, to https://there.example/',
    ],
  ])('says that it asked %s', async (_, status, headers, body, words) => {
    const { code, stdout, stderr, close } = await asked((_request, response) => {
      response.writeHead(status, headers);
      response.end(body);
    });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(words)]);
    await close();
  });

  it.each([
    [['ftp://host'], '"ftp://host" is not an address'],
    [['http://'], '"http://" is not an address'],
    [['http://user:secret@127.0.0.1'], 'leave them out'],
    [['http://127.0.0.1', '--output', 'report.pdf'], '--output: a report is an HTML page: name it report.html'],
    [['http://127.0.0.1', '--token-file', 'nowhere'], '--token-file: cannot read nowhere: there is no such file'],
    [['http://127.0.0.1', '--token-file', 'no-token'], '--token-file: expected a token'],
  ])('explains %j', async (args, words) => {
    const { code, stderr } = await report(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr).not.toContain('secret');
  });
});
