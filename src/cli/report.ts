import { Command } from 'commander';
import { TOKEN, urlOf } from '../config/http.ts';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { Secret } from '../connections/secret.ts';
import { readTextFile } from '../connections/text-file.ts';
import { REPORT_MARK } from '../page/report.tsx';
import { codeOf, messageOf } from '../vocabulary/error-text.ts';
import { UsageError } from './failure.ts';
import { writeWhole } from './whole-file.ts';
import { mustBeReportFile } from './written-file.ts';

interface Flags {
  readonly output?: string;
  readonly tokenFile?: string;
  readonly config?: string;
}

/** A service that has much to do makes it within a second. */
const TIMEOUT_MS = 30_000;

/** `receval report`: what a running service shows, as one file. */
export function reportCommand(): Command {
  return new Command('report')
    .argument('[address]', "of the service's page (default: http.host and http.port of the configuration)")
    .option('--output <file.html>', 'where to write it (default: standard output)')
    .option('--token-file <file>', 'file that holds its http.token (default: that of the configuration)')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .addHelpText(
      'after',
      `
The address is that of a process with a page: receval run in any role, or receval demo. What it shows by its address (measure,
horizon, window) the report shows as well, so the address of an open page can be pasted.

Examples:
  receval report http://127.0.0.1:9464 --output report.html
  receval report 'http://exporter:9464/?window=24h' --token-file /run/secrets/receval-http --output report.html`,
    )
    .action(async (address: string | undefined, flags: Flags) => {
      mustBeReportFile('--output', flags.output);
      const { http } = loadSettings({
        file: flags.config,
        readFile: readTextFile,
        env: process.env,
      });
      const asked = addressOf(address ?? urlOf(http.host, http.port));
      const page = await fetchReport({ address: asked, token: tokenOf(flags, http), timeout: TIMEOUT_MS });
      if (flags.output === undefined) process.stdout.write(page);
      else writeWhole(flags.output, page, { flag: '--output' });
    });
}

/** @throws UsageError */
function addressOf(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  const address = URL.canParse(full) ? new URL(full) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol) || address.hostname === '') {
    throw new UsageError(`"${text}" is not an address: write it as a browser has it, such as http://127.0.0.1:9464`);
  }
  if (address.username !== '' || address.password !== '') {
    throw new UsageError(
      'the address holds a user or a password: leave them out, and name a file with the token (--token-file)',
    );
  }
  return address;
}

/** @throws AccessFileError */
function tokenOf({ tokenFile }: Flags, { token }: Settings['http']): string | undefined {
  const source =
    tokenFile === undefined ? token : { kind: 'file' as const, path: tokenFile, setting: '--token-file', form: TOKEN };
  return source === undefined ? undefined : new Secret(source).read();
}

const MOST_BYTES = 64 * 2 ** 20;

/** Codes of a connection that broke before the response was complete. */
const BROKEN_OFF = ['ECONNRESET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_SOCKET'];

/** No report can be fetched; the message says what to do. */
export class NoReport extends Error {
  override readonly name = 'NoReport';
}

interface Asked {
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

/**
 * Fetches the report of a running service. The service renders it, because it has the settings. Returns the report as HTML. Rejects with a NoReport that
 * says what to do.
 */
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
