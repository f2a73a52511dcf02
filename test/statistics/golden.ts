import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** One reference value: its inputs, what must come out, and how near. `null` stands for an absent value. */
export interface Golden {
  readonly id: string;
  readonly what: string;
  /** Another shape for each family; whoever reads it names it. */
  readonly inputs: unknown;
  readonly expected: unknown;
  readonly tolerance: { readonly abs: number; readonly rel: number };
  readonly source: string;
}

export const GOLDENS: readonly Golden[] = JSON.parse(
  readFileSync(new URL('./goldens.json', import.meta.url), 'utf8'),
) as Golden[];

export function golden(id: string): Golden {
  const found = GOLDENS.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`goldens.json has no case ${id}`);
  return found;
}

/** Part by part: numbers within max(abs, rel · |expected|), null for absent, `reason` for the reason of the absence. */
export function expectGolden(got: unknown, { id, expected, tolerance }: Golden, path = id): void {
  if (expected === null) {
    expect(got, path).toMatchObject({ absent: expect.any(String) });
  } else if (typeof expected === 'number') {
    expect(got, path).toBeTypeOf('number');
    const distance = Math.abs((got as number) - expected);
    expect(distance, `${path}: ${got} against ${expected}`).toBeLessThanOrEqual(
      Math.max(tolerance.abs, tolerance.rel * Math.abs(expected)),
    );
  } else if (typeof expected === 'object') {
    expect(Object.keys(Object(got)).length, path).toBeGreaterThan(0);
    for (const [key, part] of Object.entries(expected)) {
      expectGolden(
        (got as Record<string, unknown>)[key],
        { id, expected: part, tolerance } as Golden,
        `${path}.${key}`,
      );
    }
  } else {
    expect(got, path).toEqual(expected);
  }
}
