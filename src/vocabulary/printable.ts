const COMMANDS = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Text with names from logs, files or arguments, as a terminal may take it: what would command the terminal or turn the direction of
 * the line is shown as in JSON, such as \u001b. Ends of lines stay.
 */
export function printable(text: string): string {
  return text.replace(COMMANDS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
