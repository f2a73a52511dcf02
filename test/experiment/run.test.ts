import { expect, test } from 'vitest';
import { changedInRun, runOf, runText, settingsOfRun } from '../../src/experiment/run-settings.ts';
import { SETTINGS } from './states.ts';

const RUN = runOf(SETTINGS);

test('a run has a short name that does not change from version to version', () => {
  expect(RUN).toBe('d336c82e4900780d');
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
  expect(runOf({ ...SETTINGS, ...change })).not.toBe(RUN);
});

test.each([
  ['the tolerance, which only the decision of today needs', { tolerance: 0.5 }],
  ['another way to write the horizon', { horizon: { text: '1800s', ms: 1_800_000 } }],
  ['its name', { name: 'other', dimension: 'experiment_other' }],
])('%s does not', (_, change) => {
  expect(runOf({ ...SETTINGS, ...change })).toBe(RUN);
});

test('nor does the direction of a measure that does not decide', () => {
  expect(runOf({ ...SETTINGS, lowerIsBetter: new Set(['short']) })).toBe(RUN);
  expect(runOf({ ...SETTINGS, lowerIsBetter: new Set([SETTINGS.primary]) })).not.toBe(RUN);
});

test('its settings come back from their text, and what two runs differ in is named', () => {
  const settings = {
    ...SETTINGS,
    guardrails: ['mrr', 'hit@10'],
    start: 1_700_000_000_000,
    lowerIsBetter: new Set(['mrr']),
  };
  const back = settingsOfRun(runText(settings), settings);
  expect(back).toEqual({ ...settings, guardrails: ['hit@10', 'mrr'] });
  expect(runOf(back)).toBe(runOf(settings));
  expect(changedInRun(settings, { ...SETTINGS, alpha: 0.01, horizon: { text: '1h', ms: 3_600_000 } })).toEqual([
    'guardrails: was ["hit@10","mrr"], now []',
    `horizon: was "${SETTINGS.horizon.text}", now "1h"`,
    `alpha: was ${SETTINGS.alpha}, now 0.01`,
    'start: was "2023-11-14T22:13:20.000Z", now null',
    'lowerIsBetter: was ["mrr"], now []',
  ]);
});

test.each([
  ['', 'run: expected'],
  ['{}', 'run.'],
  [runText(SETTINGS).replace('"30m"', '"soon"'), 'run.horizon: expected a duration'],
])('a text that is damaged is refused: %s', (text, message) => {
  expect(() => settingsOfRun(text, SETTINGS)).toThrow(message);
});
