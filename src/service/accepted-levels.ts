/** Stores and withdraws levels accepted as the new normal of watched cohorts (accumulators/store/accepted-level.ts). */
import { type AcceptedLevel, acceptedKey, levelField } from '../accumulators/store/accepted-level.ts';
import type { Store } from '../accumulators/store/store-port.ts';

/** Stores a level, replacing the one of the same cohort and measure. Returns false if another write came in between. */
export async function acceptLevel(
  store: Store,
  namespace: string,
  level: AcceptedLevel,
  newId: () => string,
): Promise<boolean> {
  const { from, at, note } = level;
  return await setLevel(store, namespace, levelField(level), JSON.stringify({ from, at, note }), newId);
}

/** Withdraws a level, so that the cohort is compared with its earlier past again. */
export async function withdrawLevel(
  store: Store,
  namespace: string,
  level: Pick<AcceptedLevel, 'by' | 'values' | 'measure'>,
  newId: () => string,
): Promise<boolean> {
  return await setLevel(store, namespace, levelField(level), '', newId);
}

async function setLevel(
  store: Store,
  namespace: string,
  field: string,
  text: string,
  newId: () => string,
): Promise<boolean> {
  const unit = acceptedKey(namespace);
  const token = newId();
  const { seq, cid } = await store.claim(unit, token);
  const answer = await store.commit({
    unit,
    token,
    seq: seq + 1,
    cid: newId(),
    parent: cid,
    checkpoint: new Map([[field, text]]),
    rows: new Map(),
    deletes: [],
  });
  return answer === 'OK' || answer === 'ALREADY';
}
