import { setTimeout as sleep } from 'node:timers/promises';
import { type Commit, type Store, StoreUnavailable } from '../../../src/accumulators/store/store-port.ts';

/** Commits to one unit without end, as its owner would: what was not answered is sent again, what was lost is begun again. */
export class Committer {
  readonly #store: Store;
  readonly #unit: string;
  readonly #rows: readonly string[];
  #seq = 0;
  #cid = '';
  #claims = 0;
  #stopped = false;
  acknowledged = 0;
  /** How often the store had gone back to an older commit, and said so. */
  conflicts = 0;
  unanswered = 0;

  static async claim(store: Store, unit: string, rows: readonly string[]): Promise<Committer> {
    const committer = new Committer(store, unit, rows);
    await committer.#claim();
    return committer;
  }

  private constructor(store: Store, unit: string, rows: readonly string[]) {
    this.#store = store;
    this.#unit = unit;
    this.#rows = rows;
  }

  async goOn(): Promise<void> {
    while (!this.#stopped) {
      const commit = this.#next();
      const answer = await this.#insist(() => this.#store.commit(commit));
      if (answer === 'CONFLICT' || answer === 'FENCED') {
        this.conflicts++;
        await this.#claim();
      } else {
        this.#seq = commit.seq;
        this.#cid = commit.cid;
        this.acknowledged++;
      }
      await sleep(5);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async until(isSo: (acknowledged: number) => boolean): Promise<void> {
    for (const until = Date.now() + 300_000; !isSo(this.acknowledged); await sleep(50)) {
      if (Date.now() > until) throw new Error(`only ${this.acknowledged} commits, ${this.unanswered} unanswered`);
    }
  }

  /** What the acknowledged commits come to. */
  expected(): readonly string[] {
    return [String(this.#seq), this.#cid, ...this.#rows.map(() => String(this.#seq))];
  }

  async stored(): Promise<readonly (string | undefined)[]> {
    const [unit, ...rows] = await this.#insist(() => this.#store.read([this.#unit, ...this.#rows]));
    return [unit.get('seq'), unit.get('cid'), ...rows.map((row) => row.get('30m||'))];
  }

  #next(): Commit {
    const seq = this.#seq + 1;
    return {
      unit: this.#unit,
      token: `t${this.#claims}`,
      seq,
      cid: `c${this.#claims}-${seq}`,
      parent: this.#cid,
      checkpoint: new Map([['position', String(seq)]]),
      rows: new Map(this.#rows.map((row) => [row, new Map([['30m||', String(seq)]])])),
      deletes: [],
    };
  }

  async #claim(): Promise<void> {
    this.#claims++;
    const { seq, cid } = await this.#insist(() => this.#store.claim(this.#unit, `t${this.#claims}`));
    this.#seq = seq;
    this.#cid = cid;
  }

  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || !error.retriable) throw error;
        this.unanswered++;
        await sleep(100);
      }
    }
  }
}
