import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './ports.ts';

it('names no port twice, and none that the kernel hands out by itself', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(new Set(ports).size).toBe(50);
  expect(Math.min(...ports)).toBeGreaterThan(1023);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

it('passes over a port that somebody listens on', async () => {
  const taken = 1 + (await freePort());
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(taken, '127.0.0.1', () => resolve(true));
  });
  expect(await freePort()).not.toBe(taken);
  if (listens) await new Promise((resolve) => server.close(resolve));
});
