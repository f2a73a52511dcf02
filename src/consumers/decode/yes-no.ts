/** Words by which columns say whether something happened: of English, German, French, Spanish, Italian, Portuguese, Dutch. */

const YES: ReadonlySet<string> = new Set(
  ['1', 'true', 't', 'yes', 'y', 'on', 'x', 'ja', 'j', 'wahr', 'oui', 'o', 'vrai', 'si', 'sí', 'sì', 's', 'sim'].map(
    (word) => word.normalize('NFC'),
  ),
);
const NO: ReadonlySet<string> = new Set(
  ['', '0', 'false', 'f', 'no', 'n', 'off', 'null', 'none', 'nan', 'nein', 'falsch', 'non', 'faux', 'nee', 'não'].map(
    (word) => word.normalize('NFC'),
  ),
);

/** What a word says, whatever its case; undefined: neither yes nor no. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase().normalize('NFC');
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}
