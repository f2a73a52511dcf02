/** Longer copies of columns; what is new is 0. */
export function grownInts(from: Int32Array, length: number): Int32Array {
  const grown = new Int32Array(length);
  grown.set(from);
  return grown;
}

export function grownDoubles(from: Float64Array, length: number): Float64Array {
  const grown = new Float64Array(length);
  grown.set(from);
  return grown;
}

export function grownBytes(from: Uint8Array, least: number): Uint8Array {
  const grown = new Uint8Array(Math.max(least, 2 * from.length));
  grown.set(from);
  return grown;
}
