import { COLON, QUOTE, skipBlank, stringEnd } from './json-bytes.ts';

const UNKNOWN = -1;
const NOT_PLAIN = -2;
/** Members of an object whose place is remembered. */
const PLACES = 32;

/** Tells which of some names the keys of objects are. Objects of one producer have their keys in one order, so it looks there first. */
export class Keys {
  /** `"name":` as bytes. */
  readonly #keys: readonly Uint8Array[];
  /** By place in the object: the name that stood there last. */
  readonly #last = new Int32Array(PLACES).fill(UNKNOWN);
  /** Where the value begins whose key was read last. */
  value = 0;

  constructor(names: readonly string[]) {
    this.#keys = names.map((name) => Uint8Array.from(`"${name}":`, (unit) => unit.charCodeAt(0)));
  }

  /** Index of the name of the key at `at`, the `nth` of its object; -1: another name; -2: not a plain key and colon. */
  read(u8: Uint8Array, at: number, nth: number): number {
    const place = nth & (PLACES - 1);
    const expected = this.#last[place];
    if (expected >= 0) {
      const key = this.#keys[expected];
      const { length } = key;
      let i = 0;
      while (i < length && u8[at + i] === key[i]) i++;
      if (i === length) {
        this.value = skipBlank(u8, at + length);
        return expected;
      }
    }
    return this.#search(u8, at, place);
  }

  #search(u8: Uint8Array, at: number, place: number): number {
    const end = stringEnd(u8, at);
    if (end < 0) return NOT_PLAIN;
    const colon = skipBlank(u8, end);
    if (u8[colon] !== COLON) return NOT_PLAIN;
    this.value = skipBlank(u8, colon + 1);
    this.#last[place] = this.#keys.findIndex((key) => isKey(key, u8, at, end));
    return this.#last[place];
  }
}

/** Whether the text in [at, end), quotes included, is the key. */
function isKey(key: Uint8Array, u8: Uint8Array, at: number, end: number): boolean {
  if (end - at !== key.length - 1 || u8[end - 1] !== QUOTE) return false;
  for (let i = 0; i < end - at; i++) if (u8[at + i] !== key[i]) return false;
  return true;
}
