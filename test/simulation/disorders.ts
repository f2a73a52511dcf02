/** Every kind of disorder that traffic must have had, over all seeds together. */

/** What the generator plants. */
export const PLANTED = [
  'out of order',
  'device clock ahead',
  'producer clock ahead',
  'producer clock behind',
  'no timestamp',
  'several events in a record',
  'hole between offsets',
  'said again',
  'an item twice in a list',
  'no user',
  'a later page',
  'a topic that is behind',
  'a topic that is silent for long',
  'a topic that never holds a record',
  'one topic for all',
  'several feedback topics',
  'offsets beyond 32 bits',
] as const;

/** What the reference says of the events. */
export const JUDGED = [
  'unmapped',
  'impression undecodable',
  'impression tombstone',
  'impression invalid',
  'impression future',
  'impression excluded',
  'impression late',
  'impression duplicate',
  'impression missed a horizon',
  'feedback undecodable',
  'feedback tombstone',
  'feedback invalid',
  'feedback future',
  'feedback excluded',
  'feedback late by record',
  'feedback late by meeting',
  'feedback orphan',
  'feedback not_in_list',
  'feedback duplicate',
  'feedback capped',
  'feedback missed a horizon',
  'feedback before its impression',
  'future by the wall clock',
  'idle advance',
  'closed without feedback',
  'cohort folded',
  'places beside the checkpoint',
  'place given to another cohort',
  'pane deleted',
] as const;

export type Planted = (typeof PLANTED)[number];
export type Disorder = Planted | (typeof JUDGED)[number];
