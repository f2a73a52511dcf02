/**
 * Tags of contexts. If the context of an impression already has a tag, the host is not called, since it would only look the tag up again.
 * The host records the tag here (src/accumulators/cohorts.ts). It is valid until the tag is given to other values, or the scanner forgets
 * its contexts.
 */
import { generation } from '../scan/contexts';
import { Adder } from './adding';

/** The tag of one context. */
@unmanaged
export class TagOfContext {
  /** The tag + 1; 0: not known. */
  tag: u32;
  /** The version of the tag when it was recorded. */
  version: u32;
}
const KNOWN_BYTES: usize = offsetof<TagOfContext>();

export const NO_TAG: i64 = -1;

/** The tag of a context, with one more holder. NO_TAG: the host must be called. */
export function holdTag(at: usize, context: u32): i64 {
  const adder = changetype<Adder>(at);
  if (adder.generation !== generation) forgetTags(adder);
  if (context >= adder.contexts) return NO_TAG;
  const known = changetype<TagOfContext>(adder.tags + KNOWN_BYTES * <usize>context);
  if (known.tag === 0) return NO_TAG;
  const tag = known.tag - 1;
  // The host has freed the tag since.
  if (load<u32>(adder.versions + 4 * <usize>tag) !== known.version) return NO_TAG;
  const holder = adder.holders + 4 * <usize>tag;
  store<u32>(holder, load<u32>(holder) + 1);
  return <i64>tag;
}

function forgetTags(adder: Adder): void {
  memory.fill(adder.tags, 0, KNOWN_BYTES * <usize>adder.contexts);
  adder.generation = generation;
}
