/** Arbitrary histories: logs, and what a worker does while it reads them. */
import fc from 'fast-check';
import type { JoinSettings } from '../../../src/consumers/join/api.ts';
import type { EpochMs } from '../../../src/vocabulary/events.ts';
import { type TopicRecords, topicRecords } from './logs.ts';
import { type Profile, settingsOf, type TimeFrame, timeFrames } from './profile.ts';

/** Topics are taken modulo their number. */
export type Step =
  /** Reads some records of one topic. A hole is skipped to its end, in part, or not at all. `now`: the wall clock. */
  | {
      readonly do: 'read';
      readonly topic: number;
      readonly records: number;
      readonly hole: 'skip' | 'part' | 'jump';
      readonly now: EpochMs | undefined;
    }
  | { readonly do: 'advance' }
  | { readonly do: 'commit' }
  /** The worker dies: what it did since the last commit is lost, and another one begins there. */
  | { readonly do: 'crash' }
  /** A checkpoint is taken but its commit never arrives; the memory is kept, as in a rejoin without a change of owner. */
  | { readonly do: 'rejoin' }
  /** Raises the watermark of a topic by so many steps of the grid. */
  | { readonly do: 'idle'; readonly topic: number; readonly steps: number };

export interface History {
  readonly settings: JoinSettings;
  readonly frame: TimeFrame;
  readonly topics: readonly TopicRecords[];
  readonly steps: readonly Step[];
}

/** How often a worker does what. */
export interface Habits {
  readonly steps: number;
  readonly clock: number;
  readonly idle: number;
  readonly crash: number;
  readonly commit: number;
}

export const USUAL: Habits = { steps: 70, clock: 1, idle: 1, crash: 1, commit: 3 };

function stepOf({ origin, step }: TimeFrame, habits: Habits): fc.Arbitrary<Step> {
  const topic = fc.nat(3);
  const time = fc.integer({ min: 0, max: 40 }).map((steps) => origin + steps * step);
  return fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({
        do: fc.constant('read' as const),
        topic,
        records: fc.integer({ min: 1, max: 6 }),
        hole: fc.constantFrom('skip' as const, 'part' as const, 'jump' as const),
        now: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: habits.clock, arbitrary: time }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'advance' as const }) },
    { weight: habits.commit, arbitrary: fc.constant({ do: 'commit' as const }) },
    { weight: habits.crash, arbitrary: fc.constant({ do: 'crash' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'rejoin' as const }) },
    {
      weight: habits.idle,
      arbitrary: fc.record({ do: fc.constant('idle' as const), topic, steps: fc.integer({ min: -1, max: 8 }) }),
    },
  );
}

export function histories(profile: Profile, habits: Habits): fc.Arbitrary<History> {
  return timeFrames
    .chain((frame) => fc.tuple(fc.constant(frame), settingsOf(profile, frame)))
    .chain(([frame, settings]) =>
      fc.record({
        settings: fc.constant(settings),
        frame: fc.constant(frame),
        topics: fc.tuple(...settings.topics.map((role) => topicRecords(profile, role, frame))),
        steps: fc.array(stepOf(frame, habits), { maxLength: habits.steps, size: 'max' }),
      }),
    );
}
