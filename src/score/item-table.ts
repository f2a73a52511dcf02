/** Items as columns; row i has its id in bytes from starts[i] to starts[i + 1]. */
export interface Items {
  readonly hashes: Int32Array;
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  isSameItem(row: number, bytes: Uint8Array, from: number, to: number): boolean;
}

const EMPTY = -1;

/** Finds the rows of one list by their item: open addressing over row numbers, at most half full, used again. */
export class ItemTable {
  #places = new Int32Array(2048).fill(EMPTY);
  #mask = 2047;

  /** Takes the rows [from, to) in. Returns the first whose item an earlier one has; -1: no item repeats. */
  fill(rows: Items, from: number, to: number): number {
    const { hashes, bytes, starts } = rows;
    let size = 64;
    while (size < 2 * (to - from)) size *= 2;
    if (size > this.#places.length) this.#places = new Int32Array(size);
    const places = this.#places;
    places.fill(EMPTY, 0, size);
    const mask = size - 1;
    this.#mask = mask;
    let repeated = -1;
    for (let i = from; i < to; i++) {
      const hash = hashes[i];
      let place = hash & mask;
      for (;;) {
        const other = places[place];
        if (other === EMPTY) {
          places[place] = i;
          break;
        }
        if (hashes[other] === hash && rows.isSameItem(other, bytes, starts[i], starts[i + 1])) {
          if (repeated < 0) repeated = i;
          break;
        }
        place = (place + 1) & mask;
      }
    }
    return repeated;
  }

  find(rows: Items, hash: number, bytes: Uint8Array, from: number, to: number): number {
    const places = this.#places;
    const mask = this.#mask;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const row = places[place];
      if (row === EMPTY) return -1;
      if (rows.hashes[row] === hash && rows.isSameItem(row, bytes, from, to)) return row;
    }
  }
}
