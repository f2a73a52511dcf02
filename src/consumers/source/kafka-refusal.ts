import type { Offset } from '../../events.ts';

/** A record batch that cannot be decoded: it is damaged, has an unknown codec, or decompresses to too much. */
export interface Refusal {
  /** Offsets of the batch: [from, to). */
  readonly from: Offset;
  readonly to: Offset;
  readonly reason: string;
}
