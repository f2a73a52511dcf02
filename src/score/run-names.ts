/** Where the name of a run may come from. */
export interface NameSources {
  /** By the user, for a file. */
  readonly given: string | undefined;
  /** Voter or tag. */
  readonly own: string | undefined;
  /** Name of the file. */
  readonly file: string;
  /** The file has several runs. */
  readonly isOneOfMany: boolean;
}

/**
 * Names of runs, all different: the given one (with the voter behind it where the file has several), else the run's own,
 * else the file's. Runs of files that call themselves alike take the names of their files, then numbers.
 */
export function runNames(sources: readonly NameSources[]): readonly string[] {
  const first = sources.map(({ given, own, file, isOneOfMany }) => {
    if (given === undefined) return own ?? file;
    return isOneOfMany && own !== undefined ? `${given}/${own}` : given;
  });
  const files = first.map((name, i) => {
    const { given, file, isOneOfMany, own } = sources[i];
    if (given !== undefined || isUnique(first, name)) return name;
    return isOneOfMany && own !== undefined ? `${file}/${own}` : file;
  });
  return files.map((name, i) =>
    isUnique(files, name) ? name : `${name} (${files.slice(0, i + 1).filter((other) => other === name).length})`,
  );
}

function isUnique(names: readonly string[], name: string): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}
