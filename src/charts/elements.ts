/** Markup of elements that a page has by the thousand: the fixed text between the values is written as it stands. */
import { attributeText, escaped, Markup, NOTHING } from './jsx.ts';

/** Markup with values in it, between tags or in an attribute in double quotes. */
export function elements(fixed: TemplateStringsArray, ...values: readonly (string | number | Markup)[]): Markup {
  let text = fixed[0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    text += typeof value === 'number' ? value : typeof value === 'string' ? escaped(value) : value.text;
    text += fixed[i + 1];
  }
  return new Markup(text);
}

/** With a blank before it; nothing where there is no value. */
export function attribute(name: string, value: string | undefined): Markup {
  return value === undefined ? NOTHING : new Markup(attributeText(name, value));
}

export function joined(parts: readonly Markup[]): Markup {
  return parts.length === 0 ? NOTHING : new Markup(parts.map(({ text }) => text).join(''));
}
