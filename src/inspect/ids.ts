/** How the ids of two logs that should be the same differ: found by trying what producers do to ids. */

export type Difference =
  | { readonly kind: 'case' | 'number' | 'blanks' | 'dashes' }
  /** One of the two, or both, stand before (after) what both have. */
  | { readonly kind: 'prefix' | 'suffix'; readonly impressions: string; readonly feedback: string };

export interface Match {
  /** Of the feedback that was asked for. */
  readonly share: number;
  /** undefined: the ids are equal as they stand. */
  readonly difference: Difference | undefined;
}

/** From ids to how often each stands there. */
export type Counted = ReadonlyMap<string, number>;

/** A difference is believed if it lets this share of ids meet. */
const BELIEVED = 0.5;
/** Ids of feedback that are tried. */
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

/** Share of ids that meet, as they stand or with one difference taken away. */
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

/** How an id of each side becomes what both sides have. */
export function normalizers(difference: Difference): readonly [(id: string) => string, (id: string) => string] {
  const without = (start: string) => (id: string) => (id.startsWith(start) ? id.slice(start.length) : id);
  const withoutEnd = (end: string) => (id: string) => (end !== '' && id.endsWith(end) ? id.slice(0, -end.length) : id);
  switch (difference.kind) {
    case 'prefix':
      return [without(difference.impressions), without(difference.feedback)];
    case 'suffix':
      return [withoutEnd(difference.impressions), withoutEnd(difference.feedback)];
    default: {
      const normal = PLAIN[difference.kind];
      return [normal, normal];
    }
  }
}

const PLAIN: Readonly<Record<'case' | 'number' | 'blanks' | 'dashes', (id: string) => string>> = {
  blanks: (id) => id.trim(),
  case: (id) => id.toLowerCase(),
  number: (id) => (/^-?\d+(?:\.0+)?$/.test(id) ? id.replace(/\.0+$/, '').replace(/^(-?)0+(?=\d)/, '$1') : id),
  dashes: (id) => id.replace(/[-_{}]/g, ''),
};

function differenceOf(impressions: Counted, feedback: Counted): Difference | undefined {
  const plain = (['blanks', 'number', 'case'] as const).find(
    (kind) => metBy(impressions, feedback, PLAIN[kind]) >= BELIEVED,
  );
  if (plain !== undefined) return { kind: plain };
  for (const kind of ['prefix', 'suffix'] as const) {
    const isSuffix = kind === 'suffix';
    const starts = [impressions, feedback].map((side) => commonStart([...side.keys()], isSuffix));
    let best: { readonly cost: number; readonly difference: Difference } | undefined;
    // Every part of what the ids of a side have in common may be the prefix; the shortest that helps is it.
    for (let i = 0; i <= starts[0].length; i++) {
      const known = cutOff(impressions, i, isSuffix);
      for (let f = 0; f <= starts[1].length; f++) {
        if (i + f === 0 || i + f >= (best?.cost ?? Number.POSITIVE_INFINITY)) continue;
        if (sharedAsIs(known, cutOff(feedback, f, isSuffix)) < BELIEVED) continue;
        const part = (start: string, n: number) => (isSuffix ? start.slice(start.length - n) : start.slice(0, n));
        best = { cost: i + f, difference: { kind, impressions: part(starts[0], i), feedback: part(starts[1], f) } };
      }
    }
    if (best !== undefined) return best.difference;
  }
  return metBy(impressions, feedback, PLAIN.dashes) >= BELIEVED ? { kind: 'dashes' } : undefined;
}

function metBy(a: Counted, b: Counted, normal: (id: string) => string): number {
  const known = new Set([...a.keys()].map(normal));
  return sharedAsIs(known, new Map([...b].map(([id, n]) => [normal(id), n])));
}

function cutOff(ids: Counted, n: number, atEnd: boolean): Counted {
  return new Map([...ids].map(([id, times]) => [atEnd ? id.slice(0, id.length - n) : id.slice(n), times]));
}

/** What nearly all ids begin (or end) with, leaving something of each. */
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

/** Of a difference, in a sentence; `which`: such as "request ids". */
export function differenceWords(difference: Difference): string {
  switch (difference.kind) {
    case 'case':
      return 'capital and small letters differ';
    case 'number':
      return 'numbers are written in two ways (1 against "1.0", or zeros before them)';
    case 'blanks':
      return 'blanks stand around them on one side';
    case 'dashes':
      return 'dashes stand in them on one side only';
    default: {
      const { kind, impressions, feedback } = difference;
      const where = kind === 'prefix' ? 'begin' : 'end';
      if (feedback === '') return `those of impressions ${where} with "${impressions}", those of feedback do not`;
      if (impressions === '') return `those of feedback ${where} with "${feedback}", those of impressions do not`;
      return `those of impressions ${where} with "${impressions}", those of feedback with "${feedback}"`;
    }
  }
}
