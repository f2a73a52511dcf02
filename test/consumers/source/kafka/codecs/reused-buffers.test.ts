import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReusedBuffers } from '../../../../../src/consumers/source/kafka/codecs/reused-buffers.ts';

const MIB = 2 ** 20;

describe('memory for decompressed batches', () => {
  it('is never in two hands, whatever is taken and given', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: 5 * MIB }));
    const act = fc.record({ size, give: fc.nat({ max: 3 }), again: fc.boolean() });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const outputs = new ReusedBuffers(4 * MIB);
        const held: { readonly buffer: Buffer; readonly mark: number }[] = [];
        for (const [mark, { size: bytes, give, again }] of acts.entries()) {
          const buffer = outputs.take(bytes);
          expect(buffer.length).toBe(bytes);
          buffer.fill(mark);
          held.push({ buffer, mark });
          for (const gone of held.splice(0, give)) {
            outputs.give(gone.buffer);
            // Given twice it is still there once.
            if (again) outputs.give(gone.buffer);
          }
          for (const other of held) expect(other.buffer.every((byte) => byte === other.mark)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('is used again for what has about its size', () => {
    const outputs = new ReusedBuffers(4 * MIB);
    const first = outputs.take(100_000);
    const other = outputs.take(100_000);
    outputs.give(first);
    expect(outputs.take(120_000).buffer).toBe(first.buffer);
    outputs.give(other);
    expect(outputs.take(10_000).buffer).not.toBe(other.buffer);
  });

  it('is bounded, and takes nothing that is not its own', () => {
    const outputs = new ReusedBuffers(4 * MIB);
    const many = Array.from({ length: 12 }, () => outputs.take(4 * MIB));
    for (const buffer of many) outputs.give(buffer);
    const again = Array.from({ length: 12 }, () => outputs.take(4 * MIB));
    const known = new Set(many.map(({ buffer }) => buffer));
    expect(again.filter(({ buffer }) => known.has(buffer)).length).toBe(8);
    const foreign = Buffer.allocUnsafeSlow(2 ** 16);
    outputs.give(foreign);
    expect(outputs.take(2 ** 16).buffer).not.toBe(foreign.buffer);
    const large = outputs.take(9 * MIB);
    outputs.give(large);
    expect(outputs.take(9 * MIB).buffer).not.toBe(large.buffer);
  });
});
