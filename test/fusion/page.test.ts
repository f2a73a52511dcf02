/** docs/fuse.md names every method with its parameters, as the code has them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Param } from '../../src/fusion/method.ts';
import { METHODS } from '../../src/fusion/methods.ts';

const page = readFileSync(new URL('../../docs/fuse.md', import.meta.url), 'utf8');

function shown(key: string, param: Param): string {
  const values = param.kind === 'word' ? param.values.join(', ') : String(param.initial);
  return `\`${key}=${values}\` ${param.meaning}`;
}

const rows = METHODS.map(({ name, params, summary, source, cost, aliases = [] }) => {
  const own = Object.entries(params)
    .filter(([key]) => key !== 'as')
    .map(([key, param]) => shown(key, param));
  const names = [`\`${name}\``, ...aliases.map((alias) => `\`${alias}\``)].join(', ');
  const flagr = 'as' in params ? 'yes' : '';
  return `| ${names} | ${summary}; ${source} | ${own.join('; ')} | ${flagr} | ${cost} |`;
});

describe('docs/fuse.md', () => {
  it('has the table of methods', () => {
    const head =
      '| method, also called | what it does; source | parameters | `as=flagr` | work |\n|---|---|---|---|---|';
    expect(page).toContain(`${head}\n${rows.join('\n')}\n`);
  });
});
