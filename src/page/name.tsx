/** Text that strangers may have written, such as the name of a cohort: it turns no text around it. */
export function Name({ children }: { readonly children: string }) {
  return <bdi class="name">{children}</bdi>;
}

/**
 * Signs that are not seen, or turn the direction of text, as a sign that is. What is rendered goes through it as a whole, so that no place
 * can be forgotten.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\uFFFD');
}

/** Rendered markup as it is sent: no sign is hidden, and a number is not parted from its percent sign. */
export function readable(markup: string): string {
  return visible(markup).replace(/(\d) %/g, '$1\u00A0%');
}
