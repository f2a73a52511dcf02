import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { configReference, settingRows } from '../../src/config/reference.ts';
import { load, problems } from './fixture.ts';

const FILE = resolve(import.meta.dirname, '../../docs/configuration.md');
const PAGE = readFileSync(FILE, 'utf8');
const ROWS = [...settingRows().values()].flat();

/** `a.b` and 1 are `{a: {b: 1}}`. */
function documentOf(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

test('docs/configuration.md holds the reference as `receval config reference` prints it and `npm run generate` writes it', async () => {
  const [begin, end] = ['<!-- begin of what `receval config reference` prints -->\n\n', '\n<!-- end of '];
  const from = PAGE.indexOf(begin) + begin.length;
  const to = PAGE.indexOf(end, from);
  expect(from).toBeGreaterThan(begin.length);
  expect(to).toBeGreaterThan(from);
  await expect(PAGE.slice(0, from) + configReference() + PAGE.slice(to)).toMatchFileSnapshot(FILE);
});

describe('every setting', () => {
  test('stands there once, with its type and its meaning', () => {
    expect(ROWS.length).toBeGreaterThan(100);
    expect(new Set(ROWS.map(({ path }) => path)).size).toBe(ROWS.length);
    expect(ROWS.filter(({ type, meaning }) => type === '' || meaning === '').map(({ path }) => path)).toEqual([]);
  });

  test('has a variable that receval knows', () => {
    const unknown = ROWS.filter(({ path, variable }) => {
      const name = variable.replace('<NAME>', path.startsWith('grades') ? 'RATING' : 'DEFAULT');
      const all = problems('http: {port: -1}', { env: { [name]: 'x' } });
      return all.some((problem) => problem.includes('unknown variable'));
    });
    expect(unknown.map(({ variable }) => variable)).toEqual([]);
  });

  test('has the default that it is said to have', () => {
    const defaults = ROWS.filter(({ path, usual }) => usual !== undefined && !path.includes('<'));
    expect(defaults.length).toBeGreaterThan(40);
    const usual = load('');
    for (const { path, usual: value } of defaults) {
      if (path.startsWith('kafka.topics.') || path.includes('.adapter.')) continue; // a part of a topic makes another topic
      expect(load(stringify(documentOf(path, value))), path).toEqual(usual);
    }
  });

  test('says what it wants in the words in which anything else is refused', () => {
    const plain = ROWS.filter(({ path, type }) => !path.includes('<') && !type.startsWith('a group'));
    for (const { path, type } of plain) {
      if (path.includes('.adapter.')) continue; // beside the other forms of an adapter
      const [first] = problems(stringify(documentOf(path, [[[[]]]])));
      const words = first?.replace(/ \(a whole number with [^)]*\)/, '') ?? '';
      if (words.startsWith(`${path}: `)) expect(words, path).toContain(type);
    }
  });
});

test('the variables that docs/configuration.md shows are taken', () => {
  const [, block = ''] = /```dotenv\n([\s\S]*?)```/.exec(PAGE) ?? [];
  const env = Object.fromEntries(
    block
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(Object.keys(env).length).toBeGreaterThan(4);
  const files = { 'receval.yaml': '', '/run/secrets/redis': 'redis://h:1\n' };
  const taken = load('', { env, files });
  expect(taken).toMatchObject({ redis: { url: 'redis://h:1' }, cohorts: [[], ['variant']] });
  expect(taken.redis.password).toMatchObject({ kind: 'file', path: '/run/secrets/redis-password' });
});
