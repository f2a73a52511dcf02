const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** No log nests its lists and objects deeper. `JSON.parse` reads any depth, but what goes through a value level by level, as `JSON.stringify` does, ends with the stack. */
export const DEEPEST_JSON = 100;

/** Whether lists and objects in a JSON text are nested deeper than that. What is no JSON may be either. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = textEnd(json, at + 1);
      if (at < 0) return false;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      if (++depth > DEEPEST_JSON) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
  }
  return false;
}

/** The quote that ends the text in which `from` is; -1: there is none. */
function textEnd(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > from && json.charCodeAt(end - escapes - 1) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
