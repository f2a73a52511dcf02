import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { LivePage } from '../../src/live/live.ts';
import { pagesOf } from '../../src/live/live-pages.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { H, shop } from '../unit/sampled-shop.ts';
import { historyUpTo, liveInput, SETTINGS } from './live-input.ts';

const TOKEN = 'a-token-that-nobody-finds';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Node = { readonly [key: string]: Json };

const DOCUMENT: Node = parse(readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8'));

function isNode(json: Json | undefined): json is Node {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function at(path: string): Node {
  let node: Json | undefined = DOCUMENT;
  for (const key of path.split(' ')) node = isNode(node) ? node[key] : undefined;
  if (!isNode(node)) throw new Error(`the document has no ${path}`);
  return node;
}

/** As a schema of its own, that takes no field which the document does not name. */
function strict(json: Json): Json {
  if (Array.isArray(json)) return json.map(strict);
  if (!isNode(json)) return typeof json === 'string' ? json.replace('#/components/schemas/', '#/$defs/') : json;
  const inner = Object.fromEntries(Object.entries(json).map(([key, value]) => [key, strict(value)]));
  const isClosed = inner['type'] === 'object' && inner['properties'] !== undefined;
  return isClosed && inner['additionalProperties'] === undefined ? { ...inner, additionalProperties: false } : inner;
}

function schema(name: string): z.ZodType {
  const definitions = strict(at('components schemas'));
  return z.fromJSONSchema(JSON.parse(JSON.stringify({ $ref: `#/$defs/${name}`, $defs: definitions })));
}

function livePage(isBusy: boolean): LivePage {
  const { samples, shows, does, at: passes } = shop();
  shows('r1', 0, ['a', 'b']);
  does('r1', 'a', 1500, 'click');
  does('r1', 'x', 2000, 'click');
  passes(3 * H);
  const page = new LivePage(SETTINGS, {
    ready: () => ({ ready: isBusy, reasons: isBusy ? [] : ['it starts'], stopped: [] }),
    history: historyUpTo(2),
    samples,
  });
  if (isBusy) for (const minute of [0, 1, 2]) page.update(liveInput('B', minute, 120));
  return page;
}

let busy: RunningServer;
let fresh: RunningServer;
let guarded: RunningServer;

async function serve(page: LivePage, token?: string): Promise<RunningServer> {
  return startServer(
    { host: '127.0.0.1', port: 0, token: token === undefined ? undefined : { kind: 'text', text: token } },
    {
      metrics: async () => '',
      contentType: 'text/plain',
      ready: () => ({ ready: true, reasons: [], stopped: [] }),
      healthy: () => true,
      page: pagesOf(page),
    },
  );
}

beforeAll(async () => {
  [busy, fresh, guarded] = await Promise.all([
    serve(livePage(true)),
    serve(livePage(false)),
    serve(livePage(true), TOKEN),
  ]);
});
afterAll(() => Promise.all([busy, fresh, guarded].map((server) => server.close())));

async function answered(server: RunningServer, path: string, name: string, status = 200): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
  expect(answer.status).toBe(status);
  const { error } = schema(name).safeParse(await answer.json());
  expect(error?.issues.slice(0, 3), path).toBeUndefined();
}

describe('docs/openapi.yaml', () => {
  it.each([
    ['/api/v1/state', 'State'],
    ['/api/v1/cohorts', 'Cohorts'],
    ['/api/v1/cohorts?cohort=B&sort=mrr&order=rising', 'Cohorts'],
    ['/api/v1/cohorts?filter=cohort&page=2&against=everything', 'Cohorts'],
    ['/api/v1/lists', 'Lists'],
  ])('says what %s answers, of a process that works and of one that has just begun', async (path, name) => {
    await answered(busy, path, name);
    await answered(fresh, path, name);
  });

  it('says that the report is a page', async () => {
    expect(Object.keys(at('paths /api/v1/report get responses 200 content'))).toEqual(['text/html']);
    for (const server of [busy, fresh]) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/report?horizon=30m`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }
  });

  it('says how one is refused', async () => {
    await answered(guarded, '/api/v1/state', 'Problem', 401);
    await answered(guarded, '/api/v1/session', 'Problem', 401);
  });

  it('would notice a field that it does not name, and one of another type', () => {
    const cohort = { by: [], labels: {}, horizon: '1m', impressions: 1, positives: 0, measures: {} };
    expect(schema('Cohort').safeParse(cohort).success).toBe(true);
    expect(schema('Cohort').safeParse({ ...cohort, more: 1 }).success).toBe(false);
    expect(schema('Cohort').safeParse({ ...cohort, impressions: '1' }).success).toBe(false);
  });

  it('names all paths of the version, and takes the parameters that the page takes', async () => {
    const paths = Object.keys(at('paths'));
    const { port } = guarded;
    for (const path of paths) {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      expect((await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status, path).toBe(200);
    }
    const routes = readFileSync(new URL('../../src/server/routes.ts', import.meta.url), 'utf8');
    expect(new Set([...routes.matchAll(/'(\/api\/v1\/\w+)'/g)].map(([, path]) => path))).toEqual(new Set(paths));
    const { parameters } = at('paths /api/v1/cohorts get');
    const names = JSON.stringify(parameters);
    for (const name of ['by', 'measure', 'horizon', 'window', 'filter', 'sort', 'order', 'page', 'against', 'cohort']) {
      expect(names).toContain(`"name":"${name}"`);
    }
  });
});
