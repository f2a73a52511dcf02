import { connect as connectPlain, type OnReadOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { TlsContext } from '../../../../connections/tls.ts';
import type { KafkaConfig } from './client.ts';
import type { KafkaConnection } from './kafka-settings.ts';
import { loginOf } from './login.ts';

/**
 * After this long without a packet, the kernel probes the broker's. If a reset reached only the broker, the reply is another reset.
 * Without probes a member would wait for its response until the request times out, more than a minute for a JoinGroup, while its session
 * ends.
 */
const KEEP_ALIVE_MS = 5_000;

/** Four times what Node reads at once by default. */
const READ_BYTES = 2 ** 18;

/**
 * Options for kafkajs that say how to connect and to log in. Certificates, keys and passwords in files are read again for each
 * connection.
 * @throws AccessFileError if such a file cannot be used
 */
export function accessOptions({
  brokers,
  clientId,
  tls,
  sasl,
}: KafkaConnection): Pick<KafkaConfig, 'brokers' | 'clientId' | 'sasl' | 'ssl' | 'socketFactory'> {
  const login = sasl === undefined ? {} : { sasl: loginOf(sasl) };
  const context = tls === undefined ? undefined : new TlsContext(tls);
  return {
    brokers: [...brokers],
    clientId,
    ...login,
    ssl: context !== undefined,
    socketFactory: ({ host, port, onConnect }) => {
      // All reads share this memory: the connection copies what it keeps (reconnecting.ts).
      const onread: OnReadOpts = {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback: (bytes, buffer) => socket.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, bytes)),
      };
      const options = { host, port, onread };
      // The TLS option `onread` is documented, but missing in the types.
      const secure = context && { ...options, ...context.options(host) };
      const socket = secure === undefined ? connectPlain(options, onConnect) : connectTls(secure, onConnect);
      return socket.setKeepAlive(true, KEEP_ALIVE_MS);
    },
  };
}

/** Splits host:port; an IPv6 address is in brackets. */
export function addressOf(broker: string): { readonly host: string; readonly port: number } {
  const colon = broker.lastIndexOf(':');
  return { host: broker.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(broker.slice(colon + 1)) };
}

/** The peer does not speak Kafka's protocol. */
export class NotKafka extends Error {
  override readonly name = 'NotKafka';

  constructor() {
    super('what answers there is not a Kafka broker');
  }
}

/** Largest valid length of a response here. The first bytes of a text, read as a length, exceed it. */
const MOST_BYTES = 2 ** 20;

/**
 * Sends these requests, each prefixed with its length, and waits for the response before sending the next. Rejects if the
 * responses do not come within `timeout` ms, with NotKafka, with the socket's error, or with AccessFileError.
 */
export function exchange(
  broker: string,
  { tls }: Pick<KafkaConnection, 'tls'>,
  requests: readonly Buffer[],
  timeout: number,
): Promise<readonly Buffer[]> {
  const { host, port } = addressOf(broker);
  return new Promise((resolve, reject) => {
    const answers: Buffer[] = [];
    const send = (): void => void socket.write(requests[answers.length]);
    const socket =
      tls === undefined
        ? connectPlain({ host, port }, send)
        : connectTls({ host, port, ...new TlsContext(tls).options(host) }, send);
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeout} ms`)), timeout);
    let bytes: Buffer = Buffer.alloc(0);
    socket.on('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed without an answer'));
    });
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < 4) return;
      const size = bytes.readInt32BE(0);
      if (size < 0 || size > MOST_BYTES) {
        socket.destroy(new NotKafka());
        return;
      }
      if (bytes.length < 4 + size) return;
      answers.push(bytes);
      bytes = Buffer.alloc(0);
      if (answers.length < requests.length) send();
      else {
        resolve(answers);
        socket.destroy();
      }
    });
  });
}
