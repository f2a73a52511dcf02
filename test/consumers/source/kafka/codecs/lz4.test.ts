import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { engine } from '../../../../../src/consumers/engine/engine.ts';
import { engineBuffers } from '../../../../../src/consumers/engine/engine-buffers.ts';
import { CODEC_LIMITS } from '../../../../../src/consumers/source/kafka/codecs/codecs.ts';
import { decodeLz4, Lz4Blocks } from '../../../../../src/consumers/source/kafka/codecs/lz4.ts';
import { plainLz4 } from './plain-lz4.ts';

const LIMIT = 1 << 20;
const MIN_MATCH = 4;

interface Sequence {
  readonly literals: Uint8Array;
  readonly distance: number;
  readonly match: number;
}

/** Lengths around those at which tokens and copies change. */
const length = fc.oneof(
  fc.nat(40),
  fc.constantFrom(7, 8, 9, 14, 15, 16, 17, 18, 19, 32, 33, 269, 270, 271, 525),
  fc.nat(1200),
);
const literals = fc
  .tuple(length, fc.nat(255), fc.nat(255))
  .map(([n, first, step]) => Uint8Array.from({ length: n }, (_, i) => first + i * step));
const sequence = fc.record({
  literals,
  distance: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3000 })),
  match: length.map((n) => n + MIN_MATCH),
});
const block = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.array(sequence, { maxLength: 12 }), literals) },
  { weight: 1, arbitrary: literals },
);
/** The first has a byte that the next ones may repeat. */
const blocks = fc.array(block, { maxLength: 4 }).map((list) => [Uint8Array.of(65), ...list]);
/** A limit, counted from the size of what is decoded. */
const beyond = fc.oneof(fc.constantFrom(-20, -2, -1, 0, 1, LIMIT), fc.integer({ min: -1500, max: 0 }));
type Block = readonly [readonly Sequence[], Uint8Array] | Uint8Array;

/** What does not fit half a token. */
function rest(length: number): number[] {
  if (length < 15) return [];
  return [...Array.from({ length: Math.floor((length - 15) / 255) }, () => 255), (length - 15) % 255];
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Sequences and last literals as a block, `written` bytes after the frame's begin. A distance that leads before it is cut. */
function encode(sequences: readonly Sequence[], last: Uint8Array, written: number): Buffer {
  const parts: Uint8Array[] = [];
  let out = written;
  for (const { literals, distance, match } of sequences) {
    out += literals.length;
    const near = Math.min(distance, out);
    const more = match - MIN_MATCH;
    parts.push(Buffer.from([(Math.min(15, literals.length) << 4) | Math.min(15, more), ...rest(literals.length)]));
    parts.push(literals, Buffer.from([near & 255, near >> 8, ...rest(more)]));
    out += match;
  }
  parts.push(Buffer.from([Math.min(15, last.length) << 4, ...rest(last.length)]), last);
  return Buffer.concat(parts);
}

const HEADER = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0]);
const END = Buffer.alloc(4);

function framed(blocks: readonly Block[]): Buffer {
  const parts: Buffer[] = [HEADER];
  let written = 0;
  for (const one of blocks) {
    if (one instanceof Uint8Array) {
      parts.push(uint32(one.length + 2 ** 31), Buffer.from(one));
      written += one.length;
    } else {
      const [sequences, last] = one;
      const bytes = encode(sequences, last, written);
      parts.push(uint32(bytes.length), bytes);
      for (const { literals, match } of sequences) written += literals.length + match;
      written += last.length;
    }
  }
  return Buffer.concat([...parts, END]);
}

/** The decoder's bytes; nothing if it refuses. */
function decoded(frame: Uint8Array, limit: number, inEngine = false): Buffer | undefined {
  try {
    return decodeLz4(frame, limit, inEngine);
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return undefined;
  }
}

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** One frame of one block, from its bytes in hex. */
function single(hex: string): Buffer {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  return Buffer.concat([HEADER, uint32(bytes.length), bytes, END]);
}

describe('the lz4 decoder', () => {
  it('reads frames like a plain decoder, with every limit', () => {
    fc.assert(
      fc.property(blocks, beyond, (list, more) => {
        const frame = framed(list);
        const whole = plainLz4(frame, LIMIT);
        if (whole === undefined) throw new Error('no frame was made');
        const limit = Math.max(0, whole.length + more);
        expect(isSame(decoded(frame, limit), whole.length > limit ? undefined : whole)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('reads changed and cut frames like a plain decoder', () => {
    const change = fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(0, 15, 240, 255)));
    const cut = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(40) });
    let refused = 0;
    fc.assert(
      fc.property(blocks, fc.array(change, { maxLength: 4 }), cut, (list, changes, missing) => {
        const frame = framed(list);
        // Half of the changes are near the begin, where a block's first tokens are.
        changes.forEach(([at, byte], i) => {
          frame[at % (i % 2 === 0 ? frame.length : Math.min(frame.length, 40))] = byte;
        });
        const cutOff = frame.subarray(0, Math.max(0, frame.length - missing));
        const expected = plainLz4(cutOff, LIMIT);
        if (expected === undefined) refused++;
        expect(isSame(decoded(cutOff, LIMIT), expected)).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('gives bytes that later frames do not change', () => {
    fc.assert(
      fc.property(blocks, blocks, (before, after) => {
        const first = decodeLz4(framed(before), LIMIT);
        const copy = Buffer.from(first);
        decodeLz4(framed(after), LIMIT);
        expect(first.equals(copy)).toBe(true);
        expect(first.buffer.byteLength).toBeLessThanOrEqual(Math.max(2 ** 14, 2 * first.length));
      }),
    );
  });

  it('repeats patterns of each length', () => {
    for (let distance = 1; distance <= 33; distance++) {
      const pattern = Uint8Array.from({ length: distance }, (_, i) => i + 1);
      for (const match of [4, 5, 18, 19, 20, 40, 300]) {
        const bytes = decodeLz4(framed([[[{ literals: pattern, distance, match }], new Uint8Array(0)]]), LIMIT);
        expect([...bytes]).toEqual(Array.from({ length: distance + match }, (_, i) => (i % distance) + 1));
      }
    }
  });

  it('reaches back into the blocks before, and no further than to the first byte', () => {
    const before = [1, 2, 3, 4, 5];
    for (const distance of [4, 5, 6]) {
      const reach = Buffer.from([0x00, distance, 0, 0x00]);
      const frame = Buffer.concat([HEADER, uint32(2 ** 31 + 5), Buffer.from(before), uint32(4), reach, END]);
      const start = 5 - distance;
      expect(decoded(frame, LIMIT)?.toJSON().data).toEqual(
        start < 0 ? undefined : [...before, ...before.slice(start, start + 4)],
      );
    }
  });

  it('lets a block hold its largest size and not one byte more', () => {
    for (const more of [-1, 0, 1]) {
      const match = (1 << 16) - 1 + more;
      const frame = framed([[[{ literals: Uint8Array.of(65), distance: 1, match }], new Uint8Array(0)]]);
      expect(decoded(frame, LIMIT)?.length).toBe(more > 0 ? undefined : match + 1);
    }
  });

  it('stops at the limit, however much a block asks for', () => {
    const size = 2 ** 22;
    const short = Buffer.from([0x0e, 1, 0]); // 18 bytes more
    const blocks = {
      literals: Buffer.concat([Buffer.from([0xf0, ...rest(size - 20_000)]), Buffer.alloc(size - 20_000)]),
      'short matches': Buffer.concat([Buffer.of(0x10, 65, 1, 0), Buffer.alloc(size - 10, short), Buffer.of(0)]),
      'one match': Buffer.concat([Buffer.of(0x1f, 65, 1, 0), Buffer.alloc(size - 10, 255), Buffer.of(0, 0)]),
    };
    const header = Buffer.from(HEADER);
    header[5] = 0x70;
    for (const block of Object.values(blocks)) {
      const frame = Buffer.concat([header, uint32(block.length), block, END]);
      expect(() => decodeLz4(frame, 1000)).toThrow('the limit of 1000 bytes');
    }
  });

  it('lets no memory grow, for any frame: a buffer that is detached slows the whole process', () => {
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow');
    const blocks = new Lz4Blocks();
    const input = new Uint8Array(CODEC_LIMITS.bytes - 2 ** 10).fill(65);
    for (const most of [CODEC_LIMITS.bytes, 2 * CODEC_LIMITS.bytes]) {
      blocks.begin(input, most);
      expect(blocks.addRaw(0, input.length)).toBeUndefined();
      expect(blocks.take().equals(input)).toBe(true);
    }
    expect(grow).not.toHaveBeenCalled();
    grow.mockRestore();
  });

  it('leaves what it decodes in the memory of the engine, until that is given back or nobody holds it', () => {
    const buffers = engineBuffers();
    const before = engine().takenBytes();
    fc.assert(
      fc.property(
        fc.array(blocks, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(7), { maxLength: 8 }),
        (all, gone) => {
          const held = all.map((list) => {
            const frame = framed(list);
            return { bytes: decodeLz4(frame, LIMIT, true), plain: decodeLz4(frame, LIMIT) };
          });
          for (const n of gone) if (n < held.length) buffers?.give(held[n].bytes);
          const left = held.filter((_, n) => !gone.includes(n));
          for (const { bytes, plain } of left) {
            expect(bytes.buffer).toBe(engine().buffer);
            expect(bytes.equals(plain)).toBe(true);
          }
          // Given twice or not from there: nothing happens.
          for (const { bytes, plain } of held) for (const one of [bytes, bytes, plain]) buffers?.give(one);
        },
      ),
    );
    // A frame that is refused leaves nothing behind either, but at most the buffer that it had begun.
    const refused = single('10 41 01 00');
    for (let n = 0; n < 100; n++) expect(() => decodeLz4(refused, LIMIT, true)).toThrow('a block has no end');
    expect(engine().takenBytes() - before).toBeLessThan(2 ** 21);
  });

  it('writes nothing but its output, and 64 bytes behind it, whatever a block holds', () => {
    const change = fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(0, 15, 240, 255)));
    const buffers = engineBuffers();
    const decoder = new Lz4Blocks();
    let refused = 0;
    fc.assert(
      fc.property(block, fc.nat(2000), fc.array(change, { maxLength: 2 }), (drawn, most, changes) => {
        if (drawn instanceof Uint8Array || buffers === undefined) return;
        const first = { literals: Uint8Array.of(65), distance: 1, match: MIN_MATCH };
        const bytes = encode([first, ...drawn[0]], drawn[1], 0);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        // The next buffer of this size is at the same place, once that of a refused block was given back.
        decoder.begin(bytes, 0);
        const probe = buffers.take(most, 64);
        if (probe === undefined) throw new Error('there is no room');
        buffers.give(probe);
        decoder.begin(bytes, most, true);
        const behind = engine().bytes.subarray(probe.byteOffset + most + 64, probe.byteOffset + most + 64 + 2 ** 20);
        const before = Buffer.from(behind);
        const fault = decoder.add(0, bytes.length, 2 ** 22);
        expect(behind.equals(before)).toBe(true);
        if (fault === undefined) {
          const output = decoder.take();
          expect([output.byteOffset, output.length <= most]).toEqual([probe.byteOffset, true]);
          buffers.give(output);
        } else refused++;
      }),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('refuses sizes that are none, as a page of a Parquet file may declare, and writes nothing', () => {
    const input = Buffer.concat([Buffer.of(0xf0, ...rest(3000)), Buffer.alloc(3000, 7)]);
    for (const most of [-1, Number.NaN, 0.5, 2 ** 32 - 64, 2 ** 31, Number.POSITIVE_INFINITY]) {
      for (const inEngine of [false, true])
        expect(() => new Lz4Blocks().begin(input, most, inEngine)).toThrow(RangeError);
    }
    const blocks = new Lz4Blocks();
    const first = (): Buffer => Buffer.from(engine().bytes.subarray(0, 65_536));
    blocks.begin(Buffer.of(0), 0);
    const before = first();
    expect(blocks.add(0, 1, 0)).toBeUndefined();
    expect(blocks.take()).toHaveLength(0);
    expect(first().equals(before)).toBe(true);
    blocks.begin(input, 0);
    const begun = first();
    for (const largest of [0, -1, Number.NaN]) expect(blocks.add(0, input.length, largest)).toBe('too large');
    expect(first().equals(begun)).toBe(true);
    expect(blocks.add(0, input.length, 2 ** 22)).toBe('too large');
    const large = new Uint8Array(2 ** 24 + 1).fill(255);
    blocks.begin(large, 100);
    expect(blocks.add(0, large.length, 2 ** 30)).toBe('too large');
  });

  it('reads frames like a plain decoder beyond 2^31, where places are no numbers with a sign', () => {
    const high = 2 ** 31;
    const own = engine();
    const taken: number[] = [];
    // Gives back what was begun for a frame that was refused.
    decodeLz4(framed([]), LIMIT);
    // What is not touched takes no memory.
    for (let bytes = 2 ** 30; bytes >= 2 ** 14; bytes /= 2) {
      let place = own.takeShared(bytes);
      for (; place < high; place = own.takeShared(bytes)) taken.push(place);
      own.giveShared(place);
    }
    const input = own.takeShared(LIMIT);
    fc.assert(
      fc.property(blocks, beyond, (list, more) => {
        const frame = framed(list);
        const whole = plainLz4(frame, LIMIT);
        if (whole === undefined) throw new Error('no frame was made');
        own.bytes.set(frame, input);
        const limit = Math.max(0, whole.length + more);
        const bytes = decoded(own.bytes.subarray(input, input + frame.length), limit, true);
        expect(isSame(bytes, whole.length > limit ? undefined : whole)).toBe(true);
        if (bytes === undefined) return;
        expect(bytes.byteOffset).toBeGreaterThanOrEqual(high);
        engineBuffers()?.give(bytes);
      }),
      { numRuns: 500 },
    );
    expect(input).toBeGreaterThanOrEqual(high);
    for (const place of [input, ...taken]) own.giveShared(place);
  });

  it('says what is wrong', () => {
    const wrong = {
      '10 41 01 00': 'a block has no end',
      f0: 'a length is cut off',
      'f0 ff': 'a length is cut off',
      '1f 41 01 00 ff': 'a length is cut off',
      '50 41 41': 'literals are cut off',
      'f0 05 41': 'literals are cut off',
      '10 41 01': 'a distance is cut off',
      '10 41 00 00 00': 'a distance is too far',
      '10 41 02 00 00': 'a distance is too far',
    };
    for (const [hex, what] of Object.entries(wrong)) expect(() => decodeLz4(single(hex), LIMIT)).toThrow(what);
    expect(() => decodeLz4(single('10 41 01 00 00'), 4)).toThrow('the limit of 4 bytes');
    expect(decodeLz4(single('10 41 01 00 00'), 5).toString()).toBe('AAAAA');
  });
});
