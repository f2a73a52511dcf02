/**
 * What a query costs by each method of `receval fuse`: `npm run bench:fuse`. Voters know an invented order with noise.
 * The table of docs/fuse.md comes from it.
 */
import type { RankedList } from '../src/fusion/ballots.ts';
import { type Fusion, fusion, learn, methods } from '../src/fusion/fusion.ts';

interface Size {
  readonly voters: number;
  /** Of each list, and of all lists. */
  readonly listed: number;
  readonly items: number;
}

const SIZES: readonly Size[] = [
  { voters: 50, listed: 30, items: 100 },
  { voters: 10, listed: 100, items: 200 },
  { voters: 10, listed: 500, items: 1000 },
  { voters: 10, listed: 1000, items: 5000 },
];
/** Methods that compare pairs take 4,000 items; and nobody waits longer. */
const PATIENCE_MS = 20_000;
const LEAST_MS = 300;

let state = 22;
/** Numbers from 0 to 1, the same in every run (Lehmer, 1951). */
function random(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

function votes({ voters, listed, items }: Size): RankedList[] {
  return Array.from({ length: voters }, (_, voter) => {
    const scored = Array.from({ length: items }, (_, item) => ({
      item: `item-${item}`,
      score: -item / items + 1.5 * random(),
    }));
    const best = scored.sort((a, b) => b.score - a.score).slice(0, listed);
    return { voter: `v${voter}`, items: best.map(({ item }) => item), scores: best.map(({ score }) => score) };
  });
}

/** Milliseconds for a query; NaN: it says that it is too much. */
function cost(method: Fusion, lists: readonly RankedList[]): number {
  const training = learn([{ query: 'judged', relevant: lists[0].items.slice(0, 5), lists }]).without('asked');
  const from = performance.now();
  let rounds = 0;
  try {
    do {
      method.fuse(lists, training);
      rounds++;
    } while (performance.now() - from < LEAST_MS && rounds < 1000);
  } catch {
    return Number.NaN;
  }
  return (performance.now() - from) / rounds;
}

const heads = SIZES.map(({ voters, listed, items }) => `${voters} x ${listed} of ${items}`);
process.stdout.write(
  `| ms for a query: voters x items listed of items | ${heads.join(' | ')} |\n|---|${'---|'.repeat(heads.length)}\n`,
);
for (const name of [...methods(), 'rra(exact=yes)']) {
  const method = fusion(name);
  let isSlow = false;
  const cells = SIZES.map((size) => {
    const ms = isSlow ? Number.NaN : cost(method, votes(size));
    isSlow ||= ms > PATIENCE_MS;
    return Number.isNaN(ms) ? 'too much' : ms.toPrecision(2);
  });
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`);
}
