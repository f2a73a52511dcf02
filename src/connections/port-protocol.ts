/** Finds out which protocol a port speaks: the wrong port of the right host is a common mistake, and clients only report a timeout. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsContext } from './tls.ts';

/** Redis replies to this even before a client has authenticated. */
export const PING = Buffer.from('PING\r\n');

export type Protocol = 'Kafka' | 'Redis' | 'HTTP';

/**
 * Sends a request of Kafka and one of Redis, on two connections at the same time. Sends no secret. undefined: neither got a reply in a
 * known protocol. Never rejects.
 * @param timeout in ms
 */
export async function protocolAt(
  host: string,
  port: number,
  tls: TlsContext | undefined,
  timeout: number,
): Promise<Protocol | undefined> {
  // There are two connections because a server that receives the other protocol mostly waits for more bytes.
  const known = [versionsRequest(), PING].map(async (request) => {
    const protocol = protocolOf(await firstReply(request, opener(host, port, tls), timeout));
    if (protocol === undefined) throw new Error('no known protocol');
    return protocol;
  });
  return Promise.any(known).catch(() => undefined);
}

/**
 * Redis' reply to PING, such as `+PONG` or `-NOAUTH`; undefined: no reply, or none that Redis would send. Never rejects.
 * @param timeout in ms
 */
export async function replyToPing(
  host: string,
  port: number,
  tls: TlsContext | undefined,
  timeout: number,
): Promise<string | undefined> {
  const reply = await firstReply(PING, opener(host, port, tls), timeout);
  return protocolOf(reply) === 'Redis' ? reply.toString('latin1').split(/[ \r]/, 1)[0] : undefined;
}

function opener(host: string, port: number, tls: TlsContext | undefined): (onConnect: () => void) => Socket {
  return (onConnect) =>
    tls === undefined
      ? connect({ host, port }, onConnect)
      : connectTls({ host, port, ...tls.options(host) }, onConnect);
}

/**
 * The first bytes of the reply to the request; empty: none arrived. Never rejects.
 * @param timeout in ms
 */
export function firstReply(request: Buffer, open: (onConnect: () => void) => Socket, timeout: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const end = (reply: Buffer): void => {
      socket.destroy();
      resolve(reply);
    };
    const socket = open(() => void socket.write(request));
    socket.setTimeout(timeout, () => end(Buffer.alloc(0)));
    socket.once('data', end);
    socket.on('error', () => end(Buffer.alloc(0)));
    socket.once('close', () => end(Buffer.alloc(0)));
  });
}

function protocolOf(reply: Buffer): Protocol | undefined {
  const text = reply.toString('latin1', 0, 16);
  if (text.startsWith('HTTP/')) return 'HTTP';
  // An error is a reply too, since a password may be needed.
  if (/^(?:\+PONG|-[A-Z]+ )/.test(text)) return 'Redis';
  return isVersionsReply(reply) ? 'Kafka' : undefined;
}

/** Whether it is a reply to `versionsRequest`. */
export function isVersionsReply(reply: Buffer): boolean {
  return reply.length >= 8 && reply.readInt32BE(4) === REQUEST_NUMBER;
}

const API_VERSIONS = 18;
const HEADER_BYTES = 10;
const REQUEST_NUMBER = 1;

/** Kafka's ApiVersions, version 0, which every broker supports. */
export function versionsRequest(): Buffer {
  const bytes = Buffer.alloc(4 + HEADER_BYTES);
  bytes.writeInt32BE(HEADER_BYTES, 0);
  bytes.writeInt16BE(API_VERSIONS, 4);
  bytes.writeInt16BE(0, 6);
  bytes.writeInt32BE(REQUEST_NUMBER, 8);
  bytes.writeInt16BE(-1, 12); // no client id
  return bytes;
}
