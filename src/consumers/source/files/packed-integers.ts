/**
 * The integers of a Parquet page, read some at a time. They are stored as alternating runs of one value and groups of packed bits ("RLE /
 * bit-packing hybrid").
 */
export class PackedIntegers {
  readonly #bytes: Uint8Array;
  readonly #width: number;
  #at: number;
  /** What is left of the current run, and its value. */
  #repeats = 0;
  #value = 0;
  /** What is left of the current group, and the bit at which the next value begins. */
  #packed = 0;
  #bit = 0;

  /** @param width bits of each integer, 0 to 32 */
  constructor(bytes: Uint8Array, from: number, width: number) {
    this.#bytes = bytes;
    this.#at = from;
    this.#width = width;
    if (width === 0) this.#repeats = Number.POSITIVE_INFINITY;
    if (width > 32) throw new Error(`it has integers of ${width} bits`);
  }

  /** A single group of bits up to the end, the encoding of plain booleans. */
  static bits(bytes: Uint8Array, from: number): PackedIntegers {
    const bits = new PackedIntegers(bytes, from, 1);
    bits.#packed = 8 * (bytes.length - from);
    bits.#bit = 8 * from;
    return bits;
  }

  /**
   * The next `count` integers.
   * @throws Error if there are fewer
   */
  take(count: number): number[] {
    const taken = new Array<number>(count);
    for (let i = 0; i < count; ) {
      if (this.#repeats > 0) {
        const n = Math.min(this.#repeats, count - i);
        taken.fill(this.#value, i, i + n);
        this.#repeats -= n;
        i += n;
      } else if (this.#packed > 0) {
        const n = Math.min(this.#packed, count - i);
        for (let k = 0; k < n; k++) taken[i++] = this.#unpack();
        this.#packed -= n;
      } else this.#begin();
    }
    return taken;
  }

  /** Reads the header of the next run or group. */
  #begin(): void {
    let header = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte(this.#at++);
      header += (byte & 127) * factor;
      if (byte < 128) break;
    }
    const count = Math.floor(header / 2);
    if (header % 2 === 1) {
      this.#packed = 8 * count;
      this.#bit = 8 * this.#at;
      this.#at += count * this.#width;
      return;
    }
    this.#repeats = count;
    this.#value = 0;
    for (let shift = 0; shift < this.#width; shift += 8) this.#value |= this.#byte(this.#at++) << shift;
    this.#value >>>= 0;
  }

  #unpack(): number {
    const first = Math.floor(this.#bit / 8);
    const shift = this.#bit % 8;
    const bytes = Math.ceil((shift + this.#width) / 8);
    let value = this.#byte(first) >>> shift;
    for (let k = 1; k < bytes; k++) value += this.#byte(first + k) * 2 ** (8 * k - shift);
    this.#bit += this.#width;
    return value % 2 ** this.#width;
  }

  #byte(at: number): number {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new Error('it ends in the middle of a page');
    return byte;
  }
}
