import type { Arena } from './arena.ts';

/**
 * Finds packed records by the hash of their request id. Linear hashing (Litwin 1980): the table grows and shrinks by one chain
 * at a time, so no insertion rehashes the whole table. Chains run through the records themselves.
 *
 * Word 0 of a record is its hash, word 1 the next record of its chain. Within one hash the newest comes first. A third word, at
 * a place of the caller's choice, is the previous record, so that a record behind thousands with its hash is removed in
 * constant time.
 */
export const HASH_WORD = 0;
export const NEXT_WORD = 1;

const PART_BITS = 12;
const PART_MASK = (1 << PART_BITS) - 1;
const LEAST_CHAINS = 16;

export class RequestTable {
  readonly #arena: Arena;
  readonly #beforeWord: number;
  /** First record of each chain, in parts so that growing copies nothing. */
  readonly #parts: Uint32Array[] = [new Uint32Array(1 << PART_BITS)];
  #chains = LEAST_CHAINS;
  /** Chains at the start of this round of splits: a power of two, at most `#chains`. */
  #round = LEAST_CHAINS;
  #size = 0;

  /** @param beforeWord the word of a record that links to the previous record of its chain */
  constructor(arena: Arena, beforeWord: number) {
    this.#arena = arena;
    this.#beforeWord = beforeWord;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#parts.length * 4 * (1 << PART_BITS);
  }

  /** First record of the chain for this hash, which may also hold other hashes. 0: none. */
  chain(hash: number): number {
    return this.#first(this.#chainOf(hash));
  }

  next(handle: number): number {
    const arena = this.#arena;
    return arena.segment(handle).u32[arena.unit(handle) * 2 + NEXT_WORD];
  }

  hash(handle: number): number {
    const arena = this.#arena;
    return arena.segment(handle).u32[arena.unit(handle) * 2 + HASH_WORD];
  }

  insert(handle: number): void {
    const chain = this.#chainOf(this.hash(handle));
    const after = this.#first(chain);
    this.#setWord(handle, NEXT_WORD, after);
    this.#setWord(handle, this.#beforeWord, 0);
    if (after !== 0) this.#setWord(after, this.#beforeWord, handle);
    this.#setFirst(chain, handle);
    if (++this.#size > this.#chains) this.#grow();
  }

  remove(handle: number): void {
    const after = this.next(handle);
    const before = this.#word(handle, this.#beforeWord);
    if (before === 0) this.#setFirst(this.#chainOf(this.hash(handle)), after);
    else this.#setWord(before, NEXT_WORD, after);
    if (after !== 0) this.#setWord(after, this.#beforeWord, before);
    this.#size--;
    // Twice, so that a table that is emptied becomes small again.
    for (let i = 0; i < 2 && this.#size < this.#chains >>> 1 && this.#chains > LEAST_CHAINS; i++) this.#shrink();
  }

  #chainOf(hash: number): number {
    const chain = hash & (2 * this.#round - 1);
    return chain < this.#chains ? chain : hash & (this.#round - 1);
  }

  #first(chain: number): number {
    return this.#parts[chain >>> PART_BITS][chain & PART_MASK];
  }

  #setFirst(chain: number, handle: number): void {
    this.#parts[chain >>> PART_BITS][chain & PART_MASK] = handle;
  }

  #word(handle: number, word: number): number {
    const arena = this.#arena;
    return arena.segment(handle).u32[arena.unit(handle) * 2 + word];
  }

  #setWord(handle: number, word: number, value: number): void {
    const arena = this.#arena;
    arena.segment(handle).u32[arena.unit(handle) * 2 + word] = value;
  }

  #link(handle: number, next: number): void {
    this.#setWord(handle, NEXT_WORD, next);
    this.#setWord(next, this.#beforeWord, handle);
  }

  /** Makes it the only record of its chain. */
  #begin(chain: number, handle: number): void {
    this.#setFirst(chain, handle);
    this.#setWord(handle, this.#beforeWord, 0);
  }

  /** Splits the next chain of the round in two, both in the old order. */
  #grow(): void {
    const round = this.#round;
    const added = this.#chains++;
    if (added >>> PART_BITS === this.#parts.length) this.#parts.push(new Uint32Array(1 << PART_BITS));
    const from = added - round;
    let stay = 0;
    let move = 0;
    let at = this.#first(from);
    this.#setFirst(from, 0);
    this.#setFirst(added, 0);
    while (at !== 0) {
      const next = this.next(at);
      this.#setWord(at, NEXT_WORD, 0);
      if ((this.hash(at) & round) === 0) {
        if (stay === 0) this.#begin(from, at);
        else this.#link(stay, at);
        stay = at;
      } else {
        if (move === 0) this.#begin(added, at);
        else this.#link(move, at);
        move = at;
      }
      at = next;
    }
    if (this.#chains === 2 * round) this.#round = 2 * round;
  }

  /** Undoes the last split: appends the last chain to the one that it was split from. */
  #shrink(): void {
    if (this.#chains === this.#round) this.#round >>>= 1;
    const last = --this.#chains;
    const into = last - this.#round;
    const moved = this.#first(last);
    this.#setFirst(last, 0);
    let at = this.#first(into);
    if (at === 0) this.#setFirst(into, moved);
    else if (moved !== 0) {
      for (let next = this.next(at); next !== 0; next = this.next(at)) at = next;
      this.#link(at, moved);
    }
    if (this.#parts.length > ((last - 1) >>> PART_BITS) + 1) this.#parts.pop();
  }
}
