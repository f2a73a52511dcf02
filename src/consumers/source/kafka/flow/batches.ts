import { messageOf } from '../../../../vocabulary/error-text.ts';
import type { Offset } from '../../../../vocabulary/events.ts';
import type { UndecodableBatch } from '../../source-port.ts';
import { responses } from '../codecs/reused-buffers.ts';

/** What a message of kafkajs represents, if it is not a record. */
export type Stand =
  /** All records of this batch, whose bytes are as fetched, with the header. */
  | { readonly kind: 'batch'; readonly bytes: Buffer }
  /** A batch of an aborted transaction. */
  | { readonly kind: 'aborted' }
  | { readonly kind: 'refused'; readonly refusal: UndecodableBatch };

/** The fields of kafkajs' message that it or we read. */
export interface Message {
  /** The offset; for a message that represents a batch, the batch's last. */
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly isControlRecord?: boolean;
  readonly batchContext?: { readonly producerId: string; readonly inTransaction: boolean };
  /** undefined: the message is a record. */
  readonly stand?: Stand;
}

/** Bytes of the messages as fetched. */
export function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((bytes, { stand, value }) => {
    return bytes + (stand?.kind === 'batch' ? stand.bytes.length : (value?.length ?? 0));
  }, 0);
}

/** Decoders for what becomes more than one message. Each rejects if it cannot decode its input. */
interface Decoders {
  /** Decodes one control batch. */
  control(bytes: Buffer): Promise<readonly Message[]>;
  /** Decodes messages of the formats before Kafka 0.11. */
  set(bytes: Buffer): Promise<readonly Message[]>;
}

/** Offset, length and magic have the same positions in all formats: kafka.apache.org/documentation/#recordbatch. */
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const FRAME = 12;
const SMALLEST_MESSAGE = 14;
const RECORD_BATCH = 2;
export const HEADER_BYTES = 61;
export const ATTRIBUTES_AT = 21;
export const LAST_DELTA_AT = 23;
const PRODUCER_AT = 43;
const COUNT_AT = 57;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;

/**
 * The messages for the records of one partition in a fetch response: one for each record batch, which is not decoded yet, and one for
 * each record of a control batch or an older format. What cannot be decoded becomes a refusal. An incomplete batch at the end is left
 * out, because brokers cut responses by size.
 */
export async function messagesOf(bytes: Buffer, decoders: Decoders): Promise<Message[]> {
  const messages: Message[] = [];
  for (let at = 0; at + MAGIC_AT < bytes.length; ) {
    const length = bytes.readInt32BE(at + LENGTH_AT);
    if (length < SMALLEST_MESSAGE) {
      messages.push(refused(bytes.subarray(at), 'the length of the record batch is impossible'));
      break;
    }
    const end = at + FRAME + length;
    if (end > bytes.length) break;
    const entry = bytes.subarray(at, end);
    const magic = entry[MAGIC_AT];
    if (magic === RECORD_BATCH && entry.length < HEADER_BYTES)
      messages.push(refused(entry, 'the header of the record batch is cut off'));
    else if (magic === RECORD_BATCH && (entry.readInt16BE(ATTRIBUTES_AT) & CONTROL) === 0) messages.push(whole(entry));
    else if (magic > RECORD_BATCH) messages.push(refused(entry, `record format ${magic} is unknown`));
    else {
      const decode = magic === RECORD_BATCH ? decoders.control : decoders.set;
      responses.keep(entry);
      for (const one of await decodedOr(entry, decode)) messages.push(one);
    }
    at = end;
  }
  return messages;
}

/** The decoded messages, or a refusal. */
async function decodedOr(entry: Buffer, decode: Decoders['set']): Promise<readonly Message[]> {
  try {
    return await decode(entry);
  } catch (error) {
    return [refused(entry, messageOf(error))];
  }
}

/** A message that represents a whole batch. Whoever reads its records frees it. */
function whole(bytes: Buffer): Message {
  responses.ref(bytes);
  const { producerId, inTransaction } = contextOf(bytes);
  const known = inTransaction ? producerId : '-1';
  return message(lastOffset(bytes), { kind: 'batch', bytes }, { producerId: known, inTransaction });
}

/** A record of a control batch. Its key says what it ends, and the header of the batch says who began that. */
export function controlMessage(bytes: Buffer, offset: Offset, key: Uint8Array | null): Message {
  return {
    offset: String(offset),
    timestamp: '-1',
    key: key === null ? null : Buffer.from(key.buffer, key.byteOffset, key.length),
    value: null,
    isControlRecord: true,
    batchContext: contextOf(bytes),
  };
}

function contextOf(bytes: Buffer): NonNullable<Message['batchContext']> {
  const inTransaction = (bytes.readInt16BE(ATTRIBUTES_AT) & TRANSACTIONAL) !== 0;
  return { producerId: String(bytes.readBigInt64BE(PRODUCER_AT)), inTransaction };
}

function refused(bytes: Buffer, reason: string): Message {
  responses.keep(bytes);
  const refusal = undecodable(bytes, reason);
  return message(lastOffset(bytes), { kind: 'refused', refusal }, { producerId: '-1', inTransaction: false });
}

/**
 * What the header says about a record batch that cannot be decoded. If it has no valid count, one record is assumed for each offset;
 * without a header, a single offset. Control batches hold no records.
 */
export function undecodable(bytes: Buffer, reason: string): UndecodableBatch {
  const from = Number(bytes.readBigInt64BE(0));
  const hasHeader = bytes.length >= HEADER_BYTES && bytes[MAGIC_AT] === RECORD_BATCH;
  const offsets = hasHeader ? Math.max(0, bytes.readInt32BE(LAST_DELTA_AT)) + 1 : 1;
  const count = hasHeader ? bytes.readInt32BE(COUNT_AT) : 1;
  const isControl = hasHeader && (bytes.readInt16BE(ATTRIBUTES_AT) & CONTROL) !== 0;
  const records = isControl ? 0 : count >= 0 && count <= offsets ? count : offsets;
  return { from, to: from + offsets, records, reason, bytes };
}

function message(offset: string, stand: Stand, batchContext: NonNullable<Message['batchContext']>): Message {
  return { offset, timestamp: '-1', key: null, value: null, isControlRecord: false, batchContext, stand };
}

/** The last offset of a batch. It is exact even above the safe integers, so that the reader can refuse such an offset. */
function lastOffset(bytes: Buffer): string {
  const hasHeader = bytes.length >= HEADER_BYTES && bytes[MAGIC_AT] === RECORD_BATCH;
  const delta = hasHeader ? Math.max(0, bytes.readInt32BE(LAST_DELTA_AT)) : 0;
  return String(bytes.readBigInt64BE(0) + BigInt(delta));
}

interface FetchedMessages {
  /** Messages in the order of their offsets. */
  readonly messages: readonly Message[];
  readonly abortedTransactions?: readonly { readonly producerId: string; readonly firstOffset: string }[] | null;
}

const ABORTED: Stand = { kind: 'aborted' };
/** Position of the type in the key of a control record, and the type that ends an aborted transaction. */
const TYPE_AT = 2;
const ABORT = 0;

/**
 * Marks the batches of aborted transactions, in place of kafkajs' filter. That filter expects the transactions in the order of their
 * first offsets, while brokers list them in the order of their ends, and it starts at most one at each message. The marked batches stay,
 * so that the reader knows its position even if nothing else was fetched.
 */
export function withoutAborted({ messages, abortedTransactions }: FetchedMessages): readonly Message[] {
  if (!abortedTransactions || abortedTransactions.length === 0) return messages;
  const ahead = abortedTransactions
    .map(({ producerId, firstOffset }) => ({ producerId, first: Number(firstOffset) }))
    .sort((a, b) => a.first - b.first);
  const aborted = new Set<string>();
  let next = 0;
  return messages.map((fetched) => {
    const offset = Number(fetched.offset);
    for (; next < ahead.length && ahead[next].first <= offset; next++) aborted.add(ahead[next].producerId);
    const { batchContext: context, isControlRecord, key } = fetched;
    if (context === undefined) return fetched;
    if (isControlRecord === true) {
      if (key !== null && key.length > TYPE_AT + 1 && key.readInt16BE(TYPE_AT) === ABORT) {
        aborted.delete(context.producerId);
      }
      return fetched;
    }
    return context.inTransaction && aborted.has(context.producerId) ? { ...fetched, stand: ABORTED } : fetched;
  });
}
