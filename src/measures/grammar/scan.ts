/** An error about a text that is no measure, or none that is offered. The message names the position and what was expected. */
export class MeasureError extends Error {
  override readonly name = 'MeasureError';
}

/** A measure as written, split into tokens that have not been looked up. */
export interface Written {
  /** The trimmed text, for messages. */
  readonly text: string;
  readonly name: string;
  /** Keys in lower case, values as written. */
  readonly params: readonly (readonly [key: string, value: string])[];
  /** What follows `@`; undefined: no `@`. */
  readonly cut: string | undefined;
}

const WORD = /^[a-z][a-z0-9_]*$/i;
const VALUE = /^[a-z0-9_.:-]+$/i;

const BEHIND_CUT = /^([^()@]*)(?:\(([^()]*)\))?\s*@\s*([^()@]*?)\s*\(([^()]*)\)$/;

/** @throws MeasureError for parameters after the cut-off, with the name that has them before it */
export function mustEndWithCut(source: string): void {
  const text = source.trim();
  const [behind, name, first = '', cut, second] = BEHIND_CUT.exec(text) ?? [];
  if (behind === undefined) return;
  const params = [first, second].map((part) => part.trim()).filter((part) => part !== '');
  const right = `${name.trim()}${params.length === 0 ? '' : `(${params.join(',')})`}@${cut}`;
  throw new MeasureError(`"${text}": the cut-off comes last; write ${right}`);
}

/**
 * Splits `name(key=value, ...)@k` into tokens (specification: measures 1.1). Blanks around tokens do not matter.
 * @throws MeasureError if the text has another form.
 */
export function scan(source: string): Written {
  const text = source.trim();
  if (text === '') throw new MeasureError('a measure is empty; expected a name such as ndcg@10');
  const open = text.indexOf('(');
  const close = text.indexOf(')');
  const fail = (what: string) => new MeasureError(`"${text}": ${what}`);
  if (open >= 0 && close < open) throw fail('the parenthesis "(" is not closed; expected name(key=value)@k');
  if (open < 0 && close >= 0) throw fail('the parenthesis ")" was not opened; expected name(key=value)@k');

  const [head, tail] = open < 0 ? cutAtSign(text) : [text.slice(0, open), text.slice(close + 1).trim()];
  const name = head.trim();
  if (name === '') throw fail('the name of the measure is missing');
  if (tail !== '' && !tail.startsWith('@')) throw fail(`expected "@k" or the end, got "${tail}"`);
  const params: [string, string][] = [];
  if (open >= 0) {
    const inner = text.slice(open + 1, close);
    if (inner.trim() === '') throw fail('the parentheses are empty; leave them out, or write key=value');
    for (const part of inner.split(',')) params.push(param(part.trim(), fail));
  }
  return { text, name, params, cut: tail === '' ? undefined : tail.slice(1).trim() };
}

function cutAtSign(text: string): [head: string, tail: string] {
  const at = text.indexOf('@');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

function param(part: string, fail: (what: string) => MeasureError): [key: string, value: string] {
  const sign = part.indexOf('=');
  const key = part.slice(0, Math.max(sign, 0)).trim();
  if (!WORD.test(key)) throw fail(`expected key=value, got "${part}"`);
  const value = part.slice(sign + 1).trim();
  if (!VALUE.test(value)) throw fail(`the value of ${key} is letters, digits and "_.:-", got "${value}"`);
  return [key.toLowerCase(), value];
}
