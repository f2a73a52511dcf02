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

const METHODS = ['GET', 'HEAD'];
const TEXT = 'text/plain; charset=utf-8';

/** `path`: without the query. Never throws: what fails in a page is an answer with 500. */
export function answer(method: string, path: string, pages: Pages): Answer {
  const page = pageOf(path, pages);
  if (page === undefined) {
    return failure(404, 'there is nothing at this path; there are /metrics, /healthz and /readyz');
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
      return undefined;
  }
}

function fine(word: string): Answer {
  return { status: 200, type: TEXT, body: `${word}\n` };
}

export function failure(status: number, detail: string, more?: Readonly<Record<string, unknown>>): Answer {
  return { status, type: PROBLEM_TYPE, body: problem(status, detail, more) };
}
