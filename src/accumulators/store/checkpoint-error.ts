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

/** What was found damaged, with what to do. */
export function damagedCheckpoint(error: unknown): CheckpointError {
  const problem = messageOf(error);
  return new CheckpointError(
    `the stored checkpoint is damaged: ${problem}. Restore the store from a backup, or rebuild the unit from the log`,
  );
}
