/** Every worked example and every case of other libraries in ../shared/fixtures, where that folder is at hand. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { measure } from '../../src/measures/measures.ts';
import type { PlainList } from '../../src/measures/plain.ts';

const FOLDER = new URL('../../../shared/fixtures/', import.meta.url);
const NAMES = ['seed_examples.json', 'peer_cases.json'] as const;
const missing = NAMES.filter((name) => !existsSync(new URL(name, FOLDER)));

interface Alternative {
  readonly value: number | 'NaN' | readonly number[];
  readonly measure?: string | null;
}

interface Example extends Case {
  readonly printed_precision: number | 'full' | null;
  readonly computed_matches_printed: boolean | null;
  /** `truncated`: the document cut digits off. */
  readonly status: string;
  readonly alternatives?: readonly Alternative[];
}

interface Case {
  readonly id: string;
  readonly measure: string | null;
  readonly lists: readonly PlainList[];
  readonly expected: number | readonly number[] | null;
  readonly computed: number | readonly number[];
  readonly tolerance?: number;
}

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

/** The values of a name, which may stand for several measures; undefined: left out. */
function valuesOf(name: string, lists: readonly PlainList[]): readonly (number | undefined)[] {
  const { measures, problems } = parseMeasures([name], { relevantFrom: 1 }, { command: 'score' });
  expect(problems).toEqual([]);
  return measures.map(({ canonical }) => measure(canonical).mean(lists));
}

function expectValues(
  name: string,
  lists: readonly PlainList[],
  wanted: number | readonly number[],
  tolerance: number,
): void {
  const values = valuesOf(name, lists);
  const all = [wanted].flat();
  expect(values.length).toBe(all.length);
  values.forEach((value, i) => {
    expect(Math.abs((value ?? Number.NaN) - all[i])).toBeLessThanOrEqual(tolerance);
  });
}

if (missing.length > 0) process.stderr.write(`skipped: the fixtures of measures: there is no ${missing.join(', ')}\n`);

describe.skipIf(missing.length > 0)(
  `the fixtures${missing.length > 0 ? `, skipped: no ${missing.join(', ')}` : ''}`,
  () => {
    const examples: readonly Example[] = missing.length > 0 ? [] : JSON.parse(read('seed_examples.json')).examples;
    const cases: readonly Case[] = missing.length > 0 ? [] : JSON.parse(read('peer_cases.json'));
    const scored = examples.filter((one) => one.measure !== null);

    it('hold 157 examples and 88 cases with a measure', () => {
      expect(scored.length).toBe(157);
      expect(cases.filter(({ measure: name }) => name !== null && name !== undefined).length).toBe(88);
    });

    it.each(scored.map((one) => [one.id, one] as const))('%s', (_id, { measure: name, lists, ...one }) => {
      if (name === null) throw new Error('no measure');
      expectValues(name, lists, one.computed, 1e-12);
      if (one.expected !== null && one.computed_matches_printed === true && one.printed_precision === 'full') {
        expectValues(name, lists, one.expected, 1e-12);
      }
      if (one.expected !== null && one.computed_matches_printed === true && typeof one.printed_precision === 'number') {
        const units = one.status.includes('truncated') ? 1 : 0.5;
        expectValues(name, lists, one.expected, units * 10 ** -one.printed_precision + 1e-12);
      }
      for (const { value, measure: other } of one.alternatives ?? []) {
        if (other === undefined || other === null) continue;
        if (value === 'NaN') expect(valuesOf(other, lists)).toEqual([undefined]);
        else expectValues(other, lists, value, 1e-12);
      }
    });

    it.each(
      cases.flatMap((one) => (one.measure === null || one.measure === undefined ? [] : [[one.id, one] as const])),
    )('%s', (_id, { measure: name, lists, expected, computed, tolerance = 0 }) => {
      if (name === null || expected === null) throw new Error('nothing to compare');
      expectValues(name, lists, expected, Math.max(tolerance, 1e-12));
      expectValues(name, lists, computed, 1e-12);
      expect(parseMeasures([name], { relevantFrom: 1 }, { command: 'score' }).measures[0].canonical).toBe(name);
    });
  },
);
