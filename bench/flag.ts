/** The argument after a flag of the command line; undefined: the flag is not there. */
export function flag(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
