/** Finds items that a list repeats, by their packed bytes: exact, in linear time, without allocation. */
const CELLS = 4096;

export class ItemRepeats {
  /** For each slot the first slot with the same item. */
  firstSlot = new Int32Array(64);
  /** Whether any item repeats. */
  found = false;
  #from = new Int32Array(64);
  #end = new Int32Array(64);
  #next = new Int32Array(64);
  readonly #head = new Int32Array(CELLS);
  /** A cell counts only if it was written for this list. */
  readonly #list = new Uint32Array(CELLS);
  #current = 0;

  begin(slots: number): void {
    this.found = false;
    this.#current = (this.#current + 1) >>> 0;
    if (this.#current === 0) this.#list.fill(0xffffffff);
    if (slots <= this.firstSlot.length) return;
    const size = 2 * slots;
    this.firstSlot = new Int32Array(size);
    this.#from = new Int32Array(size);
    this.#end = new Int32Array(size);
    this.#next = new Int32Array(size);
  }

  /** The item of slot `s` stands at [from, end). */
  add(u8: Uint8Array, from: number, end: number, s: number): void {
    let hash = end - from;
    for (let i = Math.max(from, end - 8); i < end; i++) hash = Math.imul(hash ^ u8[i], 0x01000193);
    const cell = (hash ^ (hash >>> 15)) & (CELLS - 1);
    this.#from[s] = from;
    this.#end[s] = end;
    this.firstSlot[s] = s;
    this.#next[s] = -1;
    if (this.#list[cell] === this.#current) {
      for (let other = this.#head[cell]; other >= 0; other = this.#next[other]) {
        if (!this.#same(u8, other, s)) continue;
        this.firstSlot[s] = other;
        this.found = true;
        return;
      }
      this.#next[s] = this.#head[cell];
    }
    this.#list[cell] = this.#current;
    this.#head[cell] = s;
  }

  #same(u8: Uint8Array, a: number, b: number): boolean {
    const length = this.#end[a] - this.#from[a];
    if (length !== this.#end[b] - this.#from[b]) return false;
    const p = this.#from[a];
    const q = this.#from[b];
    for (let i = length - 1; i >= 0; i--) if (u8[p + i] !== u8[q + i]) return false;
    return true;
  }
}
