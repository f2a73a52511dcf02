import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The options of a script. Ends the process with 2, after what is wrong and this usage, if there is another. */
export function optionsOf<const T extends NonNullable<ParseArgsConfig['options']>>(
  options: T,
  usage: string,
): ReturnType<typeof parseArgs<{ options: T }>>['values'] {
  try {
    return parseArgs<{ options: T }>({ options }).values;
  } catch (error) {
    wrongUsage(error instanceof Error ? error.message : String(error), usage);
  }
}

export function wrongUsage(problem: string, usage: string): never {
  process.stderr.write(`${problem}\n\nusage: ${usage}\n`);
  process.exit(2);
}
