/** A method does not exist, or cannot merge the lists. The message says what was expected, or what to do. */
export class FusionError extends Error {
  override readonly name = 'FusionError';
}
