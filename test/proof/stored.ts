import { type Cluster, Redis } from 'ioredis';
import type { TopicCheckpoint, TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { PlainRow, PlainRows } from './expected-rows.ts';
import { NAMESPACE } from './parameters.ts';

/** What Redis holds of one unit. */
export interface StoredUnit {
  readonly rows: PlainRows;
  readonly counts: readonly TopicCounts[];
  readonly topics: readonly TopicCheckpoint[];
}

export function connect(port: number, host = '127.0.0.1'): Redis {
  // Redis goes away on purpose: a command then fails at once, and the connection is made again.
  const redis = new Redis({
    port,
    host,
    maxRetriesPerRequest: 0,
    commandTimeout: 60_000,
    retryStrategy: () => 200,
  });
  redis.on('error', () => {});
  return redis;
}

/** Key of everything of a unit but its checkpoint; a unit that was never rebuilt has the generation 1c. */
export function rowsPrefix(unit: number): string {
  return `receval:{${NAMESPACE}:${unit}}:1c`;
}

export function unitKey(unit: number): string {
  return `receval:{${NAMESPACE}:${unit}}:unit`;
}

/** Everything of a unit at one moment: the fields counts and topics of its checkpoint, then each key of a row with its fields. */
const READ = `
local found = {redis.call('HMGET', KEYS[1], 'counts', 'topics')}
for _, kind in ipairs({'pane', 'vector'}) do
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. kind .. ':*')) do
    found[#found + 1] = {key, kind, redis.call('HGETALL', key)}
  end
end
return found`;

/** Reads the rows as they lie there, without the product's codecs. */
export async function readUnit(redis: Redis | Cluster, unit: number): Promise<StoredUnit> {
  const found: unknown = await redis.eval(READ, 1, unitKey(unit), `receval:{${NAMESPACE}:${unit}}:*:`);
  const [[counts, topics], ...keys] = listOf(found).map(listOf);
  const rows: PlainRows = new Map();
  for (const [key, kind, pairs] of keys) {
    const texts = listOf(pairs).map(String);
    const row = new Map<string, PlainRow>();
    for (let i = 0; i < texts.length; i += 2) {
      if (texts[i] === '#') continue;
      const text = withoutChecksum(texts[i + 1]);
      row.set(texts[i], kind === 'pane' ? plainRow(text) : plainVector(text));
    }
    rows.set(String(key), row);
  }
  const parsed = (text: unknown) => (text === null ? [] : JSON.parse(withoutChecksum(String(text))));
  return { rows, counts: parsed(counts), topics: parsed(topics) };
}

/** A stored text ends with a blank and eight digits in quotation marks. */
export function withoutChecksum(text: string): string {
  return text.slice(0, -11);
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${value} is no list`);
  return value;
}

function plainRow(text: string): PlainRow {
  const { measures, ...heads }: Record<string, unknown> = JSON.parse(text);
  const row: PlainRow = new Map(Object.entries(heads).map(([name, value]) => [name, whole(value)]));
  if (typeof measures !== 'object' || measures === null) throw new Error(`a row without measures: ${text}`);
  for (const [name, sums] of Object.entries(measures)) {
    if (!Array.isArray(sums)) throw new Error(`sums of ${name} that are no list: ${text}`);
    for (const [i, value] of sums.entries()) row.set(`${name}[${i}]`, whole(value));
  }
  return row;
}

interface VectorText {
  readonly buckets: number;
  readonly filled: readonly number[];
  readonly n: readonly unknown[];
  readonly positives: readonly unknown[];
  readonly measures: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
}

/** What is 0 is left out. */
function plainVector(text: string): PlainRow {
  const { filled, n, positives, measures }: VectorText = JSON.parse(text);
  const row: PlainRow = new Map();
  const put = (name: string, sums: readonly unknown[]): void => {
    for (const [i, bucket] of filled.entries()) {
      const value = whole(sums[i]);
      if (value !== 0n) row.set(`${bucket} ${name}`, value);
    }
  };
  put('impressions', n);
  put('positives', positives);
  for (const [name, sums] of Object.entries(measures)) {
    if (sums['above'] !== undefined) {
      put(`${name}[0]`, sums['above']);
      put(`${name}[1]`, sums['below']);
    } else {
      put(`${name}[0]`, sums['n'] ?? n);
      put(`${name}[1]`, sums['n+'] ?? positives);
      put(`${name}[2]`, sums['S']);
    }
  }
  return row;
}

/** Digits beyond the safe integers are texts. */
function whole(value: unknown): bigint {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number`);
  return BigInt(String(value));
}
