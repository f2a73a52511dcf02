import { PROBLEM_TYPE, problem } from './problem.ts';

export interface Readiness {
  readonly ready: boolean;
  /** Why not, for people. */
  readonly reasons: readonly string[];
  /** Partitions that stand still. They say nothing of the process: another one would stop there as well. */
  readonly stopped: readonly { readonly partition: number; readonly cause: string }[];
}

/** Where the pages come from. All of it is asked at a request, so all of it must be cheap. */
export interface Pages {
  /** Rendered already. */
  readonly metrics: () => string;
  /** Of `metrics`. */
  readonly contentType: string;
  readonly ready: () => Readiness;
  readonly healthy: () => boolean;
  /** For people; undefined: there is none. */
  readonly page?: LivePages | undefined;
}

/** The live page and what it is made of. The bodies are made once for all who ask. */
export interface LivePages {
  readonly html: () => Versioned;
  readonly state: () => Versioned;
  /** undefined: no lists are kept. */
  readonly lists?: (() => Versioned) | undefined;
  /** Asks for the token. */
  readonly logIn: string;
  readonly script: string;
  readonly style: string;
}

export interface Versioned {
  readonly body: string;
  /** Quoted, as in a header. */
  readonly etag: string;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Many ask for it, and it may be long. */
  readonly isShared?: boolean;
}

/** What is open to those who show no token: kubelet can send none, and they tell nothing of users. */
export const OPEN_PATHS: readonly string[] = ['/healthz', '/readyz'];

/** Parts of the page that hold no numbers: who logs in has no token yet. */
const PAGE_PARTS: readonly string[] = ['/live.js', '/page.css'];

/** Whether a path is open to those who show no token. */
export function isOpenPath(path: string, { page }: Pages): boolean {
  return OPEN_PATHS.includes(path) || (page !== undefined && PAGE_PARTS.includes(path));
}

const METHODS = ['GET', 'HEAD'];
const TEXT = 'text/plain; charset=utf-8';

/** `path`: without the query. Never throws: what fails in a page is an answer with 500. */
export function answer(method: string, path: string, pages: Pages): Answer {
  const page = pageOf(path, pages);
  if (page === undefined) {
    const people = pages.page === undefined ? '' : '/, /api/v1/state, /api/v1/lists, ';
    return failure(404, `there is nothing at this path; there are ${people}/metrics, /healthz and /readyz`);
  }
  if (!METHODS.includes(method)) {
    return { ...failure(405, `this path takes ${METHODS.join(' and ')} only`), headers: { Allow: METHODS.join(', ') } };
  }
  try {
    return page();
  } catch {
    return failure(500, 'this page could not be made; the log of the process says why');
  }
}

function pageOf(path: string, pages: Pages): (() => Answer) | undefined {
  switch (path) {
    case '/metrics':
      return () => ({ status: 200, type: pages.contentType, body: pages.metrics(), isShared: true });
    case '/healthz':
      return () => (pages.healthy() ? fine('healthy') : failure(503, 'the watchdog has given up: restart the process'));
    case '/readyz':
      return () => {
        const { ready, reasons, stopped } = pages.ready();
        if (!ready) return failure(503, reasons.join('; ') || 'not ready', { reasons, stopped });
        const still = stopped.map(({ partition, cause }) => `partition ${partition} is stopped: ${cause}`);
        return fine(['ready', ...still].join('\n'));
      };
    default:
      return pages.page === undefined ? undefined : livePageOf(path, pages.page);
  }
}

const HTML = 'text/html; charset=utf-8';
/** The page loads its own style and script, and asks its own server for what is new. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const FOR_PEOPLE = { 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-cache' };

function livePageOf(path: string, { html, state, lists, script, style }: LivePages): (() => Answer) | undefined {
  switch (path) {
    case '/':
      return () => versioned(html(), HTML, FOR_PEOPLE);
    case '/api/v1/state':
      return () => versioned(state(), 'application/json', { 'Cache-Control': 'no-cache' });
    case '/api/v1/lists':
      return lists === undefined
        ? () => failure(404, 'no lists are kept here: set http.samples of a worker to a number of lists, such as 50')
        : () => versioned(lists(), 'application/json', { 'Cache-Control': 'no-cache' });
    case '/live.js':
      return () => ({ status: 200, type: 'text/javascript; charset=utf-8', body: script, isShared: true });
    case '/page.css':
      return () => ({ status: 200, type: 'text/css; charset=utf-8', body: style, isShared: true });
    default:
      return undefined;
  }
}

function versioned({ body, etag }: Versioned, type: string, headers: Readonly<Record<string, string>>): Answer {
  return { status: 200, type, body, isShared: true, headers: { ...headers, ETag: etag } };
}

/** To whom shows no token. People see where to give it, programs how. */
export function withoutToken(path: string, { page }: Pages): Answer {
  const headers = { 'WWW-Authenticate': 'Bearer realm="receval"' };
  if (page !== undefined && path === '/') {
    return { status: 401, type: HTML, body: page.logIn, headers: { ...headers, ...FOR_PEOPLE } };
  }
  return {
    ...failure(401, 'this path needs the token of http.token: send it as Authorization: Bearer TOKEN'),
    headers,
  };
}

/** Where a browser gets the cookie for its token. */
export const SESSION_PATH = '/api/v1/session';

export function sessionAnswer(cookie: string): Answer {
  return { ...fine('welcome'), headers: { 'Set-Cookie': cookie } };
}

function fine(word: string): Answer {
  return { status: 200, type: TEXT, body: `${word}\n` };
}

export function failure(status: number, detail: string, more?: Readonly<Record<string, unknown>>): Answer {
  return { status, type: PROBLEM_TYPE, body: problem(status, detail, more) };
}
