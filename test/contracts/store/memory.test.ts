import { RestorableStore } from '../../restorable-store.ts';
import { storeContract } from './suite.ts';

storeContract('MemoryStore', async () => {
  const store = new RestorableStore();
  return {
    store,
    async backup() {
      const snapshot = store.snapshot();
      return async () => store.restoreSnapshot(snapshot);
    },
    async wipe() {
      store.restoreSnapshot(new Map());
    },
    async close() {},
  };
});
