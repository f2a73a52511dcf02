import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SecretSource } from '../connections/security-settings.ts';
import { SharedBody, takesGzip } from './bodies.ts';
import { Connections } from './connections.ts';
import { isAllowedHost, isHost } from './hosts.ts';
import { PROBLEM_TYPE, problem } from './problem.ts';
import {
  type Answer,
  answer,
  failure,
  isOpenPath,
  type Pages,
  SESSION_PATH,
  sessionAnswer,
  withoutToken,
} from './routes.ts';
import { sessionCookie, TokenGuard } from './token.ts';

export interface ServerSettings {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** What a reader must show; default: everybody may read. */
  readonly token?: SecretSource | undefined;
  /** As in HostRule. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** For tests; default LIMITS. */
  readonly limits?: Partial<Limits>;
}

export interface RunningServer {
  /** The port that is listened on. */
  readonly port: number;
  /** Stops listening, lets answers in progress end, and cuts what is still open after half a second. */
  close(): Promise<void>;
}

/** Limits on strangers (specification: faults 5.7). Times in ms. */
export interface Limits {
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly keepAliveTimeout: number;
  /** A connection on which nothing moves, a reader that does not read among them, is cut. */
  readonly silence: number;
  /** A reader that takes its answer drop by drop is cut, too. */
  readonly answerTimeout: number;
  readonly connections: number;
  readonly requestsPerConnection: number;
  /** Of all answers that are not yet taken; a page that many read counts once, and the last four always fit. */
  readonly heldBytes: number;
  readonly headerBytes: number;
  /** Node looks for connections beyond their time this often. */
  readonly checkEvery: number;
}

export const LIMITS: Limits = {
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 5_000,
  silence: 15_000,
  answerTimeout: 30_000,
  connections: 256,
  requestsPerConnection: 1000,
  heldBytes: 64 * 1024 * 1024,
  headerBytes: 8 * 1024,
  checkEvery: 1_000,
};

/** So many connections before the most there may be, the one that has been silent longest makes room for a new one. */
const SPARE = 32;
const GRACE_MS = 500;

/**
 * Serves the pages. Rejects with an Error that says what to do when the address cannot be listened on, and with an
 * AccessFileError when the token cannot be read.
 */
export async function startServer(settings: ServerSettings, pages: Pages): Promise<RunningServer> {
  const limits = { ...LIMITS, ...settings.limits };
  const server = createServer({
    requestTimeout: limits.requestTimeout,
    headersTimeout: limits.headersTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: limits.checkEvery,
    // It would be refused without a word.
    requireHostHeader: false,
  });
  server.maxConnections = limits.connections;
  server.timeout = limits.silence;
  const guard = settings.token === undefined ? undefined : new TokenGuard(settings.token);
  const hosts = { listens: settings.host, allowed: settings.allowedHosts };
  const answerTo = (request: IncomingMessage): Answer => {
    const { method = '', headers } = request;
    const wrong = wrongHost(request);
    if (wrong !== undefined) return wrong;
    if (!isAllowedHost(headers.host, hosts)) return MISDIRECTED;
    const path = pathOf(request);
    const isOpen =
      guard === undefined || isOpenPath(path, pages) || guard.accepts(headers.authorization, headers.cookie);
    if (!isOpen) return withoutToken(path, pages);
    if (guard !== undefined && pages.page !== undefined && path === SESSION_PATH) {
      return sessionAnswer(sessionCookie(guard.session));
    }
    return unlessKnown(answer(method, path, pages), headers['if-none-match']);
  };
  // Of the few paths with a body that many ask for.
  const bodies = new Map<string, SharedBody>();
  const bodyOf = (path: string): SharedBody => {
    const body = bodies.get(path) ?? new SharedBody();
    bodies.set(path, body);
    return body;
  };
  const connections = new Connections(server, { ...limits, crowded: limits.connections - SPARE });
  const serveWith =
    (answering: (request: IncomingMessage) => Answer) => (request: IncomingMessage, response: ServerResponse) => {
      const isLast = connections.asked(request.socket, hasBody(request) || !response.shouldKeepAlive);
      if (isLast) response.shouldKeepAlive = false;
      response.once('close', () => connections.answered(request.socket));
      void send(request, response, answering(request), { bodyOf, connections });
    };
  server.on('request', serveWith(answerTo));
  server.on('checkContinue', serveWith(answerTo));
  server.on(
    'checkExpectation',
    serveWith(() => UNKNOWN_EXPECTATION),
  );
  server.on('clientError', (error, socket) => {
    connections.refused(socket);
    refuse(error, socket, connections.isAnswering(socket));
  });
  await listen(server, settings);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : settings.port,
    close: () => close(server, connections),
  };
}

/** Two of them, or one that is none: proxies before us may have taken another one than we would (RFC 9112, section 3.2). */
function wrongHost({ headersDistinct, httpVersion }: IncomingMessage): Answer | undefined {
  const hosts = headersDistinct['host'] ?? [];
  if (hosts.length > 1) return MANY_HOSTS;
  if (hosts.length === 0) return httpVersion === '1.0' ? undefined : WITHOUT_HOST;
  return isHost(hosts[0]) ? undefined : NO_HOST;
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Never rejects. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body, headers, isShared = false }: Answer,
  { bodyOf, connections }: { readonly bodyOf: (path: string) => SharedBody; readonly connections: Connections },
): Promise<void> {
  // A path with a shared body is one that is served: their number is fixed.
  const shared = isShared ? bodyOf(pathOf(request)) : undefined;
  const plain = shared?.plain(body) ?? Buffer.from(body);
  const packing = takesGzip(request.headers['accept-encoding']) ? shared?.packed(body) : undefined;
  const packed = await packing?.catch(() => undefined);
  if (response.destroyed) return;
  const bytes = packed ?? plain;
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    'Content-Type': type,
    // Of 304 it would be that of the body that is not sent.
    ...(status === 304 ? {} : { 'Content-Length': bytes.length }),
    ...(isShared ? { Vary: 'Accept-Encoding' } : {}),
    ...(packed === undefined ? {} : { 'Content-Encoding': 'gzip' }),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  connections.holds(request.socket, bytes);
  response.end(bytes);
}

/** A body is not read: the connection ends instead. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** What is no HTTP, is too large or too slow. `isAnswering`: another answer is on its way, and nothing may come between. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const [status, line, detail] = REFUSALS[error.code ?? ''] ?? [400, 'Bad Request', 'this is no HTTP request'];
  const body = problem(status, detail);
  // Whoever goes on sending would keep a connection that has only been ended.
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${line}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}

const REFUSALS: Readonly<Record<string, readonly [status: number, line: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    `the headers are larger than ${LIMITS.headerBytes} bytes`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'the request did not arrive in time'],
};

const WITHOUT_HOST = failure(400, 'the header Host is missing');
const MANY_HOSTS = failure(400, 'the header Host stands there more than once: send one');
const NO_HOST = failure(400, 'the header Host holds no name or address with or without a port');
const UNKNOWN_EXPECTATION = failure(417, 'of the header Expect only 100-continue is known: leave it out');
const MISDIRECTED = failure(
  421,
  'this name is not served here: ask by an address or localhost, or add the name to http.allowedHosts',
);
/** Nothing but the headers to whom has this version already (RFC 9110, section 13.1.2). */
function unlessKnown(found: Answer, known: string | undefined): Answer {
  const etag = found.headers?.['ETag'];
  if (found.status !== 200 || etag === undefined || known === undefined) return found;
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) ? { ...found, status: 304, body: '', isShared: false } : found;
}

function listen(server: Server, { host, port }: ServerSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      reject(new Error(advice(error, host, port), { cause: error }));
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      // Errors of a listening socket (too many open files) must not end the process.
      server.on('error', () => {});
      resolve();
    });
  });
}

function advice({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use: stop the process that listens there, or choose another port (http.port, or --port of receval demo)`;
    case 'EACCES':
      return `port ${port} on ${host} needs more rights than this process has: choose one above 1023 (http.port, or --port of receval demo)`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `"${host}" is no address of this machine: set http.host to one, such as 127.0.0.1 or 0.0.0.0`;
    default:
      return `cannot listen on port ${port} on ${host}: ${message}`;
  }
}

function close(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => connections.cut(), GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
