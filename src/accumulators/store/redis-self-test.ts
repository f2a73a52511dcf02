import type { Commit, CommitAnswer, Store } from './port.ts';
import type { StoreFinding } from './redis-findings.ts';
import { StoreUnavailable } from './unavailable.ts';

/** Key of a unit that is used for nothing else. It lies under the namespace, so that a user of that alone may write it. */
export function selfTestKey(namespace: string, id: string): string {
  return `receval:{${namespace}:self-test}:${id}:unit`;
}

/**
 * Runs one unit through claim, commit, repeat and fence. `unit`: by `selfTestKey`; all is deleted again. Shows missing rights
 * and servers whose scripts differ, before anything is at stake.
 */
export async function selfTest(
  store: Store,
  unit: string,
  remove: (keys: readonly string[]) => Promise<void>,
): Promise<StoreFinding> {
  const row = `${unit.slice(0, unit.lastIndexOf(':'))}:${ROW}`;
  try {
    const problem = await firstProblem(store, unit, row);
    await remove([unit, row]);
    return problem === undefined
      ? { check: 'self-test', level: 'ok', message: 'a commit was applied once, repeated, fenced and deleted' }
      : { check: 'self-test', level: 'error', message: `${problem}: this server does not keep what receval needs` };
  } catch (error) {
    await remove([unit, row]).catch(() => {});
    if (!(error instanceof StoreUnavailable)) throw error;
    return { check: 'self-test', level: 'error', message: error.message };
  }
}

/** A total's key behind its generation. */
const ROW = 'total:self-test:1';
const DIGITS = '1208925819614629174706176';

async function firstProblem(store: Store, unit: string, row: string): Promise<string | undefined> {
  const first: Commit = {
    unit,
    token: 'a',
    seq: 1,
    cid: 'x',
    parent: '',
    checkpoint: new Map([['position', DIGITS]]),
    rows: new Map([[row, new Map([['field', DIGITS]])]]),
    deletes: [],
  };
  const steps: readonly [string, CommitAnswer, Commit][] = [
    ['the first commit', 'OK', first],
    ['the same commit again', 'ALREADY', first],
    ['a commit of another claim', 'FENCED', { ...first, token: 'b' }],
    ['a commit on another parent', 'CONFLICT', { ...first, seq: 2, cid: 'y', parent: 'z' }],
  ];
  await store.claim(unit, 'a');
  for (const [what, expected, commit] of steps) {
    const answer = await store.commit(commit);
    if (answer !== expected) return `${what} was answered ${answer}, not ${expected}`;
  }
  const [rowThere] = await store.read([row]);
  if (rowThere.get('field') !== DIGITS) return 'a row came back changed';
  const removal: Commit = {
    ...first,
    seq: 2,
    cid: 'y',
    parent: 'x',
    rows: new Map([[row, new Map([['other', DIGITS]])]]),
  };
  if ((await store.commit({ ...removal, removes: new Map([[row, ['field']]]) })) !== 'OK') {
    return 'the removal of a field was not applied';
  }
  const [rowLess] = await store.read([row]);
  if ([...rowLess.keys()].join() !== 'other') return 'a field that was removed is still there';
  const deletion: Commit = { ...first, seq: 3, cid: 'z', parent: 'y', rows: new Map(), deletes: [row] };
  if ((await store.commit(deletion)) !== 'OK') return 'a deletion was not applied';
  const [rowGone] = await store.read([row]);
  return rowGone.size === 0 ? undefined : 'a deleted row is still there';
}
