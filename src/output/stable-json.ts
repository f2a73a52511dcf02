/** JSON with the keys sorted at every level, one space of indent and a newline: equal values give equal bytes. */
export function stableJson(value: unknown): string {
  return `${textOf(value)}\n`;
}

/**
 * The same of an object of which most members are the same objects each time: their text is kept. What is in a member must not
 * change; names of members are no numbers, which JavaScript would put first.
 */
export class StableMembers {
  readonly #texts = new WeakMap<object, string>();

  json(members: Readonly<Record<string, unknown>>): string {
    const lines = Object.keys(members)
      .sort()
      .flatMap((key) => (members[key] === undefined ? [] : [` ${JSON.stringify(key)}: ${this.#text(members[key])}`]));
    return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`;
  }

  #text(member: unknown): string {
    if (typeof member !== 'object' || member === null) return textOf(member);
    const known = this.#texts.get(member);
    if (known !== undefined) return known;
    // A level deeper, without the brackets of the array.
    const text = textOf([member]).slice(3, -2);
    this.#texts.set(member, text);
    return text;
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(sorted(value), null, 1);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value);
  let isSorted = true;
  let isDeep = false;
  for (let i = 0; i < entries.length; i++) {
    isSorted &&= i === 0 || entries[i - 1][0] < entries[i][0];
    isDeep ||= typeof entries[i][1] === 'object' && entries[i][1] !== null;
  }
  // Most are: copying them would be most of the work.
  if (isSorted && !isDeep) return value;
  if (!isSorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const entry of entries) entry[1] = sorted(entry[1]);
  return Object.fromEntries(entries);
}
