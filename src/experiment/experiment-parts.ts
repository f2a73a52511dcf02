/**
 * Reads experiments from a store: what every unit has of a run, and what looks have found (specification: layout 1).
 * A unit's hash is read before and after its rows; a unit that changed hands meanwhile is read again.
 */
import type { Row } from '../accumulators/row.ts';
import { shapeOf } from '../accumulators/row.ts';
import { type RowCodec, rowCodec } from '../accumulators/row-codec.ts';
import { valuesOfRun } from '../accumulators/run-total.ts';
import { isRun, missingFrom, type RunState, type Since } from '../accumulators/runs.ts';
import { totalKey, unitKey, usersKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { SampleColumns, type Sampled } from '../statistics/sampled.ts';
import { readField } from '../statistics/user-sample.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import { readUnit, stands, type UnitState } from '../windows/unit-state.ts';
import { runOf } from './run-settings.ts';
import type { UnitPart } from './units.ts';

/** A unit's parts of all experiments at one moment. */
interface UnitParts {
  readonly state: UnitState;
  /** In the order of the experiments. */
  readonly parts: readonly UnitPart[];
  /** What is wrong, by key: of totals that the store lacks, and of totals and users that are damaged. */
  readonly lost: ReadonlyMap<string, string>;
  /** Lists that are lost with them, or were when the unit was claimed. */
  readonly lostLists: number;
}

interface PartsSettings {
  readonly namespace: string;
  readonly experiments: readonly ExperimentSettings[];
  readonly measures: readonly Measure[];
}

const ATTEMPTS = 5;

/**
 * Up to this many users of a unit are read at every reading; above it at every second one, from twice as many on at every
 * third, and so on: a full sample changes slowly, and takes 31 MB per unit.
 */
export const USERS_PER_READING = 2 ** 15;

const NO_USERS: Sampled = new SampleColumns();

interface KeptSample {
  readonly sample: Sampled;
  /** How many more readings use it. */
  readonly left: number;
  /** What is wrong with the one that is stored; absent: nothing. */
  readonly why?: string;
}

export class ExperimentParts {
  readonly #settings: PartsSettings;
  readonly #store: Store;
  readonly #codec: RowCodec;
  /** The present run of each experiment. */
  readonly runs: readonly string[];
  /** By unit: as last read. */
  readonly #known = new Map<number, UnitParts>();
  /** By unit, then by key of its users. */
  readonly #samples = new Map<number, ReadonlyMap<string, KeptSample>>();

  constructor(settings: PartsSettings, store: Store) {
    this.#settings = settings;
    this.#store = store;
    this.#codec = rowCodec(shapeOf(settings.measures));
    this.runs = settings.experiments.map((experiment) => runOf(experiment));
  }

  /**
   * What a unit has stored. undefined: nothing has been committed to it. The result is the same object as long as nothing is
   * committed. Rejects when the store cannot be read, when this build cannot read what it contains, and when the unit changed
   * hands too often.
   */
  async read(unit: number): Promise<UnitParts | undefined> {
    const key = unitKey(this.#settings.namespace, unit);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = this.#known.get(unit);
      const [before] = await this.#store.read([key]);
      const state = readUnit(unit, before, known?.state);
      if (state === undefined) return undefined;
      if (state === known?.state) return known;
      const read = await this.#parts(unit, state);
      const [after] = await this.#store.read([key]);
      if (!stands(readUnit(unit, after, state), state, [])) continue;
      const parts: UnitParts = { state, ...read };
      this.#known.set(unit, parts);
      return parts;
    }
    throw new Error(
      `unit ${unit} of namespace "${this.#settings.namespace}" changed hands while it was read, ${ATTEMPTS} times in a row`,
    );
  }

  async #parts(unit: number, state: UnitState): Promise<Omit<UnitParts, 'state'>> {
    const { namespace, experiments } = this.#settings;
    const owner = { namespace, unit, generation: state.generation };
    const totals = experiments.map(({ name }, e) => totalKey(owner, name, this.runs[e]));
    const users = experiments.map(({ name }, e) => usersKey(owner, name, this.runs[e]));
    const kept = new Map([...(this.#samples.get(unit) ?? [])].filter(([, { left }]) => left > 0));
    const wanted = users.filter((key) => !kept.has(key));
    const hashes = await this.#store.read([...totals, ...wanted]);
    const samples = new Map<string, KeptSample>();
    for (const key of users) {
      const known = kept.get(key);
      if (known !== undefined) {
        samples.set(key, { ...known, left: known.left - 1 });
        continue;
      }
      samples.set(key, await readSample(hashes[totals.length + wanted.indexOf(key)]));
    }
    this.#samples.set(unit, samples);
    const lost = new Map<string, string>();
    let lostLists = 0;
    const parts = experiments.map(({ name }, e) => {
      const run = state.runs.find(isRun({ name, run: this.runs[e] }));
      const { rows, missing, why } = totalOfRun(this.#codec, hashes[e], run);
      if (why !== undefined) lost.set(totals[e], why);
      lostLists += missing - (run?.missing ?? 0);
      const { sample = NO_USERS, why: whyUsers } = samples.get(users[e]) ?? {};
      if (whyUsers === undefined) return { rows, sample, missing, since: run?.since };
      lost.set(users[e], whyUsers);
      // Whoever saw it is not known of these lists, so that nothing is decided.
      return { rows, sample, missing: Math.max(1, missing), since: run?.since };
    });
    return { parts, lost, lostLists };
  }
}

interface RunTotalRead {
  /** By value of the run's dimension. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Records and lists that they lack, whoever lost them. */
  readonly missing: number;
  /** Why they lack lists that were stored; undefined: they lack none. */
  readonly why?: string | undefined;
}

/** The total of a run, read after its state: it holds as many lists as that says, or more. @param run undefined: nothing is held of it */
export function totalOfRun(codec: RowCodec, fields: Fields, run: RunState | undefined): RunTotalRead {
  const { lists = 0, since } = run ?? {};
  const missing = run === undefined ? 0 : missingFrom(run);
  try {
    const rows = rowsOfRun(codec, fields, since);
    const held = [...rows.values()].reduce((sum, { impressions }) => sum + impressions, 0);
    if (held >= lists) return { rows, missing };
    return { rows, missing: missing + lists - held, why: `${lists - held} of ${lists} lists are gone` };
  } catch (error) {
    return { rows: new Map(), missing: missing + Math.max(1, lists), why: messageOf(error) };
  }
}

/** The rows of a run's total by value of its dimension, in the measures that it has held since some time. */
function rowsOfRun(codec: RowCodec, fields: Fields, since: Since | undefined): ReadonlyMap<string, Row> {
  return valuesOfRun(new Map([...fields].map(([field, text]) => [field, codec.decode(text, since)] as const)));
}

/** The sample of a unit; of one that is damaged, nobody. */
async function readSample(fields: Fields): Promise<KeptSample> {
  try {
    const sample = await sampleInTurns(fields);
    return { sample, left: Math.ceil(sample.size / USERS_PER_READING) - 1 };
  } catch (error) {
    return { sample: NO_USERS, left: 0, why: messageOf(error) };
  }
}

/** Users that are read in one turn of the event loop. */
const USERS_PER_TURN = 2 ** 14;

export async function sampleInTurns(fields: Fields): Promise<Sampled> {
  const read = new SampleColumns();
  for (const [field, text] of fields) {
    readField(read, field, text);
    if (read.size > 0 && read.size % USERS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  read.trim();
  return read;
}
