import { elements } from './elements.ts';
import type { Markup } from './jsx.ts';

/** Untrusted text, such as the name of a cohort: it cannot change the direction of the text around it. */
export function Name({ children }: { readonly children: string }) {
  return named(children);
}

/** The same where there are thousands. */
export function named(name: string): Markup {
  return elements`<bdi class="name">${name}</bdi>`;
}

/**
 * Replaces characters that are invisible or change the direction of text. All rendered markup passes through it, so that no place
 * can be forgotten.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\uFFFD');
}

/** Rendered markup as it is sent: without hidden characters, and with numbers kept next to their percent signs. */
export function readable(markup: string): string {
  const parts = visible(markup).split(' %');
  let text = parts[0];
  for (let i = 1; i < parts.length; i++) text += `${isDigit(parts[i - 1].at(-1)) ? '\u00A0' : ' '}%${parts[i]}`;
  return text;
}

function isDigit(sign: string | undefined): boolean {
  return sign !== undefined && sign >= '0' && sign <= '9';
}
