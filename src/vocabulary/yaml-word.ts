/** Names that YAML reads as plain words, even as the name or the value of a flow collection; for configurations that are proposed. */

const PLAIN = /^[/\p{L}_][\p{L}\p{M}\p{Nd}_/.@+-]*(?: [\p{L}\p{M}\p{Nd}_/.@+-]+)*$/u;
/** Words that YAML does not read as text. Includes those of older versions of YAML, because other programs may read the file. */
const NO_TEXT = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/** The value unquoted if YAML reads the same text back, else in double quotes, which YAML reads as JSON does. */
export function yamlWord(value: string): string {
  if (PLAIN.test(value) && !NO_TEXT.test(value)) return value;
  // Escapes characters that are invisible, or would end a line for other programs.
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** A value on one line, as it may stand within a flow collection. Members without a value are left out. */
export function yamlFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  if (typeof value === 'string') return yamlWord(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${yamlWord(name)}: ${yamlFlow(member)}`).join(', ')}}`;
}
