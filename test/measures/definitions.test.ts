import { describe, expect, it } from 'vitest';
import { MEASURES } from '../../src/measures/all.ts';
import type { Example, MeasureDefinition } from '../../src/measures/definition.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { measure } from '../../src/measures/measures.ts';
import { scoreText } from '../score/in-memory.ts';
import { CATALOGUE, LISTS } from './shown.ts';

const EXAMPLES = MEASURES.flatMap((definition) =>
  definition.examples.map((example): [string, Example, MeasureDefinition] => [example.of, example, definition]),
);

function computed({ of, list }: Example): number | undefined {
  if (list !== 'shown' && 'judged' in list) {
    const run = list.judged.map((_, i) => `q Q0 item${i} ${i} ${-i} tag\n`).join('');
    const qrels = list.judged.map((isJudged, i) => (isJudged === 1 ? `q 0 item${i} 0\n` : '')).join('');
    return scoreText(run, qrels, { measures: [of] }).runs[0].mean[0];
  }
  if (list !== 'shown') return measure(of).score(list);
  return measure(of, { catalogue: CATALOGUE }).mean(LISTS.map((items) => ({ items, positives: [] })));
}

describe('the definition of a measure', () => {
  it('has a name and aliases that no other measure has', () => {
    const names = MEASURES.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  });

  it('has a worked example', () => {
    expect(MEASURES.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });

  it.each(EXAMPLES)('says what %s is, by its canonical name', (of, example, definition) => {
    expect(parseMeasure(of, { relevantFrom: 1 })).toMatchObject({ canonical: of, definition });
    expect(computed(example)?.toFixed(6)).toBe(example.value.toFixed(6));
  });

  it.each(EXAMPLES)('gives %s a value within its range', (_, { value }, { range: [least, most] }) => {
    expect(value).toBeGreaterThanOrEqual(least);
    expect(value).toBeLessThanOrEqual(most);
  });

  it('names a measure that exists where it is another one', () => {
    const others = MEASURES.flatMap(({ isOther }) => (isOther === undefined ? [] : [isOther.name]));
    expect(others).toEqual(['ctr']);
    expect(others.filter((other) => !MEASURES.some(({ name }) => name === other))).toEqual([]);
  });
});
