/** Sorts 64-bit numbers with a bottom-up merge sort, which no input makes slow. */
import { give, take } from './memory';

/** Runs of this length are sorted by insertion. */
const RUN: usize = 8;

export function sortNumbers(at: usize, count: usize): void {
  for (let from: usize = 0; from < count; from += RUN) insertionSort(at + 8 * from, min(RUN, count - from));
  if (count <= RUN) return;
  const other = take(8 * count);
  let source = at;
  let target = other;
  for (let run = RUN; run < count; run *= 2) {
    for (let from: usize = 0; from < count; from += 2 * run) {
      merge(source, target, from, min(from + run, count), min(from + 2 * run, count));
    }
    const swap = source;
    source = target;
    target = swap;
  }
  if (source !== at) memory.copy(at, source, 8 * count);
  give(other);
}

function insertionSort(at: usize, count: usize): void {
  for (let i: usize = 1; i < count; i++) {
    const number = load<u64>(at + 8 * i);
    let to = i;
    while (to > 0 && load<u64>(at + 8 * (to - 1)) > number) {
      store<u64>(at + 8 * to, load<u64>(at + 8 * (to - 1)));
      to--;
    }
    store<u64>(at + 8 * to, number);
  }
}

/** Merges [from, middle) and [middle, end). */
function merge(source: usize, target: usize, from: usize, middle: usize, end: usize): void {
  let a = from;
  let b = middle;
  for (let to = from; to < end; to++) {
    const isLeft = b >= end || (a < middle && load<u64>(source + 8 * a) <= load<u64>(source + 8 * b));
    const next = isLeft ? a++ : b++;
    store<u64>(target + 8 * to, load<u64>(source + 8 * next));
  }
}
