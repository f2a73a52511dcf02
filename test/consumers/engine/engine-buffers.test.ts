import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Engine } from '../../../src/consumers/engine/engine.ts';
import { EngineBuffers } from '../../../src/consumers/engine/engine-buffers.ts';

const MIB = 2 ** 20;
/** 1 GiB of its own, which nobody else takes from: what is not touched takes no memory. */
const engine = new Engine(2 ** 14);
const buffers = new EngineBuffers(engine);

it('are at most 64 MiB at once, and as many again when they are given back, once', () => {
  const before = engine.takenBytes();
  const takeAll = (): Buffer[] => {
    const all: Buffer[] = [];
    for (let one = buffers.take(MIB - 64, 64); one !== undefined; one = buffers.take(MIB - 64, 64)) all.push(one);
    return all;
  };
  for (let round = 0; round < 3; round++) {
    const all = takeAll();
    expect(all).toHaveLength(64);
    expect(new Set(all.map(({ byteOffset }) => byteOffset)).size).toBe(64);
    expect(engine.takenBytes() - before).toBe(64 * MIB);
    for (const one of all) for (let n = 0; n < 2; n++) buffers.give(one);
    expect(engine.takenBytes()).toBe(before);
  }
});

it('are counted as the blocks that they take, powers of two', () => {
  const before = engine.takenBytes();
  const all: Buffer[] = [];
  for (let one = buffers.take(MIB, 64); one !== undefined; one = buffers.take(MIB, 64)) all.push(one);
  expect(engine.takenBytes() - before).toBe(64 * MIB);
  for (const one of all) buffers.give(one);
});

it('are a small part of a small engine', () => {
  const few = new EngineBuffers(new Engine(2 ** 10));
  expect(few.take(4 * MIB - 64, 64)).toBeDefined();
  expect(few.take(64, 64)).toBeUndefined();
});

it('are given back whole when their beginning is kept in place of them', () => {
  const before = engine.takenBytes();
  const whole = buffers.take(1000, 64);
  if (whole === undefined) throw new Error('there is no room');
  whole.write('begin');
  const cut = buffers.cut(whole, 5, 64);
  expect(cut.toString()).toBe('begin');
  expect(engine.takenBytes() - before).toBe(128);
  expect(() => buffers.cut(whole, 5, 64)).toThrow('given back');
  buffers.give(whole);
  expect(engine.takenBytes()).toBeGreaterThan(before);
  buffers.give(cut);
  expect(engine.takenBytes()).toBe(before);
});

it('are given back when nobody holds them', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const before = engine.takenBytes();
  for (let n = 0; n < 20; n++) buffers.take(MIB, 0);
  const held = buffers.take(MIB, 0);
  for (let n = 0; n < 100 && engine.takenBytes() > before + MIB; n++) {
    collect();
    await turn();
  }
  expect(engine.takenBytes()).toBe(before + MIB);
  expect(held).toHaveLength(MIB);
  if (held !== undefined) buffers.give(held);
  expect(engine.takenBytes()).toBe(before);
});
