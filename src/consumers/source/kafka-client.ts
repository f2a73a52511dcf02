import { createRequire } from 'node:module';
import { type Message, messagesOf, withoutAborted } from './kafka-batches.ts';
import { codecTable } from './kafka-codecs.ts';
import { openBatch, Records } from './kafka-records.ts';

// The only place that loads kafkajs: it is CommonJS, and two of its modules are replaced before any other sees them.
export type AdminConfig = import('kafkajs').AdminConfig;
export type AuthenticationProvider = import('kafkajs').Mechanism['authenticationProvider'];
export type Consumer = import('kafkajs').Consumer;
export type EachBatchPayload = import('kafkajs').EachBatchPayload;
export type KafkaConfig = import('kafkajs').KafkaConfig;
export type LogEntry = import('kafkajs').LogEntry;
export type Producer = import('kafkajs').Producer;

/** The parts of kafkajs' reader of bytes that are used. */
interface ByteReader {
  readInt32(): number;
  canReadBytes(count: number): boolean;
  readBytes(count: number): Buffer;
}

const VERSION = '2.2.4';
const DECODE_MESSAGES = 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js';
const FILTER_ABORTED = 'kafkajs/src/consumer/filterAbortedMessages.js';

const require = createRequire(import.meta.url);

/**
 * kafkajs 2.2.4, except that a consumer is given record batches undecoded: its messages are those of `messagesOf` and
 * `withoutAborted`. All versions of Fetch since 4 (Kafka 0.11) decode their records with the module that is replaced.
 */
export const kafkajs: typeof import('kafkajs') = load();

function load(): typeof import('kafkajs') {
  const { version }: { readonly version: string } = require('kafkajs/package.json');
  if (version !== VERSION) {
    throw new Error(`kafka: kafkajs ${version} is installed, but ${VERSION} is needed, exactly: run npm ci`);
  }
  if (require.cache[require.resolve('kafkajs')] !== undefined) {
    throw new Error(
      'kafka: kafkajs was loaded before kafka-client.ts, so it decodes records by itself: import it from there',
    );
  }
  replace(DECODE_MESSAGES, decodeMessages());
  replace(FILTER_ABORTED, withoutAborted);
  const loaded: typeof import('kafkajs') = require('kafkajs');
  Object.assign(loaded.CompressionCodecs, codecTable());
  return loaded;
}

function replace(path: string, exported: (...args: never) => unknown): void {
  require(path);
  const module = require.cache[require.resolve(path)];
  if (module === undefined) throw new Error(`kafka: ${path} cannot be replaced`);
  module.exports = exported;
}

/** How kafkajs itself logs in with a password. */
export function builtInProvider(
  mechanism: 'plain' | 'scram256' | 'scram512',
): (login: { readonly username: string; readonly password: string }) => AuthenticationProvider {
  return require(`kafkajs/src/broker/saslAuthenticator/${mechanism}.js`);
}

/** As kafkajs' own function of that name. */
function decodeMessages(): (reader: ByteReader) => Promise<Message[]> {
  const Reader: new (bytes: Buffer) => ByteReader = require('kafkajs/src/protocol/decoder.js');
  const decodeBatch: (reader: ByteReader) => Promise<{ readonly records: readonly Message[] }> =
    require('kafkajs/src/protocol/recordBatch/v0/decoder.js');
  const decodeSet: (reader: ByteReader, size: number) => Promise<readonly Message[]> =
    require('kafkajs/src/protocol/messageSet/decoder.js');
  const plain = {
    batch: async (bytes: Buffer) => {
      // kafkajs itself would go on for as many records as a damaged header says.
      const read = await openBatch(bytes);
      if (!(read instanceof Records)) throw new RangeError(read.reason);
      return (await decodeBatch(new Reader(bytes))).records;
    },
    set: (bytes: Buffer) => decodeSet(new Reader(bytes), bytes.length),
  };
  return async (reader) => {
    const size = reader.readInt32();
    if (size <= 0 || !reader.canReadBytes(size)) return [];
    return messagesOf(reader.readBytes(size), plain);
  };
}
