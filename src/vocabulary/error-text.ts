/** Texts of what was thrown, which can be any value. */

/** The message of an error, or any other value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's name of an error, such as ENOENT; empty: it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const COMMANDS = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Makes text with names from logs, files or arguments safe for a terminal: characters that control the terminal or the direction of text
 * are written as in JSON, such as \u001b. Line ends stay.
 */
export function printable(text: string): string {
  return text.replace(COMMANDS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
