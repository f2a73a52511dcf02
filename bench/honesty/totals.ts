import { emptyRow, type Row, shapeOf } from '../../src/accumulators/row.ts';
import { SUM, Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import type { ExperimentSettings } from '../../src/config/settings.ts';
import type { ExperimentState } from '../../src/experiment/state.ts';
import { stateOfUnits } from '../../src/experiment/units.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';
import { BUCKETS, bucketOf } from '../../src/vocabulary/user-words.ts';
import { BEGIN, experimentWith, HOUR_MS, NAMES, SETTINGS } from './experiment.ts';
import type { Stream } from './model.ts';
import { addDeltas, HEAD_WIDTH } from './row-deltas.ts';

const SHAPE = shapeOf(SETTINGS.measures);
const STARTS = vectorStarts(SHAPE.kinds);
const COLUMN = Int32Array.of(STARTS[0] + SUM);

/** Reciprocal ranks and their squares in 1e-9, as rows keep them. */
const VALUES = Float64Array.from({ length: 11 }, (_, rank) => (rank === 0 ? 0 : Math.round(1e9 / rank)));
const SQUARES = Float64Array.from(VALUES, (value) => Math.round((value * value) / 1e9));

/** Mean and squared error of one variant as if lists were independent. */
export interface PlainMean {
  readonly mean: number;
  readonly variance: number;
}

/** The product's since-start totals of a stream, filled look by look without logs in between. */
export class Totals {
  readonly #stream: Stream;
  readonly #experiment: ExperimentSettings;
  readonly #buckets: Uint8Array;
  readonly #seen: Uint8Array;
  readonly #rows: readonly Row[] = NAMES.map(() => {
    const row = emptyRow(SHAPE);
    row.vector = new Vector(BUCKETS, STARTS[STARTS.length - 1]);
    return row;
  });
  readonly #sample = new UserSample();
  #looks = 0;

  constructor(stream: Stream) {
    this.#stream = stream;
    this.#experiment = experimentWith(stream.settings.nStar);
    this.#buckets = Uint8Array.from(stream.ids, (id) => bucketOf(id));
    this.#seen = new Uint8Array(stream.ids.length);
  }

  /** What the next look sees. */
  next(): Omit<ExperimentState, 'looks'> {
    const { users, ranks, variants, ids, ends } = this.#stream;
    const look = this.#looks++;
    const asOf = BEGIN + (look + 1) * HOUR_MS;
    const deltas = NAMES.map(() => new Float64Array(HEAD_WIDTH + 4));
    const amount = new Float64Array(1);
    for (let i = look === 0 ? 0 : ends[look - 1]; i < ends[look]; i++) {
      const user = users[i];
      const rank = ranks[i];
      const variant = variants[user];
      const positive = rank > 0;
      amount[0] = VALUES[rank];
      this.#rows[variant].vector?.add(this.#buckets[user], positive, COLUMN, amount, positive ? 1 : 0);
      const delta = deltas[variant];
      delta[0]++;
      delta[HEAD_WIDTH]++;
      if (positive) {
        delta[1]++;
        delta[HEAD_WIDTH + 1]++;
        delta[HEAD_WIDTH + 2] += VALUES[rank];
        delta[HEAD_WIDTH + 3] += SQUARES[rank];
      }
      if (this.#seen[user] === 0) this.#sample.add(ids[user], variant, asOf - HOUR_MS);
      this.#seen[user] = 1;
    }
    for (const [v, delta] of deltas.entries()) addDeltas(this.#rows[v], delta);
    const rows = new Map(NAMES.map((name, v) => [name, this.#rows[v]] as const));
    return stateOfUnits(this.#experiment, SETTINGS.measures, [{ rows, sample: this.#sample, missing: 0 }], asOf);
  }

  /** Of each variant, in the order of the settings. */
  get plain(): readonly PlainMean[] {
    return this.#rows.map(({ sums }) => {
      const [n, , s, q] = sums.map(Number);
      const mean = s / 1e9 / n;
      return { mean, variance: (q / 1e9 / n - mean * mean) / (n - 1) };
    });
  }
}
