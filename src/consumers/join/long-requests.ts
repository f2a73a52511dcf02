import { Buffer } from 'node:buffer';
import { copyText, sameText, textEnd } from '../packed/text.ts';

/** What is indexed of one request. */
export interface OfRequest {
  /** The request id, packed, at 0. */
  readonly request: Uint8Array;
  readonly bytes: number;
  readonly steps: number;
}

/** An index, its objects and its place in the Map. */
const INDEX_BYTES = 512;

/** The indexes of requests of which so much is kept that going through it would be slow; most have none. */
export class LongRequests<Index extends OfRequest> {
  /** By the hash of the request id, which nobody can choose (packed/text.ts). */
  readonly #byHash = new Map<number, Index[]>();
  #bytes = 0;
  /** Of the indexes that are gone. */
  #steps = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get steps(): number {
    let steps = this.#steps;
    for (const indexes of this.#byHash.values()) for (const index of indexes) steps += index.steps;
    return steps;
  }

  /** The index of the request whose id stands at `request` of `u8`; undefined: it has none. */
  of(hash: number, u8: Uint8Array, request: number): Index | undefined {
    if (this.#byHash.size === 0) return undefined;
    const indexes = this.#byHash.get(hash);
    if (indexes === undefined) return undefined;
    return indexes.find((index) => sameText(index.request, 0, u8, request));
  }

  add(hash: number, index: Index): void {
    const indexes = this.#byHash.get(hash);
    if (indexes === undefined) this.#byHash.set(hash, [index]);
    else indexes.push(index);
    this.#bytes += INDEX_BYTES + index.bytes;
  }

  remove(hash: number, index: Index): void {
    const left = (this.#byHash.get(hash) ?? []).filter((other) => other !== index);
    if (left.length === 0) this.#byHash.delete(hash);
    else this.#byHash.set(hash, left);
    this.#bytes -= INDEX_BYTES + index.bytes;
    this.#steps += index.steps;
  }

  /** The bytes of an index changed by so many. */
  grew(bytes: number): void {
    this.#bytes += bytes;
  }
}

/** A copy of the text at `at`. */
export function copyOf(u8: Uint8Array, at: number): Buffer {
  const copy = Buffer.alloc(textEnd(u8, at) - at);
  copyText(copy, 0, u8, at);
  return copy;
}
