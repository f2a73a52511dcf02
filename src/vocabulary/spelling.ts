/**
 * The nearest correct word for a wrong one: optimal string alignment distance (Damerau-Levenshtein with adjacent swaps) of at most
 * `most`, ties by the order of the candidates. Used in every message about a wrong name.
 */
export function nearest(word: string, candidates: Iterable<string>, most = 2): string | undefined {
  let best: string | undefined;
  let least = most + 1;
  const lower = word.toLowerCase();
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase(), least - 1);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Returns `; did you mean "x"?`, or `; expected one of a, b, c` if nothing is near. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  if (near !== undefined) return `; did you mean "${near}"?`;
  return candidates.length > 0 ? `; expected one of ${candidates.join(', ')}` : '';
}

/** Returns `limit + 1` as soon as the distance must exceed `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let d = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, before[j - 2] + 1);
      row.push(d);
      smallest = Math.min(smallest, d);
    }
    if (smallest > limit) return limit + 1;
    before = previous;
    previous = row;
  }
  return previous[b.length];
}
