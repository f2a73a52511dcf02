import type { PaneChanges } from '../accumulators/panes-settings.ts';
import type { Row } from '../accumulators/row.ts';
import { type RunSettings, type RunState, Runs, type StoredRuns } from '../accumulators/runs.ts';
import { looksKey, type RowOwner, usersKey } from '../accumulators/store/layout.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { AcceptedImpression, RecordPlace } from '../consumers/join/api.ts';
import { areCounted, type ExperimentLooks, encodeLooks } from '../experiment/experiment-looks.ts';
import type { ExperimentState } from '../experiment/state.ts';
import { takeLooks } from '../experiment/take-looks.ts';
import type { UnitPart } from '../experiment/units.ts';
import { fieldsOfSample, type UserSample } from '../statistics/user-sample.ts';
import type { DurationMs, EpochMs, Impression } from '../vocabulary/events.ts';
import { sampleKey } from '../vocabulary/user-words.ts';
import type { UnitSettings } from './unit-contract.ts';

/** What the store holds for the runs of a unit's experiments, in the order of the settings. */
interface StoredExperiments extends StoredRuns {
  readonly samples: readonly UserSample[];
  /** The looks at each run; empty for all units but unit 0. */
  readonly looks: readonly StoredLooks[];
}

/** The fields stored under the key of the looks, and the looks that they encode. */
interface StoredLooks {
  readonly fields: ReadonlyMap<string, string>;
  readonly looks: ExperimentLooks;
}

/** All that a unit keeps of experiments besides the sums in its rows: where runs began, who saw which variant, what looks have found. */
export class UnitExperiments {
  readonly #runs: Runs;
  readonly #exposures: UnitExposures;
  readonly #looks: readonly UnitLooks[];
  /** The index of each run's dimension in an impression. */
  readonly #places: readonly number[];
  /** The value of each run's dimension in the impression that is being accepted. */
  readonly #values: string[] = [];

  constructor(
    { experiments, panes, join }: Pick<UnitSettings, 'experiments' | 'panes' | 'join'>,
    { samples, looks, ...stored }: StoredExperiments,
  ) {
    const { closedUpTo } = stored;
    this.#runs = new Runs(panes.runs, panes.shape.names, stored);
    this.#exposures = new UnitExposures(panes.runs, join.horizons[0], samples, closedUpTo);
    this.#looks = experiments.map((settings, r) => new UnitLooks(settings, panes.runs[r].run, looks[r]));
    this.#places = panes.runs.map(({ dimension }) => panes.dimensions.indexOf(dimension));
  }

  /** Notes an accepted impression of the record `from`. Returns the runs that it takes no part in, as `Runs` does. */
  accepted(impression: AcceptedImpression, { topic, offset, isReplayed }: RecordPlace): number {
    if (this.#places.length === 0) return 0;
    const { ts, dimensions } = impression;
    const leftOut = this.#runs.leftOut(topic, offset, ts);
    const user = 'sampleKey' in impression ? impression.sampleKey : keyOf(impression);
    if (user >= 0) {
      for (let r = 0; r < this.#places.length; r++) this.#values[r] = dimensions[this.#places[r]];
      this.#exposures.accepted(user, this.#values, ts, leftOut, isReplayed);
    }
    return leftOut;
  }

  /** Whether no impression with these dimensions matters to a run, in the record `from` or in a later one of its topic. */
  ignores(dimensions: readonly string[], { topic, offset }: RecordPlace): boolean {
    return (
      this.#runs.haveBegun(topic, offset) && !this.#places.some((place, r) => this.#exposures.has(r, dimensions[place]))
    );
  }

  /** Notes that `records` were lost before they could be read. */
  lost(records: number): void {
    this.#runs.lost(records);
  }

  /** What this unit holds of a run as of `watermark`. @param rows the rows of its total, by value */
  part(run: number, rows: ReadonlyMap<string, Row>, watermark: EpochMs): UnitPart {
    this.#exposures.advance(watermark);
    return { rows, sample: this.#exposures.sample(run), ...this.#runs.part(run) };
  }

  /** Bytes in memory, estimated. */
  get bytes(): number {
    return this.#exposures.bytes;
  }

  look(run: number, totals: Omit<ExperimentState, 'looks'>): void {
    this.#looks[run].take(totals);
  }

  /** Adds to `changes` what changed up to `watermark`. */
  takeChanges(watermark: EpochMs, owner: RowOwner, changes: PaneChanges): void {
    this.#exposures.advance(watermark);
    for (const looks of this.#looks) looks.takeChanges(owner, changes);
    this.#exposures.take(owner, changes);
  }

  /** The runs as the checkpoint stores them, after `takeChanges`. @param lists the number of lists in each total, in the order of the settings */
  state(lists: readonly number[]): readonly RunState[] {
    return this.#runs.state(
      this.#looks.map(({ isCounted }, r) => {
        const { level, size } = this.#exposures.sample(r);
        return { lists: lists[r], users: size === 0 ? undefined : [level, size], looks: isCounted || undefined };
      }),
    );
  }
}

function keyOf({ userId }: Impression): number {
  return userId === undefined ? -1 : sampleKey(userId);
}

/**
 * Who saw which variant, for every run of a unit. An exposure enters the sample when event time has passed the shortest horizon
 * of its impression (specification: statistics 5.1); until then it waits here, and is as safe as an open impression: a new
 * owner reads it again. An exposure that was added before the checkpoint is skipped when its record is read again, because
 * records that nothing open needs may be judged differently then.
 */
export class UnitExposures {
  readonly #runs: readonly RunSettings[];
  readonly #shortest: DurationMs;
  /** The time up to which exposures are in the sample already, if their record was judged before the checkpoint. */
  readonly #countedUpTo: EpochMs;
  readonly #samples: readonly UserSample[];
  readonly #variants: readonly ReadonlyMap<string, number>[];
  readonly #waiting = new WaitingExposures();
  /** The runs whose users are stored, or will be with the commit that takes them. */
  readonly #stored = new Set<number>();

  /** `samples`: the sample of each run, as stored when event time was at `closedUpTo`. */
  constructor(runs: readonly RunSettings[], shortest: DurationMs, samples: readonly UserSample[], closedUpTo: EpochMs) {
    this.#runs = runs;
    this.#shortest = shortest;
    this.#countedUpTo = closedUpTo - shortest;
    this.#samples = samples;
    for (const [r, { size }] of samples.entries()) if (size > 0) this.#stored.add(r);
    this.#variants = runs.map(({ variants }) => new Map(variants.map((name, place) => [name, place] as const)));
  }

  /**
   * Lets the user of an accepted impression wait to be added.
   *
   * @param user the key of the user in samples; @param values the value of each run's dimension; @param leftOut as in `Runs`
   * @param isReplayed whether its record was judged before the checkpoint
   */
  accepted(user: number, values: readonly string[], ts: EpochMs, leftOut: number, isReplayed: boolean): void {
    if (isReplayed && ts <= this.#countedUpTo) return;
    for (let r = 0; r < values.length; r++) {
      const variant = (leftOut & (1 << r)) === 0 ? this.#variants[r].get(values[r]) : undefined;
      if (variant === undefined) continue;
      this.#waiting.add(r, user, variant, ts);
    }
  }

  /** Whether a run has this variant. */
  has(run: number, variant: string): boolean {
    return this.#variants[run].has(variant);
  }

  /** Adds the waiting exposures to the samples, now that everything up to `watermark` has been accepted. */
  advance(watermark: EpochMs): void {
    this.#waiting.takeUpTo(watermark - this.#shortest, (run, user, variant, ts) => {
      this.#samples[run].addKey(user, variant, ts);
    });
  }

  /** Bytes in memory, estimated. */
  get bytes(): number {
    let { bytes } = this.#waiting;
    for (const sample of this.#samples) bytes += sample.bytes;
    return bytes;
  }

  sample(run: number): UserSample {
    return this.#samples[run];
  }

  /** Adds to the changes what changed since the last call. */
  take(owner: RowOwner, { rows, stored, removes }: PaneChanges): void {
    for (const [r, sample] of this.#samples.entries()) {
      const change = sample.drain();
      const key = usersKey(owner, this.#runs[r].name, this.#runs[r].run);
      const fields = fieldsOfSample(change);
      if (fields.size > 0) {
        rows.set(key, fields);
        if (this.#stored.has(r)) stored.add(key);
        this.#stored.add(r);
      }
      if (change.gone.length > 0) removes.set(key, change.gone.map(String));
    }
  }
}

/** The looks of one run, as unit 0 keeps them. */
class UnitLooks {
  readonly #settings: ExperimentSettings;
  readonly #run: string;
  #stored: ReadonlyMap<string, string>;
  #looks: ExperimentLooks;
  /** The looks whose fields are stored or in flight. */
  #taken: ExperimentLooks;

  constructor(settings: ExperimentSettings, run: string, { fields, looks }: StoredLooks) {
    this.#settings = settings;
    this.#run = run;
    this.#stored = fields;
    this.#looks = looks;
    this.#taken = this.#looks;
  }

  take(totals: Omit<ExperimentState, 'looks'>): void {
    this.#looks = takeLooks({ ...totals, looks: this.#looks });
  }

  /** Whether fields are stored, the count of looks among them. */
  get isCounted(): boolean {
    return areCounted(this.#stored);
  }

  /** Adds to the changes the fields that changed since the last call, and removes those of looks that were forgotten. */
  takeChanges(owner: RowOwner, { rows, stored, removes }: PaneChanges): void {
    if (this.#looks === this.#taken) return;
    this.#taken = this.#looks;
    const key = looksKey(owner, this.#settings.name, this.#run);
    const fields = encodeLooks(this.#looks, this.#settings);
    const changed = new Map([...fields].filter(([field, text]) => this.#stored.get(field) !== text));
    const gone = [...this.#stored.keys()].filter((field) => !fields.has(field));
    if (changed.size > 0) {
      rows.set(key, changed);
      if (this.#stored.size > 0) stored.add(key);
    }
    this.#stored = fields;
    if (gone.length > 0) removes.set(key, gone);
  }
}

/** Exposures wait in stretches of event time, so that those that are not due are not looked at again and again. */
const STRETCH_MS: DurationMs = 1000;

/** Bytes of an entry of the map, with its stretch. */
const STRETCH_BYTES = 150;
const EXPOSURE_BYTES = 28;
const LEAST = 64;
const NONE = -1;

/** The exposures of one stretch, from `first` to `last` in the order in which they came. */
interface Stretch {
  first: number;
  last: number;
}

/**
 * Exposures that event time has not passed yet. They are rows of arrays, whose rows are used again, so that no garbage is left: with a
 * list of objects per stretch, every exposure was garbage within minutes.
 */
export class WaitingExposures {
  /** The stretches by their number, which is their time divided by `STRETCH_MS`. */
  readonly #stretches = new Map<number, Stretch>();
  #users = new Float64Array(LEAST);
  #times = new Float64Array(LEAST);
  #runs = new Int32Array(LEAST);
  #variants = new Int32Array(LEAST);
  /** The row after each row in its stretch, or in the list of free rows. */
  #next = new Int32Array(LEAST);
  /** The number of rows that were ever used. */
  #rows = 0;
  #free = NONE;

  add(run: number, user: number, variant: number, ts: EpochMs): void {
    const row = this.#take();
    this.#users[row] = user;
    this.#times[row] = ts;
    this.#runs[row] = run;
    this.#variants[row] = variant;
    this.#next[row] = NONE;
    const number = Math.floor(ts / STRETCH_MS);
    const stretch = this.#stretches.get(number);
    if (stretch === undefined) this.#stretches.set(number, { first: row, last: row });
    else {
      this.#next[stretch.last] = row;
      stretch.last = row;
    }
  }

  /** Takes out the exposures up to `until`, inclusive, and gives them to `see`. */
  takeUpTo(until: EpochMs, see: (run: number, user: number, variant: number, ts: EpochMs) => void): void {
    for (const [number, stretch] of this.#stretches) {
      if (number * STRETCH_MS > until) continue;
      const { first } = stretch;
      stretch.first = NONE;
      for (let row = first, next = NONE; row !== NONE; row = next) {
        next = this.#next[row];
        const ts = this.#times[row];
        if (ts > until) this.#keep(stretch, row);
        else {
          see(this.#runs[row], this.#users[row], this.#variants[row], ts);
          this.#next[row] = this.#free;
          this.#free = row;
        }
      }
      if (stretch.first === NONE) this.#stretches.delete(number);
    }
  }

  /** Bytes in memory, estimated. */
  get bytes(): number {
    return EXPOSURE_BYTES * this.#users.length + STRETCH_BYTES * this.#stretches.size;
  }

  #keep(stretch: Stretch, row: number): void {
    if (stretch.first === NONE) stretch.first = row;
    else this.#next[stretch.last] = row;
    stretch.last = row;
    this.#next[row] = NONE;
  }

  #take(): number {
    const row = this.#free;
    if (row !== NONE) {
      this.#free = this.#next[row];
      return row;
    }
    if (this.#rows === this.#users.length) this.#grow();
    return this.#rows++;
  }

  #grow(): void {
    const room = 2 * this.#users.length;
    const wider = <A extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(to: A, from: A): A => {
      to.set(from);
      return to;
    };
    this.#users = wider(new Float64Array(room), this.#users);
    this.#times = wider(new Float64Array(room), this.#times);
    this.#runs = wider(new Int32Array(room), this.#runs);
    this.#variants = wider(new Int32Array(room), this.#variants);
    this.#next = wider(new Int32Array(room), this.#next);
  }
}
