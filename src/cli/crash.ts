/** Ends the process with 1 when something fails that nobody has thought of. */
export function endOnCrash(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`receval: this is a defect, please report it: ${textOf(error)}\n`);
    process.exit(1);
  });
}

/**
 * Only the stack. Node.js itself would print all that hangs on the error: those of Redis' client carry the arguments of
 * their command, a password among them. Nor what servers repeat of it.
 */
function textOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/,? with args beginning with.*/g, '');
}
