/** Above this many bytes one call of the engine is cheaper than a loop. */
const LOOP = 32;

/** Copies `from`[`at`, `at + length`) to the place `to` of `out`. The caller has checked all bounds. */
export function copyLiterals(from: Uint8Array, at: number, length: number, out: Uint8Array, to: number): void {
  if (length > LOOP) out.set(from.subarray(at, at + length), to);
  else for (let i = 0; i < length; i++) out[to + i] = from[at + i];
}

/**
 * Repeats `length` bytes that stand `distance` before `to`, as Lempel-Ziv formats mean it: where the two overlap, the bytes
 * just written are read again. The caller has checked all bounds.
 */
export function copyMatch(out: Uint8Array, to: number, distance: number, length: number): void {
  if (length > LOOP && distance >= length) out.copyWithin(to, to - distance, to - distance + length);
  else if (distance === 1) out.fill(out[to - 1], to, to + length);
  else for (let i = to, end = to + length; i < end; i++) out[i] = out[i - distance];
}
