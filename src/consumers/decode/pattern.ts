/**
 * Patterns in the usual notation, without what makes them slow: no look-around and no references back. All ways through a pattern are
 * followed side by side (Thompson, Pike), so that a text takes time in proportion to its length, whatever it holds and whatever the pattern is.
 * Of several matches the one is taken that JavaScript would take (test/consumers/decode/pattern.test.ts).
 */

export interface Match {
  /** The whole match. */
  readonly text: string;
  /** What the first group holds; undefined: the pattern has none, or it was not entered. */
  readonly group: string | undefined;
}

/** undefined: no match. */
type Matcher = (text: string) => Match | undefined;

const LONGEST_PATTERN = 200;
const MOST_STEPS = 500;
const MOST_REPEATS = 100;
/** In longer texts nothing is looked for. */
export const LONGEST_MATCHED = 4096;

/** Pairs of the first and the last code of a range. */
type Ranges = readonly number[];

type Node =
  | { readonly kind: 'one'; readonly has: (code: number) => boolean }
  | { readonly kind: 'place'; readonly holds: (text: string, at: number) => boolean }
  | { readonly kind: 'all'; readonly nodes: readonly Node[] }
  | { readonly kind: 'any'; readonly nodes: readonly Node[] }
  | { readonly kind: 'group'; readonly node: Node }
  | {
      readonly kind: 'repeat';
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    };

/** `to`: the step that comes next; of a fork, the one that is preferred. */
type Step =
  | { readonly op: 'one'; readonly has: (code: number) => boolean }
  | { readonly op: 'place'; readonly holds: (text: string, at: number) => boolean }
  | { readonly op: 'mark'; readonly end: 0 | 1 }
  | { readonly op: 'forget' }
  | { readonly op: 'done' }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'fork'; to: number; or: number };

/** A text that says what is wrong: the pattern is none, or has what would make it slow. */
export function patternOf(pattern: string): Matcher | string {
  if (pattern.length > LONGEST_PATTERN) return `a pattern has at most ${LONGEST_PATTERN} characters`;
  try {
    const steps: Step[] = [];
    emit(new Parser(pattern).parse(), steps);
    steps.push({ op: 'done' });
    return steps.length > MOST_STEPS ? 'the pattern repeats too much' : matcherOf(steps);
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

class PatternError extends Error {}

const DIGIT: Ranges = [48, 57];
const WORD: Ranges = [48, 57, 65, 90, 95, 95, 97, 122];
const BLANK: Ranges = [
  9, 13, 32, 32, 160, 160, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000,
  0x3000, 0xfeff, 0xfeff,
];
const LINE_END: Ranges = [10, 10, 13, 13, 0x2028, 0x2029];
const CLASSES: Readonly<Record<string, Ranges>> = { d: DIGIT, w: WORD, s: BLANK };
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13 };

function isIn(ranges: Ranges, code: number): boolean {
  for (let r = 0; r < ranges.length; r += 2) if (code >= ranges[r] && code <= ranges[r + 1]) return true;
  return false;
}

function complement(ranges: Ranges): Ranges {
  const sorted: [number, number][] = [];
  for (let r = 0; r < ranges.length; r += 2) sorted.push([ranges[r], ranges[r + 1]]);
  sorted.sort(([a], [b]) => a - b);
  let from = 0;
  const rest: number[] = [];
  for (const [first, last] of sorted) {
    if (first > from) rest.push(from, first - 1);
    from = Math.max(from, last + 1);
  }
  return [...rest, from, 0xffff];
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && isIn(WORD, text.charCodeAt(at));
}

class Parser {
  readonly #text: string;
  readonly #ignoresCase: boolean;
  #at: number;
  #hasGroup = false;

  constructor(text: string) {
    this.#text = text;
    this.#ignoresCase = text.startsWith('(?i)');
    this.#at = this.#ignoresCase ? 4 : 0;
  }

  parse(): Node {
    const node = this.#any();
    if (this.#at < this.#text.length) throw new PatternError('a ) closes no group');
    return node;
  }

  #any(): Node {
    const nodes = [this.#all()];
    while (this.#takes('|')) nodes.push(this.#all());
    return nodes.length === 1 ? nodes[0] : { kind: 'any', nodes };
  }

  #all(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#text.length && !this.#sees('|') && !this.#sees(')'))
      nodes.push(this.#repeated(this.#atom()));
    return { kind: 'all', nodes };
  }

  #repeated(node: Node): Node {
    const bounds = this.#bounds();
    if (bounds === undefined) return node;
    if (mayBeEmpty(node)) throw new PatternError('what may be empty cannot be repeated');
    const lazy = this.#takes('?');
    if (this.#bounds() !== undefined) throw new PatternError('a repeat cannot be repeated');
    return { kind: 'repeat', node, ...bounds, lazy };
  }

  #bounds(): { readonly least: number; readonly most: number } | undefined {
    if (this.#takes('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#takes('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#takes('?')) return { least: 0, most: 1 };
    const [counted, from, comma, to] = /^\{([0-9]{1,4})(,?)([0-9]{0,4})\}/.exec(this.#text.slice(this.#at)) ?? [];
    if (counted === undefined) return undefined;
    this.#at += counted.length;
    const least = Number(from);
    const most = comma === '' ? least : to === '' ? Number.POSITIVE_INFINITY : Number(to);
    const isRight = least <= most && most > 0 && least <= MOST_REPEATS && (most <= MOST_REPEATS || to === '');
    if (!isRight) throw new PatternError(`${counted}: a repeat goes from 0 to ${MOST_REPEATS}, ascending`);
    return { least, most };
  }

  #atom(): Node {
    const char = this.#next();
    switch (char) {
      case '(':
        return this.#group();
      case '[':
        return this.#takes('^') ? this.#one(this.#set(), false) : this.#one(this.#set());
      case '.':
        return this.#one(complement(LINE_END));
      case '^':
        return { kind: 'place', holds: (_, at) => at === 0 };
      case '$':
        return { kind: 'place', holds: (text, at) => at === text.length };
      case '\\':
        return this.#escaped();
      default:
        if ('*+?{}]'.includes(char)) throw new PatternError(`write \\${char} for the character ${char}`);
        return this.#one(this.#range(char.charCodeAt(0)));
    }
  }

  #group(): Node {
    const isPlain = this.#text.startsWith('?:', this.#at);
    if (isPlain) this.#at += 2;
    else if (this.#sees('?')) throw new PatternError('of groups with ? there is (?:, and (?i) at the beginning');
    const captures = !isPlain && !this.#hasGroup;
    this.#hasGroup ||= captures;
    const node = this.#any();
    if (!this.#takes(')')) throw new PatternError('a ( is not closed');
    return captures ? { kind: 'group', node } : node;
  }

  #escaped(): Node {
    if (!this.#takes('b')) return this.#one(this.#escape());
    return { kind: 'place', holds: (text, at) => isWordAt(text, at - 1) !== isWordAt(text, at) };
  }

  #escape(): Ranges {
    const char = this.#next();
    const ranges = CLASSES[char.toLowerCase()];
    if (ranges !== undefined) return char === char.toLowerCase() ? ranges : complement(ranges);
    const control = CONTROLS[char];
    if (control !== undefined) return [control, control];
    if (/[A-Za-z0-9]/.test(char)) throw new PatternError(`\\${char} is not known; there are \\d \\w \\s \\b \\t \\n`);
    return this.#range(char.charCodeAt(0));
  }

  #set(): Ranges {
    const ranges: number[] = [];
    while (!this.#takes(']')) {
      const from = this.#member();
      const isRange = this.#sees('-') && this.#text[this.#at + 1] !== ']' && from.length === 2 && from[0] === from[1];
      if (isRange) this.#at++;
      const to = isRange ? this.#member() : from;
      if (isRange && (to.length !== 2 || to[1] < from[0])) throw new PatternError('a range in [ ] does not ascend');
      ranges.push(...(isRange ? [from[0], to[1]] : from));
    }
    return ranges;
  }

  #member(): Ranges {
    const char = this.#next();
    return char === '\\' ? this.#escape() : this.#range(char.charCodeAt(0));
  }

  #range(code: number): Ranges {
    if (code >= 0xd800 && code <= 0xdfff) throw new PatternError('characters beyond U+FFFF are not matched');
    return [code, code];
  }

  /** @param is whether the character is in the ranges, or in none of them */
  #one(ranges: Ranges, is = true): Node {
    if (!this.#ignoresCase) return { kind: 'one', has: (code) => isIn(ranges, code) === is };
    return { kind: 'one', has: (code) => cases(code).some((one) => isIn(ranges, one)) === is };
  }

  #next(): string {
    if (this.#at >= this.#text.length) throw new PatternError('the pattern ends too early');
    return this.#text[this.#at++];
  }

  #sees(char: string): boolean {
    return this.#text[this.#at] === char;
  }

  #takes(char: string): boolean {
    const isThere = this.#sees(char);
    if (isThere) this.#at++;
    return isThere;
  }
}

function cases(code: number): readonly number[] {
  const char = String.fromCharCode(code);
  return [code, char.toLowerCase().charCodeAt(0), char.toUpperCase().charCodeAt(0)];
}

function mayBeEmpty(node: Node): boolean {
  if (node.kind === 'all') return node.nodes.every(mayBeEmpty);
  if (node.kind === 'any') return node.nodes.some(mayBeEmpty);
  if (node.kind === 'group') return mayBeEmpty(node.node);
  return node.kind === 'place' || (node.kind === 'repeat' && node.least === 0);
}

function hasGroup(node: Node): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(hasGroup);
  return node.kind === 'group' || (node.kind === 'repeat' && hasGroup(node.node));
}

/** Adds the steps of a node. More than `MOST_STEPS` are not needed by anyone. */
function emit(node: Node, steps: Step[]): void {
  if (steps.length > MOST_STEPS) throw new PatternError('the pattern repeats too much');
  if (node.kind === 'one') steps.push({ op: 'one', has: node.has });
  else if (node.kind === 'place') steps.push({ op: 'place', holds: node.holds });
  else if (node.kind === 'all') for (const each of node.nodes) emit(each, steps);
  else if (node.kind === 'any') emitAny(node.nodes, steps);
  else if (node.kind === 'repeat') emitRepeat(node, steps);
  else {
    steps.push({ op: 'mark', end: 0 });
    emit(node.node, steps);
    steps.push({ op: 'mark', end: 1 });
  }
}

function emitAny(nodes: readonly Node[], steps: Step[]): void {
  const ends: { to: number }[] = [];
  for (const [i, node] of nodes.entries()) {
    const isLast = i === nodes.length - 1;
    const fork = { op: 'fork' as const, to: steps.length + 1, or: 0 };
    if (!isLast) steps.push(fork);
    emit(node, steps);
    const jump = { op: 'jump' as const, to: 0 };
    if (!isLast) ends.push(jump);
    if (!isLast) steps.push(jump);
    fork.or = steps.length;
  }
  for (const end of ends) end.to = steps.length;
}

function emitRepeat({ node, least, most, lazy }: Extract<Node, { kind: 'repeat' }>, steps: Step[]): void {
  const once = (): void => {
    if (hasGroup(node)) steps.push({ op: 'forget' });
    emit(node, steps);
  };
  for (let n = 0; n < least; n++) once();
  const forks: { to: number; or: number }[] = [];
  const fork = (): void => {
    const one = { op: 'fork' as const, to: 0, or: 0 };
    forks.push(one);
    steps.push(one);
  };
  const isEndless = most === Number.POSITIVE_INFINITY;
  const begins: number[] = [];
  for (let n = least; n < (isEndless ? least + 1 : most); n++) {
    fork();
    begins.push(steps.length);
    once();
  }
  if (isEndless) steps.push({ op: 'jump', to: begins[0] - 1 });
  for (const [i, one] of forks.entries()) {
    one.to = lazy ? steps.length : begins[i];
    one.or = lazy ? begins[i] : steps.length;
  }
}

/** One way through the pattern. -1: not there yet. */
interface Way {
  readonly step: number;
  readonly from: number;
  readonly groupFrom: number;
  readonly groupTo: number;
}

function matcherOf(steps: readonly Step[]): Matcher {
  const seen = new Float64Array(steps.length);
  let round = 0;
  return (text) => {
    if (text.length > LONGEST_MATCHED) return undefined;
    let found: (Way & { readonly to: number }) | undefined;
    let ways: Way[] = [];
    let mark = ++round;
    for (let at = 0; at <= text.length; at++) {
      if (found === undefined) follow({ step: 0, from: at, groupFrom: -1, groupTo: -1 }, at, ways, mark);
      if (ways.length === 0 && found !== undefined) break;
      const next: Way[] = [];
      mark = ++round;
      const code = text.charCodeAt(at);
      for (const way of ways) {
        const step = steps[way.step];
        if (step.op === 'done') {
          found = { ...way, to: at };
          break;
        }
        if (step.op === 'one' && step.has(code)) follow({ ...way, step: way.step + 1 }, at + 1, next, mark);
      }
      ways = next;
    }
    if (found === undefined) return undefined;
    const { from, to, groupFrom, groupTo } = found;
    return { text: text.slice(from, to), group: groupTo < 0 ? undefined : text.slice(groupFrom, groupTo) };

    /** Adds all ways that lead on from here without a character, the preferred ones first. */
    function follow(way: Way, at: number, into: Way[], mark: number): void {
      if (seen[way.step] === mark) return;
      seen[way.step] = mark;
      const step = steps[way.step];
      const on = { ...way, step: way.step + 1 };
      if (step.op === 'one' || step.op === 'done') into.push(way);
      else if (step.op === 'jump') follow({ ...way, step: step.to }, at, into, mark);
      else if (step.op === 'fork') {
        follow({ ...way, step: step.to }, at, into, mark);
        follow({ ...way, step: step.or }, at, into, mark);
      } else if (step.op === 'forget') follow({ ...on, groupFrom: -1, groupTo: -1 }, at, into, mark);
      else if (step.op === 'mark')
        follow(step.end === 0 ? { ...on, groupFrom: at, groupTo: -1 } : { ...on, groupTo: at }, at, into, mark);
      else if (step.holds(text, at)) follow(on, at, into, mark);
    }
  };
}
