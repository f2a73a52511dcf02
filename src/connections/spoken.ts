/** What a port speaks: the wrong port of a right host is a common mistake, and the clients only say that no answer came. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsContext } from './tls.ts';

/** A question that Redis answers, whatever it then asks for. */
export const PING = Buffer.from('PING\r\n');

export type Spoken = 'Kafka' | 'Redis' | 'HTTP';

/**
 * Asks in the languages of Kafka and of Redis, at the same time. Sends no secret. undefined: there is no answer that is known. Never
 * rejects. `timeout` in ms.
 */
export async function spokenAt(
  host: string,
  port: number,
  tls: TlsContext | undefined,
  timeout: number,
): Promise<Spoken | undefined> {
  // Who speaks the one mostly waits for more of the other.
  const known = [versionsRequest(), PING].map(async (question) => {
    const spoken = languageOf(await answerTo(question, opener(host, port, tls), timeout));
    if (spoken === undefined) throw new Error('no answer that is known');
    return spoken;
  });
  return Promise.any(known).catch(() => undefined);
}

/** What Redis answers to PING, such as `+PONG` or `-NOAUTH`; undefined: there is no answer of Redis. Never rejects. `timeout` in ms. */
export async function answerToPing(
  host: string,
  port: number,
  tls: TlsContext | undefined,
  timeout: number,
): Promise<string | undefined> {
  const answer = await answerTo(PING, opener(host, port, tls), timeout);
  return languageOf(answer) === 'Redis' ? answer.toString('latin1').split(/[ \r]/, 1)[0] : undefined;
}

function opener(host: string, port: number, tls: TlsContext | undefined): (onConnect: () => void) => Socket {
  return (onConnect) =>
    tls === undefined
      ? connect({ host, port }, onConnect)
      : connectTls({ host, port, ...tls.options(host) }, onConnect);
}

/** The first bytes that come after the question; none: there is no answer. Never rejects. `timeout` in ms. */
export function answerTo(question: Buffer, open: (onConnect: () => void) => Socket, timeout: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const end = (answer: Buffer): void => {
      socket.destroy();
      resolve(answer);
    };
    const socket = open(() => void socket.write(question));
    socket.setTimeout(timeout, () => end(Buffer.alloc(0)));
    socket.once('data', end);
    socket.on('error', () => end(Buffer.alloc(0)));
    socket.once('close', () => end(Buffer.alloc(0)));
  });
}

function languageOf(answer: Buffer): Spoken | undefined {
  const text = answer.toString('latin1', 0, 16);
  if (text.startsWith('HTTP/')) return 'HTTP';
  // A refusal is an answer, too: a password may be needed.
  if (/^(?:\+PONG|-[A-Z]+ )/.test(text)) return 'Redis';
  return answersVersions(answer) ? 'Kafka' : undefined;
}

/** Whether the answer is one to `versionsRequest`. */
export function answersVersions(answer: Buffer): boolean {
  return answer.length >= 8 && answer.readInt32BE(4) === REQUEST_NUMBER;
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
