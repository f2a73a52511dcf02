import { elements, type Markup } from '../charts/jsx.ts';

/** Untrusted text, such as the name of a cohort: it cannot change the direction of the text around it. */
export function Name({ children }: { readonly children: string }) {
  return named(children);
}

/** Does the same as `Name`, faster, for thousands of names. */
export function named(name: string): Markup {
  return elements`<bdi class="name">${name}</bdi>`;
}

/** Rendered markup as it is sent: a number and its percent sign stay on one line. */
export function readable(markup: string): string {
  const parts = markup.split(' %');
  let text = parts[0];
  for (let i = 1; i < parts.length; i++) text += `${isDigit(parts[i - 1].at(-1)) ? '\u00A0' : ' '}%${parts[i]}`;
  return text;
}

function isDigit(sign: string | undefined): boolean {
  return sign !== undefined && sign >= '0' && sign <= '9';
}
