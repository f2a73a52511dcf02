import type { Claimed, Commit, CommitAnswer, Fields } from '../../../src/accumulators/store/store-port.ts';

interface UnitModel {
  readonly exists: boolean;
  readonly token: string;
  readonly seq: number;
  readonly cid: string;
  readonly checkpoint: Fields;
}

interface State {
  readonly unit: UnitModel;
  readonly rows: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const EMPTY: State = { unit: { exists: false, token: '', seq: 0, cid: '', checkpoint: new Map() }, rows: {} };

/** What a store of one unit is meant to do, as values that never change. */
export class ModelStore {
  #state = EMPTY;
  #backup = EMPTY;

  get unit(): UnitModel {
    return this.#state.unit;
  }

  row(key: string): Fields {
    return new Map(Object.entries(this.#state.rows[key] ?? {}));
  }

  /** The unit's hash. */
  hash(): Fields {
    const { exists, token, seq, cid, checkpoint } = this.unit;
    return new Map(exists ? [['token', token], ['seq', String(seq)], ['cid', cid], ...checkpoint] : []);
  }

  claim(token: string): Claimed {
    const { token: before, seq, cid, checkpoint } = this.unit;
    this.#state = { ...this.#state, unit: { ...this.unit, exists: true, token } };
    return { token: before, seq, cid, checkpoint: seq === 0 ? undefined : checkpoint };
  }

  commit({
    token,
    seq,
    cid,
    parent,
    checkpoint,
    rows,
    stored = new Set(),
    deletes,
    removes = new Map(),
  }: Commit): CommitAnswer {
    const unit = this.unit;
    if (!unit.exists) return 'CONFLICT';
    if (token !== unit.token) return 'FENCED';
    if (seq === unit.seq && cid === unit.cid) return 'ALREADY';
    if (seq !== unit.seq + 1 || parent !== unit.cid) return 'CONFLICT';
    if ([...stored].some((key) => !Object.hasOwn(this.#state.rows, key))) return 'CONFLICT';
    const kept = Object.fromEntries(Object.entries(this.#state.rows).filter(([key]) => !deletes.includes(key)));
    for (const [key, fields] of removes) {
      const left = Object.entries(kept[key] ?? {}).filter(([field]) => !fields.includes(field));
      if (left.length > 0) kept[key] = Object.fromEntries(left);
      else delete kept[key];
    }
    const set = [...rows].map(([key, fields]) => [key, { ...kept[key], ...Object.fromEntries(fields) }] as const);
    this.#state = {
      unit: { exists: true, token, seq, cid, checkpoint },
      rows: { ...kept, ...Object.fromEntries(set) },
    };
    return 'OK';
  }

  backup(): void {
    this.#backup = this.#state;
  }

  restore(): void {
    this.#state = this.#backup;
  }

  wipe(): void {
    this.#state = EMPTY;
  }
}
