import type { Clock } from '../vocabulary/clock.ts';
import type { FaultPoint } from '../vocabulary/fault-point.ts';

/**
 * Lets everything go on that waits: heartbeats, fetches, requests. A worker that owns many units takes a turn between two of
 * them, so that how long it answers to nobody does not grow with their number.
 */
export async function nextTurn(clock: Clock, reachFaultPoint: FaultPoint): Promise<void> {
  reachFaultPoint('turn waits');
  await clock.sleep(0);
  reachFaultPoint('turn due');
}
