import { Buffer } from 'node:buffer';
import type { PackedImpression } from '../packed/impression.ts';
import { writeNarrow } from '../packed/text.ts';
import { ITEM_FIELDS } from './item-scanner.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, QUOTE, skipBlank, stringEnd, valueEnd } from './json-bytes.ts';
import { Keys } from './keys.ts';
import type { Carried } from './settings.ts';

const SCORE = ITEM_FIELDS.indexOf('score');
const CATEGORY = ITEM_FIELDS.indexOf('category');

/**
 * Goes through the items of an impression once more, for what only some measures need. A pass of its own: what is looked
 * for in the first one costs everybody a sixth of the decoding.
 */
export class ItemCarrier {
  readonly #carries: Carried;
  readonly #keys = new Keys(ITEM_FIELDS);
  /** By slot: where its category stands in the record, without quotes; equal ends: it has none. */
  #categories = new Int32Array(64);
  #scored = 0;
  #categorised = 0;

  constructor(carries: Carried) {
    this.#carries = carries;
  }

  /** `at`: of a list that `ItemScanner` has packed into the impression; categories are packed from `text` on. */
  read(u8: Uint8Array, at: number, impression: PackedImpression, text: number): void {
    const { length } = impression;
    this.#scored = 0;
    this.#categorised = 0;
    impression.reserveScores(length);
    if (2 * length > this.#categories.length) this.#categories = new Int32Array(4 * length);
    let i = skipBlank(u8, at + 1);
    for (let slot = 0; slot < length; slot++) {
      impression.scores[slot] = Number.NaN;
      this.#categories[2 * slot] = 0;
      this.#categories[2 * slot + 1] = 0;
      i = u8[i] === QUOTE ? stringEnd(u8, i) : this.#readItem(u8, i, impression, slot);
      i = skipBlank(u8, i);
      if (u8[i] !== CLOSE_BRACKET) i = skipBlank(u8, i + 1);
    }
    impression.hasScores = this.#scored > 0;
    impression.hasCategories = this.#categorised > 0;
    if (impression.hasCategories) this.#packCategories(u8, impression, text);
  }

  #readItem(u8: Uint8Array, at: number, impression: PackedImpression, slot: number): number {
    let i = skipBlank(u8, at + 1);
    for (let nth = 0; ; nth++) {
      const name = this.#keys.read(u8, i, nth);
      const from = this.#keys.value;
      i = valueEnd(u8, from);
      if (name === SCORE && this.#carries.scores) {
        impression.scores[slot] = Number(Buffer.from(u8.buffer, u8.byteOffset + from, i - from).toString('latin1'));
        this.#scored++;
      } else if (name === CATEGORY && this.#carries.categories && i > from + 2) {
        this.#categories[2 * slot] = from + 1;
        this.#categories[2 * slot + 1] = i - 1;
        this.#categorised++;
      }
      i = skipBlank(u8, i);
      if (u8[i] === CLOSE_BRACE) return i + 1;
      i = skipBlank(u8, i + 1);
    }
  }

  #packCategories(u8: Uint8Array, impression: PackedImpression, text: number): void {
    const { length } = impression;
    impression.reserveCategories(length);
    let at = text;
    for (let s = 0; s < length; s++) {
      impression.categories[s] = at;
      at = writeNarrow(impression.u8, at, u8, this.#categories[2 * s], this.#categories[2 * s + 1]);
    }
  }
}
