import { styleText } from 'node:util';
import { nearest } from '../vocabulary/spelling.ts';
import { UsageError } from './failure.ts';

/** Width without a terminal, as for documentation and logs of CI. */
const USUAL_COLUMNS = 120;

export const WIDE = 'all columns of tables, however wide the terminal is';

/** Greatest width of tables, in columns. */
export function tableColumns(stream: NodeJS.WriteStream, wide: boolean | undefined): number {
  if (wide === true) return Number.POSITIVE_INFINITY;
  return stream.isTTY === true && stream.columns > 0 ? stream.columns : USUAL_COLUMNS;
}

const WHEN = ['auto', 'always', 'never'] as const;

/** The option that `painter` takes. */
export const COLOUR = [
  '--color <when>',
  `regressed red, improved green: ${WHEN.join(', ')}; auto is on a terminal, without NO_COLOR`,
  WHEN[0],
] as const;

/** A function that colours the words of decisions; without colour it returns its text. */
export function painter(
  stream: NodeJS.WriteStream,
  when: string,
  { NO_COLOR = '', TERM }: NodeJS.ProcessEnv = process.env,
): (text: string) => string {
  if (!WHEN.some((one) => one === when)) {
    throw new UsageError(`--color: expected ${WHEN.join(', ')}; found "${when}"`);
  }
  const isOn = when === 'auto' ? stream.isTTY === true && NO_COLOR === '' && TERM !== 'dumb' : when === 'always';
  return isOn ? painted : (text) => text;
}

/** Worse is red, better is green. */
function painted(text: string): string {
  return text.replace(/\b(?:regressed|improved)\b/gi, (word) =>
    styleText(['bold', word.toLowerCase() === 'regressed' ? 'red' : 'green'], word, { validateStream: false }),
  );
}

/**
 * The requested form of output.
 * @throws UsageError that lists the forms
 */
export function outputForm<Form extends string>(text: string, forms: readonly Form[], flag = '--output'): Form {
  const found = forms.find((form) => form === text);
  if (found !== undefined) return found;
  const near = nearest(text, forms);
  const hint = near === undefined ? '; ' : `; did you mean "${near}"? `;
  throw new UsageError(
    `${flag}: no form "${text}"${hint}${near === undefined ? 'e' : 'E'}xpected one of ${forms.join(', ')}`,
  );
}
