import { assembleLists } from 'hyparquet/src/assemble.js';
import { parquetHeader } from 'hyparquet/src/column.js';
import { convert } from 'hyparquet/src/convert.js';
import { decompressPage, type readDataPage } from 'hyparquet/src/datapage.js';
import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { PackedIntegers } from './packed-integers.ts';

/** How to read the values of a leaf column. */
type ColumnDecoder = Parameters<typeof readDataPage>[2];
type Values = ReturnType<typeof readPlain>;
type PageHeader = ReturnType<typeof parquetHeader>;

/** Bytes of the pages and dictionaries held by all columns. */
interface HeldBytes {
  bytes: number;
}

/** Reads the bytes [from, to) of the file. */
export type ReadAt = (from: number, to: number) => Promise<Uint8Array<ArrayBuffer>>;

/** Number of entries (values, nulls and empty lists) that are decoded at once. */
const BATCH = 1024;
/** Limits, in entries and characters, of the rows that are kept until the other columns have as many. */
const MOST_ENTRIES = 1 << 16;
const MOST_CHARACTERS = 1 << 23;
/** Limits of the entries of a row, of the values of a dictionary, and of a page whose encoding is decoded as a whole. */
const MOST_IN_ROW = 1 << 22;
const MOST_IN_DICTIONARY = 1 << 20;
const MOST_AT_ONCE = 10_000_000;
/** Limits of the bytes of an unpacked page, and of those of all columns together. */
const MOST_PAGE_BYTES = 1 << 27;
const MOST_HELD_BYTES = 1 << 29;
/** Bytes that are read for a header at first, and at most. */
const HEADER_BYTES = 1 << 14;
const MOST_HEADER_BYTES = 1 << 23;
const NOTHING = new Uint8Array(0);

interface Page {
  /** Number of entries not read yet. */
  left: number;
  /** undefined: no entry is repeated, or none is null. */
  readonly repetition: PackedIntegers | undefined;
  readonly definition: PackedIntegers | undefined;
  readonly values: (count: number) => Values;
}

interface Begun {
  readonly repetition: number[];
  readonly definition: number[];
  readonly values: unknown[];
}

/** Reads the rows of one leaf column of a row group, page by page and some rows at a time. */
export class ParquetColumn {
  readonly #decoder: ColumnDecoder;
  readonly #readAt: ReadAt;
  readonly #held: HeldBytes;
  readonly #maxDefinition: number;
  readonly #maxRepetition: number;
  #at: number;
  readonly #end: number;
  #window = NOTHING;
  #windowFrom = 0;
  #dictionary: Values | undefined;
  #page: Page | undefined;
  #pageBytes = 0;
  #isEnded = false;
  readonly #rows: unknown[] = [];
  /** In a column of lists, what was read of rows that may continue. */
  #begun: Begun = { repetition: [], definition: [], values: [] };
  #entries = 0;
  #characters = 0;

  /**
   * @param from where the column begins in the file
   * @param to where it ends
   */
  constructor(decoder: ColumnDecoder, from: number, to: number, readAt: ReadAt, held: HeldBytes) {
    this.#decoder = decoder;
    this.#at = from;
    this.#end = to;
    this.#readAt = readAt;
    this.#held = held;
    this.#maxDefinition = getMaxDefinitionLevel(decoder.schemaPath);
    this.#maxRepetition = getMaxRepetitionLevel(decoder.schemaPath);
  }

  get path(): readonly string[] {
    return this.#decoder.pathInSchema;
  }

  /** Number of rows that can be taken. */
  get ready(): number {
    return this.#rows.length;
  }

  /** Reads until `rows` rows are ready, or one row and a lot besides, or until the column has ended. */
  async fill(rows: number): Promise<void> {
    while (!this.#isEnded && this.ready < rows) {
      if (this.ready > 0 && (this.#entries >= MOST_ENTRIES || this.#characters >= MOST_CHARACTERS)) return;
      if (this.#page === undefined || this.#page.left === 0) await this.#nextPage();
      else this.#step(this.#page);
    }
  }

  take(rows: number): unknown[] {
    // This assumes that all rows are equally long.
    const kept = 1 - rows / this.#rows.length;
    this.#entries *= kept;
    this.#characters *= kept;
    return this.#rows.splice(0, rows);
  }

  #step(page: Page): void {
    const count = Math.min(BATCH, page.left);
    page.left -= count;
    const repetition = page.repetition?.take(count);
    const definition = page.definition?.take(count);
    const present = this.#presentIn(definition ?? count);
    const values = present === 0 ? [] : page.values(present);
    for (const value of values) if (typeof value === 'string') this.#characters += value.length;
    this.#entries += count;
    if (repetition === undefined || definition === undefined) {
      this.#assemble(definition, [], values);
      return;
    }
    const begun = this.#begun;
    // The row that begins last may continue.
    const last = repetition.lastIndexOf(0);
    const whole = last < 0 ? 0 : begun.repetition.length + last;
    for (const level of repetition) begun.repetition.push(level);
    for (const level of definition) begun.definition.push(level);
    for (const value of values) begun.values.push(value);
    if (whole > 0) this.#finish(whole);
    const name = this.path.join('.');
    if (this.#begun.repetition.length > MOST_IN_ROW)
      throw new Error(`a row has more than ${MOST_IN_ROW} values in ${name}`);
    if (this.ready === 0 && this.#characters > MOST_PAGE_BYTES)
      throw new Error(`a row has more than ${MOST_PAGE_BYTES} characters in ${name}`);
  }

  /** Completes the rows that consist of the first `entries` entries of those begun. */
  #finish(entries: number): void {
    const { repetition, definition, values } = this.#begun;
    const levels = definition.slice(0, entries);
    const present = this.#presentIn(levels);
    this.#begun = {
      repetition: repetition.slice(entries),
      definition: definition.slice(entries),
      values: values.slice(present),
    };
    this.#assemble(levels, repetition.slice(0, entries), values.slice(0, present));
  }

  /** Assembles whole rows only: where the leaf itself is repeated, hyparquet takes the continuation of a row for a new one. */
  #assemble(definition: number[] | undefined, repetition: number[], values: Values): void {
    for (const row of assembleLists([], definition, repetition, values, this.#decoder.schemaPath)) this.#rows.push(row);
  }

  /** How many of these entries have a value. */
  #presentIn(definition: readonly number[] | number): number {
    if (typeof definition === 'number') return definition;
    let present = 0;
    for (const level of definition) if (level === this.#maxDefinition) present++;
    return present;
  }

  /** Reads the next page. If it is a dictionary, reads on to the page after it. */
  async #nextPage(): Promise<void> {
    this.#page = undefined;
    if (this.#at >= this.#end - 1) {
      this.#isEnded = true;
      if (this.#begun.repetition.length > 0) this.#finish(this.#begun.repetition.length);
      this.#hold(-this.#pageBytes);
      return;
    }
    const { header, length } = await this.#header();
    const from = this.#at + length;
    const to = from + header.compressed_page_size;
    const unpacked = Number(header.uncompressed_page_size);
    if (!(to >= from && to <= this.#end)) throw new Error('it ends in the middle of a page');
    const entries = (header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header)
      ?.num_values;
    // A damaged header may lack these, and then no amount of bytes would be enough.
    if (!isCount(unpacked) || !isCount(entries)) throw new Error('the header of a page is damaged');
    const largest = Math.max(unpacked, to - from);
    if (largest > MOST_PAGE_BYTES)
      throw new Error(`a page has ${largest} bytes, the most are ${MOST_PAGE_BYTES}: write smaller pages`);
    this.#at = to;
    if (header.type === 'DICTIONARY_PAGE') {
      this.#hold(unpacked);
      this.#dictionary = this.#dictionaryOf(header, await this.#bytes(from, to));
      return;
    }
    this.#hold(unpacked - this.#pageBytes);
    this.#pageBytes = unpacked;
    this.#page = this.#pageOf(header, await this.#bytes(from, to));
  }

  #hold(bytes: number): void {
    this.#held.bytes += bytes;
    if (this.#held.bytes > MOST_HELD_BYTES)
      throw new Error(`its pages take more than ${MOST_HELD_BYTES} bytes at once: write smaller pages`);
  }

  /** Reads a header, whose length is not stored anywhere. */
  async #header(): Promise<{ readonly header: PageHeader; readonly length: number }> {
    for (let most = HEADER_BYTES; ; most *= 8) {
      const to = Math.min(this.#end, this.#at + most);
      const bytes = await this.#bytes(this.#at, to);
      const reader = { view: viewOf(bytes), offset: 0 };
      try {
        const header = parquetHeader(reader);
        return { header, length: reader.offset };
      } catch (error) {
        if (to === this.#end || most >= MOST_HEADER_BYTES) throw error;
      }
    }
  }

  async #bytes(from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    if (from < this.#windowFrom || to > this.#windowFrom + this.#window.length) {
      this.#window = await this.#readAt(from, Math.max(to, Math.min(this.#end, from + HEADER_BYTES)));
      this.#windowFrom = from;
    }
    const bytes = this.#window.subarray(from - this.#windowFrom, to - this.#windowFrom);
    // What was read only for a page is not kept beside it.
    if (bytes.length > HEADER_BYTES) this.#window = NOTHING;
    return bytes;
  }

  #dictionaryOf({ dictionary_page_header: own, uncompressed_page_size }: PageHeader, bytes: Uint8Array): Values {
    const { type, element, codec, compressors } = this.#decoder;
    if (own === undefined) throw new Error('a dictionary has no header');
    if (!(own.num_values <= MOST_IN_DICTIONARY))
      throw new Error(`a dictionary has ${own.num_values} values, the most are ${MOST_IN_DICTIONARY}`);
    const page = decompressPage(bytes, Number(uncompressed_page_size), codec, compressors);
    return convert(
      readPlain({ view: viewOf(page), offset: 0 }, type, own.num_values, element.type_length),
      this.#decoder,
    );
  }

  #pageOf(
    { type, data_page_header: v1, data_page_header_v2: v2, uncompressed_page_size }: PageHeader,
    bytes: Uint8Array,
  ): Page {
    const { codec, compressors } = this.#decoder;
    const size = Number(uncompressed_page_size);
    const widths = [widthOf(this.#maxRepetition), widthOf(this.#maxDefinition)];
    if (type === 'DATA_PAGE' && v1 !== undefined) {
      const page = decompressPage(bytes, size, codec, compressors);
      const view = viewOf(page);
      let at = 0;
      // Levels follow the length of their bytes.
      const levels = (width: number): PackedIntegers | undefined => {
        if (width === 0) return undefined;
        const from = at + 4;
        at = from + view.getUint32(at, true);
        return new PackedIntegers(page.subarray(0, at), from, width);
      };
      const repetition = levels(widths[0]);
      const from = at;
      const definition = levels(widths[1]);
      const again =
        definition === undefined ? undefined : new PackedIntegers(page.subarray(0, at), from + 4, widths[1]);
      const values = this.#valuesOf(v1.encoding, page, at, () => this.#presentOf(v1.num_values, again));
      return { left: v1.num_values, repetition, definition, values };
    }
    if (type !== 'DATA_PAGE_V2' || v2 === undefined) throw new Error(`it has a page of type ${type}`);
    const [first, second] = [v2.repetition_levels_byte_length, v2.definition_levels_byte_length];
    const levels = (from: number, length: number, width: number): PackedIntegers | undefined =>
      width === 0 ? undefined : new PackedIntegers(bytes.subarray(0, from + length), from, width);
    const packed = bytes.subarray(first + second);
    const page =
      v2.is_compressed === false ? packed : decompressPage(packed, size - first - second, codec, compressors);
    const definition = (): PackedIntegers | undefined => levels(first, second, widths[1]);
    const values = this.#valuesOf(v2.encoding, page, 0, () => this.#presentOf(v2.num_values, definition()));
    return { left: v2.num_values, repetition: levels(0, first, widths[0]), definition: definition(), values };
  }

  /** How many of these entries have a value. */
  #presentOf(entries: number, definition: PackedIntegers | undefined): number {
    if (entries > MOST_AT_ONCE) throw new Error(`a page has ${entries} values, the most are ${MOST_AT_ONCE}`);
    if (definition === undefined) return entries;
    let present = 0;
    for (let left = entries; left > 0; left -= BATCH)
      present += this.#presentIn(definition.take(Math.min(BATCH, left)));
    return present;
  }

  /**
   * Reads the values of a page one after the other.
   * @param present counts them, for encodings that are decoded as a whole
   */
  #valuesOf(encoding: string, page: Uint8Array, from: number, present: () => number): Page['values'] {
    const decoder = this.#decoder;
    const { type, element } = decoder;
    const reader = { view: viewOf(page), offset: from };
    if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
      const dictionary = this.#dictionary;
      const places = new PackedIntegers(page, from + 1, page[from] ?? 0);
      return (count) => {
        // A page of nulls needs no dictionary.
        if (dictionary === undefined) throw new Error('a page refers to a dictionary that is not there');
        return places.take(count).map((place) => dictionary[place]);
      };
    }
    if (type === 'BOOLEAN' && (encoding === 'PLAIN' || encoding === 'RLE')) {
      const bits = encoding === 'PLAIN' ? PackedIntegers.bits(page, from) : new PackedIntegers(page, from + 4, 1);
      return (count) => convert(bits.take(count).map(Boolean), decoder);
    }
    if (encoding === 'PLAIN') return (count) => convert(readPlain(reader, type, count, element.type_length), decoder);
    const all = wholePage(encoding, reader, present(), decoder);
    let at = 0;
    return (count) => {
      at += count;
      return convert(all.slice(at - count, at), decoder);
    };
  }
}

function wholePage(
  encoding: string,
  reader: { readonly view: DataView; offset: number },
  count: number,
  { type, element }: ColumnDecoder,
): Values {
  switch (encoding) {
    case 'DELTA_BINARY_PACKED': {
      const all = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
      if (count > 0) deltaBinaryUnpack(reader, count, all);
      return all;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const all = new Array<Uint8Array>(count);
      if (count > 0) deltaLengthByteArray(reader, count, all);
      return all;
    }
    case 'DELTA_BYTE_ARRAY': {
      const all = new Array<Uint8Array>(count);
      if (count > 0) {
        mustFit({ ...reader }, count);
        deltaByteArray(reader, count, all);
      }
      return all;
    }
    case 'BYTE_STREAM_SPLIT':
      return byteStreamSplit(reader, count, type, element.type_length);
    default:
      throw new Error(`it has the encoding ${encoding}, which is not read`);
  }
}

/**
 * Checks the total length of values that each repeat a part of the previous one.
 * @throws Error if they are too long together
 */
function mustFit(reader: { readonly view: DataView; offset: number }, count: number): void {
  let bytes = 0;
  for (let part = 0; part < 2; part++) {
    const lengths = new Int32Array(count);
    deltaBinaryUnpack(reader, count, lengths);
    for (const length of lengths) bytes += length;
  }
  if (bytes > MOST_PAGE_BYTES) throw new Error(`a page has texts of ${bytes} bytes, the most are ${MOST_PAGE_BYTES}`);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Bits that a level takes. */
function widthOf(most: number): number {
  return 32 - Math.clz32(most);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
