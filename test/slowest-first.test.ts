import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SLOWEST } from './slowest-first.ts';

it('the files that are started first are there, and each once', () => {
  expect(SLOWEST.filter((file) => !existsSync(resolve(import.meta.dirname, '..', file)))).toEqual([]);
  expect(new Set(SLOWEST).size).toBe(SLOWEST.length);
});
