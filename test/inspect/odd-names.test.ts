/** Names of actions, dimensions and topics as odd as logs have them: what is proposed is YAML, which says the same names. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { runs } from '../runs.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

const OPTIONS = { now: MADE_AT + 86_400_000, grades: new Set<string>(), weights: undefined };

/** What YAML, this parser or an older one, reads as something else than the text. */
const ODD = [
  'a: b',
  'a #b',
  '#a',
  '-',
  '- a',
  '-a',
  '--- ',
  '?',
  '? a',
  '&a',
  '*a',
  '!a',
  '|',
  '>',
  '%a',
  '@a',
  '`a',
  "'a",
  '"a',
  '[a]',
  '{a}',
  'a, b',
  'a]',
  'yes',
  'No',
  'on',
  'null',
  'NULL',
  '~',
  'true',
  'False',
  'y',
  '1',
  '007',
  '1e5',
  '0x1f',
  '.5',
  '.inf',
  '.nan',
  '-.inf',
  '12:30',
  '2026-11-21',
  '<<',
  '=',
  ' a',
  'a ',
  'a\u0085b',
  'a\u2028b',
  '\ufeffa',
  '\u00a0',
  '__proto__',
  'constructor',
  '\\',
  '…',
  'купить',
  `a${'b'.repeat(150)}`,
  '\u200d'.repeat(200),
  '\ud800'.repeat(200),
];

const action = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
);

function lookAt(actions: readonly string[], context: string) {
  const of = (n: number) => ({ requestId: `r${n}`, ts: MADE_AT + 1000 * n });
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  return inspect(
    [
      sampledFile(
        'lists',
        numbers.map((n) => ({ ...of(n), items: ['p1', 'p2', 'p3'], context: { [context]: `v${n % 2}` } })),
      ),
      sampledFile(
        'feedback',
        numbers.map((n) => ({ ...of(n), ts: of(n).ts + 500, itemId: 'p1', action: actions[n % actions.length] })),
      ),
    ],
    OPTIONS,
  );
}

function load(text: string): Settings {
  return loadSettings({ file: 'receval.yaml', readFile: () => text, env: {} });
}

/** Control characters, and a name that JavaScript keeps for itself, are refused: such actions have grade 0 like all that are not named. */
const configurable = (names: readonly string[]) => names.filter((name) => !/^__proto__$|\p{Cc}/u.test(name)).sort();

describe('odd names', () => {
  it('of actions are those that the proposed configuration grades', () => {
    fc.assert(
      fc.property(fc.uniqueArray(action, { minLength: 1, maxLength: 4 }), (actions) => {
        const found = lookAt(actions, 'country');
        const text = configurationOf(found, { topics: undefined }) ?? '';
        const { grading } = load(text);
        const named = grading.actions.map(({ name }) => name).sort();
        const expected = configurable([...found.facts.actions.keys()]);
        expect(named).toEqual(expected.length === 0 ? ['click'] : expected);
      }),
      { numRuns: runs(100), examples: ODD.map((name) => [[name]]) },
    );
  });

  it('of actions are those that the screen says to grade', () => {
    fc.assert(
      fc.property(action, (name) => {
        const { findings, proposal } = lookAt([name], 'country');
        const remedy = findings.find(({ code }) => code === 'unknown_actions')?.remedy;
        if (!proposal.unknownActions.includes(name)) return;
        const [, yaml = ''] = /such as (grades: .*)\.$/su.exec(remedy ?? '') ?? [];
        expect(load(yaml).grading.actions.map((one) => one.name)).toEqual([name]);
      }),
      { numRuns: runs(100), examples: ODD.map((name) => [name]) },
    );
  });

  it.each(['null', 'true', 'yes', 'no', 'on', 'n', 'country'])('of dimensions are those of the cohorts: %s', (name) => {
    const text = configurationOf(lookAt(['click'], name), { topics: undefined }) ?? '';
    expect(load(text).cohorts).toEqual([[], [name]]);
  });

  it.each(['null', 'true', '1', '1.50', '0x1f', '-', '-a', '.5', '...', '1e5', 'shop.lists'])(
    'of topics are those that are read: %s',
    (name) => {
      const topics = { impressions: name, feedback: [`${name}-f`, `${name}1`] };
      const text = configurationOf(lookAt(['click'], 'country'), { topics }) ?? '';
      expect(load(`${text}  brokers: [localhost:9092]\n`).kafka.topics.map((topic) => topic.name)).toEqual([
        name,
        ...topics.feedback,
      ]);
    },
  );
});
