/** Finds how ids that have no match differ from the known ones, in samples where each side also has ids of its own. */
import { numberForm, plainForm } from './id-forms.ts';

/** `prefix`, `suffix`: one or both sides add something; `number`: 1 and 1.0, 7 and 007; `form`: case, blanks, punctuation. */
export interface IdDifference {
  readonly kind: 'form' | 'number' | 'prefix' | 'suffix';
  /** An example: an id without a match, and the known one that it means. */
  readonly wanted: string;
  readonly known: string;
  /** The prefix or suffix that each of the two adds, or ''. */
  readonly wantedPart: string;
  readonly knownPart: string;
  /** Another difference in the rest of the id; undefined: none. */
  readonly rest?: 'form' | 'number' | undefined;
  /** Share of the ids that would match without the difference, 0 to 1. */
  readonly share: number;
}

/** A smaller share may match by chance. */
const LEAST_SHARE = 0.3;
/** Most ids that are compared; more would add nothing. */
const MOST_WANTED = 2000;
/** Most positions at which an id is cut, counted from its start or end. */
const MOST_CUTS = 6;
/** Longer texts are not ids, and are not cut. */
const LONGEST = 400;
/** Two ids must have at least this many characters in common, unless most pairs differ by the same two parts. */
const LONG_CORE = 12;

/**
 * The difference without which most of `wanted` would be among `known`; undefined: no difference explains enough of them. Each
 * side has ids that the other lacks.
 */
export function idDifference(wanted: readonly string[], known: Iterable<string>): IdDifference | undefined {
  const asked = [...new Set(wanted)].filter((id) => id.length <= LONGEST).slice(0, MOST_WANTED);
  const all = [...new Set(known)].filter((id) => id.length <= LONGEST);
  if (asked.length === 0 || all.length === 0) return undefined;
  const found = [
    byForm('number', asked, all, numberForm),
    byForm('form', asked, all, plainForm),
    byPart('prefix', asked, all, prefixCuts),
    byPart('suffix', asked, all, suffixCuts),
    byPart('prefix', asked, all, formedCuts(prefixCuts, numberForm), 'number'),
    byPart('prefix', asked, all, formedCuts(prefixCuts, plainForm), 'form'),
    byPart('suffix', asked, all, formedCuts(suffixCuts, plainForm), 'form'),
  ].filter((one) => one !== undefined);
  // The first of the changes that find the most.
  const most = Math.max(...found.map(({ share }) => share));
  return found.find(({ share }) => share >= Math.max(LEAST_SHARE, most));
}

function byForm(
  kind: 'form' | 'number',
  wanted: readonly string[],
  known: readonly string[],
  formOf: (id: string) => string | undefined,
): IdDifference | undefined {
  const forms = new Map<string, string>();
  for (const id of known) {
    const form = formOf(id);
    if (form !== undefined && !forms.has(form)) forms.set(form, id);
  }
  let hits = 0;
  let example: readonly [string, string] | undefined;
  for (const id of wanted) {
    const form = formOf(id);
    const other = form === undefined ? undefined : forms.get(form);
    if (other === undefined || other === id) continue;
    hits++;
    example ??= [id, other];
  }
  if (example === undefined) return undefined;
  return {
    kind,
    wanted: example[0],
    known: example[1],
    wantedPart: '',
    knownPart: '',
    share: hits / wanted.length,
  };
}

/** An id, split into a prefix or suffix and the rest. */
interface Cut {
  readonly part: string;
  readonly core: string;
}

/** Cuts at the start, after each of the first separators, and where digits follow letters. */
function prefixCuts(id: string): readonly Cut[] {
  const cuts: Cut[] = [{ part: '', core: id }];
  for (const { index } of id.matchAll(/(?<=[^\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=\p{L})(?=\p{N})/gu)) {
    if (cuts.length > MOST_CUTS) break;
    if (index > 0 && index < id.length) cuts.push({ part: id.slice(0, index), core: id.slice(index) });
  }
  return cuts;
}

/** Cuts at the end, and before each of the last separators. */
function suffixCuts(id: string): readonly Cut[] {
  const places = [...id.matchAll(/(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}])/gu)].map(({ index }) => index).reverse();
  return [
    { part: '', core: id },
    ...places.slice(0, MOST_CUTS).map((at) => ({ part: id.slice(at), core: id.slice(0, at) })),
  ];
}

/** Cuts with a normalised rest, so that more of them are equal. */
function formedCuts(
  cutsOf: (id: string) => readonly Cut[],
  formOf: (id: string) => string | undefined,
): (id: string) => readonly Cut[] {
  return (id) =>
    cutsOf(id).flatMap(({ part, core }) => {
      const form = formOf(core);
      return form === undefined ? [] : [{ part, core: form }];
    });
}

/** The ids with one core: an id that is only the core, or else the first. */
interface Core {
  readonly id: string;
  readonly part: string;
  /** More than one id has this core. */
  readonly isShared: boolean;
}

function byCore(ids: readonly string[], cutsOf: (id: string) => readonly Cut[]): ReadonlyMap<string, Core> {
  const cores = new Map<string, Core>();
  for (const id of ids) {
    for (const { part, core } of cutsOf(id)) {
      const other = cores.get(core);
      if (other === undefined) cores.set(core, { id, part, isShared: false });
      else cores.set(core, { ...(part === '' ? { id, part } : other), isShared: other.isShared || other.id !== id });
    }
  }
  return cores;
}

function byPart(
  kind: 'prefix' | 'suffix',
  wanted: readonly string[],
  known: readonly string[],
  cutsOf: (id: string) => readonly Cut[],
  rest?: 'form' | 'number',
): IdDifference | undefined {
  const cores = byCore(known, cutsOf);
  const asked = byCore(wanted, cutsOf);
  interface Pair {
    hits: number;
    readonly wanted: string;
    readonly known: string;
    readonly wantedPart: string;
    readonly knownPart: string;
  }
  const pairs = new Map<string, Pair>();
  let long = 0;
  for (const id of wanted) {
    // The longest core first: it is the strongest evidence.
    for (const { part, core } of cutsOf(id)) {
      const other = cores.get(core);
      if (other === undefined || other.id === id || other.part === part) continue;
      const isWhole = part === '' || other.part === '';
      // A core shared by many ids of one side is no evidence, such as the machine in UUIDs of version 1.
      if (!isWhole && (other.isShared || asked.get(core)?.isShared === true)) continue;
      const key = JSON.stringify([part, other.part]);
      const pair = pairs.get(key) ?? { hits: 0, wanted: id, known: other.id, wantedPart: part, knownPart: other.part };
      pair.hits++;
      pairs.set(key, pair);
      if (core.length >= LONG_CORE && isWhole) long++;
      break;
    }
  }
  const [top] = [...pairs.values()].sort((a, b) => b.hits - a.hits);
  if (top === undefined) return undefined;
  // A single pair in which both add a part is chance.
  if (top.hits === 1 && top.wantedPart !== '' && top.knownPart !== '' && long === 0) return undefined;
  // Parts that differ from id to id are evidence only if a long core is left and one side adds nothing.
  const hits = Math.max(top.hits, long);
  const { hits: _, ...example } = top;
  return { kind, ...example, rest, share: hits / wanted.length };
}
