import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { PROBLEM_TYPE, problem } from './problem.ts';
import { type Answer, answer, failure, type Pages } from './routes.ts';

export interface Address {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

export interface RunningServer {
  /** The port that is listened on. */
  readonly port: number;
  /** Stops listening, lets answers in progress end, and cuts what is still open after half a second. */
  close(): Promise<void>;
}

/** Limits on strangers (faults.md section 5). */
export const LIMITS = {
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 5_000,
  /** A connection on which nothing moves, a reader that does not read among them, is cut. */
  silence: 15_000,
  connections: 256,
  headerBytes: 8 * 1024,
  /** Node looks for connections beyond their time this often. */
  checkEvery: 1_000,
} as const;

/** From here on the connection that has been silent longest makes room for a new one. */
const CROWDED = LIMITS.connections - 32;
const GRACE_MS = 500;

/** Serves the pages. Rejects with an Error that says what to do when the address cannot be listened on. */
export async function startServer(address: Address, pages: Pages): Promise<RunningServer> {
  const server = createServer({
    requestTimeout: LIMITS.requestTimeout,
    headersTimeout: LIMITS.headersTimeout,
    keepAliveTimeout: LIMITS.keepAliveTimeout,
    maxHeaderSize: LIMITS.headerBytes,
    connectionsCheckingInterval: LIMITS.checkEvery,
  });
  server.maxConnections = LIMITS.connections;
  server.timeout = LIMITS.silence;
  const onlyLocal = isLoopback(address.host);
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const stranger = onlyLocal && !isLocalName(request.headers.host);
    send(request, response, stranger ? MISDIRECTED : answer(request.method ?? '', pathOf(request), pages));
  };
  const sockets = guardConnections(server);
  server.on('request', serve);
  server.on('checkContinue', serve);
  server.on('clientError', refuse);
  await listen(server, address);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
    close: () => close(server, sockets),
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
} as const;

function send(request: IncomingMessage, response: ServerResponse, { status, type, body, allow }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    ...HEADERS,
    'Content-Type': type,
    'Content-Length': bytes.length,
    ...(allow === undefined ? {} : { Allow: allow }),
    ...(hasBody(request) ? { Connection: 'close' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** A body is not read: the connection ends instead. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** What is no HTTP, is too large or too slow. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, line, detail] = REFUSALS[error.code ?? ''] ?? [400, 'Bad Request', 'this is no HTTP request'];
  const body = problem(status, detail);
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

const MISDIRECTED = failure(
  421,
  'this address serves its own machine only: ask for localhost, or set http.host to the address that is meant',
);

/** Names in another's DNS may point at this machine; a page that was opened from there must not read it. */
function isLocalName(host: string | undefined): boolean {
  return host === undefined || isLoopback(host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Keeps room for new connections: when it is crowded, the one that has been silent longest is cut. */
function guardConnections(server: Server): ReadonlySet<Socket> {
  /** The longest silent first. */
  const waiting = new Set<Socket>();
  const all = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    all.add(socket);
    waiting.add(socket);
    socket.once('close', () => {
      all.delete(socket);
      waiting.delete(socket);
    });
    if (all.size <= CROWDED) return;
    for (const silent of waiting) {
      all.delete(silent);
      waiting.delete(silent);
      silent.destroy();
      break;
    }
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    waiting.delete(request.socket);
    response.once('close', () => {
      if (!request.socket.destroyed) waiting.add(request.socket);
    });
  });
  return all;
}

function listen(server: Server, { host, port }: Address): Promise<void> {
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
      return `port ${port} on ${host} is in use: stop the process that listens there, or choose another port with --port (http.port)`;
    case 'EACCES':
      return `port ${port} on ${host} needs more rights than this process has: choose one above 1023 with --port (http.port)`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `"${host}" is no address of this machine: set http.host to one, such as 127.0.0.1 or 0.0.0.0`;
    default:
      return `cannot listen on port ${port} on ${host}: ${message}`;
  }
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
