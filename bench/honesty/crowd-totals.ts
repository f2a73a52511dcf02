import { emptyRow, type Row, shapeOf } from '../../src/accumulators/row.ts';
import { SUM, Vector, vectorStarts } from '../../src/accumulators/vector.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { ExperimentState } from '../../src/experiment/state.ts';
import { stateOfUnits } from '../../src/experiment/units.ts';
import { UserSample } from '../../src/statistics/user-sample.ts';
import { BUCKETS, bucketOf } from '../../src/vocabulary/user-words.ts';
import type { Lists } from './crowd.ts';
import { BEGIN, HOUR_MS } from './experiment.ts';
import { addDeltas, HEAD_WIDTH } from './row-deltas.ts';

/** Numbers of a measure in a row's head: lists, lists with a positive, sum, sum of squares. */
const HEAD_OF_MEASURE = 4;

function settingsOf({ weights, measures, guardrails }: Lists['settings']): Settings {
  const variants = Object.fromEntries(weights.map((weight, v) => [`v${v}`, weight]));
  const experiment = { control: 'v0', variants, primary: measures[0], guardrails };
  return loadSettings({ readFile: () => JSON.stringify({ measures, experiments: { default: experiment } }), env: {} });
}

/** The product's since-start totals of a crowd or a world, filled look by look. */
export class CrowdTotals {
  readonly #crowd: Lists;
  readonly #settings: Settings;
  readonly #names: readonly string[];
  readonly #columns: Int32Array;
  readonly #buckets: Uint8Array;
  /** By user: bit v is set if variant v was seen. */
  readonly #seen: Uint16Array;
  readonly #rows: readonly Row[];
  readonly #sample = new UserSample();
  #looks = 0;

  constructor(crowd: Lists) {
    this.#crowd = crowd;
    this.#settings = settingsOf(crowd.settings);
    this.#names = [...this.#settings.experiments[0].variants.keys()];
    const shape = shapeOf(this.#settings.measures);
    const starts = vectorStarts(shape.kinds);
    this.#columns = Int32Array.from(this.#settings.measures, (_, m) => starts[m] + SUM);
    this.#buckets = Uint8Array.from(crowd.ids, (id) => bucketOf(id));
    this.#seen = new Uint16Array(crowd.ids.length);
    this.#rows = this.#names.map(() => {
      const row = emptyRow(shape);
      row.vector = new Vector(BUCKETS, starts[starts.length - 1]);
      return row;
    });
  }

  /** What the next look sees. */
  next(): Omit<ExperimentState, 'looks'> {
    const { users, variants, values, ids, ends, missing = [] } = this.#crowd;
    const look = this.#looks++;
    const asOf = BEGIN + (look + 1) * HOUR_MS;
    const width = this.#columns.length;
    const deltas = this.#names.map(() => new Float64Array(HEAD_WIDTH + HEAD_OF_MEASURE * width));
    for (let i = look === 0 ? 0 : ends[look - 1]; i < ends[look]; i++) {
      const [user, variant] = [users[i], variants[i]];
      const amounts = values.subarray(i * width, (i + 1) * width);
      const positive = amounts[0] > 0;
      const bucket = user < 0 ? bucketOf(`r${i}`) : this.#buckets[user];
      this.#rows[variant].vector?.add(bucket, positive, this.#columns, amounts, positive ? width : 0);
      const delta = deltas[variant];
      delta[0]++;
      if (user < 0) delta[2]++;
      if (positive) delta[1]++;
      for (let m = 0, at = HEAD_WIDTH; m < width; m++, at += HEAD_OF_MEASURE) {
        delta[at]++;
        if (!positive) continue;
        delta[at + 1]++;
        delta[at + 2] += amounts[m];
        delta[at + 3] += Math.round((amounts[m] * amounts[m]) / 1e9);
      }
      if (user < 0) continue;
      if ((this.#seen[user] & (1 << variant)) === 0) this.#sample.add(ids[user], variant, asOf - HOUR_MS);
      this.#seen[user] |= 1 << variant;
    }
    for (const [v, delta] of deltas.entries()) addDeltas(this.#rows[v], delta);
    const rows = new Map(this.#names.map((name, v) => [name, this.#rows[v]] as const));
    const { experiments, measures } = this.#settings;
    return stateOfUnits(experiments[0], measures, [{ rows, sample: this.#sample, missing: missing[look] ?? 0 }], asOf);
  }
}
