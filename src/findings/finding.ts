import { CATALOGUE, type FindingCode } from './catalogue.ts';

/** Something that looks wrong with logs, as it was found. */
export interface Finding {
  readonly code: FindingCode;
  /** What is wrong, with counts. One sentence, ending with a full stop. */
  readonly cause: string;
  /** An example from the logs, such as two request ids; null: there is none, or it must not be shown. */
  readonly example: string | null;
  /** What to do, in sentences. */
  readonly remedy: string;
}

/** A finding without an example: a service never publishes ids of events. */
export type PlainFinding = Omit<Finding, 'example'>;

const CODES = Object.keys(CATALOGUE);

/** Sorts findings in the order of the catalogue. */
export function inOrder<One extends PlainFinding>(findings: readonly One[]): readonly One[] {
  return [...findings].sort((a, b) => CODES.indexOf(a.code) - CODES.indexOf(b.code));
}

const LONGEST_TEXT = 80;

/** Text from the logs, safe to print: in quotes, without control characters, cut if long. */
export function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '?');
  return `"${plain.length > LONGEST_TEXT ? `${plain.slice(0, LONGEST_TEXT)}...` : plain}"`;
}
