import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, type AdmissionSettings } from '../../src/accumulators/admission.ts';
import {
  isLarge,
  MOST_IN_CHECKPOINT,
  PLACES_HEAD,
  parseAdmission,
  type StoredTable,
  wholeTable,
} from '../../src/accumulators/admission-state.ts';
import { CheckpointError } from '../../src/accumulators/store/json.ts';

const BY = ['variant'];
const NEVER = Number.NEGATIVE_INFINITY;

function settings(limit: number, mostInCheckpoint?: number): AdmissionSettings {
  return { limit, reserved: new Set(['A']), takeover: { candidates: 2, ratio: 1 }, mostInCheckpoint };
}

/** What the commits of a table leave in the store. */
class Stored {
  table: StoredTable = { by: BY, folded: NEVER, entries: [] };
  hash = new Map<string, string>();
  /** Fields that the last commit set and removed. */
  set: readonly string[] = [];
  gone: readonly string[] = [];

  commit(admission: Admission): void {
    const { set, gone, isDropped } = admission.takePlaces();
    if (isDropped) this.hash.clear();
    for (const field of gone) this.hash.delete(field);
    for (const [field, text] of set) this.hash.set(field, text);
    this.set = [...set.keys()];
    this.gone = gone;
    this.table = parseAdmission(JSON.parse(admission.stateText()), '');
  }

  whole() {
    const whole = wholeTable(this.table, this.hash);
    if (whole === undefined) throw new Error('the hash is not the one that the checkpoint counts');
    const { by, folded, entries, candidates } = whole;
    return { by, folded, entries, candidates };
  }
}

const anyAct = fc.oneof(
  { weight: 6, arbitrary: fc.record({ admit: fc.constantFrom(...'ABCDEFGH'), pane: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ count: fc.constantFrom(...'ABCDEFGH') }) },
  { weight: 2, arbitrary: fc.record({ expire: fc.constantFrom(0, 10, 50) }) },
  { weight: 1, arbitrary: fc.record({ review: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 3, arbitrary: fc.constantFrom('commit', 'restart') },
);

describe('a table of places', () => {
  it('is stored beside the checkpoint as it would be in it, whatever happens, and goes on from there', () => {
    let beside = 0;
    let dropped = 0;
    fc.assert(
      fc.property(
        fc.array(anyAct, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 4 }),
        (acts, limit, mostInCheckpoint) => {
          let admission = new Admission(BY, settings(limit, mostInCheckpoint));
          const plain = new Admission(BY, settings(limit, Number.POSITIVE_INFINITY));
          const [stored, whole] = [new Stored(), new Stored()];
          let time = 10;
          for (const act of [...acts, 'commit']) {
            if (typeof act === 'string') {
              const before = stored.hash.size;
              stored.commit(admission);
              whole.commit(plain);
              expect(stored.whole()).toEqual(whole.whole());
              if (stored.hash.size > 0) beside++;
              else if (before > 0) dropped++;
              if (act === 'restart') {
                admission = new Admission(BY, settings(limit, mostInCheckpoint), wholeTable(stored.table, stored.hash));
              }
            } else if ('admit' in act) {
              time++;
              const found = [admission, plain].map((each) => each.admit(act.admit, time + 10 * act.pane));
              expect(found[0]).toBe(found[1]);
            } else {
              for (const each of [admission, plain]) {
                if ('count' in act) each.count(act.count);
                else if ('review' in act) each.review((values) => (values < 'D' ? act.review : 0));
                else each.expire(time + act.expire);
              }
            }
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect(beside).toBeGreaterThan(1000);
    expect(dropped).toBeGreaterThan(20);
  });

  it('costs a commit what has changed, not what there is', () => {
    const admission = new Admission(BY, { ...settings(10_000), reserved: new Set() });
    for (let n = 0; n <= MOST_IN_CHECKPOINT; n++) admission.admit(`cohort ${n}`, 10);
    const stored = new Stored();
    stored.commit(admission);
    expect(stored.set.length).toBe(MOST_IN_CHECKPOINT + 2);
    expect(admission.stateText().length).toBeLessThan(100);
    stored.commit(admission);
    expect(stored.set).toEqual([]);
    admission.admit('cohort 7', 10);
    admission.admit('cohort 8', 20);
    stored.commit(admission);
    expect(stored.set).toEqual(['cohort 8']);
    admission.admit('new', 20);
    stored.commit(admission);
    expect(stored.set).toEqual(['new', PLACES_HEAD]);
    for (let n = 0; n < MOST_IN_CHECKPOINT; n++) admission.admit(`cohort ${n}`, 30);
    admission.expire(10);
    stored.commit(admission);
    expect(stored.gone).toEqual([`cohort ${MOST_IN_CHECKPOINT}`]);
    // It fits the checkpoint again.
    admission.expire(20);
    stored.commit(admission);
    expect([stored.hash.size, isLarge(stored.table)]).toEqual([0, false]);
  });

  it('is not read from a hash of another commit, and what is damaged there is named', () => {
    const admission = new Admission(BY, settings(10, 0));
    admission.admit('B', 10);
    const stored = new Stored();
    stored.commit(admission);
    const { table, hash } = stored;
    if (!isLarge(table)) throw new Error('it is beside the checkpoint');
    expect(wholeTable(table, hash)?.entries).toEqual([
      ['A', 0, NEVER],
      ['B', 10, NEVER],
    ]);
    const changed = (field: string, text?: string): Map<string, string> => {
      const other = new Map(hash);
      if (text === undefined) other.delete(field);
      else other.set(field, text);
      return other;
    };
    for (const other of [
      changed('B'),
      changed('C', '[1,null,2]'),
      changed(PLACES_HEAD),
      changed(PLACES_HEAD, '[null,9]'),
    ]) {
      expect(wholeTable(table, other)).toBeUndefined();
    }
    expect(wholeTable(table, new Map())).toBeUndefined();
    expect(wholeTable(table, undefined)).toBeUndefined();
    for (const text of ['', '[10,null]', '["10",null,1]', '[10,null,1,"x"]', '{}']) {
      expect(() => wholeTable(table, changed('B', text))).toThrow(CheckpointError);
      expect(() => wholeTable(table, changed('B', text))).toThrow(
        /damaged: places of \[variant\]: B.*Restore the store from a backup/,
      );
    }
  });
});
