/** A method that does not exist, lists that it cannot merge. The message says what is right, and for the rest what to do. */
export class FusionError extends Error {
  override readonly name = 'FusionError';
}
