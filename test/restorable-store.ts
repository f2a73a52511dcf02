import { MemoryStore } from '../src/accumulators/store/memory-store.ts';
import type { Fields } from '../src/accumulators/store/store-port.ts';

/** All hashes by key. */
export type StoreSnapshot = ReadonlyMap<string, Fields>;

type Hashes = Map<string, Map<string, string>>;

/** A memory store that can be taken back to what it held, as from a backup. */
export class RestorableStore extends MemoryStore {
  readonly #hashes: Hashes;

  constructor(hashes: Hashes = new Map()) {
    super(hashes);
    this.#hashes = hashes;
  }

  /** A copy of everything, as a backup would hold it. */
  snapshot(): StoreSnapshot {
    return copyOf(this.#hashes);
  }

  /** Goes back to a copy; an empty map loses everything. */
  restoreSnapshot(snapshot: StoreSnapshot): void {
    this.#hashes.clear();
    for (const [key, fields] of copyOf(snapshot)) this.#hashes.set(key, fields);
  }
}

export function copyOf(hashes: StoreSnapshot): Hashes {
  return new Map([...hashes].map(([key, fields]) => [key, new Map(fields)] as const));
}
