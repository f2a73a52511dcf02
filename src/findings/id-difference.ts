/** How ids that were looked for in vain differ from those that are there: of samples in which both sides have others, too. */
import { numberForm, plainForm } from './id-forms.ts';

/** `prefix`, `suffix`: one or both sides have something more; `number`: 1 and 1.0, 7 and 007; `form`: case, blanks, punctuation. */
export interface IdDifference {
  readonly kind: 'form' | 'number' | 'prefix' | 'suffix';
  /** One pair: the id that was looked for, and the one that is meant. */
  readonly wanted: string;
  readonly known: string;
  /** What each of the two has more, of `prefix` and `suffix`; else empty. */
  readonly wantedPart: string;
  readonly knownPart: string;
  /** What else differs behind a prefix (before a suffix); undefined: nothing. */
  readonly rest?: 'form' | 'number' | undefined;
  /** Of the ids that were looked for: the share that would be found, 0 to 1. */
  readonly share: number;
}

/** A smaller share is found by chance. */
const LEAST_SHARE = 0.3;
/** Ids that are compared; more say no more. */
const MOST_WANTED = 2000;
/** Places at which an id is cut, from its begin or its end. */
const MOST_CUTS = 6;
/** Longer ids than that are cut nowhere: they are no ids. */
const LONGEST = 400;
/** What is left of two ids must be as long, unless most of them have the same two parts more. */
const LONG_CORE = 12;

/**
 * The one change under which most of `wanted` are among `known`; undefined: none makes enough of them known. Both sides have
 * ids that are not among the other's.
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
  // The first of those that find the most.
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

/** An id as its part and the rest. */
interface Cut {
  readonly part: string;
  readonly core: string;
}

/** At the begin, and behind each of the first signs that are no letters or digits, or where digits follow letters. */
function prefixCuts(id: string): readonly Cut[] {
  const cuts: Cut[] = [{ part: '', core: id }];
  for (const { index } of id.matchAll(/(?<=[^\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=\p{L})(?=\p{N})/gu)) {
    if (cuts.length > MOST_CUTS) break;
    if (index > 0 && index < id.length) cuts.push({ part: id.slice(0, index), core: id.slice(index) });
  }
  return cuts;
}

/** At the end, and before each of the last signs that are no letters or digits. */
function suffixCuts(id: string): readonly Cut[] {
  const places = [...id.matchAll(/(?<=[\p{L}\p{N}])(?=[^\p{L}\p{N}])/gu)].map(({ index }) => index).reverse();
  return [
    { part: '', core: id },
    ...places.slice(0, MOST_CUTS).map((at) => ({ part: id.slice(at), core: id.slice(0, at) })),
  ];
}

/** Cuts whose rest is in a form in which more are alike. */
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

/** What a core was cut from: the first id, better one that is the core and nothing more. */
interface Core {
  readonly id: string;
  readonly part: string;
  /** More than one id has it. */
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
    // The longest core first: it says the most.
    for (const { part, core } of cutsOf(id)) {
      const other = cores.get(core);
      if (other === undefined || other.id === id || other.part === part) continue;
      const isWhole = part === '' || other.part === '';
      // What ids of one side have in common says nothing of either: the machine in UUIDs of version 1.
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
  // One pair in which both have a part of their own is chance.
  if (top.hits === 1 && top.wantedPart !== '' && top.knownPart !== '' && long === 0) return undefined;
  // Parts that differ from id to id prove something only where much is left, and one side has no more than that.
  const hits = Math.max(top.hits, long);
  const { hits: _, ...example } = top;
  return { kind, ...example, rest, share: hits / wanted.length };
}
