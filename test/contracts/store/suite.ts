import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { paneKey, unitKey } from '../../../src/accumulators/store/layout.ts';
import type { Claimed, Commit, Fields, Store } from '../../../src/accumulators/store/store-port.ts';
import { ModelStore } from './model.ts';

/** A store under test, empty at first, and what happens to its server. */
export interface StoreHarness {
  readonly store: Store;
  /** Takes a backup; the function that it answers brings the backup back. */
  backup(): Promise<() => Promise<void>>;
  /** Loses everything. */
  wipe(): Promise<void>;
  close(): Promise<void>;
}

const UNIT = unitKey('contract', 0);
const OTHER_UNIT = unitKey('contract', 1);
const PANES = [0, 1, 2].map((n) => paneKey({ namespace: 'contract', unit: 0, generation: '1c' }, 'm', n * 60_000));

function commitOf(token: string, seq: number, parent: string, change: Partial<Commit> = {}): Commit {
  return {
    unit: UNIT,
    token,
    seq,
    cid: `c${seq}`,
    parent,
    checkpoint: new Map([['position', String(seq)]]),
    rows: new Map(),
    deletes: [],
    ...change,
  };
}

function row(text: string): ReadonlyMap<string, Fields> {
  return new Map([[PANES[0], new Map([['30m||', text]])]]);
}

/** What every store must do (specification: commit 1). `open` answers an empty store. */
export function storeContract(name: string, open: () => Promise<StoreHarness>): void {
  describe(`${name} keeps the contract of stores:`, () => {
    let harness: StoreHarness;
    let store: Store;

    beforeEach(async () => {
      harness = await open();
      store = harness.store;
    });
    afterEach(async () => {
      await harness.close();
    });

    async function stored(key: string): Promise<Fields> {
      return (await store.read([key]))[0];
    }

    it('a unit that nobody has committed to is claimed without a checkpoint', async () => {
      const nothing: Claimed = { token: '', seq: 0, cid: '', checkpoint: undefined };
      expect(await store.claim(UNIT, 't1')).toEqual(nothing);
      expect(await store.claim(UNIT, 't2')).toEqual({ ...nothing, token: 't1' });
    });

    it('a claim answers the token before it and all that was committed', async () => {
      await store.claim(UNIT, 't1');
      const checkpoint = new Map([
        ['position', '5'],
        ['text', 'a "quoted" ünï|çode, {text}'],
      ]);
      expect(await store.commit(commitOf('t1', 1, '', { checkpoint }))).toBe('OK');
      expect(await store.claim(UNIT, 't2')).toEqual({ token: 't1', seq: 1, cid: 'c1', checkpoint });
      expect(await store.claim(UNIT, 't2')).toEqual({ token: 't2', seq: 1, cid: 'c1', checkpoint });
    });

    it('a commit sets rows, keeps their other fields, and deletes keys before it sets them', async () => {
      await store.claim(UNIT, 't');
      const rows = new Map(
        PANES.map(
          (key) =>
            [
              key,
              new Map([
                ['a', '1'],
                ['b', '1'],
              ]),
            ] as const,
        ),
      );
      expect(await store.commit(commitOf('t', 1, '', { rows }))).toBe('OK');
      const changed = new Map([PANES[0], PANES[1]].map((key) => [key, new Map([['b', '2']])] as const));
      const deletes = [PANES[1], PANES[2], `${PANES[2]}0`];
      expect(await store.commit(commitOf('t', 2, 'c1', { rows: changed, deletes }))).toBe('OK');
      expect(await store.read(PANES)).toEqual([
        new Map([
          ['a', '1'],
          ['b', '2'],
        ]),
        new Map([['b', '2']]),
        new Map(),
      ]);
    });

    it('a commit removes fields before it sets them, keeps the others, and lets a key without fields go', async () => {
      await store.claim(UNIT, 't');
      const three = ['a', 'b', 'c'].map((field) => [field, '1'] as const);
      const rows = new Map(PANES.map((key) => [key, new Map(three)] as const));
      expect(await store.commit(commitOf('t', 1, '', { rows }))).toBe('OK');
      const change: Partial<Commit> = {
        removes: new Map([
          [PANES[0], ['a', 'b', 'none']],
          [PANES[1], ['a', 'b', 'c']],
          [PANES[2], []],
          [`${PANES[2]}0`, ['a']],
        ]),
        rows: new Map([[PANES[0], new Map([['b', '2']])]]),
      };
      const commit = commitOf('t', 2, 'c1', change);
      const expected = [new Map(Object.entries({ b: '2', c: '1' })), new Map(), new Map(three), new Map()];
      for (const answer of ['OK', 'ALREADY']) {
        expect(await store.commit(commit)).toBe(answer);
        expect(await store.read([...PANES, `${PANES[2]}0`])).toEqual(expected);
      }
      expect(await store.commit(commitOf('t', 3, 'x', { removes: new Map([[PANES[2], ['a']]]) }))).toBe('CONFLICT');
      expect(await store.commit(commitOf('u', 3, 'c2', { removes: new Map([[PANES[2], ['a']]]) }))).toBe('FENCED');
      expect(await store.read([...PANES, `${PANES[2]}0`])).toEqual(expected);
    });

    it('fields that are asked for by name are those that a key has of them', async () => {
      await store.claim(UNIT, 't');
      const fields = (names: string): Fields => new Map([...names].map((field) => [field, `${field}!`]));
      const rows = new Map([
        [PANES[0], fields('abc')],
        [PANES[1], fields('c')],
      ]);
      expect(await store.commit(commitOf('t', 1, '', { rows }))).toBe('OK');
      const keys = [...PANES, `${PANES[2]}0`];
      expect(await store.readFields?.(keys, ['b', 'c', 'd'])).toEqual([
        fields('bc'),
        fields('c'),
        fields(''),
        fields(''),
      ]);
      expect(await store.readFields?.(keys, [])).toEqual(keys.map(() => fields('')));
    });

    it('readers see the guard beside the checkpoint', async () => {
      await store.claim(UNIT, 't');
      await store.commit(commitOf('t', 1, ''));
      expect(await stored(UNIT)).toEqual(
        new Map([
          ['token', 't'],
          ['seq', '1'],
          ['cid', 'c1'],
          ['position', '1'],
        ]),
      );
    });

    it('a commit that is sent again because its reply was lost is answered ALREADY and changes nothing', async () => {
      await store.claim(UNIT, 't');
      const commit = commitOf('t', 1, '', { rows: row('1') });
      expect(await store.commit(commit)).toBe('OK');
      expect(await store.commit(commit)).toBe('ALREADY');
      expect(await store.commit(commit)).toBe('ALREADY');
      expect(await stored(PANES[0])).toEqual(new Map([['30m||', '1']]));
      expect(await store.commit(commitOf('t', 2, 'c1'))).toBe('OK');
    });

    it('rows are absolute: applied after a rollback once more they are the same', async () => {
      await store.claim(UNIT, 't');
      const restore = await harness.backup();
      await store.commit(commitOf('t', 1, '', { rows: row('12') }));
      const before = await store.read([UNIT, ...PANES]);
      await restore();
      expect(await store.commit(commitOf('t', 1, '', { rows: row('12') }))).toBe('OK');
      expect(await store.read([UNIT, ...PANES])).toEqual(before);
    });

    it('a zombie is FENCED from the claim of another on, whatever it sends', async () => {
      await store.claim(UNIT, 'zombie');
      await store.commit(commitOf('zombie', 1, '', { rows: row('1') }));
      await store.claim(UNIT, 'owner');
      expect(await store.commit(commitOf('zombie', 2, 'c1', { rows: row('2') }))).toBe('FENCED');
      expect(await store.commit(commitOf('zombie', 1, '', { rows: row('2') }))).toBe('FENCED');
      expect(await store.commit(commitOf('zombie', 9, 'x', { deletes: PANES }))).toBe('FENCED');
      expect(await stored(PANES[0])).toEqual(new Map([['30m||', '1']]));
      expect(await store.commit(commitOf('owner', 2, 'c1'))).toBe('OK');
    });

    it.each([
      ['a number that was used', 1, 'c0'],
      ['a number too high', 4, 'c2'],
      ['another parent', 3, 'x'],
      ['no parent', 3, ''],
    ])('a commit that builds on %s is a CONFLICT and writes nothing', async (_, seq, parent) => {
      await store.claim(UNIT, 't');
      await store.commit(commitOf('t', 1, '', { rows: row('1') }));
      await store.commit(commitOf('t', 2, 'c1'));
      const before = await store.read([UNIT, ...PANES]);
      const wrong = commitOf('t', seq, parent, { cid: 'new', rows: row('2'), deletes: PANES });
      expect(await store.commit(wrong)).toBe('CONFLICT');
      expect(await store.read([UNIT, ...PANES])).toEqual(before);
    });

    it('the same number under another id is a CONFLICT, not ALREADY', async () => {
      await store.claim(UNIT, 't');
      await store.commit(commitOf('t', 1, ''));
      expect(await store.commit(commitOf('t', 1, '', { cid: 'other' }))).toBe('CONFLICT');
    });

    it('a rollback under the owner is a CONFLICT', async () => {
      await store.claim(UNIT, 't');
      await store.commit(commitOf('t', 1, '', { rows: row('1') }));
      const restore = await harness.backup();
      await store.commit(commitOf('t', 2, 'c1', { rows: row('2') }));
      await restore();
      expect(await store.commit(commitOf('t', 3, 'c2', { rows: row('3') }))).toBe('CONFLICT');
      expect(await stored(PANES[0])).toEqual(new Map([['30m||', '1']]));
      expect(await store.claim(UNIT, 'again')).toMatchObject({ token: 't', seq: 1, cid: 'c1' });
    });

    it('a key that an earlier commit has written and that is gone is a CONFLICT, and nothing is written', async () => {
      await store.claim(UNIT, 't');
      const [gone, other] = PANES;
      const rows = new Map([gone, other].map((key) => [key, new Map([['30m||', '1']])] as const));
      expect(await store.commit(commitOf('t', 1, '', { rows }))).toBe('OK');
      const again = new Map([gone, other].map((key) => [key, new Map([['30m||', '2']])] as const));
      const known = commitOf('t', 2, 'c1', { rows: again, stored: new Set([gone, other]) });
      expect(await store.commit(known)).toBe('OK');
      expect(await store.commit(commitOf('t', 3, 'c2', { deletes: [gone] }))).toBe('OK');
      const missing = commitOf('t', 4, 'c3', { rows: again, stored: new Set([gone]), deletes: [other] });
      expect(await store.commit(missing)).toBe('CONFLICT');
      expect(await stored(gone)).toEqual(new Map());
      expect(await stored(other)).toEqual(new Map([['30m||', '2']]));
      // Who does not know that it was there writes it anew.
      expect(await store.commit({ ...missing, stored: new Set() })).toBe('OK');
      expect(await stored(gone)).toEqual(new Map([['30m||', '2']]));
    });

    it('a rollback to before the claim brings the other owner back: FENCED', async () => {
      await store.claim(UNIT, 'before');
      const restore = await harness.backup();
      await store.claim(UNIT, 'now');
      await restore();
      expect(await store.commit(commitOf('now', 1, ''))).toBe('FENCED');
    });

    it('a store that lost everything is a CONFLICT, and stays empty', async () => {
      await store.claim(UNIT, 't');
      await store.commit(commitOf('t', 1, ''));
      await harness.wipe();
      expect(await store.commit(commitOf('t', 2, 'c1', { rows: row('1') }))).toBe('CONFLICT');
      expect(await store.commit(commitOf('t', 1, '', { rows: row('1') }))).toBe('CONFLICT');
      expect(await store.read([UNIT, ...PANES])).toEqual([UNIT, ...PANES].map(() => new Map()));
      expect(await store.claim(UNIT, 't')).toEqual({ token: '', seq: 0, cid: '', checkpoint: undefined });
    });

    it('units do not know each other', async () => {
      await store.claim(UNIT, 't');
      expect(await store.commit(commitOf('t', 1, '', { unit: OTHER_UNIT }))).toBe('CONFLICT');
      await store.claim(OTHER_UNIT, 'u');
      expect(await store.commit(commitOf('t', 1, ''))).toBe('OK');
      expect(await store.commit(commitOf('t', 1, '', { unit: OTHER_UNIT }))).toBe('FENCED');
    });

    it('reads in the order that was asked, repeats and all', async () => {
      await store.claim(UNIT, 't');
      await store.commit(commitOf('t', 1, '', { rows: row('1') }));
      const one = new Map([['30m||', '1']]);
      expect(await store.read([PANES[0], PANES[1], PANES[0]])).toEqual([one, new Map(), one]);
      expect(await store.read([])).toEqual([]);
    });

    it('carries digits, long texts and many fields through unchanged', async () => {
      await store.claim(UNIT, 't');
      const fields = new Map<string, string>(
        Array.from({ length: 5000 }, (_, i) => [`30m|variant|v${i}`, `${2n ** 80n + BigInt(i)}`] as const),
      );
      fields.set('long', 'x'.repeat(100_000));
      expect(await store.commit(commitOf('t', 1, '', { rows: new Map([[PANES[0], fields]]) }))).toBe('OK');
      expect(await stored(PANES[0])).toEqual(fields);
    });

    it('shares nothing with its callers', async () => {
      await store.claim(UNIT, 't');
      const fields = new Map([['a', '1']]);
      const checkpoint = new Map([['position', '1']]);
      await store.commit(commitOf('t', 1, '', { rows: new Map([[PANES[0], fields]]), checkpoint }));
      fields.set('a', '2');
      checkpoint.set('position', '2');
      expect(await stored(PANES[0])).toEqual(new Map([['a', '1']]));
      expect((await store.claim(UNIT, 't')).checkpoint).toEqual(new Map([['position', '1']]));
    });

    it('answers as the model does, whatever is asked in whatever order', async () => {
      const token = fc.constantFrom('t1', 't2', 't3');
      const cid = fc.constantFrom('a', 'b', 'c', 'd');
      const fields = fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('1', '2'), { minKeys: 1 });
      const command = fc.oneof(
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('claim' as const), token }) },
        {
          weight: 8,
          arbitrary: fc.record({
            kind: fc.constant('commit' as const),
            /** Of the last claim; else any. */
            ours: fc.boolean(),
            token,
            /** On the state that is there; else on any. */
            fits: fc.integer({ min: 0, max: 3 }),
            seq: fc.integer({ min: 1, max: 4 }),
            cid,
            parent: fc.oneof(fc.constant(''), cid),
            rows: fc.dictionary(fc.constantFrom(...PANES), fields),
            deletes: fc.subarray(PANES),
            removes: fc.dictionary(fc.constantFrom(...PANES), fc.subarray(['x', 'y', 'z'])),
          }),
        },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const) }) },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constantFrom('backup' as const, 'restore' as const, 'wipe' as const) }),
        },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
          await harness.wipe();
          const model = new ModelStore();
          let restore: (() => Promise<void>) | undefined;
          let last: Commit | undefined;
          for (const command of commands) {
            switch (command.kind) {
              case 'claim':
                expect(await store.claim(UNIT, command.token)).toEqual(model.claim(command.token));
                break;
              case 'commit': {
                const fits = command.fits > 0;
                last = {
                  unit: UNIT,
                  token: command.ours ? model.unit.token : command.token,
                  seq: fits ? model.unit.seq + 1 : command.seq,
                  cid: command.cid,
                  parent: fits ? model.unit.cid : command.parent,
                  checkpoint: new Map([['position', command.cid]]),
                  rows: new Map(
                    Object.entries(command.rows).map(([key, row]) => [key, new Map(Object.entries(row))] as const),
                  ),
                  deletes: command.deletes,
                  removes: new Map(Object.entries(command.removes)),
                };
                expect(await store.commit(last)).toBe(model.commit(last));
                break;
              }
              case 'again':
                if (last !== undefined) expect(await store.commit(last)).toBe(model.commit(last));
                break;
              case 'backup':
                restore = await harness.backup();
                model.backup();
                break;
              case 'restore':
                if (restore === undefined) break;
                await restore();
                model.restore();
                break;
              case 'wipe':
                await harness.wipe();
                model.wipe();
                break;
            }
            expect(await store.read([UNIT, ...PANES])).toEqual([model.hash(), ...PANES.map((key) => model.row(key))]);
          }
        }),
        { numRuns: 300 },
      );
    });
  });
}
