import { Delays } from '../consumers/join/delays.ts';
import type { CommittedState } from '../unit/contract.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { CommitOutcomeName, UnitStatus, WorkerStatus } from './status.ts';

/** Upper bounds in seconds. */
const COMMIT_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What a worker counts of itself over its life, whatever units come and go. */
export class Tally {
  readonly #topics: readonly string[];
  readonly #commits: Record<CommitOutcomeName, number> = { ok: 0, already: 0, fenced: 0, conflict: 0, unknown: 0 };
  readonly #durations = COMMIT_SECONDS.map(() => 0).concat(0);
  #durationSum = 0;
  #lastCommit: EpochMs | undefined;
  #rewinds = 0;
  #gapRecords = 0;
  /** Own clock minus the store's; undefined: not known. */
  clockSkew: DurationMs | undefined;

  constructor(topics: readonly string[]) {
    this.#topics = topics;
  }

  /** A commit was applied; `seconds`: how long the answer took. */
  committed(answer: 'OK' | 'ALREADY', seconds: number, at: EpochMs): void {
    this.outcome(answer === 'OK' ? 'ok' : 'already');
    const bucket = COMMIT_SECONDS.findIndex((bound) => seconds <= bound);
    this.#durations[bucket < 0 ? COMMIT_SECONDS.length : bucket]++;
    this.#durationSum += seconds;
    this.#lastCommit = at;
  }

  outcome(name: CommitOutcomeName): void {
    this.#commits[name]++;
  }

  rewound(): void {
    this.#rewinds++;
  }

  /** Records that the log held once and that nobody read. */
  missed(records: number): void {
    this.#gapRecords += records;
  }

  status(
    units: readonly UnitStatus[],
    delays: readonly CommittedState['delays'][],
    fetchedBytes: number,
  ): WorkerStatus {
    return {
      topics: this.#topics,
      units,
      commits: { ...this.#commits },
      commitDuration: { bounds: COMMIT_SECONDS, counts: [...this.#durations], sum: this.#durationSum },
      feedbackDelay: {
        bounds: Delays.bounds,
        counts: [...Delays.bounds, 0].map((_, i) => delays.reduce((sum, { counts }) => sum + counts[i], 0)),
        sum: delays.reduce((sum, d) => sum + d.sum, 0),
      },
      lastCommit: this.#lastCommit,
      rewinds: this.#rewinds,
      gapRecords: this.#gapRecords,
      fetchedBytes,
      clockSkew: this.clockSkew,
    };
  }
}
