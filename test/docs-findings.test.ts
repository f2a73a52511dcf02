/** The tables of findings come from src/findings/catalogue.ts, that of stopped partitions from src/worker/status.ts: `npx vitest run test/docs-findings.test.ts --update` writes them. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { CATALOGUE, type FindingKind, type Shower } from '../src/findings/catalogue.ts';
import { STOP_ADVICE, STOP_CAUSES } from '../src/worker/status.ts';

const KINDS = Object.entries(CATALOGUE);

function isShownBy({ shownBy = ['inspect'] }: FindingKind, ...some: readonly Shower[]): boolean {
  return some.some((one) => shownBy.includes(one));
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), `|${header.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

const shown = (...some: readonly Shower[]) => KINDS.filter(([, kind]) => isShownBy(kind, ...some));
const yes = (is: boolean): string => (is ? 'yes' : 'no');

const TABLES: Readonly<Record<string, string>> = {
  'docs/replay.md': table(
    ['code', 'when', 'what to do'],
    shown('files', 'score', 'counts').map(([code, { row }]) => [`\`${code}\``, row]),
  ),
  'docs/inspect.md': table(
    ['code', 'meaning', 'what to do'],
    shown('inspect').map(([code, { row, inspect = row }]) => [`\`${code}\``, inspect]),
  ),
  'docs/doctor.md': table(
    ['code', 'files: replay, compare', 'score', 'doctor', 'run: log, page, state', 'inspect'],
    shown('files', 'score', 'doctor', 'counts', 'records').map(([code, kind]) => [
      `\`${code}\``,
      yes(isShownBy(kind, 'files')),
      yes(isShownBy(kind, 'score')),
      yes(isShownBy(kind, 'doctor')),
      (['counts', 'records'] as const).filter((one) => isShownBy(kind, one)).join(', ') || 'no',
      yes(isShownBy(kind, 'inspect')),
    ]),
  ),
};

const ADVICE = table(
  ['cause', 'what is wrong, and what to do'],
  STOP_CAUSES.map((cause) => [`\`${cause}\``, STOP_ADVICE[cause]]),
);

it.each([
  ...Object.entries(TABLES).map(([path, rows]) => [path, 'findings', rows]),
  ['docs/runbook.md', 'advice', ADVICE],
])('%s holds the table of %s, as `npm run generate` writes it', async (path, what, rows) => {
  const file = resolve(import.meta.dirname, '..', path);
  const marks = new RegExp(`(?<=<!-- begin of the ${what} -->\\n)[\\s\\S]*?(?=<!-- end of the ${what} -->)`);
  const parts = readFileSync(file, 'utf8').split(marks);
  expect(parts, 'one table between the marks').toHaveLength(2);
  await expect(parts.join(`\n${rows}\n\n`)).toMatchFileSnapshot(file);
});

it('has for each when it is shown, and what to do', () => {
  const cells = KINDS.flatMap(([, { row, inspect = row }]) => [row, inspect]);
  expect(cells.filter((text) => !/^[^|]+ \| [^|]+$/.test(text))).toEqual([]);
});
