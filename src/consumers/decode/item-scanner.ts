import type { Rank } from '../../vocabulary/events.ts';
import type { PackedImpression } from '../packed/packed-impression.ts';
import { LONGEST_SHORT, writeNarrow, writeShortHeader } from '../packed/text.ts';
import type { DecoderOptions } from './decoder-settings.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  decimalEnd,
  Keys,
  OPEN_BRACE,
  PLAIN,
  QUOTE,
  skipBlank,
  stringEnd,
  valueEnd,
  wholeNumber,
} from './json-bytes.ts';
import { MAX_RANK } from './reader.ts';

export const ITEM_FIELDS = ['id', 'score', 'position', 'propensity', 'team', 'category'] as const;
const [ID, SCORE, POSITION, PROPENSITY, TEAM, CATEGORY] = ITEM_FIELDS.map((_, n) => n);

/** Reads the items of an impression: the part of a record that has most bytes. */
export class ItemScanner {
  readonly #itemsPerList: number;
  readonly #positionBase: number;
  readonly #keys = new Keys(ITEM_FIELDS);
  /** Place behind the last id that was packed. */
  #text = 0;
  #ranked = 0;

  constructor({ itemsPerList, positionBase }: Pick<DecoderOptions, 'itemsPerList' | 'positionBase'>) {
    this.#itemsPerList = itemsPerList;
    this.#positionBase = positionBase;
  }

  /** The place behind the ids of the list that was packed last. */
  get textEnd(): number {
    return this.#text;
  }

  /** Packs the list at `at` into the impression, ids from `text` on. Answers the place behind the list; -1: it may not be valid. */
  read(u8: Uint8Array, at: number, impression: PackedImpression, text: number): number {
    this.#text = text;
    this.#ranked = 0;
    let slots = 0;
    let i = skipBlank(u8, at + 1);
    if (u8[i] === CLOSE_BRACKET) i++;
    else {
      for (;;) {
        if (slots === this.#itemsPerList) return -1;
        if (slots === impression.items.length) impression.reserveSlots(slots + 1);
        impression.items[slots] = this.#text;
        i = u8[i] === QUOTE ? this.#readId(u8, i, impression.u8) : this.#readItem(u8, i, impression, slots);
        if (i < 0) return -1;
        slots++;
        i = skipBlank(u8, i);
        if (u8[i] === CLOSE_BRACKET) {
          i++;
          break;
        }
        if (u8[i] !== COMMA) return -1;
        i = skipBlank(u8, i + 1);
      }
    }
    if (this.#ranked !== 0 && this.#ranked !== slots) return -1;
    impression.length = slots;
    impression.hasRanks = this.#ranked > 0;
    return i;
  }

  #readItem(u8: Uint8Array, at: number, impression: PackedImpression, slot: number): number {
    if (u8[at] !== OPEN_BRACE) return -1;
    const keys = this.#keys;
    let seen = 0;
    let i = skipBlank(u8, at + 1);
    for (let nth = 0; ; nth++) {
      const name = keys.read(u8, i, nth);
      i = keys.value;
      if (name === ID) i = this.#readId(u8, i, impression.u8);
      else if (name === SCORE || name === PROPENSITY) i = decimalEnd(u8, i);
      else if (name === POSITION) i = this.#readRank(u8, i, impression, slot);
      else if (name === TEAM || name === CATEGORY) i = stringEnd(u8, i);
      else i = name === -1 ? valueEnd(u8, i) : -1;
      if (i < 0) return -1;
      if (name >= 0) {
        if ((seen & (1 << name)) !== 0) return -1;
        seen |= 1 << name;
      }
      i = skipBlank(u8, i);
      if (u8[i] === CLOSE_BRACE) return (seen & (1 << ID)) === 0 ? -1 : i + 1;
      if (u8[i] !== COMMA) return -1;
      i = skipBlank(u8, i + 1);
    }
  }

  /** Checks and packs in one pass; most ids are short. */
  #readId(u8: Uint8Array, at: number, texts: Uint8Array): number {
    if (u8[at] !== QUOTE) return -1;
    const text = this.#text;
    let i = at + 1;
    let to = text + 1;
    while (PLAIN[u8[i]] === 1) texts[to++] = u8[i++];
    const length = i - at - 1;
    if (u8[i] !== QUOTE || length === 0) return -1;
    if (length <= LONGEST_SHORT) {
      writeShortHeader(texts, text, length);
      this.#text = to;
    } else this.#text = writeNarrow(texts, text, u8, at + 1, i);
    return i + 1;
  }

  #readRank(u8: Uint8Array, at: number, impression: PackedImpression, slot: number): number {
    const end = decimalEnd(u8, at);
    const rank: Rank = wholeNumber(u8, at, end) - this.#positionBase + 1;
    if (!(rank >= 1 && rank <= MAX_RANK)) return -1;
    impression.ranks[slot] = rank;
    this.#ranked++;
    return end;
  }
}
