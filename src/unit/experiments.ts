import type { Row } from '../accumulators/row.ts';
import { type RunState, Runs } from '../accumulators/runs.ts';
import type { RowOwner } from '../accumulators/store/layout.ts';
import type { AcceptedImpression, RecordPlace } from '../consumers/join/api.ts';
import type { ExperimentLooks } from '../experiment/looks.ts';
import type { ExperimentState } from '../experiment/state.ts';
import type { UnitPart } from '../experiment/units.ts';
import type { UserSample } from '../statistics/user-sample.ts';
import type { EpochMs, Impression, Offset } from '../vocabulary/events.ts';
import { sampleKey } from '../vocabulary/user-words.ts';
import type { UnitSettings } from './contract.ts';
import { UnitExposures } from './exposures.ts';
import { UnitLooks } from './looks.ts';

/** What the store holds of the runs of a unit's experiments, in the order of the settings. */
export interface StoredRuns {
  readonly states: readonly RunState[];
  /** Offsets, by topic, at which a run begins that is not among the states. */
  readonly positions: readonly Offset[];
  readonly samples: readonly UserSample[];
  /** Fields of the looks; of other units than 0 empty. */
  readonly looks: readonly ReadonlyMap<string, string>[];
  /** The watermark of the checkpoint. */
  readonly settledUpTo: EpochMs;
}

/** All that a unit keeps of experiments beside the sums of its rows: where runs began, who saw what, what looks have found. */
export class UnitExperiments {
  readonly #runs: Runs;
  readonly #exposures: UnitExposures;
  readonly #looks: readonly UnitLooks[];
  /** By run: the place of its dimension in an impression. */
  readonly #places: readonly number[];

  constructor(
    { experiments, panes, join }: Pick<UnitSettings, 'experiments' | 'panes' | 'join'>,
    { states, positions, samples, looks, settledUpTo }: StoredRuns,
  ) {
    this.#runs = new Runs(panes.runs, states, positions);
    this.#exposures = new UnitExposures(panes.runs, join.horizons[0], samples, settledUpTo);
    this.#looks = experiments.map((settings, r) => new UnitLooks(settings, panes.runs[r].run, looks[r]));
    this.#places = panes.runs.map(({ dimension }) => panes.dimensions.indexOf(dimension));
  }

  /** An impression of the record `from` was accepted: returns the runs that it takes no part in, as in `Runs`. */
  accepted(impression: AcceptedImpression, { topic, offset, isReplayed }: RecordPlace): number {
    if (this.#places.length === 0) return 0;
    const { ts, dimensions } = impression;
    const leftOut = this.#runs.leftOut(topic, offset, ts);
    const user = 'sampleKey' in impression ? impression.sampleKey : keyOf(impression);
    if (user >= 0) {
      const values = this.#places.map((place) => dimensions[place]);
      this.#exposures.accepted(user, values, ts, leftOut, isReplayed);
    }
    return leftOut;
  }

  /** So many records were lost before they were read. */
  missed(records: number): void {
    this.#runs.missed(records);
  }

  /** What this unit holds of a run as of `watermark`. @param rows of its total, by value */
  part(run: number, rows: ReadonlyMap<string, Row>, watermark: EpochMs): UnitPart {
    this.#exposures.advance(watermark);
    return { rows, sample: this.#exposures.sample(run), missing: this.#runs.state()[run].missing };
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return this.#exposures.bytes;
  }

  looks(run: number): ExperimentLooks {
    return this.#looks[run].looks;
  }

  look(run: number, totals: Omit<ExperimentState, 'looks'>): void {
    this.#looks[run].take(totals);
  }

  /** What changed up to `watermark` goes into `rows`, and the fields to remove into `removes`. */
  takeChanges(
    watermark: EpochMs,
    owner: RowOwner,
    rows: Map<string, Map<string, string>>,
    removes: Map<string, readonly string[]>,
  ): void {
    this.#exposures.advance(watermark);
    for (const looks of this.#looks) looks.takeChanges(owner, rows);
    this.#exposures.take(owner, rows, removes);
  }

  /** What the checkpoint keeps. */
  state(): readonly RunState[] {
    return this.#runs.state();
  }
}

function keyOf({ userId }: Impression): number {
  return userId === undefined ? -1 : sampleKey(userId);
}
