/** Texts of what was thrown, which can be any value. */

/** The message of an error, or any other value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's name of an error, such as ENOENT; empty: it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
