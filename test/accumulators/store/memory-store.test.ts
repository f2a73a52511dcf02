import { describe, expect, it } from 'vitest';
import { RestorableStore } from '../../restorable-store.ts';

describe('MemoryStore', () => {
  it.each(['token', 'seq', 'cid'])('rejects a checkpoint that would overwrite %s', async (field) => {
    const store = new RestorableStore();
    await store.claim('u', 't');
    const commit = { unit: 'u', token: 't', seq: 1, cid: 'c', parent: '', rows: new Map(), deletes: [] };
    await expect(store.commit({ ...commit, checkpoint: new Map([[field, 'x']]) })).rejects.toThrow(`"${field}"`);
    expect(await store.commit({ ...commit, checkpoint: new Map() })).toBe('OK');
  });

  it('takes snapshots that do not change with it', async () => {
    const store = new RestorableStore();
    await store.claim('u', 't1');
    const snapshot = store.snapshot();
    await store.claim('u', 't2');
    expect(snapshot.get('u')?.get('token')).toBe('t1');
    store.restoreSnapshot(snapshot);
    await store.claim('u', 't3');
    expect(snapshot.get('u')?.get('token')).toBe('t1');
  });
});
