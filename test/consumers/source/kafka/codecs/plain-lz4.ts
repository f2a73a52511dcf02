/** lz4 as its format documents say, byte by byte and slowly: what the decoder is compared with. */

const LARGEST: readonly number[] = [0, 0, 0, 0, 1 << 16, 1 << 18, 1 << 20, 1 << 22];

/** What a frame holds; nothing if it is damaged or holds more than `limit` bytes. */
export function plainLz4(input: Uint8Array, limit: number): Buffer | undefined {
  let at = 0;
  let isWhole = true;
  const out: number[] = [];
  const byte = (): number => {
    if (at >= input.length) isWhole = false;
    return input[at++] ?? 0;
  };
  const word = (): number => byte() + byte() * 2 ** 8 + byte() * 2 ** 16 + byte() * 2 ** 24;

  if (word() !== 0x184d2204) return undefined;
  const flags = byte();
  const largest = LARGEST[(byte() >> 4) & 7];
  if (flags >> 6 !== 1 || largest === 0) return undefined;
  at += 1 + ((flags & 8) === 0 ? 0 : 8) + ((flags & 1) === 0 ? 0 : 4);
  for (let size = word(); isWhole && size !== 0; size = word()) {
    const to = at + (size % 2 ** 31);
    if (size % 2 ** 31 > largest || to > input.length) return undefined;
    if (size >= 2 ** 31) for (; at < to; at++) out.push(input[at]);
    else if (!block(to, Math.min(limit, out.length + largest))) return undefined;
    if (out.length > limit) return undefined;
    at += (flags & 16) === 0 ? 0 : 4;
  }
  return isWhole ? Buffer.from(out) : undefined;

  /** Whether the block up to `to` is right and ends with no more than `end` bytes in all. */
  function block(to: number, end: number): boolean {
    const length = (half: number): number => {
      let sum = half;
      for (let more = half === 15 ? 255 : 0; more === 255; sum += more) {
        if (at >= to) return Number.POSITIVE_INFINITY;
        more = byte();
      }
      return sum;
    };
    while (at < to) {
      const token = byte();
      const literals = length(token >> 4);
      if (at + literals > to || out.length + literals > end) return false;
      for (let i = 0; i < literals; i++) out.push(byte());
      if (at === to) return true;
      if (at + 2 > to) return false;
      const distance = byte() + byte() * 256;
      const match = length(token & 15) + 4;
      if (distance === 0 || distance > out.length || out.length + match > end) return false;
      for (let i = 0; i < match; i++) out.push(out[out.length - distance]);
    }
    return false;
  }
}
