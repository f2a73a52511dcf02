/** Fetches the report of a running service. The service renders it, because it has the settings. */
import { REPORT_MARK } from '../page/report.tsx';
import { codeOf, messageOf } from '../vocabulary/error-text.ts';

const MOST_BYTES = 64 * 2 ** 20;

/** Codes of a connection that broke before the response was complete. */
const BROKEN_OFF = ['ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_SOCKET'];

/** No report can be fetched; the message says what to do. */
export class NoReport extends Error {
  override readonly name = 'NoReport';
}

export interface Asked {
  /** Address of the service's page. What follows `?` chooses measure, horizon and window, as on the page. */
  readonly address: URL;
  /** Bearer token; undefined: none is sent. */
  readonly token: string | undefined;
  /** Timeout in ms. */
  readonly timeout: number;
}

/** The address of the report of a page. */
function reportAddress(address: URL): URL {
  const found = new URL('api/v1/report', new URL(address.pathname.replace(/\/?$/, '/'), address));
  found.search = address.search;
  return found;
}

/** Returns the report as HTML. Rejects with a NoReport that says what to do. */
export async function fetchReport({ address, token, timeout }: Asked): Promise<string> {
  const base = address.origin;
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(reportAddress(address), {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      // The token must not be sent to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    });
    text = await textOf(answer, base);
  } catch (error) {
    if (error instanceof NoReport) throw error;
    throw new NoReport(unreached(base, error, timeout), { cause: error });
  }
  if (answer.status === 200 && text.includes(REPORT_MARK)) return text;
  throw new NoReport(refused(base, answer, text, token !== undefined));
}

/** The text of the response. A report has a few MB at most: a longer response is none, and may never end. */
async function textOf({ body }: Response, base: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) {
      throw new NoReport(
        `${base} sends more than ${MOST_BYTES / 2 ** 20} MiB, which is no report: name the address of the page of receval (http.host and http.port)`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function unreached(base: string, error: unknown, timeout: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `${base} did not answer within ${timeout / 1000} s: is it receval that listens there? Its /healthz says whether it is well`;
  }
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = codeOf(cause) || messageOf(cause);
  if (code === 'ECONNREFUSED') {
    return `nothing listens at ${base}: start receval run, or name the address of its page (http.host and http.port)`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${base}: there is no such host; check the address`;
  if (code.startsWith('ERR_TLS') || code.includes('CERT') || code.startsWith('ERR_SSL') || code.includes('SIGNATURE')) {
    return `${base} cannot be trusted (${code}): ask by its plain address (http://), or make Node.js know the authority (NODE_EXTRA_CA_CERTS)`;
  }
  if (BROKEN_OFF.includes(code)) {
    return `${base} broke off its response: it may be starting or stopping, so try again; its log says why`;
  }
  return `${base} cannot be reached: ${code}`;
}

function refused(base: string, { status, headers }: Response, text: string, hasToken: boolean): string {
  const problem =
    headers.get('content-type')?.startsWith('application/problem+json') === true ? detailOf(text) : undefined;
  if (status === 401) {
    return hasToken
      ? `${base} refuses this token: it must be that of its own http.token`
      : `${base} needs its http.token: name a file that holds it (--token-file), or set RECEVAL_HTTP_TOKEN`;
  }
  if (status >= 300 && status < 400) {
    return `${base} sends elsewhere, to ${headers.get('location') ?? 'nowhere'}: name that address`;
  }
  if (status === 404 && problem !== undefined) {
    return problem.includes('/api/v1/state')
      ? `the receval at ${base} is older than this one and makes no reports: upgrade it; until then receval compare --report shows its experiments`
      : `the receval at ${base} shows no page, so it makes no report: set http.page to true, or ask another process of the service`;
  }
  if (problem !== undefined) return `${base} answers ${status}: ${problem}`;
  return `what answers at ${base} is not receval (status ${status}): name the address of its page (http.host and http.port)`;
}

function detailOf(text: string): string | undefined {
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === 'object' && problem !== null && 'detail' in problem ? String(problem.detail) : undefined;
  } catch {
    return undefined;
  }
}
