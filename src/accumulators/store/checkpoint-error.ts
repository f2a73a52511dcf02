import { messageOf } from '../../vocabulary/error-text.ts';

/** A checkpoint that this build cannot read. Restarting does not help. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly exitCode = 2;
  /** Why its unit stops. */
  readonly stop: 'format' | 'damaged';

  constructor(message: string, stop: 'format' | 'damaged' = 'damaged') {
    super(message);
    this.stop = stop;
  }
}

/** The error for a row that this build cannot read, or that contradicts itself. @param key under which it is stored */
export function damagedRow(key: string, field: string, error: unknown): CheckpointError {
  return damaged(`the row ${field} of ${key}`, error);
}

/** The error for a damaged checkpoint, with what to do. */
export function damagedCheckpoint(error: unknown): CheckpointError {
  return damaged('the stored checkpoint', error);
}

/** Reads what is stored under a key, such as the users of a run. @throws CheckpointError that names the key */
export function readKey<Read>(key: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckpointError) throw new CheckpointError(`${key}: ${error.message}`, error.stop);
    throw damaged(key, error);
  }
}

/** The error for what is damaged, such as a key, with what to do. */
export function damaged(what: string, error: unknown): CheckpointError {
  return new CheckpointError(
    `${what} is damaged: ${messageOf(error)}. Restore the store from a backup, or rebuild the unit from the log`,
  );
}
