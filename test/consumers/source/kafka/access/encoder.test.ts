import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
// Changes kafkajs.
import '../../../../../src/consumers/source/kafka/access/client.ts';

interface Encoder {
  readonly buf: Buffer;
  readonly buffer: Buffer;
  writeInt32(value: number): Encoder;
  writeArray(parts: readonly Encoder[]): Encoder;
}

const require = createRequire(import.meta.url);
const Encoder: new (initialBytes?: number) => Encoder = require('kafkajs/src/protocol/encoder.js');

it('an encoder begins small, and grows with what is written', () => {
  expect(new Encoder().buf.length).toBe(32);
  expect(new Encoder(511).buf.length).toBe(512);
  const parts = Array.from({ length: 1000 }, (_, i) => new Encoder().writeInt32(i).writeInt32(-i));
  const { buffer } = new Encoder().writeArray(parts);
  const numbers = Array.from({ length: buffer.length / 4 }, (_, i) => buffer.readInt32BE(4 * i));
  expect(numbers).toEqual([1000, ...parts.flatMap((_, i) => [i, -i])].map((value) => value | 0));
});
