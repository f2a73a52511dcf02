/** Exports the parts of the engine for their own tests (test/consumers/engine). They are not shipped. */
import { taken } from './memory';

export { closeArena, commit, free, newArena, reserve } from './arena';
export { addDeadline, firstDue, leastDeadline, newDeadlines, removeDeadline } from './deadlines';
export { hashBytes, newKeys } from './hash';
export { give, givePieces, openMemory, sizeOf, take, trim } from './memory';
export { sortNumbers } from './sort';
export { addAll, addTo, firstIn, newTimeTrees, nodeOf, postpone, removeFrom } from './time-trees';

export function takenBytes(): usize {
  return taken;
}
