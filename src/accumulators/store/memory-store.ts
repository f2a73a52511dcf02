import { STORE_FIELDS } from './layout.ts';
import { type Claimed, type Commit, type CommitAnswer, type Fields, guardOf, type Store } from './store-port.ts';

/**
 * A store in the memory of this process: for the demo, for files, and as the model for tests of other stores. It gives every
 * guarantee of a store (specification: commit 1) until the process ends.
 */
export class MemoryStore implements Store {
  readonly #hashes: Map<string, Map<string, string>>;

  /** @param hashes all stored hashes, by key */
  constructor(hashes = new Map<string, Map<string, string>>()) {
    this.#hashes = hashes;
  }

  async claim(unit: string, token: string): Promise<Claimed> {
    const hash = this.#hashes.get(unit) ?? new Map<string, string>();
    const before = guardOf(hash);
    const checkpoint = new Map([...hash].filter(([field]) => !isOwn(field)));
    hash.set('token', token);
    hash.set('seq', String(before.seq));
    hash.set('cid', before.cid);
    this.#hashes.set(unit, hash);
    return { ...before, checkpoint: checkpoint.size === 0 ? undefined : checkpoint };
  }

  /** Rejects a checkpoint that uses one of the store's own field names: that would break the guard. */
  async commit(commit: Commit): Promise<CommitAnswer> {
    for (const field of commit.checkpoint.keys()) {
      if (isOwn(field)) throw new Error(`the checkpoint may not hold "${field}": the store keeps that field itself`);
    }
    const hash = this.#hashes.get(commit.unit);
    if (hash === undefined) return 'CONFLICT';
    const { token, seq, cid } = guardOf(hash);
    if (token !== commit.token) return 'FENCED';
    if (seq === commit.seq && cid === commit.cid) return 'ALREADY';
    if (seq !== commit.seq - 1 || cid !== commit.parent) return 'CONFLICT';
    for (const key of commit.stored ?? []) if (!this.#hashes.has(key)) return 'CONFLICT';
    for (const key of commit.deletes) this.#hashes.delete(key);
    for (const [key, fields] of commit.removes ?? []) this.#remove(key, fields);
    for (const [key, fields] of commit.rows) this.#set(key, fields);
    this.#set(commit.unit, commit.checkpoint);
    hash.set('seq', String(commit.seq));
    hash.set('cid', commit.cid);
    return 'OK';
  }

  async read(keys: readonly string[]): Promise<readonly Fields[]> {
    return keys.map((key) => new Map(this.#hashes.get(key)));
  }

  async readFields(keys: readonly string[], fields: readonly string[]): Promise<readonly Fields[]> {
    return keys.map((key) => {
      const hash = this.#hashes.get(key);
      return new Map(fields.flatMap((field) => found(field, hash?.get(field))));
    });
  }

  #remove(key: string, fields: readonly string[]): void {
    const hash = this.#hashes.get(key);
    for (const field of fields) hash?.delete(field);
    if (hash?.size === 0) this.#hashes.delete(key);
  }

  #set(key: string, fields: Fields): void {
    if (fields.size === 0) return;
    const hash = this.#hashes.get(key) ?? new Map<string, string>();
    for (const [field, text] of fields) hash.set(field, text);
    this.#hashes.set(key, hash);
  }
}

function found(field: string, text: string | undefined): readonly (readonly [string, string])[] {
  return text === undefined ? [] : [[field, text]];
}

function isOwn(field: string): boolean {
  return STORE_FIELDS.some((own) => own === field);
}
