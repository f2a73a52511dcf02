import type { RunSettings } from '../accumulators/runs.ts';
import { type RowOwner, usersKey } from '../accumulators/store/layout.ts';
import { fieldsOfSample } from '../statistics/sample-codec.ts';
import type { UserSample } from '../statistics/user-sample.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';

/** Exposures are looked at in stretches of event time, so that those that wait are not gone through again and again. */
const STRETCH_MS: DurationMs = 1000;

/** An entry of the map, and the head of its list. */
const STRETCH_BYTES = 100;

/** Four numbers each: run, key of the user, variant, time. */
const WIDTH = 4;

/**
 * Who saw which variant, for every run of a unit. An exposure enters the sample when event time has passed the shortest
 * horizon of its impression (specification: statistics 5.1); until then it waits here and is as safe as an open impression:
 * a new owner reads it again. What was added before the checkpoint is passed over when its record is read again: the
 * verdicts of records that nothing open needs may differ then.
 */
export class UnitExposures {
  readonly #runs: readonly RunSettings[];
  readonly #shortest: DurationMs;
  /** Exposures up to this time were added before, if their record was judged then. */
  readonly #settled: EpochMs;
  readonly #samples: readonly UserSample[];
  readonly #variants: readonly ReadonlyMap<string, number>[];
  /** By number of the stretch. */
  readonly #waiting = new Map<number, number[]>();
  /** Of all stretches. */
  #numbers = 0;

  /** `samples`: as stored, one per run, when event time was at `settledUpTo`. */
  constructor(
    runs: readonly RunSettings[],
    shortest: DurationMs,
    samples: readonly UserSample[],
    settledUpTo: EpochMs,
  ) {
    this.#runs = runs;
    this.#shortest = shortest;
    this.#settled = settledUpTo - shortest;
    this.#samples = samples;
    this.#variants = runs.map(({ variants }) => new Map(variants.map((name, place) => [name, place] as const)));
  }

  /**
   * An impression was accepted.
   *
   * @param user its key in samples; @param values of its dimensions, one per run; @param leftOut as in `Runs`
   * @param again its record was judged before the checkpoint
   */
  accepted(user: number, values: readonly string[], ts: EpochMs, leftOut: number, again: boolean): void {
    if (again && ts <= this.#settled) return;
    for (let r = 0; r < values.length; r++) {
      const variant = (leftOut & (1 << r)) === 0 ? this.#variants[r].get(values[r]) : undefined;
      if (variant === undefined) continue;
      this.#numbers += WIDTH;
      const stretch = Math.floor(ts / STRETCH_MS);
      const waiting = this.#waiting.get(stretch);
      if (waiting === undefined) this.#waiting.set(stretch, [r, user, variant, ts]);
      else waiting.push(r, user, variant, ts);
    }
  }

  /** Everything up to `watermark` is in. */
  advance(watermark: EpochMs): void {
    const until = watermark - this.#shortest;
    for (const [stretch, waiting] of this.#waiting) {
      if (stretch * STRETCH_MS > until) continue;
      const left: number[] = [];
      for (let i = 0; i < waiting.length; i += WIDTH) {
        const run = waiting[i];
        const user = waiting[i + 1];
        const variant = waiting[i + 2];
        const ts = waiting[i + 3];
        if (ts <= until) this.#samples[run].addKey(user, variant, ts);
        else left.push(run, user, variant, ts);
      }
      this.#numbers -= waiting.length - left.length;
      if (left.length > 0) this.#waiting.set(stretch, left);
      else this.#waiting.delete(stretch);
    }
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    let bytes = 12 * this.#numbers + STRETCH_BYTES * this.#waiting.size;
    for (const sample of this.#samples) bytes += sample.bytes;
    return bytes;
  }

  sample(run: number): UserSample {
    return this.#samples[run];
  }

  /** What changed since the last call goes into `rows`, and what is to be removed into `removes`. */
  take(owner: RowOwner, rows: Map<string, Map<string, string>>, removes: Map<string, readonly string[]>): void {
    for (const [r, sample] of this.#samples.entries()) {
      const change = sample.drain();
      const key = usersKey(owner, this.#runs[r].name, this.#runs[r].run);
      const fields = fieldsOfSample(change);
      if (fields.size > 0) rows.set(key, fields);
      if (change.gone.length > 0) removes.set(key, change.gone.map(String));
    }
  }
}
