/** From the text of an environment variable or a flag to the value of a setting. */
import { z } from 'zod';
import { elementOf, unwrap } from './tree.ts';
import { parseYaml } from './yaml.ts';

type Schema = z.core.$ZodType;

/**
 * Text stays text where the setting is text. A list is split at commas outside brackets; brackets around all of it
 * may stand there or not. Everything else is read as YAML: numbers, true, {a: 1}.
 * @throws Error when that is no YAML, or too large.
 */
export function readText(text: string, schema: Schema): unknown {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return text;
  const element = elementOf(inner);
  const isGroup = text.trim().startsWith('{') && splitList(text).length === 1;
  if (element === undefined || isGroup) return readForms(text, inner);
  const isNested = elementOf(element) !== undefined;
  const list = isBracketed(text, isNested ? /^\[\s*\[/ : /^\[/) ? text.trim().slice(1, -1) : text;
  return splitList(list).map((part) => readText(part, element));
}

function readForms(text: string, schema: Schema): unknown {
  const parsed = parseYaml(text, 0);
  if (parsed.problem !== undefined) throw new Error('not valid YAML');
  const { value } = parsed;
  const mayBeText =
    schema instanceof z.ZodUnion && schema.options.some((option) => unwrap(option) instanceof z.ZodString);
  return mayBeText && typeof value !== 'object' ? text : value;
}

/** Whether the first bracket closes at the very end. */
function isBracketed(text: string, opening: RegExp): boolean {
  const trimmed = text.trim();
  if (!opening.test(trimmed) || !trimmed.endsWith(']')) return false;
  let depth = 0;
  for (let i = 0; i < trimmed.length - 1; i++) {
    if (trimmed[i] === '[') depth++;
    else if (trimmed[i] === ']') depth--;
    if (depth === 0) return false;
  }
  return true;
}

/** Parts between the commas that stand outside brackets and parentheses, without blanks around them. */
export function splitList(text: string): string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign)) depth = Math.max(0, depth - 1);
    else if (sign === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}
