import { STATUS_CODES } from 'node:http';

export const PROBLEM_TYPE = 'application/problem+json';

/** The body of an error (RFC 9457). */
export function problem(status: number, detail: string, more: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...more })}\n`;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why it is not ready, for people. */
  readonly reasons: readonly string[];
  /** Stopped partitions. They are no fault of the process: any other would stop there as well. */
  readonly stopped: readonly StoppedPartition[];
}

interface StoppedPartition {
  readonly partition: number;
  readonly cause: string;
  /** Short advice. */
  readonly advice: string;
}

/**
 * Sources of the pages. They are called for each request, so they must be cheap, or share what they make. None blocks the process for
 * long.
 */
export interface Pages {
  /** Renders the metrics on request. */
  readonly metrics: () => Promise<string>;
  /** Content type of `metrics`. */
  readonly contentType: string;
  readonly ready: () => Readiness;
  readonly healthy: () => boolean;
  /** The live page; undefined: there is none. */
  readonly page?: LivePages | undefined;
  /** Called for each request whose page could not be made; default: a warning of the process. */
  readonly failed?: (path: string, error: Error) => void;
}

/** The live page and its parts. Bodies are encoded once for all readers. */
export interface LivePages {
  /**
   * Renders the page.
   * @param query the part after `?`; any query gives a page
   */
  readonly html: (query: string) => Promise<Versioned>;
  /** Cohorts as JSON, by the same query. */
  readonly cohorts: (query: string) => Promise<Versioned>;
  readonly state: () => Promise<Versioned>;
  /** What `html` shows, as a single file to keep. */
  readonly report: (query: string) => Promise<Versioned>;
  /** Lists that are kept; undefined: none are. */
  readonly lists?: (() => Promise<Versioned>) | undefined;
  /** The page that prompts for the token. */
  readonly logIn: string;
  readonly script: string;
  readonly style: string;
}

export interface Versioned {
  readonly body: string;
  /** Quoted, as in a header. */
  readonly etag: string;
}

/** A path, and its query without `?`. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether many clients read it and it may be long. */
  readonly isShared?: boolean;
}

/** Paths that need no token: kubelet cannot send one, and they reveal nothing about users. */
const OPEN_PATHS: readonly string[] = ['/healthz', '/readyz'];

/** Parts of the page without numbers, which the login page needs before there is a token. */
const PAGE_PARTS: readonly string[] = ['/live.js', '/page.css'];

/** Whether a path needs no token. */
export function isOpenPath(path: string, { page }: Pages): boolean {
  return OPEN_PATHS.includes(path) || (page !== undefined && PAGE_PARTS.includes(path));
}

const METHODS = ['GET', 'HEAD'];
const TEXT = 'text/plain; charset=utf-8';

/**
 * Responds to a request. Never rejects: an error in a page becomes a response with 500.
 * @param target path and query
 */
export async function answer(method: string, target: Target, pages: Pages): Promise<Answer> {
  const page = pageOf(target, pages);
  if (page === undefined) {
    const people = pages.page === undefined ? '' : '/, /api/v1/state, /api/v1/cohorts, /api/v1/lists, /api/v1/report, ';
    return failure(404, `there is nothing at this path; there are ${people}/metrics, /healthz and /readyz`);
  }
  if (!METHODS.includes(method)) {
    return {
      ...failure(405, `this path accepts ${METHODS.join(' and ')} only`),
      headers: { Allow: METHODS.join(', ') },
    };
  }
  try {
    return await page();
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (pages.failed === undefined) process.emitWarning(error);
    else pages.failed(target.path, error);
    return failure(500, 'this page could not be made; the log of the process says why');
  }
}

function pageOf(target: Target, pages: Pages): (() => Answer | Promise<Answer>) | undefined {
  switch (target.path) {
    case '/metrics':
      return async () => ({ status: 200, type: pages.contentType, body: await pages.metrics(), isShared: true });
    case '/healthz':
      return () => (pages.healthy() ? fine('healthy') : failure(503, 'the watchdog has given up: restart the process'));
    case '/readyz':
      return () => {
        const { ready, reasons, stopped } = pages.ready();
        if (!ready) return failure(503, reasons.join('; ') || 'not ready', { reasons, stopped });
        const still = stopped.map((one) => `partition ${one.partition} is stopped: ${one.cause}; ${one.advice}`);
        return fine(['ready', ...still].join('\n'));
      };
    default:
      return pages.page === undefined ? undefined : livePageOf(target, pages.page);
  }
}

const HTML = 'text/html; charset=utf-8';
/** The page loads its own style and script, fetches news from its own server, and sends it search terms. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** Headers with which a browser saves the report, which has a policy of its own, wherever it is opened. */
const FOR_KEEPING = {
  'Content-Disposition': 'attachment; filename="receval-report.html"',
  'Cache-Control': 'no-cache',
};
const FOR_PEOPLE = { 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-cache' };

function livePageOf(
  { path, query }: Target,
  { html, cohorts, state, lists, report, script, style }: LivePages,
): (() => Answer | Promise<Answer>) | undefined {
  switch (path) {
    case '/':
      return () => versioned(html(query), HTML, FOR_PEOPLE);
    case '/api/v1/state':
      return () => versioned(state(), 'application/json', { 'Cache-Control': 'no-cache' });
    case '/api/v1/cohorts':
      return () => versioned(cohorts(query), 'application/json', { 'Cache-Control': 'no-cache' });
    case '/api/v1/lists':
      return lists === undefined
        ? () => failure(404, 'no lists are kept here: set http.samples of a worker to a number of lists, such as 50')
        : () => versioned(lists(), 'application/json', { 'Cache-Control': 'no-cache' });
    case '/api/v1/report':
      return () => versioned(report(query), HTML, FOR_KEEPING);
    case '/live.js':
      return () => ({ status: 200, type: 'text/javascript; charset=utf-8', body: script, isShared: true });
    case '/page.css':
      return () => ({ status: 200, type: 'text/css; charset=utf-8', body: style, isShared: true });
    default:
      return undefined;
  }
}

async function versioned(
  made: Promise<Versioned>,
  type: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { body, etag } = await made;
  return { status: 200, type, body, isShared: true, headers: { ...headers, ETag: etag } };
}

/** The response to a request without a token. It shows people where to enter it, and programs how to send it. */
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

/** Sets the cookie that stands for a browser's token; DELETE ends the session. */
export const SESSION_PATH = '/api/v1/session';

export function sessionAnswer(word: string, cookie: string): Answer {
  return { ...fine(word), headers: { 'Set-Cookie': cookie } };
}

function fine(word: string): Answer {
  return { status: 200, type: TEXT, body: `${word}\n` };
}

export function failure(status: number, detail: string, more?: Readonly<Record<string, unknown>>): Answer {
  return { status, type: PROBLEM_TYPE, body: problem(status, detail, more) };
}
