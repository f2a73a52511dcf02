import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { measure } from '../../src/measures/measures.ts';
import type { PlainList } from '../../src/measures/plain.ts';

interface Fact {
  readonly id: string;
  /** `@a..b` stands for several measures, and the values are then arrays. */
  readonly measure: string;
  readonly lists: readonly PlainList[];
  /** null: every list is left out. */
  readonly value: number | readonly number[] | null;
  readonly tolerance: number;
  /** The value of the definition, where `value` is rounded as its source prints it. */
  readonly exact?: number;
  readonly source: string;
}

function facts(name: string): readonly Fact[] {
  return JSON.parse(readFileSync(new URL(`./facts/${name}`, import.meta.url), 'utf8'));
}

describe.each([
  ['documents.json', 193],
  ['libraries.json', 88],
])('%s', (file, count) => {
  const all = facts(file);

  it(`holds ${count} facts`, () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(count);
    expect(all.length).toBe(count);
  });

  it.each(all.map((fact) => [fact.id, fact] as const))('%s', (_id, fact) => {
    const { measures, problems } = parseMeasures([fact.measure], { relevantFrom: 1 }, { command: 'score' });
    expect(problems).toEqual([]);
    const values = [fact.value].flat();
    expect(measures.length).toBe(values.length);
    for (const [i, { canonical }] of measures.entries()) {
      const got = measure(canonical).mean(fact.lists);
      const wanted = values[i];
      if (wanted === null) expect(got).toBeUndefined();
      else expect(Math.abs((got ?? Number.NaN) - wanted)).toBeLessThanOrEqual(fact.tolerance);
      if (fact.exact !== undefined) expect(got).toBeCloseTo(fact.exact, 12);
    }
    if (!fact.measure.includes('..')) expect(measures[0].canonical).toBe(fact.measure);
  });
});
