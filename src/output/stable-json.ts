/** JSON with the keys sorted at every level, one space of indent and a newline: equal values give equal bytes. */
export function stableJson(value: unknown): string {
  return `${textOf(value)}\n`;
}

/**
 * The same of an object of which most members are the same objects each time: their text is kept. What is in a member must not
 * change; names of members are no numbers, which JavaScript would put first.
 */
export class StableMembers {
  readonly #texts = new WeakMap<object, readonly string[]>();

  /** Each is made when it is asked for: one for a member, several for a long list. */
  *pieces(members: Readonly<Record<string, unknown>>): Generator<string, void> {
    const keys = Object.keys(members)
      .filter((key) => members[key] !== undefined)
      .sort();
    for (const [k, key] of keys.entries()) {
      yield `${k === 0 ? '{\n' : ',\n'} ${JSON.stringify(key)}: `;
      yield* this.#texted(members[key]);
    }
    yield keys.length === 0 ? '{}\n' : '\n}\n';
  }

  *#texted(member: unknown): Generator<string, void> {
    if (typeof member !== 'object' || member === null) {
      yield textOf(member);
      return;
    }
    const known = this.#texts.get(member);
    if (known !== undefined) {
      yield* known;
      return;
    }
    const texts: string[] = [];
    for (const text of Array.isArray(member) ? listTexts(member) : [inner(textOf([member]))]) {
      texts.push(text);
      yield text;
    }
    this.#texts.set(member, texts);
  }
}

/** Elements of a list in one piece. */
const PIECE = 64;

function* listTexts(list: readonly unknown[]): Generator<string, void> {
  for (let from = 0; from < list.length; from += PIECE) {
    // Two levels deeper.
    const text = inner(inner(textOf([list.slice(from, from + PIECE)])), 2);
    yield `${from === 0 ? '[\n' : ',\n'}  ${text}`;
  }
  yield list.length === 0 ? '[]' : '\n ]';
}

/** What stands between the brackets of a list at this level. */
function inner(text: string, level = 1): string {
  return text.slice(2 + level, -1 - level);
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
