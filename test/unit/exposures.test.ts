import { describe, expect, it } from 'vitest';
import { usersKey } from '../../src/accumulators/store/layout.ts';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { MOST_GONE, sampleOfFields, UserSample } from '../../src/statistics/user-sample.ts';
import { UnitExposures } from '../../src/unit/unit-experiments.ts';
import { usersOf } from '../statistics/merged-samples.ts';
import { readSample } from '../statistics/read-sample.ts';

const OWNER = { namespace: 'n', unit: 0, generation: '1' };
const UNIT = 'receval:{n:0}:unit';
const RUN = { name: 'default', run: 'r', dimension: 'variant', start: undefined, variants: ['A', 'B'], horizon: 0 };
const KEY = usersKey(OWNER, RUN.name, RUN.run);

const CAPACITY = 2 ** 15;
const NEW = 1000;

/** A unit that shows variants to users, commits, and may be taken over by another. */
class Shown {
  readonly store = new MemoryStore();
  #exposures = new UnitExposures([RUN], 0, [new UserSample(CAPACITY)], Number.NEGATIVE_INFINITY);
  #users = 0;
  #seq = 0;

  static async claim(): Promise<Shown> {
    const shown = new Shown();
    await shown.store.claim(UNIT, 't');
    return shown;
  }

  show(users: number): void {
    for (let n = 0; n < users; n++, this.#users++) {
      // Spread over all keys, as hashes are.
      const key = (Math.imul(this.#users, 0x9e37_79b1) >>> 0) * 2 ** 21 + this.#users;
      this.#exposures.accepted(key, [this.#users % 2 === 0 ? 'A' : 'B'], this.#users, 0, false);
    }
    this.#exposures.advance(this.#users);
  }

  /** Returns how many fields it set and removed. */
  async commit(): Promise<{ readonly set: number; readonly removed: number }> {
    const rows = new Map<string, Map<string, string>>();
    const removes = new Map<string, readonly string[]>();
    const stored = new Set<string>();
    this.#exposures.take(OWNER, { rows, stored, removes, deletes: [] });
    const seq = ++this.#seq;
    const parent = seq === 1 ? '' : `c${seq - 1}`;
    const commit = { unit: UNIT, token: 't', seq, cid: `c${seq}`, parent, checkpoint: new Map([['x', 'y']]) };
    expect(await this.store.commit({ ...commit, rows, stored, removes, deletes: [] })).toBe('OK');
    return { set: rows.get(KEY)?.size ?? 0, removed: removes.get(KEY)?.length ?? 0 };
  }

  async stored(): Promise<ReadonlyMap<string, string>> {
    return (await this.store.read([KEY]))[0];
  }

  /** Another owner reads what is stored. */
  async crash(): Promise<void> {
    const sample = sampleOfFields(await this.stored(), RUN.variants.length, CAPACITY);
    this.#exposures = new UnitExposures([RUN], 0, [sample], this.#users);
  }

  get sample(): UserSample {
    return this.#exposures.sample(0);
  }

  get bytes(): number {
    return this.#exposures.bytes;
  }
}

describe('a full sample of users that is halved', () => {
  it('costs a commit the new users and a bounded number of those that are out, though the owner changes on the way', async () => {
    const shown = await Shown.claim();
    shown.show(CAPACITY);
    await shown.commit();
    expect((await shown.stored()).size).toBe(CAPACITY + 1);
    const [bytes, most] = [shown.bytes, CAPACITY + NEW + 1];
    let commits = 0;
    for (let removed = -1; removed !== 0; commits++) {
      shown.show(NEW);
      const commit = await shown.commit();
      removed = commit.removed;
      expect(commit.set).toBeLessThanOrEqual(NEW + 1);
      expect(removed).toBeLessThanOrEqual(MOST_GONE);
      if (commits === 0) expect(shown.bytes).toBeLessThan(1.2 * bytes);
      if (commits % 3 !== 0) continue;
      const stored = await shown.stored();
      expect(stored.size).toBeLessThanOrEqual(most);
      expect(readSample(stored)).toMatchObject({ level: 1, size: shown.sample.size });
      await shown.crash();
    }
    expect(commits).toBeGreaterThan(CAPACITY / 2 / MOST_GONE);
    expect((await shown.stored()).size).toBe(shown.sample.size + 1);
    expect(shown.sample.level).toBe(1);
    // The same as that of a unit that was never disturbed.
    const alone = await Shown.claim();
    alone.show(CAPACITY + commits * NEW);
    expect(usersOf(shown.sample)).toEqual(usersOf(alone.sample));
  });
});
