import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { SecretSource } from '../connections/security-settings.ts';
import { Connections } from './connections.ts';
import { isAllowedHost, isHost } from './hosts.ts';
import {
  type Answer,
  answer,
  failure,
  isOpenPath,
  type Pages,
  PROBLEM_TYPE,
  problem,
  SESSION_PATH,
  sessionAnswer,
  type Target,
  withoutToken,
} from './routes.ts';
import { cookiedSession, endedCookie, sessionCookie, TokenGuard } from './token.ts';

export interface ServerSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The token that a reader must send; default: anyone may read. */
  readonly token?: SecretSource | undefined;
  /** See `HostRule`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Limits for tests; default LIMITS. */
  readonly limits?: Partial<Limits>;
}

export interface RunningServer {
  /** The port on which the server listens. */
  readonly port: number;
  /** Stops listening, lets responses in progress end, and closes what is still open after half a second. */
  close(): Promise<void>;
}

/** Limits on clients (specification: faults 5.7). Times in ms. */
export interface Limits {
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  readonly keepAliveTimeout: number;
  /** A connection without any traffic for this long is closed, such as a reader that does not read. */
  readonly silence: number;
  /** A reader that takes its response more slowly is cut off. */
  readonly answerTimeout: number;
  readonly connections: number;
  readonly requestsPerConnection: number;
  /** The most bytes of all responses that were not taken yet; a page with many readers counts once, and the last four always fit. */
  readonly heldBytes: number;
  readonly headerBytes: number;
  /** How often Node checks for connections past their timeouts. */
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

/** When only this many connections are left, the one that has been silent longest is closed to make room. */
const SPARE = 32;
const GRACE_MS = 500;
/** Number of bodies that are kept compressed. */
const MOST_BODIES = 32;

/**
 * Serves the pages. Rejects with an Error that says what to do if it cannot listen on the address, and with an AccessFileError
 * if the token cannot be read.
 */
export async function startServer(settings: ServerSettings, pages: Pages): Promise<RunningServer> {
  const limits = { ...LIMITS, ...settings.limits };
  const server = createServer({
    requestTimeout: limits.requestTimeout,
    headersTimeout: limits.headersTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: limits.checkEvery,
    // Node would refuse such requests without an explanation.
    requireHostHeader: false,
  });
  server.maxConnections = limits.connections;
  server.timeout = limits.silence;
  const guard = settings.token === undefined ? undefined : new TokenGuard(settings.token);
  const hosts = { listens: settings.host, allowed: settings.allowedHosts };
  const port = (): number => {
    const bound = server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : settings.port;
  };
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', headers } = request;
    const wrong = wrongHost(request);
    if (wrong !== undefined) return wrong;
    if (!isAllowedHost(headers.host, hosts)) return MISDIRECTED;
    const target = targetOf(request);
    const { path } = target;
    const session = cookiedSession(headers.cookie, port());
    if (guard !== undefined && pages.page !== undefined && path === SESSION_PATH) {
      if (method === 'DELETE') {
        if (session !== undefined) guard.end(session);
        return sessionAnswer('goodbye', endedCookie(port()));
      }
      // A session cannot create another one, or it would never end.
      if (!guard.accepts(headers.authorization)) return withoutToken(path, pages);
      return sessionAnswer('welcome', sessionCookie(guard.newSession(), port()));
    }
    const isOpen = guard === undefined || isOpenPath(path, pages) || guard.accepts(headers.authorization, session);
    if (!isOpen) return withoutToken(path, pages);
    return unlessKnown(await answer(method, target, pages), headers['if-none-match']);
  };
  // Bodies that many clients request, by path or version. The least recently used one is evicted.
  const bodies = new Map<string, SharedBody>();
  const bodyOf = (name: string): SharedBody => {
    const body = bodies.get(name) ?? new SharedBody();
    bodies.delete(name);
    bodies.set(name, body);
    for (const other of bodies.keys()) {
      if (bodies.size <= MOST_BODIES) break;
      bodies.delete(other);
    }
    return body;
  };
  const connections = new Connections(server, { ...limits, crowded: limits.connections - SPARE });
  const serveWith =
    (answering: (request: IncomingMessage) => Promise<Answer>) =>
    (request: IncomingMessage, response: ServerResponse) => {
      const isLast = connections.asked(request.socket, hasBody(request) || !response.shouldKeepAlive);
      if (isLast) response.shouldKeepAlive = false;
      response.once('close', () => connections.answered(request.socket));
      void send(request, response, answering(request), { bodyOf, connections });
    };
  server.on('request', serveWith(answerTo));
  server.on('checkContinue', serveWith(answerTo));
  server.on(
    'checkExpectation',
    serveWith(async () => UNKNOWN_EXPECTATION),
  );
  server.on('clientError', (error, socket) => {
    connections.refused(socket);
    refuse(error, socket, connections.isAnswering(socket));
  });
  await listen(server, settings);
  return {
    port: port(),
    close: () => close(server, connections),
  };
}

/**
 * The response to several Host headers, or to an invalid one, where a proxy may have chosen another host than we would (RFC 9112, section
 * 3.2); undefined: the header is valid.
 */
function wrongHost({ headersDistinct, httpVersion }: IncomingMessage): Answer | undefined {
  const hosts = headersDistinct['host'] ?? [];
  if (hosts.length > 1) return MANY_HOSTS;
  if (hosts.length === 0) return httpVersion === '1.0' ? undefined : WITHOUT_HOST;
  return isHost(hosts[0]) ? undefined : NO_HOST;
}

function targetOf({ url = '' }: IncomingMessage): Target {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** Sends a response. Never rejects. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answering: Promise<Answer>,
  { bodyOf, connections }: { readonly bodyOf: (name: string) => SharedBody; readonly connections: Connections },
): Promise<void> {
  const { status, type, body, headers, isShared = false } = await answering;
  const shared = isShared ? bodyOf(headers?.['ETag'] ?? targetOf(request).path) : undefined;
  const plain = shared?.plain(body) ?? Buffer.from(body);
  const packing = takesGzip(request.headers['accept-encoding']) ? shared?.packed(body) : undefined;
  const packed = await packing?.catch(() => undefined);
  if (response.destroyed) return;
  const bytes = packed ?? plain;
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    'Content-Type': type,
    // In a 304 it would be the length of the body that is not sent.
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

/** Whether the request has a body. Bodies are not read: the connection is closed instead. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Refuses what is not HTTP, is too large or too slow.
 * @param isAnswering another response is being sent, so nothing may be written in between
 */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const [status, line, detail] = REFUSALS[error.code ?? ''] ?? [400, 'Bad Request', 'this is not an HTTP request'];
  const body = problem(status, detail);
  // `end` alone would leave the connection open to a client that keeps sending.
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
const MANY_HOSTS = failure(400, 'the header Host appears more than once: send one');
const NO_HOST = failure(400, 'the header Host holds no name or address with or without a port');
const UNKNOWN_EXPECTATION = failure(417, 'of the header Expect only 100-continue is known: leave it out');
const MISDIRECTED = failure(
  421,
  'this name is not served here: use an address or localhost, or add the name to http.allowedHosts',
);
/** Reduces the response to its headers if the client already has this version (RFC 9110, section 13.1.2). */
function unlessKnown(found: Answer, known: string | undefined): Answer {
  if (found.status !== 200 || known === undefined) return found;
  const etag = found.headers?.['ETag'];
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  // * matches any version (RFC 9110, section 13.1.2) of what has versions.
  return etag !== undefined && (known.trim() === '*' || tags.includes(etag))
    ? { ...found, status: 304, body: '', isShared: false }
    : found;
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
      return `"${host}" is not an address of this machine: set http.host to one, such as 127.0.0.1 or 0.0.0.0`;
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

const pack = promisify(gzip);
/** Compressing shorter bodies saves nothing. */
const LEAST_BYTES = 1024;

/** The bytes of a text that changes from time to time, encoded once for all readers. */
export class SharedBody {
  #text: string | undefined;
  #plain: Buffer = Buffer.alloc(0);
  #packed: Promise<Buffer> | undefined;

  plain(text: string): Buffer {
    if (this.#text !== text) {
      this.#text = text;
      this.#plain = Buffer.from(text);
      this.#packed = undefined;
    }
    return this.#plain;
  }

  /** The text gzipped; undefined: it is too short. */
  packed(text: string): Promise<Buffer> | undefined {
    const bytes = this.plain(text);
    if (bytes.length < LEAST_BYTES) return undefined;
    this.#packed ??= pack(bytes, { level: constants.Z_BEST_SPEED });
    return this.#packed;
  }
}

/** Whether an Accept-Encoding header accepts gzip (RFC 9110, section 12.5.3). */
export function takesGzip(header: string | undefined): boolean {
  let any = false;
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim());
    const isRefused = parameters.some((text) => /^q=0(?:\.0{0,3})?$/.test(text));
    if (name === 'gzip' || name === 'x-gzip') return !isRefused;
    if (name === '*') any = !isRefused;
  }
  return any;
}
