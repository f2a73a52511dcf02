/** The tables of docs/measures.md, and the number in the README, come from the definitions of the measures: `npx vitest run test/docs-measures.test.ts --update` writes them. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { MEASURES } from '../src/measures/all.ts';
import type { Example, MeasureDefinition } from '../src/measures/definition.ts';
import { isListOnly } from '../src/measures/needs.ts';

const PAGE = resolve(import.meta.dirname, '../docs/measures.md');
const README = resolve(import.meta.dirname, '../README.md');

const code = (text: string) => `\`${text}\``;

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => ''), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  lines[1] = `|${header.map(() => '---|').join('')}`;
  return lines.map((line) => line.replaceAll('|  |', '| |')).join('\n');
}

function definitions(header: readonly string[], kinds: readonly MeasureDefinition['kind'][]): string {
  const some = MEASURES.filter(({ kind }) => kinds.includes(kind));
  return table(
    header,
    some.map(({ name, docs }) => [code(name), docs.value, docs.parameters ?? '']),
  );
}

/** `map` and `ap`, `rr`, `recip_rank` and `mrr`. */
function aliases(): string {
  const groups = MEASURES.flatMap(({ name, aliases: some = [] }) => {
    return some.length === 0 ? [] : [`${some.map(code).join(', ')} and ${code(name)}`];
  });
  const words = `Read, but never printed: ${groups.join('; ')} are the same.`.split(' ');
  return words.reduce((text, one) => {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    return `${text}${line.length + one.length < 130 ? ' ' : '\n'}${one}`;
  });
}

function subject({ of, list }: Example): string {
  if (list === 'shown') return code(of);
  const numbers = (some: readonly number[]) => code(some.join(' '));
  if ('judged' in list) return `${code(of)} of judged ${numbers(list.judged)}`;
  if ('ratings' in list) {
    return `${code(of)} of scores ${numbers(list.scores)}, ratings ${numbers(list.ratings)}`;
  }
  const known = list.known === undefined ? '' : `, known ${numbers(list.known)}`;
  return `${code(of)} of ${numbers(list.grades)}${known}`;
}

function examples(first: string, isWanted: (definition: MeasureDefinition) => boolean): string {
  const some = MEASURES.filter(isWanted).flatMap((definition) => definition.examples);
  return table(
    [first, 'value', 'agrees with'],
    some.map((example) => [subject(example), String(example.value), example.agrees ?? '']),
  );
}

const OWN = 'parameters of its own, default first';
const SHOWN =
  'lists `abc`, `abd`, `ace`; catalogue of 10, popularity a 50, b 25, c 10, d 5, e 1 of 100 users, categories a:x b:x c:y d:y e:z';

const PARTS: ReadonlyMap<string, string> = new Map([
  ['the aliases', aliases()],
  ['the measures of feedback', definitions(['measure', 'value of one list', OWN], ['grades', 'actions'])],
  ['the measures of predicted scores', definitions(['measure', 'value', OWN], ['ratings'])],
  ['the measures of the list alone', definitions(['measure', 'value', 'parameters, default first'], ['items', 'list'])],
  ['the examples of the list alone', examples(SHOWN, (definition) => isListOnly({ definition }))],
  ['the examples of feedback and predicted scores', examples('example', (definition) => !isListOnly({ definition }))],
]);

it('docs/measures.md holds the tables that the definitions of the measures make, as `npm run generate` writes them', async () => {
  const found: string[] = [];
  const page = readFileSync(PAGE, 'utf8').replace(
    /(<!-- begin of (.+), from the definitions in src\/measures -->\n\n)[\s\S]*?(\n\n<!-- end of \2 -->)/g,
    (_, begin: string, name: string, end: string) => {
      found.push(name);
      return `${begin}${PARTS.get(name)}${end}`;
    },
  );
  expect(found).toEqual([...PARTS.keys()]);
  await expect(page).toMatchFileSnapshot(PAGE);
});

it('the README says how many there are, as `npm run generate` writes it', async () => {
  const readme = readFileSync(README, 'utf8');
  const count = /(?<=^\| measures \| )\d+(?= names )/m;
  expect(count.test(readme), 'README.md has a row "| measures | 29 names ..."').toBe(true);
  await expect(readme.replace(count, String(MEASURES.length))).toMatchFileSnapshot(README);
});
