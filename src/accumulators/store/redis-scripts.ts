import { isLasting, STORE_FIELDS } from './layout.ts';
import type { Claimed, Commit, Fields } from './port.ts';

/** Keys and arguments of one script call. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/**
 * A commit as commit.lua takes it. `rowTtl` in ms, of rows that do not last; undefined: all rows stay. Throws for a checkpoint that names a field of
 * the store's own, and for keys outside of the unit's slot: both would break the guard.
 */
export function commitCall(commit: Commit, rowTtl: number | undefined): ScriptCall {
  const { unit, token, seq, cid, parent, checkpoint, rows, deletes } = commit;
  const tag = slotOf(unit);
  const removes = [...(commit.removes ?? [])].filter(([, fields]) => fields.length > 0);
  const keys = [unit, ...deletes, ...removes.map(([key]) => key)];
  const args = [token, String(seq - 1), parent, String(seq), cid, rowTtl === undefined ? '' : String(rowTtl)];
  const written = [...rows].filter(([, fields]) => fields.size > 0);
  const passing = written.filter(([key]) => !isLasting(key));
  const lasting = written.filter(([key]) => isLasting(key));
  args.push(String(deletes.length), String(checkpoint.size), String(lasting.length), String(removes.length));
  for (const own of STORE_FIELDS) {
    if (checkpoint.has(own)) throw new Error(`the checkpoint may not hold "${own}": the store keeps that field itself`);
  }
  pushFields(args, checkpoint);
  for (const [, fields] of removes) {
    args.push(String(fields.length));
    // Not by spreading: they may be more than a call takes arguments.
    for (const field of fields) args.push(field);
  }
  for (const [key, fields] of [...passing, ...lasting]) {
    keys.push(key);
    args.push(String(fields.size));
    pushFields(args, fields);
  }
  const stranger = keys.find((key) => !key.startsWith(tag));
  if (stranger !== undefined) throw new Error(`the key ${stranger} does not belong to the unit ${unit}`);
  return { keys, args };
}

/** What claim.lua answered. */
export function claimedOf(reply: unknown): Claimed {
  const fields = fieldsOf(reply);
  const seq = Number(fields.get('seq') ?? '0');
  const before = { token: fields.get('token') ?? '', seq, cid: fields.get('cid') ?? '' };
  for (const own of STORE_FIELDS) fields.delete(own);
  return { ...before, checkpoint: seq === 0 || fields.size === 0 ? undefined : fields };
}

/** A hash from a reply of field, value, field, value ... */
export function fieldsOf(reply: unknown): Map<string, string> {
  if (!Array.isArray(reply)) throw new Error('the server answered something that is no hash');
  const fields = new Map<string, string>();
  for (let i = 0; i < reply.length; i += 2) fields.set(String(reply[i]), String(reply[i + 1]));
  return fields;
}

/** The keys in order, cut so that each piece has at most `most` keys and lies in one slot of a cluster. */
export function batchesOf(keys: readonly string[], most: number): readonly (readonly string[])[] {
  const batches: string[][] = [];
  for (const key of keys) {
    const last = batches.at(-1);
    if (last !== undefined && last.length < most && slotOf(last[0]) === slotOf(key)) last.push(key);
    else batches.push([key]);
  }
  return batches;
}

/** The key up to the end of its hash tag; all keys that begin alike lie in one slot. */
function slotOf(key: string): string {
  return key.slice(0, key.indexOf('}') + 1);
}

function pushFields(args: string[], fields: Fields): void {
  for (const [field, text] of fields) args.push(field, text);
}
