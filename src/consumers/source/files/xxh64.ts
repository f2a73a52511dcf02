const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;
const [P1_HIGH, P1_LOW, P2_HIGH, P2_LOW] = [0x9e3779b1, 0x85ebca87, 0xc2b2ae3d, 0x27d4eb4f] as const;
const STRIPE = 32;
const LANES = 4;

/**
 * XXH64 with seed 0 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md), the checksum of zstd. It computes in 32-bit numbers, since
 * BigInt is ten times as slow and WebAssembly is not available everywhere (`ulimit -v`). Only the final steps, once a frame, use BigInt.
 */
export class Xxh64 {
  /** The upper and the lower half of each lane. */
  readonly #lanes = Int32Array.from(
    [P1 + P2, P2, 0n, -P1].flatMap((lane) => [Number(BigInt.asIntN(32, lane >> 32n)), Number(BigInt.asIntN(32, lane))]),
  );
  readonly #rest = new Uint8Array(STRIPE);
  #bytes = 0;

  update(bytes: Uint8Array): void {
    let from = 0;
    const held = this.#bytes % STRIPE;
    this.#bytes += bytes.length;
    if (held > 0) {
      from = Math.min(STRIPE - held, bytes.length);
      this.#rest.set(bytes.subarray(0, from), held);
      if (held + from < STRIPE) return;
      this.#stripes(this.#rest);
    }
    const end = bytes.length - ((bytes.length - from) % STRIPE);
    this.#stripes(bytes.subarray(from, end));
    this.#rest.set(bytes.subarray(end));
  }

  /** The 64-bit hash of all bytes so far. */
  digest(): bigint {
    const lanes = Array.from({ length: LANES }, (_, n) => this.#lane(n));
    let hash: bigint = P5;
    if (this.#bytes >= STRIPE) {
      hash = [1n, 7n, 12n, 18n].reduce((sum, by, n) => sum + turned(lanes[n], by), 0n);
      for (const lane of lanes) hash = (hash ^ round(lane * P2)) * P1 + P4;
    }
    hash += BigInt(this.#bytes);
    const rest = new DataView(this.#rest.buffer, 0, this.#bytes % STRIPE);
    let at = 0;
    for (; at + 8 <= rest.byteLength; at += 8)
      hash = turned(hash ^ round(rest.getBigUint64(at, true) * P2), 27n) * P1 + P4;
    for (; at + 4 <= rest.byteLength; at += 4)
      hash = turned(hash ^ (BigInt(rest.getUint32(at, true)) * P1), 23n) * P2 + P3;
    for (; at < rest.byteLength; at++) hash = turned(hash ^ (BigInt(rest.getUint8(at)) * P5), 11n) * P1;
    hash = BigInt.asUintN(64, hash);
    hash = BigInt.asUintN(64, (hash ^ (hash >> 33n)) * P2);
    hash = BigInt.asUintN(64, (hash ^ (hash >> 29n)) * P3);
    return hash ^ (hash >> 32n);
  }

  #lane(n: number): bigint {
    return (BigInt(this.#lanes[2 * n]) << 32n) | BigInt(this.#lanes[2 * n + 1] >>> 0);
  }

  /** Each lane takes eight bytes of each stripe: lane = rotate(lane + bytes * P2, 31) * P1. */
  #stripes(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let n = 0; n < LANES; n++) {
      let high = this.#lanes[2 * n];
      let low = this.#lanes[2 * n + 1];
      for (let at = 8 * n; at < bytes.length; at += STRIPE) {
        const a = view.getInt32(at, true);
        const b = view.getInt32(at + 4, true);
        const sum = (low >>> 0) + (Math.imul(a, P2_LOW) >>> 0);
        high =
          (high + Math.imul(a, P2_HIGH) + Math.imul(b, P2_LOW) + upper(a, P2_LOW) + (sum > 0xffffffff ? 1 : 0)) | 0;
        low = sum | 0;
        const top = (high << 31) | (low >>> 1);
        const bottom = (low << 31) | (high >>> 1);
        high = (Math.imul(bottom, P1_HIGH) + Math.imul(top, P1_LOW) + upper(bottom, P1_LOW)) | 0;
        low = Math.imul(bottom, P1_LOW);
      }
      this.#lanes[2 * n] = high;
      this.#lanes[2 * n + 1] = low;
    }
  }
}

/** Upper half of the product of two unsigned 32-bit numbers. No intermediate sum exceeds 32 bits. */
function upper(a: number, b: number): number {
  const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = (Math.imul(a1, b0) + (Math.imul(a0, b0) >>> 16)) >>> 0;
  const other = (Math.imul(a0, b1) + (middle & 0xffff)) >>> 0;
  return (Math.imul(a1, b1) + (middle >>> 16) + (other >>> 16)) | 0;
}

function round(product: bigint): bigint {
  return turned(product, 31n) * P1;
}

/** Rotates a 64-bit number to the left. */
function turned(number: bigint, by: bigint): bigint {
  const bits = BigInt.asUintN(64, number);
  return BigInt.asUintN(64, (bits << by) | (bits >> (64n - by)));
}
