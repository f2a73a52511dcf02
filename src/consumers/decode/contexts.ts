import { CONTEXT as FIRST, RESULTS } from '../engine/engine-layout.ts';
import { type Dimensions, isDimensionName } from './dimensions.ts';
import { wrongContext } from './event-fields.ts';
import { eventOf } from './map.ts';
import { isRecord, type RawRecord } from './raw.ts';
import type { ScanMemory } from './scan-memory.ts';
import { CONTEXT_FIELDS } from './scan-plan.ts';

/** A longer context is not kept. */
const MOST_KEPT_BYTES = 1000;
/** With one more all are forgotten; those that are known stay. */
const MOST_TUPLES = 32768;
/** Numbers from here on are of contexts that are not kept. */
const LOOSE = 2 ** 24;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;

export interface Context {
  readonly dimensions: readonly string[];
  readonly tuple: string;
}

/** A context as it was read. */
interface Read extends Context {
  readonly ignoredKeys: number;
}

/**
 * The dimensions of an impression by the bytes of its context fields: most impressions repeat the context of an earlier one
 * byte for byte, so their values are read once. The memory of the scanner knows their bytes and gives them numbers.
 */
export class Contexts {
  readonly #memory: ScanMemory;
  readonly #scanner: number;
  readonly #dimensions: Dimensions;
  readonly #names: readonly string[];
  /** From the values of the spans to the fields of a record; undefined: they are the fields themselves. */
  readonly #mapped: ((root: unknown, entry: unknown) => RawRecord) | undefined;
  /** Contexts by number. Those of the same values are one object, so that those in use stay in the processor's cache. */
  readonly #known: Context[] = [];
  readonly #byTuple = new Map<string, Context>();
  /** Number of keys that name no dimension, by number of the context. Absent: none. */
  readonly #ignored = new Map<number, number>();
  /** Those that are not kept, since `begin`. */
  readonly #loose: Context[] = [];

  /** @param scanner number of the scanner: two have contexts of their own; @param names of the fields in the spans, as in a map */
  constructor(memory: ScanMemory, scanner: number, dimensions: Dimensions, names: readonly string[]) {
    this.#names = names;
    this.#mapped = areCanonical(names) ? undefined : eventOf(Object.fromEntries(names.map((as, f) => [as, `/_${f}`])));
    this.#memory = memory;
    this.#scanner = scanner;
    this.#dimensions = dimensions;
  }

  /** Forgets the numbers of contexts that are not kept. */
  begin(): void {
    this.#loose.length = 0;
  }

  /** The one with a number that `number` returned, or that the scanner has. */
  at(number: number): Context {
    return number < LOOSE ? this.#known[number] : this.#loose[number - LOOSE];
  }

  /** What the context of the current impression means; undefined: it may not be valid. */
  read(): Context | undefined {
    const place = this.#memory.words[RESULTS.context];
    const kept = this.#known[place];
    if (kept !== undefined) {
      this.#dimensions.ignoredKeys += this.#ignored.get(place) ?? 0;
      return kept;
    }
    const number = this.number();
    return number < 0 ? undefined : this.at(number);
  }

  /** A number for the context of the current impression, which the scanner does not know; -1: it may not be valid. */
  number(): number {
    const isLong = this.#size() > MOST_KEPT_BYTES;
    const read =
      this.#mapped !== undefined ? this.#parseMapped(this.#mapped) : isLong ? this.#parseLong() : this.#parse();
    if (read === undefined) return -1;
    const number = isLong ? -1 : this.#memory.keep(this.#scanner, read.ignoredKeys);
    if (number < 0) return LOOSE + this.#loose.push(read) - 1;
    this.#keep(number, read);
    return number;
  }

  #keep(number: number, { dimensions, tuple, ignoredKeys }: Read): void {
    // The memory of the scanner has forgotten all.
    if (number === 0) {
      this.#known.length = 0;
      this.#byTuple.clear();
      this.#ignored.clear();
    }
    let context = this.#byTuple.get(tuple);
    if (context === undefined) {
      if (this.#byTuple.size === MOST_TUPLES) this.#byTuple.clear();
      context = { dimensions, tuple };
      this.#byTuple.set(tuple, context);
    }
    this.#known[number] = context;
    if (ignoredKeys > 0) this.#ignored.set(number, ignoredKeys);
    else this.#ignored.delete(number);
  }

  #parseMapped(mapped: (root: unknown, entry: unknown) => RawRecord): Read | undefined {
    const values: Record<string, unknown> = {};
    for (let f = 0; f < this.#names.length; f++) {
      const value = this.#text(this.#from(f), this.#to(f));
      if (value !== '') values[`_${f}`] = JSON.parse(value);
    }
    const record = mapped(values, undefined);
    const before = this.#dimensions.ignoredKeys;
    const dimensions = wrongContext(record) === undefined ? this.#dimensions.read(record) : undefined;
    return dimensions && readAs(dimensions, this.#dimensions.ignoredKeys - before);
  }

  #parse(): Read | undefined {
    const members: string[] = [];
    for (const [f, field] of CONTEXT_FIELDS.entries()) {
      const value = this.#text(this.#from(f), this.#to(f));
      if (value !== '') members.push(`"${field}":${value}`);
    }
    const before = this.#dimensions.ignoredKeys;
    const dimensions = this.#dimensionsOf(members);
    return dimensions && readAs(dimensions, this.#dimensions.ignoredKeys - before);
  }

  /**
   * Does what `#parse` does, without the members that no dimension uses: for a thousand new keys JSON.parse takes six times as long as for the
   * same bytes of a list.
   */
  #parseLong(): Read | undefined {
    const dimensions = this.#dimensions;
    const ignored = new Set<string>();
    const members: string[] = [];
    for (const [f, field] of CONTEXT_FIELDS.entries()) {
      const from = this.#from(f);
      const end = this.#to(f);
      if (from === end) continue;
      let value: string | undefined;
      if (this.#memory.bytes[from] !== OPEN_BRACE) value = this.#text(from, end);
      else if (field === 'cohorts') {
        value = this.#keptMembers(from, (key) => {
          if (dimensions.cohortKeys.has(key)) return true;
          if (!isDimensionName(key)) ignored.add(key);
          return false;
        });
      } else if (field === 'model') value = this.#keptMembers(from, (key) => key === 'name' || key === 'version');
      else if (field === 'experiments') {
        const isTextOrNull = (at: number): boolean =>
          this.#memory.bytes[at] === QUOTE || this.#text(at, at + 4) === 'null';
        value = this.#keptMembers(from, (key) => dimensions.experimentKeys.has(key), isTextOrNull);
      }
      if (value === undefined) return undefined;
      members.push(`"${field}":${value}`);
    }
    const values = this.#dimensionsOf(members);
    if (values === undefined) return undefined;
    dimensions.ignoredKeys += ignored.size;
    return readAs(values, ignored.size);
  }

  /** @param members JSON of each member; undefined: a field is not valid */
  #dimensionsOf(members: readonly string[]): readonly string[] | undefined {
    const record: unknown = JSON.parse(`{${members.join(',')}}`);
    return isRecord(record) && wrongContext(record) === undefined ? this.#dimensions.read(record) : undefined;
  }

  /** The members of the plain object at `from` whose keys are kept, as JSON; undefined: a value is not valid. */
  #keptMembers(
    from: number,
    isKept: (key: string) => boolean,
    isValid: (at: number) => boolean = () => true,
  ): string | undefined {
    const { bytes, blankEnd, keyEnd, valueEnd } = this.#memory;
    const kept: string[] = [];
    let at = blankEnd(from + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      const behindKey = keyEnd(at);
      const value = blankEnd(blankEnd(behindKey) + 1);
      const end = valueEnd(value);
      if (!isValid(value)) return undefined;
      // What is no plain value is no value of a dimension, whatever stands in it.
      const isPlain = bytes[value] !== OPEN_BRACE && bytes[value] !== OPEN_BRACKET;
      const key = this.#text(at + 1, behindKey - 1);
      if (isKept(key)) kept.push(`"${key}":${isPlain ? this.#text(value, end) : '[]'}`);
      at = blankEnd(end);
      if (bytes[at] !== CLOSE_BRACE) at = blankEnd(at + 1);
    }
    return `{${kept.join(',')}}`;
  }

  #from(f: number): number {
    return this.#memory.spans[2 * (FIRST + f)];
  }

  #to(f: number): number {
    return this.#memory.spans[2 * (FIRST + f) + 1];
  }

  #size(): number {
    let bytes = 0;
    for (let f = 0; f < this.#names.length; f++) bytes += this.#to(f) - this.#from(f);
    return bytes;
  }

  #text(from: number, to: number): string {
    return this.#memory.bytes.toString('latin1', from, to);
  }
}

function readAs(dimensions: readonly string[], ignoredKeys: number): Read {
  return { dimensions, tuple: dimensions.join(','), ignoredKeys };
}

function areCanonical(names: readonly string[]): boolean {
  return names.length === CONTEXT_FIELDS.length && names.every((name, f) => name === CONTEXT_FIELDS[f]);
}
