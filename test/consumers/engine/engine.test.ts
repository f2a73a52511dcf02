import { expect, it } from 'vitest';
import { Engine } from '../../../src/consumers/engine/engine.ts';

it('an engine whose memory is full says how much was asked for, and what to do', () => {
  const engine = new Engine(2 ** 10);
  expect(() => {
    for (;;) engine.take(2 ** 20);
  }).toThrow(/no room for 1048576 bytes more: \d+ of 67108864 bytes are in use.*limits\.stateBytes/);
  expect(engine.takenBytes()).toBeGreaterThan(0.85 * 2 ** 26);
});
