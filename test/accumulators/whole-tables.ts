import { type AdmissionState, type StoredTable, wholeTable } from '../../src/accumulators/admission-state.ts';
import { placesKey, type RowOwner } from '../../src/accumulators/store/layout.ts';
import type { Fields } from '../../src/accumulators/store/store-port.ts';

/** Tables as if all of them were part of the checkpoint. `fieldsOf`: what is stored under a key. */
export function wholeTables(
  tables: readonly StoredTable[],
  owner: RowOwner,
  fieldsOf: (key: string) => Fields | undefined,
): readonly AdmissionState[] {
  return tables.map((table) => {
    const whole = wholeTable(table, fieldsOf(placesKey(owner, table.by)));
    if (whole === undefined) throw new Error(`the places of [${table.by}] are not those that the checkpoint counts`);
    const { by, folded, entries, candidates } = whole;
    return { by, folded, entries, ...(candidates === undefined ? {} : { candidates }) };
  });
}
