import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { TlsContext } from '../../../../connections/tls.ts';
import type { KafkaConfig } from './client.ts';
import type { KafkaConnection } from './kafka-settings.ts';
import { loginOf } from './login.ts';

const KEEP_ALIVE_MS = 60_000;

/**
 * TLS and login options for kafkajs. Certificates, keys and passwords in files are read again for each connection.
 * @throws AccessFileError when such a file cannot be used
 */
export function accessOptions({
  brokers,
  clientId,
  tls,
  sasl,
}: KafkaConnection): Pick<KafkaConfig, 'brokers' | 'clientId' | 'sasl' | 'ssl' | 'socketFactory'> {
  const login = sasl === undefined ? {} : { sasl: loginOf(sasl) };
  const plain = { brokers: [...brokers], clientId, ...login };
  if (tls === undefined) return plain;
  const context = new TlsContext(tls);
  return {
    ...plain,
    ssl: true,
    socketFactory: ({ host, port, onConnect }) => {
      const socket = connectTls({ host, port, ...context.options(host) }, onConnect);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      return socket;
    },
  };
}

/** Splits host:port; an IPv6 address is in brackets. */
export function addressOf(broker: string): { readonly host: string; readonly port: number } {
  const colon = broker.lastIndexOf(':');
  return { host: broker.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(broker.slice(colon + 1)) };
}

/**
 * Sends these requests, each prefixed with its length, and waits for the response before sending the next. Rejects if the
 * responses do not come within `timeout` ms, with the socket's error, or with AccessFileError.
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
      if (bytes.length < 4 || bytes.length < 4 + bytes.readInt32BE(0)) return;
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
