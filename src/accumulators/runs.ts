import type { EpochMs, Offset } from '../vocabulary/events.ts';
import { keysOf, listOf, parseJson, textOf, whole } from './store/json.ts';

/**
 * What a unit needs to know of one run of an experiment. A run counts impressions from where it began: what was accepted before
 * belongs to other variants or weights and is left out, even if it closes later.
 */
export interface RunSettings {
  /** Of the experiment. */
  readonly name: string;
  /** Fingerprint of what defines the run: a run with another fingerprint starts at zero. */
  readonly run: string;
  readonly dimension: string;
  /** Index of the horizon whose results are summed. */
  readonly horizon: number;
  /** Configured values of the dimension. */
  readonly variants: readonly string[];
  /** Earlier impressions are left out; undefined: none are. */
  readonly start: EpochMs | undefined;
}

/** What the checkpoint keeps of a run. */
export interface RunState {
  readonly name: string;
  readonly run: string;
  /** By topic: the offset of the first record that counts. */
  readonly begins: readonly Offset[];
  /** Records that were lost to gaps since then. */
  readonly missing: number;
}

/** Bits of an integer that bitwise operators can use. */
export const MOST_RUNS = 31;

/** Where the runs of one unit began, and which impressions take no part in them. */
export class Runs {
  readonly #starts: readonly EpochMs[];
  #states: readonly RunState[];

  /** `stored`: from the checkpoint. `positions`: by topic, where a run begins that is not among them. */
  constructor(settings: readonly RunSettings[], stored: readonly RunState[], positions: readonly Offset[]) {
    if (settings.length > MOST_RUNS) throw new Error(`at most ${MOST_RUNS} experiments, not ${settings.length}`);
    this.#starts = settings.map(({ start }) => start ?? Number.NEGATIVE_INFINITY);
    this.#states = settings.map(({ name, run }) => {
      const known = stored.find((state) => state.name === name && state.run === run);
      return known ?? { name, run, begins: [...positions], missing: 0 };
    });
  }

  /** Bit r is set if an impression takes no part in run r. */
  leftOut(topic: number, offset: Offset, ts: EpochMs): number {
    let runs = 0;
    for (let r = 0; r < this.#starts.length; r++) {
      if (ts < this.#starts[r] || offset < (this.#states[r].begins[topic] ?? 0)) runs |= 1 << r;
    }
    return runs;
  }

  /** Whether impressions take part in all runs from this record on, at whatever time. */
  haveBegun(topic: number, offset: Offset): boolean {
    return this.leftOut(topic, offset, Number.NEGATIVE_INFINITY) === 0;
  }

  /** `records` were lost before they could be read. */
  lost(records: number): void {
    this.#states = this.#states.map((state) => ({ ...state, missing: state.missing + records }));
  }

  state(): readonly RunState[] {
    return this.#states;
  }
}

/** Reads stored states; undefined: a checkpoint of a release that had no runs. Throws an Error that names the part that is wrong. */
export function parseRuns(text: string | undefined): readonly RunState[] {
  if (text === undefined) return [];
  return listOf(parseJson(text, 'runs'), 'runs', (value, where): RunState => {
    const state = keysOf(value, where);
    return {
      name: textOf(state['name'], `${where}.name`),
      run: textOf(state['run'], `${where}.run`),
      begins: listOf(state['begins'], `${where}.begins`, whole),
      missing: whole(state['missing'], `${where}.missing`),
    };
  });
}
