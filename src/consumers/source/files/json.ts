import type { FileRow } from './format.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Splits bytes into the values of a JSON list, or into JSON values one after the other, regardless of lines. It only looks for
 * the ends of values: errors inside of one are for the decoder to report. A value longer than `longest` is cut just above it,
 * so that the decoder refuses it as too large and no memory is spent on the rest.
 */
export class JsonValues {
  readonly #longest: number;
  #row = 0;
  #begun = false;
  #isList = false;
  #listEnded = false;
  /** Open brackets of the value; 0 before it starts, and for a value that is neither a list nor an object. */
  #depth = 0;
  #state: 'between' | 'structure' | 'scalar' = 'between';
  #inText = false;
  #escaped = false;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(chunk: Uint8Array): readonly FileRow[] {
    const rows: FileRow[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
        continue;
      }
      if (this.#state === 'between') {
        if (byte <= 0x20 || byte === COMMA) continue;
        if (byte === CLOSE_BRACKET && this.#isList && !this.#listEnded) {
          this.#listEnded = true;
          continue;
        }
        if (byte === OPEN_BRACKET && !this.#begun) {
          this.#begun = true;
          this.#isList = true;
          continue;
        }
        this.#begun = true;
        from = i;
        this.#depth = 0;
        this.#state = byte === OPEN_BRACE || byte === OPEN_BRACKET ? 'structure' : 'scalar';
        if (this.#state === 'structure') this.#depth = 1;
        else if (byte === QUOTE) this.#inText = true;
        continue;
      }
      if (byte === QUOTE) this.#inText = true;
      else if (this.#state === 'scalar') {
        if (byte > 0x20 && byte !== COMMA && byte !== CLOSE_BRACKET) continue;
        rows.push(this.#finish(chunk.subarray(from, i)));
        if (byte === CLOSE_BRACKET && this.#isList) this.#listEnded = true;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth === 0) {
        rows.push(this.#finish(chunk.subarray(from, i + 1)));
      }
    }
    if (this.#state !== 'between') this.#keep(chunk.subarray(from));
    return rows;
  }

  /** @throws Error if a value or the list does not end */
  end(): readonly FileRow[] {
    if (this.#state === 'scalar' && !this.#inText && !this.#isList) return [this.#finish(new Uint8Array(0))];
    if (this.#state !== 'between') throw new Error(`it ends inside of value ${this.#row + 1}: was it cut off?`);
    if (this.#isList && !this.#listEnded)
      throw new Error(`its list has no end after value ${this.#row}: was it cut off?`);
    return [];
  }

  #keep(piece: Uint8Array): void {
    const room = this.#longest + 1 - this.#keptBytes;
    if (room <= 0) return;
    const kept = piece.slice(0, room);
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }

  #finish(piece: Uint8Array): FileRow {
    this.#keep(piece);
    const value = this.#kept.length === 1 ? this.#kept[0] : Buffer.concat(this.#kept);
    this.#kept = [];
    this.#keptBytes = 0;
    this.#state = 'between';
    return { value, row: ++this.#row };
  }
}
