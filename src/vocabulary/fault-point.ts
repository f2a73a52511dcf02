/**
 * The moments before and after every wait on the data path, and between a request that changes the store and its response.
 * A process that dies at any of them must leave a state from which the next owner continues as if nothing had happened
 * (specification: commit 9). Between two of them no other process can observe this one.
 */
export const FAULT_LABELS = [
  'assigned',
  'claim wanted',
  'claim sent',
  'claim answered',
  'rows wanted',
  'rows read',
  'start wanted',
  'start answered',
  'unit sought',
  'all claimed',
  'retry waits',
  'retry due',
  'clock asked',
  'clock answered',
  'chunk given',
  'chunk fed',
  'look wanted',
  'look read',
  'end wanted',
  'end answered',
  'turn waits',
  'turn due',
  'commit built',
  'commit sent',
  'commit answered',
  'commit unanswered',
  'offsets wanted',
  'offsets sent',
  'given up',
  'owner wanted',
  'owner answered',
  'silence waits',
  'silence due',
  'claim again due',
  'stop wanted',
  'source stopped',
  'source ended',
  'last commit done',
] as const;

export type FaultLabel = (typeof FAULT_LABELS)[number];

/** Called whenever the data path passes a label. It is synchronous, so that nothing runs in between. */
export type FaultPoint = (label: FaultLabel) => void;

/** The fault point of a running service, which does nothing. */
export const NO_FAULT: FaultPoint = () => {};
