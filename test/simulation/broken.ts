import type { Tally } from './differences.ts';

/** A broken promise. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly promise: string;
  readonly tally: Tally | undefined;

  constructor(promise: string, message: string, tally?: Tally) {
    super(`${promise}: ${message}`);
    this.promise = promise;
    this.tally = tally;
  }
}
