import { describe, expect, it } from 'vitest';
import { isLowerBetter } from '../../src/measures/direction.ts';
import { parseMeasure } from '../../src/measures/grammar/measure-name.ts';
import { load } from '../config/fixture.ts';

const { grading } = load('grades: {click: 1, hide: {grade: 0, veto: true}, share: {grade: 0}}\n');

describe('whether a fall of a measure is good', () => {
  it.each([
    ['mae', true],
    ['rmse', true],
    ['gini', true],
    ['short', true],
    ['duplicated', true],
    ['rate(action=hide)', true],
    ['rate(action=share)', false],
    ['rate(action=unheard_of)', false],
    ['ctr', false],
    ['ndcg@10', false],
    ['hit(action=hide)', false],
    ['bias', false],
    ['spearman', false],
  ])('of %s: %s', (name, expected) => {
    expect(isLowerBetter(parseMeasure(name, { relevantFrom: 1 }), grading)).toBe(expected);
  });
});
