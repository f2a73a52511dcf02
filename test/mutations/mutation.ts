/** One weakened rule: the real source with one guard taken out. */
export interface Mutation {
  /** The rule as it becomes. */
  readonly name: string;
  readonly changes: readonly Change[];
}

export interface Change {
  /** Below src; of the engine: '../wasm/engine/' and its name. */
  readonly file: string;
  /** Must occur in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
}

/** A mutation that is one change. */
export function change(name: string, file: string, text: string, replacement: string): Mutation {
  return { name, changes: [{ file, text, replacement }] };
}

/** The source of one file with the change made. Throws when the text is not there exactly once. */
export function changed(source: string, { file, text, replacement }: Change): string {
  const found = source.split(text).length - 1;
  if (found !== 1) {
    throw new Error(
      `src/${file} holds the text of a mutation ${found} times, not once. Mend the mutation. Text: ${text}`,
    );
  }
  return source.replace(text, () => replacement);
}
