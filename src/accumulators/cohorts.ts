/** What a tag takes beside its texts: an entry of the map, its list of keys, its places in five arrays. */
const TAG_BYTES = 200;
/** The head of a text. */
const TEXT_BYTES = 24;

/**
 * Small numbers, tags, for tuples of dimension values, so that an impression is known by its tag until it closes. One
 * look-up by text per impression. A tag lives while somebody holds it; then its number is used again.
 */
export class Cohorts {
  /** For each grouping set the places of its dimensions in a tuple. */
  readonly #places: readonly (readonly number[])[];
  readonly #tags = new Map<string, number>();
  readonly #tuples: string[] = [];
  readonly #keys: (readonly string[])[] = [];
  readonly #leftOut: number[] = [];
  readonly #holders: number[] = [];
  readonly #free: number[] = [];
  #bytes = 0;

  /** `dimensions`: names in the order of a tuple. `sets`: grouping sets, as lists of dimension names. */
  constructor(dimensions: readonly string[], sets: readonly (readonly string[])[]) {
    this.#places = sets.map((set) =>
      set.map((name) => {
        const place = dimensions.indexOf(name);
        if (place < 0) throw new Error(`grouping set [${set}]: "${name}" is none of the dimensions ${dimensions}`);
        return place;
      }),
    );
  }

  /**
   * The tag of a tuple, held once more. Values must be free of ',' and '|'. `tuple`: the values joined by ',', where that
   * is known. `leftOut`: bit r is set for what takes no part in run r; the same values have another tag then.
   */
  tag(values: readonly string[], tuple: string = values.join(','), leftOut = 0): number {
    if (leftOut === 0) return this.#tag(values, tuple, 0);
    return this.#tag(values, `${tuple}|${leftOut}`, leftOut);
  }

  #tag(values: readonly string[], tuple: string, leftOut: number): number {
    const known = this.#tags.get(tuple);
    if (known !== undefined) {
      this.#holders[known]++;
      return known;
    }
    const tag = this.#free.pop() ?? this.#tuples.length;
    this.#tags.set(tuple, tag);
    this.#tuples[tag] = tuple;
    this.#keys[tag] = this.#places.map((places) => places.map((place) => values[place]).join(','));
    this.#leftOut[tag] = leftOut;
    this.#holders[tag] = 1;
    this.#bytes += this.#bytesOf(tag);
    return tag;
  }

  /** Holds a living tag once more. */
  hold(tag: number): void {
    this.#holders[tag]++;
  }

  /** Ends one hold; the last one frees the tag. */
  release(tag: number): void {
    if (--this.#holders[tag] > 0) return;
    this.#bytes -= this.#bytesOf(tag);
    this.#tags.delete(this.#tuples[tag]);
    this.#tuples[tag] = '';
    this.#keys[tag] = [];
    this.#free.push(tag);
  }

  /** For each grouping set the values of a living tag, joined by ','; '' for the set without dimensions. */
  keys(tag: number): readonly string[] {
    return this.#keys[tag];
  }

  /** The values of a living tag. */
  values(tag: number): readonly string[] {
    return this.#tuples[tag].split('|', 1)[0].split(',');
  }

  /** In which runs a living tag takes no part, by bit. */
  leftOut(tag: number): number {
    return this.#leftOut[tag];
  }

  #bytesOf(tag: number): number {
    let bytes = TAG_BYTES + TEXT_BYTES + this.#tuples[tag].length;
    for (const key of this.#keys[tag]) bytes += TEXT_BYTES + key.length;
    return bytes;
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of tags that are held. */
  get size(): number {
    return this.#tags.size;
  }
}
