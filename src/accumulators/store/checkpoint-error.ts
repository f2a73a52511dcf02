import { messageOf } from '../../vocabulary/error-text.ts';

/** A checkpoint that this build cannot read. Restarting does not help. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly exitCode = 2;
  /** Why its unit is stopped. */
  readonly stop: 'format' | 'damaged';

  constructor(message: string, stop: 'format' | 'damaged' = 'damaged') {
    super(message);
    this.stop = stop;
  }
}

/** A row that this build cannot read, or that contradicts itself. @param key under which it is stored */
export function damagedRow(key: string, field: string, error: unknown): CheckpointError {
  return new CheckpointError(
    `the row ${field} of ${key} is damaged: ${messageOf(error)}. Restore the store from a backup, or rebuild the unit from the log`,
  );
}

/** A key beside the checkpoint, such as the users of a run, that this build cannot read. */
export function damagedKey(key: string, error: unknown): CheckpointError {
  return new CheckpointError(
    `${key} is damaged: ${messageOf(error)}. Restore the store from a backup, or rebuild the unit from the log`,
  );
}

/** Reads what is stored under a key, which a CheckpointError then names. */
export function readKey<Read>(key: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckpointError) throw new CheckpointError(`${key}: ${error.message}`, error.stop);
    throw damagedKey(key, error);
  }
}

/** What was found damaged, with what to do. */
export function damagedCheckpoint(error: unknown): CheckpointError {
  const problem = messageOf(error);
  return new CheckpointError(
    `the stored checkpoint is damaged: ${problem}. Restore the store from a backup, or rebuild the unit from the log`,
  );
}
