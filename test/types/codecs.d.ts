declare module 'lz4js' {
  export function compress(input: Uint8Array): Uint8Array;
}

declare module 'snappyjs' {
  export function compress(input: Buffer): Buffer;
}

declare module 'kafkajs/src/protocol/recordBatch/v0/decoder.js' {
  import type { KafkaMessage } from 'kafkajs';
  /** What the client itself decodes a fetched record batch with. */
  export default function decode(decoder: unknown): Promise<{ records: KafkaMessage[] }>;
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(bytes: Buffer);
  }
}
