/** Actions in words of other scripts are not read, and that is told. */
import { expect, it } from 'vitest';
import { inspect } from '../../src/inspect/inspection.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

it.each([
  ['动作', ['点击', '购买'], true],
  ['действие', ['клик'], true],
  ['city', ['Rome', 'Köln'], false],
])('/%s with %j', (name, words, isTold) => {
  const numbers = Array.from({ length: 30 }, (_, n) => n);
  const item = (n: number, i: number): string => `p${(7 * n + i) % 23}`;
  const at = (n: number): number => MADE_AT + 9000 * n;
  const files = [
    sampledFile(
      'lists',
      numbers.map((n) => ({ r: `r${n}x`, at: at(n), user: `u${n % 9}`, shown: [0, 1, 2].map((i) => item(n, i)) })),
    ),
    sampledFile(
      'clicks',
      numbers.map((n) => ({ r: `r${n}x`, at: at(n) + 4000, item: item(n, n % 3), [name]: words[n % words.length] })),
    ),
  ];
  const { findings } = inspect(files, { now: at(9999), grades: new Set(), weights: undefined });
  expect(
    findings.map(({ code, cause }) => [code, cause.includes(`/${name} may say it (${words.join(', ')})`)]),
  ).toEqual(isTold ? [['action_assumed', true]] : []);
});
