import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pages } from '../../src/server/routes.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { TokenGuard } from '../../src/server/token.ts';

const TOKEN = 'a-token-that-nobody-finds';
let made = 0;
let version = '1';

const PAGE = {
  html: async (query: string) => {
    made++;
    return { body: `<!doctype html><p>page ${version} ${query}`, etag: `"${version}${query}"` };
  },
  cohorts: async (query: string) => ({ body: `["${query}"]\n`, etag: `"c${version}${query}"` }),
  state: async () => ({ body: `{"version":${version}}\n`, etag: `"s${version}"` }),
  report: async (query: string) => ({ body: `<!doctype html><p>report ${query}`, etag: `"r${version}${query}"` }),
  lists: async () => ({ body: `{"lists":${version}}\n`, etag: `"l${version}"` }),
  logIn: '<!doctype html><form id="log-in">',
  script: 'const script = 1;',
  style: 'body{}',
};

function start(
  token: string | undefined,
  page: Omit<typeof PAGE, 'lists'> | undefined,
  failed?: Pages['failed'],
): Promise<RunningServer> {
  return startServer(
    { host: '127.0.0.1', port: 0, token: token === undefined ? undefined : { kind: 'text', text: token } },
    {
      metrics: async () => 'receval_metric 1\n',
      contentType: 'text/plain',
      ready: () => ({ ready: true, reasons: [], stopped: [] }),
      healthy: () => true,
      page,
      ...(failed === undefined ? {} : { failed }),
    },
  );
}

let open: RunningServer;
let guarded: RunningServer;
let without: RunningServer;
beforeAll(async () => {
  [open, guarded, without] = await Promise.all([
    start(undefined, PAGE),
    start(TOKEN, PAGE),
    start(undefined, undefined),
  ]);
});
afterAll(() => Promise.all([open.close(), guarded.close(), without.close()]));

function get(
  server: RunningServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}${path}`, { headers, method });
}

describe('the live page', () => {
  it('allows its own script and style, and nothing else', async () => {
    const policy = (await get(open, '/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect((await get(open, '/live.js')).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect((await get(open, '/page.css')).headers.get('content-type')).toBe('text/css; charset=utf-8');
  });

  it.each(['/', '/api/v1/state', '/api/v1/lists', '/api/v1/cohorts?by=variant', '/api/v1/report'])(
    '%s is not sent again to who has it',
    async (path) => {
      const first = await get(open, path);
      const etag = first.headers.get('etag') ?? '';
      expect(first.status).toBe(200);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(open, path, { 'If-None-Match': known });
        expect([again.status, await again.text()]).toEqual([304, '']);
      }
      expect((await get(open, path, { 'If-None-Match': '"other"' })).status).toBe(200);
      version = String(Number(version) + 1);
      expect((await get(open, path, { 'If-None-Match': etag })).status).toBe(200);
    },
  );

  it('answers each path with its own body, also when they take turns', async () => {
    const paths = ['/', '/metrics', '/api/v1/state', '/live.js', '/', '/metrics'];
    const bodies: string[] = [];
    for (const path of paths) bodies.push(await (await get(open, path)).text());
    expect(bodies).toEqual([
      (await PAGE.html('')).body,
      'receval_metric 1\n',
      (await PAGE.state()).body,
      PAGE.script,
      (await PAGE.html('')).body,
      'receval_metric 1\n',
    ]);
  });

  it('answers 500 when a part cannot be drawn, also one that begins well', async () => {
    const told: string[] = [];
    const server = await start(
      undefined,
      { ...PAGE, report: () => Promise.reject(new Error('no such view')) },
      (path, { message }) => told.push(`${path} ${message}`),
    );
    try {
      expect((await get(server, '/api/v1/report?window=5m')).status).toBe(500);
      expect(told).toEqual(['/api/v1/report no such view']);
      expect((await get(server, '/')).status).toBe(200);
    } finally {
      await server.close();
    }
  });

  it('is not there where it is switched off', async () => {
    const paths = ['/', '/live.js', '/page.css', '/api/v1/state', '/api/v1/lists', '/api/v1/report', '/api/v1/session'];
    for (const path of paths) {
      expect((await get(without, path)).status, path).toBe(404);
    }
  });

  it('says what to set where no lists are kept', async () => {
    const { lists: _, ...withoutLists } = PAGE;
    const server = await start(undefined, withoutLists);
    const answer = await get(server, '/api/v1/lists');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('http.samples');
    await server.close();
  });

  it('gives its report as a file to be kept', async () => {
    const answer = await get(open, '/api/v1/report?window=5m');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="receval-report.html"');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toBe((await PAGE.report('window=5m')).body);
  });

  it('takes no other method', async () => {
    const answer = await fetch(`http://127.0.0.1:${open.port}/`, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('behind a token', () => {
  it('shows no number to who has none, and people where to give it', async () => {
    made = 0;
    const page = await get(guarded, '/');
    expect([page.status, await page.text()]).toEqual([401, PAGE.logIn]);
    expect((await get(guarded, '/api/v1/state')).status).toBe(401);
    expect((await get(guarded, '/api/v1/lists')).status).toBe(401);
    expect((await get(guarded, '/api/v1/report')).status).toBe(401);
    expect((await get(guarded, '/metrics')).status).toBe(401);
    expect(made).toBe(0);
    for (const path of ['/live.js', '/page.css', '/healthz']) expect((await get(guarded, path)).status).toBe(200);
  });

  it('takes the token as a header, and gives a cookie for it that no script can read', async () => {
    const bearer = { Authorization: `Bearer ${TOKEN}` };
    expect((await get(guarded, '/', bearer)).status).toBe(200);
    const cookie = (await get(guarded, '/api/v1/session', bearer)).headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(
        `^receval-${guarded.port}=[0-9a-f]{8}-[0-9a-f]{32}-[0-9a-f]{64}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict$`,
      ),
    );
    expect(cookie).not.toContain(TOKEN);
    const [session] = cookie.split(';');
    for (const header of [session, `a=b; ${session}`, `${session}; c=d`]) {
      expect((await get(guarded, '/', { Cookie: header })).status, header).toBe(200);
    }
  });

  it.each([['no cookie for a wrong token', '/api/v1/session', { Authorization: 'Bearer wrong' }]])(
    'gives %s',
    async (_, path, headers) => {
      const answer = await get(guarded, path, headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('set-cookie')).toBeNull();
    },
  );

  it.each([
    ['a made-up cookie', `ffffffff-${'0'.repeat(32)}-${'0'.repeat(64)}`],
    ['one of another form', '0'.repeat(64)],
    ['the token for a cookie', TOKEN],
  ])('lets nobody in with %s', async (_, session) => {
    const answer = await get(guarded, '/', { Cookie: `receval-${guarded.port}=${session}` });
    expect(answer.status).toBe(401);
  });

  const sessionOf = async (server: RunningServer, headers: Record<string, string>): Promise<string> =>
    ((await get(server, '/api/v1/session', headers)).headers.get('set-cookie') ?? '').split(';')[0];

  it('ends the session of who logs out, also for copies of its cookie, and no other', async () => {
    const bearer = { Authorization: `Bearer ${TOKEN}` };
    const [mine, other] = [await sessionOf(guarded, bearer), await sessionOf(guarded, bearer)];
    const answer = await get(guarded, '/api/v1/session', { Cookie: mine }, 'DELETE');
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await get(guarded, '/', { Cookie: mine })).status).toBe(401);
    expect((await get(guarded, '/', { Cookie: other })).status).toBe(200);
  });

  it('gives no session for a session, which would go on for ever', async () => {
    const Cookie = await sessionOf(guarded, { Authorization: `Bearer ${TOKEN}` });
    const answer = await get(guarded, '/api/v1/session', { Cookie });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
  });

  it('takes a session for seven days', () => {
    let now = Date.UTC(2026, 10, 21);
    const guard = new TokenGuard({ kind: 'text', text: TOKEN }, () => now);
    const session = guard.newSession();
    const week = 7 * 86_400_000;
    now += week - 1000;
    expect(guard.accepts(undefined, session)).toBe(true);
    // Whoever puts off its end has no proof of it.
    expect(guard.accepts(undefined, `ffffffff${session.slice(8)}`)).toBe(false);
    now += 1000;
    expect(guard.accepts(undefined, session)).toBe(false);
  });

  it('keeps the cookies of two ports of one host apart', async () => {
    const token = 'another-token-of-theirs';
    const other = await start(token, PAGE);
    const cookieOf = async (server: RunningServer, bearer: string): Promise<string> => {
      const answer = await get(server, '/api/v1/session', { Authorization: `Bearer ${bearer}` });
      return (answer.headers.get('set-cookie') ?? '').split(';')[0];
    };
    const jar = new Map(
      [await cookieOf(guarded, TOKEN), await cookieOf(other, token)].map((one) => [one.split('=')[0], one]),
    );
    const Cookie = [...jar.values()].join('; ');
    expect((await get(guarded, '/', { Cookie })).status).toBe(200);
    expect((await get(other, '/', { Cookie })).status).toBe(200);
    await other.close();
  });

  it('ends a session with its token', async () => {
    const other = await start('another-token-of-theirs', PAGE);
    const answer = await get(guarded, '/api/v1/session', { Authorization: `Bearer ${TOKEN}` });
    const [session] = (answer.headers.get('set-cookie') ?? '').split(';');
    const renamed = session.replace(`-${guarded.port}=`, `-${other.port}=`);
    expect((await get(other, '/', { Cookie: renamed })).status).toBe(401);
    await other.close();
  });
});
