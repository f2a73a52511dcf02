import { createRequire } from 'node:module';
import { codecTable } from '../../../../src/consumers/source/kafka/codecs/codecs.ts';
import type { Stand } from '../../../../src/consumers/source/kafka/flow/batches.ts';

const require = createRequire(import.meta.url);

/** Those of Fetch in which record batches can come. */
export const VERSIONS = [4, 5, 6, 7, 8, 9, 10, 11];

export interface PlainMessage {
  /** Only where kafkajs works with what we replaced. */
  readonly stand?: Stand;
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** What an answer to a fetch holds of one partition. */
export interface PartitionData {
  readonly partition: number;
  readonly highWatermark: string;
  readonly abortedTransactions?: readonly { readonly producerId: string; readonly firstOffset: string }[];
  readonly messages: readonly PlainMessage[];
}

export interface Response {
  readonly responses: readonly { readonly partitions: readonly PartitionData[] }[];
}

type Batch = new (
  topic: string,
  fetched: string,
  data: PartitionData,
) => { readonly messages: readonly PlainMessage[]; lastOffset(): string };

export interface Modules {
  /** Decodes the answer to a fetch. */
  readonly decode: (version: number, raw: Buffer) => Promise<Response>;
  readonly decodeMessages: (reader: unknown) => Promise<readonly PlainMessage[]>;
  readonly Batch: Batch;
  readonly Reader: new (bytes: Buffer) => unknown;
}

function modules(): Modules {
  const responses = new Map(
    VERSIONS.map(
      (version) => [version, require(`kafkajs/src/protocol/requests/fetch/v${version}/response.js`)] as const,
    ),
  );
  return {
    decode: (version, raw) => responses.get(version).decode(raw),
    decodeMessages: require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js'),
    Batch: require('kafkajs/src/consumer/batch.js'),
    Reader: require('kafkajs/src/protocol/decoder.js'),
  };
}

/** kafkajs as it is loaded in this process, with what we replaced. */
export function ourKafkajs(): Modules {
  return modules();
}

/** Modules of kafkajs as they were published, apart from those that the process works with; it can decode all codecs. */
export function plainKafkajs(): Modules {
  const loaded = Object.entries(require.cache).filter(([path]) => path.includes('/node_modules/kafkajs/'));
  for (const [path] of loaded) delete require.cache[path];
  const plain = modules();
  Object.assign(require('kafkajs/src/protocol/message/compression/index.js').Codecs, codecTable());
  for (const path of Object.keys(require.cache)) {
    if (path.includes('/node_modules/kafkajs/')) delete require.cache[path];
  }
  for (const [path, module] of loaded) require.cache[path] = module;
  return plain;
}

/** The bytes of a request for one partition, for a socket. */
export async function fetchRequest(version: number, topic: string, offset: number, maxBytes: number): Promise<Buffer> {
  const request = require(`kafkajs/src/protocol/requests/fetch/v${version}/request.js`)({
    replicaId: -1,
    maxWaitTime: 500,
    minBytes: 1,
    maxBytes,
    isolationLevel: 1,
    topics: [{ topic, partitions: [{ partition: 0, fetchOffset: String(offset), maxBytes }] }],
  });
  const encoded = await require('kafkajs/src/protocol/request.js')({ correlationId: 1, clientId: 'test', request });
  return encoded.buffer;
}
