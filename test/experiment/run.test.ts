import { expect, test } from 'vitest';
import { runOf } from '../../src/experiment/state.ts';
import { SETTINGS } from './states.ts';

const MEASURES = [{ canonical: 'ndcg@10' }, { canonical: 'mrr' }];
const RUN = runOf(SETTINGS, MEASURES);

test('a run has a short name that does not change from version to version', () => {
  expect(RUN).toBe('54c29deba3de1fab');
});

test.each([
  [
    'a ramp of the weights',
    {
      variants: new Map([
        ['A', 0.9],
        ['B', 0.1],
      ]),
    },
  ],
  ['a variant more', { variants: new Map([...SETTINGS.variants, ['C', 0]]) }],
  ['the order of the variants', { variants: new Map([...SETTINGS.variants].reverse()) }],
  ['the control', { control: 'B' }],
  ['the primary measure', { primary: 'mrr' }],
  ['a guardrail', { guardrails: ['mrr'] }],
  ['the horizon', { horizon: { text: '5m', ms: 300_000 } }],
  ['alpha', { alpha: 0.01 }],
  ['nStar', { nStar: 5001 }],
  ['the start', { start: 0 }],
])('%s begins a new run', (_, change) => {
  expect(runOf({ ...SETTINGS, ...change }, MEASURES)).not.toBe(RUN);
});

test('a measure with another definition begins a new run', () => {
  expect(runOf(SETTINGS, [{ canonical: 'ndcg(gain=exp)@10' }, { canonical: 'mrr' }])).not.toBe(RUN);
});

test.each([
  ['the tolerance, which only the decision of today needs', { tolerance: 0.5 }],
  ['another way to write the horizon', { horizon: { text: '1800s', ms: 1_800_000 } }],
  ['its name', { name: 'other', dimension: 'experiment_other' }],
])('%s does not', (_, change) => {
  expect(runOf({ ...SETTINGS, ...change }, MEASURES)).toBe(RUN);
});

test('the order of measures does not', () => {
  expect(runOf(SETTINGS, [...MEASURES].reverse())).toBe(RUN);
});
