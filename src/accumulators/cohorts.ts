import { TAG_OF_CONTEXT } from '../consumers/engine/engine-layout.ts';
import { type TagWords, WORDS_OF_CONTEXT } from './adder.ts';

/** Bytes of a tag besides its texts: an entry of the map, its list of keys, its places in six arrays. */
const TAG_BYTES = 200;
/** Most contexts that are remembered. All units of a process number their contexts together, and each unit has room for all of these. */
const MOST_CONTEXTS = 2 ** 13;
/** Bytes of a string without its characters. */
const TEXT_BYTES = 24;

/**
 * Tags: small numbers that stand for tuples of dimension values, so that an impression carries one number until it closes and
 * is looked up by text only once. Tags are counted references: the number of a tag that is no longer held is used again.
 */
export class Cohorts {
  /** For each grouping set, the indices of its dimensions in a tuple. */
  readonly #places: readonly (readonly number[])[];
  readonly #tags = new Map<string, number>();
  readonly #tuples: string[] = [];
  readonly #keys: (readonly string[])[] = [];
  readonly #leftOut: number[] = [];
  readonly #words: TagWords;
  readonly #free: number[] = [];
  #bytes = 0;

  /** `dimensions`: names in the order of a tuple. `sets`: grouping sets, as lists of dimension names. */
  constructor(dimensions: readonly string[], sets: readonly (readonly string[])[], words: TagWords) {
    this.#words = words;
    this.#places = sets.map((set) =>
      set.map((name) => {
        const place = dimensions.indexOf(name);
        if (place < 0) throw new Error(`grouping set [${set}]: "${name}" is none of the dimensions ${dimensions}`);
        return place;
      }),
    );
  }

  /**
   * Returns the tag of a tuple and adds one reference to it. Values must not contain ',' or '|'. `tuple`: the values joined by
   * ',', if the caller has that. `leftOut`: bit r is set if the impression takes no part in run r; equal values with different
   * bits have different tags.
   */
  tag(values: readonly string[], tuple: string = values.join(','), leftOut = 0): number {
    if (leftOut === 0) return this.#tag(values, tuple, 0);
    return this.#tag(values, `${tuple}|${leftOut}`, leftOut);
  }

  #tag(values: readonly string[], tuple: string, leftOut: number): number {
    const known = this.#tags.get(tuple);
    if (known !== undefined) {
      this.ref(known);
      return known;
    }
    const tag = this.#free.pop() ?? this.#tuples.length;
    this.#tags.set(tuple, tag);
    this.#tuples[tag] = tuple;
    this.#keys[tag] = this.#places.map((places) => places.map((place) => values[place]).join(','));
    this.#leftOut[tag] = leftOut;
    this.#words.holders.set(tag, 1);
    this.#bytes += this.#bytesOf(tag);
    return tag;
  }

  /** Adds a reference to a tag that is held. */
  ref(tag: number): void {
    const { holders } = this.#words;
    holders.set(tag, holders.get(tag) + 1);
  }

  /**
   * Lets the engine use this tag, which must be held, for every impression of a context from now on; the engine adds the
   * references. Contexts from MOST_CONTEXTS on are not remembered.
   */
  remember(context: number, tag: number): void {
    if (context >= MOST_CONTEXTS) return;
    const { contexts, versions } = this.#words;
    const at = context * WORDS_OF_CONTEXT;
    contexts.set(at + TAG_OF_CONTEXT.version, versions.get(tag));
    contexts.set(at + TAG_OF_CONTEXT.tag, tag + 1);
  }

  /** Drops one reference; dropping the last one frees the tag. */
  unref(tag: number): void {
    const { holders, versions } = this.#words;
    const left = holders.get(tag) - 1;
    holders.set(tag, left);
    if (left > 0) return;
    versions.set(tag, versions.get(tag) + 1);
    this.#bytes -= this.#bytesOf(tag);
    this.#tags.delete(this.#tuples[tag]);
    this.#tuples[tag] = '';
    this.#keys[tag] = [];
    this.#free.push(tag);
  }

  /** For each grouping set the values of a held tag, joined by ','; '' for the set without dimensions. */
  keys(tag: number): readonly string[] {
    return this.#keys[tag];
  }

  /** The values of a held tag. */
  values(tag: number): readonly string[] {
    return this.#tuples[tag].split('|', 1)[0].split(',');
  }

  /** The runs in which a held tag takes no part: one bit each. */
  leftOut(tag: number): number {
    return this.#leftOut[tag];
  }

  /** Number of tags that are held. */
  get size(): number {
    return this.#tags.size;
  }

  #bytesOf(tag: number): number {
    let bytes = TAG_BYTES + TEXT_BYTES + this.#tuples[tag].length;
    for (const key of this.#keys[tag]) bytes += TEXT_BYTES + key.length;
    return bytes;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return this.#bytes;
  }
}
