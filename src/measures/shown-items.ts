import type { Joined } from '../vocabulary/events.ts';
import { type Exposures, exposureOf } from './exposures.ts';
import { type ItemCatalogue, NO_CATALOGUE } from './item-catalogue.ts';
import type { ItemPart, Sketch } from './item-part.ts';
import { rankOf, slotsUpTo } from './places.ts';
import { Registers, registerOf } from './registers.ts';

/** The items of one list, to be added to item parts. Each is looked up and hashed only once. */
export class ShownItems {
  readonly #catalogue: ItemCatalogue;
  readonly #hashes: boolean;
  #list: Joined | undefined;
  #registers = new Int32Array(64);
  #isKnown = new Uint8Array(64);
  #unknown = 0;

  constructor(parts: readonly ItemPart[], catalogue: ItemCatalogue) {
    this.#catalogue = catalogue;
    this.#hashes = parts.some(({ holds }) => holds === 'registers');
  }

  /** Number of slots of the list whose item is not in the catalogue; 0 without a catalogue. */
  get unknown(): number {
    return this.#unknown;
  }

  /** Loads the next list, which must have its items. */
  load(list: Joined): void {
    const { items, length } = list;
    if (items === undefined) throw new Error('a list without items: whoever joins must carry them (Scorer.needs)');
    this.#list = list;
    this.#unknown = 0;
    const isKnowing = this.#catalogue !== NO_CATALOGUE;
    if (length > this.#registers.length) {
      this.#registers = new Int32Array(2 * length);
      this.#isKnown = new Uint8Array(2 * length);
    }
    for (let s = 0; s < length; s++) {
      if (isKnowing) this.#look(s, items[s]);
      if (this.#hashes) this.#registers[s] = registerOf(items[s]);
    }
  }

  #look(slot: number, item: string): void {
    const known = this.#catalogue.has(item);
    this.#isKnown[slot] = known ? 1 : 0;
    if (!known) this.#unknown++;
  }

  /** Adds the list to a row's sketch of a part. Returns whether a slot of it has a rank up to k. */
  addTo(sketch: Sketch, part: ItemPart): boolean {
    const list = this.#list;
    if (list?.items === undefined) return false;
    const slots = slotsUpTo(list, part.k);
    if (sketch instanceof Registers) this.#addRegisters(sketch, part, slots);
    else this.#addExposures(sketch, part, list, list.items, slots);
    return slots > 0;
  }

  #addRegisters(registers: Registers, { known }: ItemPart, slots: number): void {
    for (let s = 0; s < slots; s++) if (!known || this.#isKnown[s] === 1) registers.add(this.#registers[s]);
  }

  #addExposures(
    exposures: Exposures,
    { known, holds }: ItemPart,
    list: Joined,
    items: readonly string[],
    slots: number,
  ): void {
    for (let s = 0; s < slots; s++) {
      if (known && this.#isKnown[s] === 0) continue;
      exposures.add(items[s], holds === 'log2' ? exposureOf('log2', rankOf(list, s)) : 1);
    }
  }
}
