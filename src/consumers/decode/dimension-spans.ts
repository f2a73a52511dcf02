import { Buffer } from 'node:buffer';
import { type Dimensions, isDimensionName } from './dimensions.ts';
import { CLOSE_BRACE, nullEnd, OPEN_BRACE, OPEN_BRACKET, QUOTE, skipBlank, stringEnd, valueEnd } from './json-bytes.ts';
import { isRecord } from './raw.ts';
import { hasValidContext } from './reader.ts';

/** The fields that dimensions come from. */
export const CONTEXT_FIELDS = ['surface', 'variant', 'experiments', 'cohorts', 'model'] as const;
const FIELDS = CONTEXT_FIELDS.length;
/** Most contexts in the cache; one more clears it. */
const MOST_CONTEXTS = 8192;
/** Longer contexts are not cached. */
const MOST_KEY_BYTES = 1024;

export interface Context {
  readonly dimensions: readonly string[];
  readonly tuple: string;
}

interface Known extends Context {
  /** The bytes of the fields, each followed by a 0, which no JSON text contains. */
  readonly key: Buffer;
  readonly ignoredKeys: number;
}

/**
 * The dimensions of an impression by the bytes of its context fields: most impressions repeat the context of an earlier
 * one byte for byte, so their values are read once.
 */
export class DimensionSpans {
  readonly #dimensions: Dimensions;
  readonly #byHash = new Map<number, Known>();
  /** Start and end of the value of each field; equal where it is absent. */
  readonly spans = new Int32Array(2 * FIELDS);

  constructor(dimensions: Dimensions) {
    this.#dimensions = dimensions;
  }

  /** The context given by the values in `spans`; undefined: they may be invalid. */
  read(u8: Uint8Array): Context | undefined {
    const hash = this.#hash(u8);
    const known = this.#byHash.get(hash);
    if (known !== undefined && this.#equals(u8, known.key)) {
      this.#dimensions.ignoredKeys += known.ignoredKeys;
      return known;
    }
    if (this.#size() > MOST_KEY_BYTES) return this.#parseLong(u8);
    const read = this.#parse(u8);
    if (read === undefined) return undefined;
    if (this.#byHash.size === MOST_CONTEXTS) this.#byHash.clear();
    this.#byHash.set(hash, read);
    return read;
  }

  #parse(u8: Uint8Array): Known | undefined {
    const bytes = Buffer.from(u8.buffer, u8.byteOffset, u8.byteLength);
    const { spans } = this;
    const members: string[] = [];
    let key = '';
    for (let f = 0; f < FIELDS; f++) {
      const value = bytes.toString('latin1', spans[2 * f], spans[2 * f + 1]);
      if (value !== '') members.push(`"${CONTEXT_FIELDS[f]}":${value}`);
      key += `${value}\0`;
    }
    const record: unknown = JSON.parse(`{${members.join(',')}}`);
    if (!isRecord(record) || !hasValidContext(record)) return undefined;
    const before = this.#dimensions.ignoredKeys;
    const dimensions = this.#dimensions.read(record);
    const ignoredKeys = this.#dimensions.ignoredKeys - before;
    return { key: Buffer.from(key, 'latin1'), dimensions, tuple: dimensions.join(','), ignoredKeys };
  }

  /**
   * As `#parse`, but without the members that no dimension uses: for a thousand new keys, JSON.parse takes six times as long as
   * for a list of the same size.
   */
  #parseLong(u8: Uint8Array): Context | undefined {
    const bytes = Buffer.from(u8.buffer, u8.byteOffset, u8.byteLength);
    const { spans } = this;
    const dimensions = this.#dimensions;
    const ignored = new Set<string>();
    const members: string[] = [];
    for (let f = 0; f < FIELDS; f++) {
      const from = spans[2 * f];
      const end = spans[2 * f + 1];
      if (from === end) continue;
      const field = CONTEXT_FIELDS[f];
      let value: string | undefined;
      if (u8[from] !== OPEN_BRACE) value = bytes.toString('latin1', from, end);
      else if (field === 'cohorts') {
        value = keptMembers(bytes, from, (key) => {
          if (dimensions.cohortKeys.has(key)) return true;
          if (!isDimensionName(key)) ignored.add(key);
          return false;
        });
      } else if (field === 'model') value = keptMembers(bytes, from, (key) => key === 'name' || key === 'version');
      else if (field === 'experiments') {
        value = keptMembers(bytes, from, (key) => dimensions.experimentKeys.has(key), isTextOrNull);
      }
      if (value === undefined) return undefined;
      members.push(`"${field}":${value}`);
    }
    const record: unknown = JSON.parse(`{${members.join(',')}}`);
    if (!isRecord(record) || !hasValidContext(record)) return undefined;
    const values = dimensions.read(record);
    dimensions.ignoredKeys += ignored.size;
    return { dimensions: values, tuple: values.join(',') };
  }

  #size(): number {
    let bytes = 0;
    for (let f = 0; f < 2 * FIELDS; f += 2) bytes += this.spans[f + 1] - this.spans[f];
    return bytes;
  }

  #hash(u8: Uint8Array): number {
    const { spans } = this;
    let h = 0x811c9dc5;
    for (let f = 0; f < 2 * FIELDS; f += 2) {
      const end = spans[f + 1];
      for (let i = spans[f]; i < end; i++) h = Math.imul(h ^ u8[i], 0x01000193);
      h = Math.imul(h, 0x01000193);
    }
    return h;
  }

  #equals(u8: Uint8Array, key: Buffer): boolean {
    const { spans } = this;
    let k = 0;
    for (let f = 0; f < 2 * FIELDS; f += 2) {
      const end = spans[f + 1];
      for (let i = spans[f]; i < end; i++, k++) if (u8[i] !== key[k]) return false;
      if (key[k++] !== 0) return false;
    }
    return true;
  }
}

/** The members of the plain object at `from` with the given keys, as JSON; undefined: a value is invalid. */
function keptMembers(
  bytes: Buffer,
  from: number,
  isKept: (key: string) => boolean,
  isValid: (bytes: Buffer, at: number) => boolean = () => true,
): string | undefined {
  const kept: string[] = [];
  let at = skipBlank(bytes, from + 1);
  while (bytes[at] !== CLOSE_BRACE) {
    const keyEnd = stringEnd(bytes, at);
    const value = skipBlank(bytes, skipBlank(bytes, keyEnd) + 1);
    const end = valueEnd(bytes, value);
    if (!isValid(bytes, value)) return undefined;
    // Objects and lists cannot be values of dimensions, whatever they contain.
    const isPlain = bytes[value] !== OPEN_BRACE && bytes[value] !== OPEN_BRACKET;
    const key = bytes.toString('latin1', at + 1, keyEnd - 1);
    if (isKept(key)) kept.push(`"${key}":${isPlain ? bytes.toString('latin1', value, end) : '[]'}`);
    at = skipBlank(bytes, end);
    if (bytes[at] !== CLOSE_BRACE) at = skipBlank(bytes, at + 1);
  }
  return `{${kept.join(',')}}`;
}

function isTextOrNull(bytes: Buffer, at: number): boolean {
  return bytes[at] === QUOTE || nullEnd(bytes, at) >= 0;
}
