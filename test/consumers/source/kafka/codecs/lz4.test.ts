import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
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
function decoded(frame: Uint8Array, limit: number): Buffer | undefined {
  try {
    return decodeLz4(frame, limit);
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
      fc.property(blocks, fc.constantFrom(-20, -2, -1, 0, 1, LIMIT), (list, beyond) => {
        const frame = framed(list);
        const whole = plainLz4(frame, LIMIT);
        if (whole === undefined) throw new Error('no frame was made');
        const limit = Math.max(0, whole.length + beyond);
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

  it('has memory for the largest frame from the start: a buffer that is detached slows the whole process', () => {
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow');
    const blocks = new Lz4Blocks();
    const input = new Uint8Array(CODEC_LIMITS.bytes - 2 ** 10).fill(65);
    blocks.begin(input, CODEC_LIMITS.bytes);
    expect(blocks.addRaw(0, input.length)).toBeUndefined();
    expect(grow).not.toHaveBeenCalled();
    expect(blocks.take().equals(input)).toBe(true);
    blocks.begin(input, 2 * CODEC_LIMITS.bytes);
    expect(grow).toHaveBeenCalledOnce();
    expect(blocks.addRaw(0, input.length)).toBeUndefined();
    expect(blocks.take().equals(input)).toBe(true);
    grow.mockRestore();
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
