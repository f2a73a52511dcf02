const COMMANDS = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Makes text with names from logs, files or arguments safe for a terminal: characters that control the terminal or the direction of text
 * are written as in JSON, such as \u001b. Line ends stay.
 */
export function printable(text: string): string {
  return text.replace(COMMANDS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
