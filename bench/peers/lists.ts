/** Random lists for the peers: TREC runs and judgements, and votes for FLAGR. The same seed makes the same bytes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Mulberry32 (T. Ettinger, public domain): [0, 1). */
export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Kind {
  readonly name: string;
  readonly queries: number;
  /** Longest list. */
  readonly length: number;
  readonly grades: number;
  /** Different scores; undefined: no two are equal. */
  readonly scores: number | undefined;
}

const KINDS: readonly Kind[] = [
  { name: 'ties', queries: 400, length: 40, grades: 4, scores: 8 },
  { name: 'graded', queries: 400, length: 60, grades: 4, scores: undefined },
  { name: 'binary', queries: 400, length: 30, grades: 1, scores: undefined },
  // trec_eval counts the items of every grade up to the highest: its time grows with that.
  { name: 'priced', queries: 400, length: 60, grades: 20_000, scores: undefined },
];

/**
 * Writes `<name>.run` and `<name>.qrels` of every kind. Lists of one item, lists without a positive, items that nobody
 * judged, judged items that were not found, grades below 0, and queries that stand in one of the two files alone.
 */
export function writeLists(folder: string, seed: number): void {
  for (const [i, { name, queries, length, grades, scores }] of KINDS.entries()) {
    const next = random(seed + i);
    const below = (n: number): number => Math.floor(next() * n);
    const run: string[] = [];
    const qrels: string[] = [];
    for (let q = 1; q <= queries; q++) {
      const alone = next();
      const items = shuffled(
        Array.from({ length: 80 }, (_, item) => `d${item}`),
        below,
      );
      const shown = 1 + (next() < 0.1 ? 0 : below(length));
      const used = new Set<number>();
      for (let rank = 0; alone >= 0.02 && rank < shown; rank++) {
        let score = scores === undefined ? below(1_000_000) : below(scores);
        while (scores === undefined && used.has(score)) score = below(1_000_000);
        used.add(score);
        run.push(`${q} Q0 ${items[rank]} ${rank} ${score / (scores === undefined ? 1000 : 4)} random`);
      }
      const none = next() < 0.1;
      for (const item of alone > 0.98 ? [] : items) {
        if (next() < 0.5) continue;
        const draw = below(3 * grades + 2);
        const grade = none ? -below(2) : draw > grades ? 0 : draw;
        qrels.push(`${q} 0 ${item} ${next() < 0.02 ? -1 : grade}`);
      }
    }
    writeFileSync(join(folder, `${name}.run`), `${run.join('\n')}\n`);
    writeFileSync(join(folder, `${name}.qrels`), `${qrels.join('\n')}\n`);
  }
  writeVotes(folder, random(seed + 99));
  writeRepeats(folder, random(seed + 199));
}

/** `votes.votes.csv` in the six columns that PyFLAGR reads, and `votes.rels.csv`. */
function writeVotes(folder: string, next: () => number): void {
  const below = (n: number): number => Math.floor(next() * n);
  const votes: string[] = [];
  const rels: string[] = [];
  for (let q = 1; q <= 40; q++) {
    for (let voter = 1; voter <= 12; voter++) {
      const items = shuffled(
        Array.from({ length: 60 }, (_, item) => `Q${q}-E${item}`),
        below,
      ).slice(0, 20);
      for (const [rank, item] of items.entries()) {
        votes.push(`${q},V-${voter},${item},${rank + 1},${1 - rank / 20},random`);
      }
    }
    for (let item = 0; item < 60; item++) rels.push(`${q},0,Q${q}-E${item},${next() < 0.3 ? 1 : 0}`);
  }
  writeFileSync(join(folder, 'votes.votes.csv'), `${votes.join('\n')}\n`);
  writeFileSync(join(folder, 'votes.rels.csv'), `${rels.join('\n')}\n`);
}

/** `repeats.lists`: lists in which items stand more than once. */
function writeRepeats(folder: string, next: () => number): void {
  const lists = Array.from({ length: 400 }, (_, q) => {
    const items = Array.from({ length: 2 + Math.floor(20 * next()) }, () => `d${Math.floor(12 * next())}`);
    const positives = Array.from({ length: 12 }, (_item, item) => `d${item}`).filter(() => next() < 0.3);
    return JSON.stringify({ query: String(q + 1), items, positives });
  });
  writeFileSync(join(folder, 'repeats.lists'), `${lists.join('\n')}\n`);
}

function shuffled(items: readonly string[], below: (n: number) => number): string[] {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}
