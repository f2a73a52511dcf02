import { messageOf } from '../../vocabulary/error-text.ts';

/** A checkpoint that this build cannot read. Restarting does not help. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly exitCode = 2;
}

/** What was found damaged, with what to do. */
export function damagedCheckpoint(error: unknown): CheckpointError {
  const problem = messageOf(error);
  return new CheckpointError(
    `the stored checkpoint is damaged: ${problem}. Restore the store from a backup, or rebuild the unit from the log`,
  );
}
