/** A name as a word of YAML, for configurations that are proposed: also as the name or the value of a flow collection. */

const PLAIN = /^[/\p{L}_][\p{L}\p{M}\p{Nd}_/.@+-]*(?: [\p{L}\p{M}\p{Nd}_/.@+-]+)*$/u;
/** Of older versions of YAML too, as other programs may read the file. */
const NO_TEXT = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/** Unquoted where YAML reads the same text back, else in double quotes, which YAML reads as JSON does. */
export function yamlWord(value: string): string {
  if (PLAIN.test(value) && !NO_TEXT.test(value)) return value;
  // What could not be seen, or would end a line for other programs.
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
