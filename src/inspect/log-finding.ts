/** A finding on a log, and helpers for its texts. */
import { CATALOGUE, type FindingCode } from '../findings/catalogue.ts';
import type { PlainFinding } from '../findings/finding.ts';

/** A finding of `inspect`, which prints examples as part of the cause. */
export interface LogFinding extends PlainFinding {
  /** `wrong`: a replay's numbers would be wrong or missing. `note`: worth knowing. */
  readonly level: 'wrong' | 'note';
  /** A command that does what the remedy says; undefined: there is none. */
  readonly command: string | undefined;
}

export function wrong(code: FindingCode, cause: string, remedy: string, command?: string): LogFinding {
  return { code, level: 'wrong', cause, remedy, command };
}

export function note(code: FindingCode, cause: string, remedy: string, command?: string): LogFinding {
  return { code, level: 'note', cause, remedy, command };
}

/** Whether a replay makes sense before anything is fixed. */
export function mayReplay(findings: readonly LogFinding[]): boolean {
  return !findings.some(({ code, level }) => level === 'wrong' && CATALOGUE[code].stops);
}

/** The text, shortened to fit into a sentence. */
export function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** `/rec/id` in jq's notation: `.rec.id`; `/items[]/sku`: `.items[].sku`. Any name becomes a literal. */
export function jqPath(path: string): string {
  const steps = path.split('/').slice(1);
  return steps.length === 0
    ? '.'
    : steps
        .map((step) => {
          const [, name, each] = /^(.*?)((?:\[\])*)$/s.exec(step) ?? [];
          // jq 1.6 reads `.e5` as a number.
          const isPlain = /^(?!e\d+$)[a-z_]\w*$/i.test(name);
          return `.${isPlain ? name : JSON.stringify(name.replaceAll('~1', '/').replaceAll('~0', '~'))}${each}`;
        })
        .join('');
}

/** The words in lines of at most `width` characters, unless one word is longer. A percent sign stays with its number. */
export function wrapped(words: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.split(/ (?!%)/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
