/** Markup of elements that a page has by the thousand: JSX would make an object of each, which costs ten times as much. */
import type { VNode } from 'preact';
import { jsxAttr, jsxEscape, jsxTemplate } from 'preact/jsx-runtime';

/** What is escaped already. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Markup with values in it, between tags or in an attribute in double quotes: Preact escapes them for both. */
export function elements(fixed: TemplateStringsArray, ...values: readonly (string | number | Markup)[]): Markup {
  let text = fixed[0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    text += typeof value === 'number' ? value : typeof value === 'string' ? jsxEscape(value) : value.text;
    text += fixed[i + 1];
  }
  return new Markup(text);
}

export const NOTHING = new Markup('');

/** With a blank before it; nothing where there is no value. */
export function attribute(name: string, value: string | undefined): Markup {
  return value === undefined ? NOTHING : new Markup(` ${jsxAttr(name, value)}`);
}

export function joined(parts: readonly Markup[]): Markup {
  return parts.length === 0 ? NOTHING : new Markup(parts.map(({ text }) => text).join(''));
}

/** Markup as a part of what JSX draws. */
export function drawn({ text }: Markup): VNode {
  return jsxTemplate([text]);
}
