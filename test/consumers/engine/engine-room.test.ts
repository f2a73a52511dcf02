import { expect, it } from 'vitest';
import { Engine } from '../../../src/consumers/engine/engine.ts';
import { EngineRoom } from '../../../src/consumers/engine/engine-buffers.ts';

it('stays where it is while it is large enough, and takes one block at a time, also after there was no memory', () => {
  const engine = new Engine(2 ** 10);
  const before = engine.takenBytes();
  const room = new EngineRoom(engine, 1024);
  expect(engine.takenBytes()).toBe(before);
  const place = room.reserve(0);
  expect(place).toBeGreaterThan(0);
  expect([room.reserve(1024), engine.takenBytes() - before]).toEqual([place, 1024]);
  room.reserve(1025);
  expect(engine.takenBytes() - before).toBe(2048);
  expect(() => room.reserve(2 ** 30)).toThrow('no room');
  expect(engine.takenBytes()).toBe(before);
  expect(room.reserve(0)).toBeGreaterThan(0);
  expect(engine.takenBytes() - before).toBe(1024);
});
