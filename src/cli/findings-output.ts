import type { Finding } from '../findings/finding.ts';
import { folded, type TextForm } from '../output/table.ts';
import { printable } from '../vocabulary/error-text.ts';

/** The block above the numbers: each finding with its cause, an example and what to do. Empty: there are none. */
export function findingsBlock(findings: readonly Finding[], form: TextForm): string {
  if (findings.length === 0) return '';
  if (form.columns !== undefined) return printable(plainBlock(findings, Math.min(WIDTH, form.columns)));
  return [form.note('What looks wrong:'), ...findings.map((one) => form.note(sentence(one)))].join('');
}

/** The same as lines for standard error, for forms of output without text. */
export function findingLines(findings: readonly Finding[]): string {
  return findings.map((one) => `receval: ${printable(sentence(one))}\n`).join('');
}

function sentence({ code, cause, example, remedy }: Finding): string {
  return `${code}: ${cause}${example === null ? '' : ` Such as: ${example}.`} ${remedy}`;
}

/** Longer lines are hard to read. */
const WIDTH = 100;
const INDENT = 4;

/** For a terminal: one line each for cause, example and remedy, wrapped at blanks. */
function plainBlock(findings: readonly Finding[], width: number): string {
  const blocks = findings.map(({ code, cause, example, remedy }) =>
    [
      folded(`${code}: ${cause}`, '  ', width),
      ...(example === null ? [] : [folded(`such as: ${example}`, ' '.repeat(INDENT), width)]),
      folded(`do: ${remedy}`, ' '.repeat(INDENT), width),
    ].join(''),
  );
  return `What looks wrong:\n${blocks.join('')}`;
}
