/** Finds how the ids of two whole fields differ that should be equal, by undoing what producers do to ids. */
import { type IdChange, UNDO } from './id-forms.ts';

export type Difference =
  | { readonly kind: IdChange }
  /** One or both sides add a part before (after) the common part. */
  | {
      readonly kind: 'prefix' | 'suffix';
      readonly impressions: string;
      readonly feedback: string;
      /** Another difference in the rest; undefined: none. */
      readonly rest?: IdChange | undefined;
    };

export interface Match {
  /** Share of the feedback's ids that match. */
  readonly share: number;
  /** undefined: the ids are equal as they are. */
  readonly difference: Difference | undefined;
}

/** Number of occurrences of each id. */
export type Counted = ReadonlyMap<string, number>;

/** A difference is credible if undoing it makes this share of ids match. */
const BELIEVED = 0.5;
/** Most ids of feedback that are tried. */
const TRIED = 300;
const LONGEST_PREFIX = 40;

/** Share of the feedback's ids that the impressions have. */
export function sharedAsIs(impressions: { has(id: string): boolean }, feedback: Counted): number {
  let known = 0;
  let all = 0;
  for (const [id, n] of feedback) {
    all += n;
    if (impressions.has(id)) known += n;
  }
  return all === 0 ? 0 : known / all;
}

/** Share of ids that match, as they are or with one difference undone. */
export function matchIds(impressions: Counted, feedback: Counted): Match {
  const share = sharedAsIs(impressions, feedback);
  if (share >= BELIEVED) return { share, difference: undefined };
  const tried = new Map([...feedback].slice(0, TRIED));
  const found = differenceOf(impressions, tried);
  if (found === undefined) return { share, difference: undefined };
  const [ofImpressions, ofFeedback] = normalizers(found);
  const known = new Set([...impressions.keys()].map(ofImpressions));
  const normal = new Map<string, number>();
  for (const [id, n] of feedback) normal.set(ofFeedback(id), (normal.get(ofFeedback(id)) ?? 0) + n);
  const better = sharedAsIs(known, normal);
  return better > Math.max(share + 0.2, BELIEVED)
    ? { share: better, difference: found }
    : { share, difference: undefined };
}

/** Functions that turn the ids of each side into their common form. */
export function normalizers(difference: Difference): readonly [(id: string) => string, (id: string) => string] {
  const without = (start: string) => (id: string) => (id.startsWith(start) ? id.slice(start.length) : id);
  const withoutEnd = (end: string) => (id: string) => (end !== '' && id.endsWith(end) ? id.slice(0, -end.length) : id);
  switch (difference.kind) {
    case 'prefix':
    case 'suffix': {
      const cut = difference.kind === 'prefix' ? without : withoutEnd;
      const rest = difference.rest === undefined ? (id: string) => id : UNDO[difference.rest];
      const [ofImpressions, ofFeedback] = [cut(difference.impressions), cut(difference.feedback)];
      return [(id) => rest(ofImpressions(id)), (id) => rest(ofFeedback(id))];
    }
    default: {
      const normal = UNDO[difference.kind];
      return [normal, normal];
    }
  }
}

function differenceOf(impressions: Counted, feedback: Counted): Difference | undefined {
  const plain = (['blanks', 'number', 'case'] as const).find(
    (kind) => shareOfIds(impressions, feedback, UNDO[kind]) >= BELIEVED,
  );
  if (plain !== undefined) return { kind: plain };
  const part = partOf(impressions, feedback, undefined);
  if (part !== undefined) return part;
  for (const kind of ['dashes', 'letters'] as const) {
    if (shareOfIds(impressions, feedback, UNDO[kind]) >= BELIEVED) return { kind };
  }
  for (const rest of ['case', 'number', 'dashes'] as const) {
    const both = partOf(impressions, feedback, rest);
    if (both !== undefined) return both;
  }
  return undefined;
}

/** A prefix or suffix without which ids match, if `rest` is undone as well; undefined: there is none. */
function partOf(impressions: Counted, feedback: Counted, rest: IdChange | undefined): Difference | undefined {
  const normal = rest === undefined ? (id: string) => id : UNDO[rest];
  for (const kind of ['prefix', 'suffix'] as const) {
    const isSuffix = kind === 'suffix';
    const starts = [impressions, feedback].map((side) => commonStart([...side.keys()], isSuffix));
    const ends = [impressions, feedback].map((side) => endsBefore([...side.keys()].slice(0, TRIED), isSuffix));
    let best: { readonly cost: number; readonly difference: Difference } | undefined;
    const shorter = Array.from({ length: starts[1].length + 1 }, (_, f) => cutOff(feedback, f, isSuffix, normal));
    // Any part of the ids' common start may be the prefix: the shortest that works is taken.
    for (let i = 0; i <= starts[0].length; i++) {
      const known = cutOff(impressions, i, isSuffix, normal);
      for (let f = 0; f <= starts[1].length; f++) {
        if (rest !== undefined && !(ends[0](i) && ends[1](f))) continue;
        if (i + f === 0 || i + f >= (best?.cost ?? Number.POSITIVE_INFINITY)) continue;
        if (sharedAsIs(known, shorter[f]) < BELIEVED) continue;
        const part = (start: string, n: number) => (isSuffix ? start.slice(start.length - n) : start.slice(0, n));
        const [ofImpressions, ofFeedback] = [part(starts[0], i), part(starts[1], f)];
        best = { cost: i + f, difference: { kind, impressions: ofImpressions, feedback: ofFeedback, rest } };
      }
    }
    if (best !== undefined) return best.difference;
  }
  return undefined;
}

function shareOfIds(a: Counted, b: Counted, normal: (id: string) => string): number {
  const known = new Set([...a.keys()].map(normal));
  return sharedAsIs(known, new Map([...b].map(([id, n]) => [normal(id), n])));
}

/**
 * Whether ids can be cut after `n` characters (before the last `n`) without splitting a number or a word: otherwise short rests
 * match by chance.
 */
function endsBefore(ids: readonly string[], atEnd: boolean): (n: number) => boolean {
  return (n) =>
    n === 0 ||
    ids.every((id) => {
      const [last, next] = atEnd ? [id.at(-n), id.at(-n - 1)] : [id.at(n - 1), id.at(n)];
      if (last === undefined || next === undefined) return false;
      return /[^\p{L}\p{N}]/u.test(last) || (/\p{L}/u.test(last) && /\p{N}/u.test(next));
    });
}

function cutOff(ids: Counted, n: number, atEnd: boolean, normal: (id: string) => string): Counted {
  const cut = new Map<string, number>();
  for (const [id, times] of ids) {
    const rest = normal(atEnd ? id.slice(0, id.length - n) : id.slice(n));
    cut.set(rest, (cut.get(rest) ?? 0) + times);
  }
  return cut;
}

/** The start (or end) common to nearly all ids, shorter than any of them. */
function commonStart(ids: readonly string[], atEnd: boolean): string {
  const sample = ids.slice(0, TRIED);
  let start = '';
  for (let n = 1; n <= LONGEST_PREFIX; n++) {
    const counts = new Map<string, number>();
    for (const id of sample) {
      if (id.length <= n) continue;
      const part = atEnd ? id.slice(id.length - n) : id.slice(0, n);
      counts.set(part, (counts.get(part) ?? 0) + 1);
    }
    const [part, times] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
    if (times < 0.9 * sample.length) break;
    start = part;
  }
  return start;
}

const CHANGE_WORDS: Readonly<Record<IdChange, string>> = {
  case: 'upper and lower case differ',
  number: 'numbers are written in two ways (1 and "1.0", or leading zeros)',
  blanks: 'blanks surround them on one side',
  dashes: 'only one side has dashes in them',
  letters: 'they differ in upper and lower case, and in dashes or braces',
};

/** The difference as a clause. */
export function differenceWords(difference: Difference): string {
  if (difference.kind !== 'prefix' && difference.kind !== 'suffix') return CHANGE_WORDS[difference.kind];
  const { kind, impressions, feedback, rest } = difference;
  const where = kind === 'prefix' ? 'begin' : 'end';
  const also = rest === undefined ? '' : `, and ${CHANGE_WORDS[rest]}`;
  if (feedback === '') return `those of impressions ${where} with "${impressions}", those of feedback do not${also}`;
  if (impressions === '') return `those of feedback ${where} with "${feedback}", those of impressions do not${also}`;
  return `those of impressions ${where} with "${impressions}", those of feedback with "${feedback}"${also}`;
}
