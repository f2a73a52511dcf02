import { describe, expect, test } from 'vitest';
import { isTooMany, MOST_BYTES, MOST_ENTRIES } from '../../src/config/yaml.ts';
import { load, problems } from './fixture.ts';

/** So many settings of any name, a line each. */
const keys = (count: number): string => Array.from({ length: count }, (_, n) => `k${n}: 1\n`).join('');
const grades = (count: number): string =>
  `grades: {${Array.from({ length: count }, (_, n) => `a${n}: 1`).join(', ')}}\n`;

describe('the size of a configuration', () => {
  test('200,000 names are refused by their bytes, and the limit is named', () => {
    const text = keys(200_000);
    expect(problems(text)).toEqual([
      `receval.yaml: is too large: ${text.length} bytes, where ${MOST_BYTES} are the most`,
    ]);
  });

  test.each([
    [MOST_BYTES - 1, true],
    [MOST_BYTES, true],
    [MOST_BYTES + 1, false],
  ])('%d bytes: %s', (bytes, may) => {
    const text = `namespace: a\n#${'x'.repeat(bytes - 'namespace: a\n#'.length)}`;
    if (may) expect(load(text).namespace).toBe('a');
    else expect(problems(text)).toEqual([expect.stringContaining('is too large')]);
  });

  test('letters of several bytes count by their bytes', () => {
    expect(problems(`#${'ü'.repeat(MOST_BYTES / 2)}`)).toEqual([expect.stringContaining(`${MOST_BYTES + 1} bytes`)]);
  });

  test.each([
    [MOST_ENTRIES - 2, true],
    [MOST_ENTRIES - 1, true],
    [MOST_ENTRIES, false],
  ])('%d names below one setting: %s', (count, may) => {
    if (may) expect(load(grades(count)).grading.actions.length).toBeGreaterThanOrEqual(count);
    else
      expect(problems(grades(count))).toEqual([
        `receval.yaml: is too large: more than ${MOST_ENTRIES} settings, names and elements of lists`,
      ]);
  });

  test('what aliases stand for counts as often as it stands there', () => {
    const many = `measures: &a [${'mrr, '.repeat(400)}]\nlowerIsBetter: [${'*a, '.repeat(20)}]\n`;
    expect(problems(many)).toEqual([expect.stringContaining('is too large: more than')]);
  });

  test('aliases of aliases are refused', () => {
    const nine = (name: string): string => `[${`${name}, `.repeat(9)}]`;
    const bomb = `a: &a ${nine('x')}\nb: &b ${nine('*a')}\nc: &c ${nine('*b')}\nd: &d ${nine('*c')}\ne: ${nine('*d')}\n`;
    expect(problems(bomb)).toEqual([expect.stringMatching(/^receval\.yaml: not valid YAML \(.*too many aliases/)]);
  });

  test.each(['[', '{a: ', '- '])('what is nested without end is refused: %s', (opening) => {
    expect(problems(`a:\n  ${opening.repeat(60_000)}`)).toEqual([expect.stringMatching(/not valid YAML/)]);
  });

  test('the limit holds for variables and the files that they name', () => {
    const big = `{${Array.from({ length: MOST_ENTRIES }, (_, n) => `a${n}: 1`).join(', ')}}`;
    const told = [expect.stringContaining(`more than ${MOST_ENTRIES}`)];
    expect(problems('', { env: { RECEVAL_GRADES: big } })).toEqual(told);
    expect(problems('', { env: { RECEVAL_GRADES_FILE: '/g' }, files: { '/g': big, 'receval.yaml': '' } })).toEqual(
      told,
    );
    const huge = `{a: 1} #${'x'.repeat(MOST_BYTES)}`;
    expect(problems('', { env: { RECEVAL_GRADES: huge } })).toEqual([
      expect.stringMatching(/^RECEVAL_GRADES: cannot be read/),
    ]);
  });

  test('counting ends with the first that is too many', () => {
    let looked = 0;
    const list = new Proxy(
      Array.from({ length: 1_000_000 }, () => 0),
      {
        get(target, name, receiver) {
          looked++;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    expect(isTooMany([list])).toBe(true);
    expect(looked).toBeLessThan(10);
  });

  test('a name that appears twice is told with its place, however many there are', () => {
    expect(problems(`grades:\n  a: 1\n  b: 1\n  a: 2\n`)).toEqual([
      'receval.yaml:4:3: not valid YAML: Map keys must be unique',
    ]);
  });
});

describe('names that JavaScript keeps for itself', () => {
  const experiment = (variants: string): string => `{control: a, variants: {${variants}}}`;
  const said = 'is a name that cannot be used: choose another';

  test.each([
    ['grades: {__proto__: 1, click: 1}', 'grades.__proto__'],
    ['{"grades": {"__proto__": {"grade": 1}, "click": 1}}', 'grades.__proto__'],
    [`experiments: {__proto__: ${experiment('a: 1, b: 1')}}`, 'experiments.__proto__'],
    [`experiments: {x: ${experiment('a: 1, b: 1, __proto__: 1')}}`, 'experiments.x.variants.__proto__'],
    ['__proto__: {namespace: a}', '__proto__'],
    ['limits: {__proto__: {series: 1}}', 'limits.__proto__'],
    [
      'kafka: {topics: {impressions: {adapter: {map: {requestId: /a, __proto__: /b}}}}}',
      'kafka.topics.impressions.adapter.map.__proto__',
    ],
    ['grades: {click: {grade: 1, __proto__: 2}}', 'grades.click.__proto__'],
    ['&a grades: {"__proto__": 1}', 'grades.__proto__'],
  ])('%s is refused', (yaml, path) => {
    expect(problems(`${yaml}\n`)).toContain(`${path}: ${said}`);
  });

  test.each([
    ['RECEVAL_GRADES', '{__proto__: 1}', 'grades.__proto__'],
    ['RECEVAL_EXPERIMENTS', `{__proto__: ${experiment('a: 1, b: 1')}}`, 'experiments.__proto__'],
    [
      'RECEVAL_EXPERIMENTS_DEFAULT_VARIANTS',
      '{control: 1, treatment: 1, __proto__: 1}',
      'experiments.default.variants.__proto__',
    ],
  ])('%s=%s is refused', (name, value, path) => {
    expect(problems('', { env: { [name]: value } })).toContain(`${path}: ${said} (set by ${name})`);
  });

  test('others are names like any other', () => {
    const { actions } = load('grades: {constructor: 1, toString: 2, hasOwnProperty: 3}\n').grading;
    expect(actions.slice(0, 3).map(({ name, rule }) => `${name} ${rule.grade}`)).toEqual([
      'constructor 1',
      'toString 2',
      'hasOwnProperty 3',
    ]);
  });

  test('leave the prototype of everything as it is', () => {
    problems('__proto__: {polluted: 1}\ngrades: {__proto__: {polluted: 1}}\n');
    expect(Reflect.has({}, 'polluted')).toBe(false);
  });
});

describe('http.token', () => {
  const least = 'a'.repeat(16);
  test.each([
    [least.slice(1), false],
    [least, true],
    [`${least}=`, true],
    ['a'.repeat(4096), true],
    ['a'.repeat(4097), false],
    [`${least} b`, false],
    [` ${least}`, false],
    [`${least}\\t`, true],
    ['geheimnisgeheimü', false],
    ['', false],
  ])('%j: %s', (token, may) => {
    const yaml = `http: {token: ${JSON.stringify(token)}}\n`;
    if (may) expect(load(yaml.replaceAll('\\\\t', 't')).http.token).toMatchObject({ kind: 'text' });
    else {
      expect(problems(yaml)).toEqual([
        expect.stringMatching(/^http\.token: expected a token of 16 to 4096 .*; found "\*\*\*"$/),
      ]);
    }
  });
});
