/**
 * Finds the first, in some order, of the entries with times in a range. These are priority search trees (McCreight 1985), many in one
 * pool.
 *
 * A node holds the first of all entries at or below it. Times in the earlier half of its span go left, the others right; in a span of 1
 * ms the bits of the values decide. So the depth of a tree is at most the number of bits of its span plus 32, whatever the times are.
 *
 * A tree is identified by its root, which may change with every change of the tree. 0 is the empty tree, and not a node.
 */
import { give, sizeOf, take, widened } from './memory';
import { walk } from './work';

const LEAST_NODES: usize = 64;

@unmanaged
export class Node {
  time: f64;
  order: f64;
  value: u32;
  /** In a free node, the next free node. */
  left: u32;
  right: u32;
}
/** The fields take 28 bytes; nodes are aligned to 8. */
const NODE_BYTES: usize = 32;

/** A pool. All its entries have times in one span, which begins at `from` and is a power of two of milliseconds long. */
@unmanaged
export class TimeTrees {
  from: f64;
  length: f64;
  nodes: usize;
  size: u32;
  free: u32;
  /** Keep only the first of the entries with equal times; the others could never be a result. */
  isOnePerTime: bool;
}

/** A pool for times from `least` to `most`, with equal margins on both sides of at least `margin` ms. */
export function newTimeTrees(least: f64, most: f64, margin: f64, isOnePerTime: bool): TimeTrees {
  const trees = changetype<TimeTrees>(take(offsetof<TimeTrees>()));
  const beside = Math.max(margin, most - least);
  trees.from = least - beside;
  trees.length = 1;
  while (trees.length < most - least + 2 * beside + 1) trees.length *= 2;
  trees.nodes = take(NODE_BYTES * LEAST_NODES);
  trees.size = 1;
  trees.free = 0;
  trees.isOnePerTime = isOnePerTime;
  return trees;
}

export function closeTimeTrees(trees: TimeTrees): void {
  give(trees.nodes);
  give(changetype<usize>(trees));
}

export function nodeOf(trees: TimeTrees, node: u32): Node {
  if (!ASC_NO_ASSERT) assert(node !== 0 && node < trees.size, 'a node of the trees');
  return changetype<Node>(trees.nodes + NODE_BYTES * <usize>node);
}

export function covers(trees: TimeTrees, ts: f64): bool {
  return ts >= trees.from && trees.from + trees.length > ts;
}

function put(node: Node, ts: f64, order: f64, value: u32): void {
  node.time = ts;
  node.order = order;
  node.value = value;
}

function make(trees: TimeTrees, ts: f64, order: f64, value: u32): u32 {
  let at = trees.free;
  if (at !== 0) trees.free = nodeOf(trees, at).left;
  else {
    at = trees.size++;
    if (NODE_BYTES * <usize>trees.size > sizeOf(trees.nodes)) trees.nodes = widened(trees.nodes);
  }
  const node = nodeOf(trees, at);
  put(node, ts, order, value);
  node.left = 0;
  node.right = 0;
  return at;
}

/** State of a descent: the span of times at the current node, and below spans of 1 ms the bit of the value that decides. */
let low: f64 = 0;
let half: f64 = 0;
let bit: u32 = 0;

function beginDescent(trees: TimeTrees): void {
  low = trees.from;
  half = trees.length / 2;
  bit = 1;
}

/** Whether an entry goes right. Also takes the step down. */
function goesRight(ts: f64, value: u32): bool {
  if (half >= 1) {
    const isRight = !(ts < low + half);
    if (isRight) low += half;
    half /= 2;
    return isRight;
  }
  const isRight = (value & bit) !== 0;
  bit <<= 1;
  return isRight;
}

/** Adds an entry and returns the root. `value` must be unique within the tree. */
export function addTo(trees: TimeTrees, root: u32, ts: f64, order: f64, value: u32): u32 {
  if (root === 0) return make(trees, ts, order, value);
  // The entry that moves down.
  let time = ts;
  let rank = order;
  let own = value;
  let steps: u32 = 0;
  beginDescent(trees);
  for (let at = root; ; ) {
    steps++;
    const node = nodeOf(trees, at);
    if (trees.isOnePerTime && node.time === time) {
      if (rank < node.order) put(node, time, rank, own);
      break;
    }
    if (rank < node.order) {
      const heldTime = node.time;
      const heldRank = node.order;
      const heldOwn = node.value;
      put(node, time, rank, own);
      time = heldTime;
      rank = heldRank;
      own = heldOwn;
    }
    const isRight = goesRight(time, own);
    const child = isRight ? node.right : node.left;
    if (child === 0) {
      const made = make(trees, time, rank, own);
      // `make` may have moved the nodes.
      if (isRight) nodeOf(trees, at).right = made;
      else nodeOf(trees, at).left = made;
      break;
    }
    at = child;
  }
  walk(steps);
  return root;
}

/**
 * Prepends the entry to a list and returns the list; 0 is the empty list. The entries are added to a tree when it is first searched,
 * which most trees never are.
 */
export function postpone(trees: TimeTrees, list: u32, ts: f64, order: f64, value: u32): u32 {
  if (trees.isOnePerTime && list !== 0 && nodeOf(trees, list).time === ts && nodeOf(trees, list).order < order)
    return list;
  const at = make(trees, ts, order, value);
  nodeOf(trees, at).left = list;
  return at;
}

/** Adds all entries of a list to a tree and consumes the list. Returns the root. */
export function addAll(trees: TimeTrees, root: u32, list: u32): u32 {
  let grown = root;
  for (let at = list; at !== 0; ) {
    const node = nodeOf(trees, at);
    const next = node.left;
    const time = node.time;
    const order = node.order;
    const value = node.value;
    node.left = trees.free;
    trees.free = at;
    grown = addTo(trees, grown, time, order, value);
    at = next;
  }
  return grown;
}

/** Removes an entry, if present, and returns the root. */
export function removeFrom(trees: TimeTrees, root: u32, ts: f64, value: u32): u32 {
  let parent: u32 = 0;
  let isRight = false;
  let at = root;
  let steps: u32 = 0;
  beginDescent(trees);
  while (at !== 0 && (nodeOf(trees, at).time !== ts || nodeOf(trees, at).value !== value)) {
    steps++;
    isRight = goesRight(ts, value);
    parent = at;
    at = isRight ? nodeOf(trees, at).right : nodeOf(trees, at).left;
  }
  if (at === 0) {
    walk(steps);
    return root;
  }
  // The first of its children moves up, recursively.
  while (true) {
    steps++;
    const node = nodeOf(trees, at);
    const child = firstOf(trees, node.left, node.right);
    if (child === 0) break;
    const moved = nodeOf(trees, child);
    put(node, moved.time, moved.order, moved.value);
    parent = at;
    isRight = child !== node.left;
    at = child;
  }
  walk(steps);
  nodeOf(trees, at).left = trees.free;
  trees.free = at;
  if (parent === 0) return 0;
  if (isRight) nodeOf(trees, parent).right = 0;
  else nodeOf(trees, parent).left = 0;
  return root;
}

/** The first entry with from <= time < to, as a node that is valid until the next change; 0: none. */
export function firstIn(trees: TimeTrees, root: u32, from: f64, to: f64): u32 {
  return from < to ? search(trees, root, trees.from, trees.length, from, to) : 0;
}

function search(trees: TimeTrees, at: u32, begin: f64, length: f64, from: f64, to: f64): u32 {
  if (at === 0 || begin >= to || begin + length <= from) return 0;
  walk(1);
  const node = nodeOf(trees, at);
  if (node.time >= from && node.time < to) return at;
  const part = length / 2;
  return firstOf(
    trees,
    search(trees, node.left, begin, part, from, to),
    search(trees, node.right, begin + part, part, from, to),
  );
}

function firstOf(trees: TimeTrees, a: u32, b: u32): u32 {
  if (a === 0 || b === 0) return a + b;
  return nodeOf(trees, a).order <= nodeOf(trees, b).order ? a : b;
}
