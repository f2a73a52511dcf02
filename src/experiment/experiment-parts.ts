/**
 * Reads experiments from a store: what every unit has of a run, and what looks have found (specification: layout 1). A unit's hash is
 * read before and after its rows; a unit that changed hands meanwhile is read again.
 */
import type { Row } from '../accumulators/row.ts';
import { shapeOf } from '../accumulators/row.ts';
import { type RowCodec, rowCodec } from '../accumulators/row-codec.ts';
import { valuesOfRun } from '../accumulators/run-total.ts';
import { goneFrom, isRun, missingFrom, type RunState, type Since } from '../accumulators/runs.ts';
import { keysOfRun, unitKey } from '../accumulators/store/layout.ts';
import type { Fields, Store } from '../accumulators/store/store-port.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { SampleColumns, type Sampled } from '../statistics/sampled.ts';
import { mustHaveLevel, readField } from '../statistics/user-sample.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import { readUnit, stands, type UnitState } from '../windows/unit-state.ts';
import { decodeLooks, type ExperimentLooks, goneFromLooks, NO_EXPERIMENT_LOOKS } from './experiment-looks.ts';
import { runOf } from './run-settings.ts';
import type { UnitPart } from './units.ts';

/** A unit's parts of all experiments at one moment. */
interface UnitParts {
  readonly state: UnitState;
  /** Parts in the order of the experiments. */
  readonly parts: readonly UnitPart[];
  /** For each key of totals and users that are partly or wholly gone, or damaged, what is wrong. */
  readonly lost: ReadonlyMap<string, string>;
  /** Number of lists that are lost with them, or were when the unit was claimed. */
  readonly lostLists: number;
}

interface PartsSettings {
  readonly namespace: string;
  readonly experiments: readonly ExperimentSettings[];
  readonly measures: readonly Measure[];
}

const ATTEMPTS = 5;

/**
 * Up to this many users of a unit are read every time; above that every second time, from twice as many on every third time, and so on. A
 * full sample changes slowly, and takes 31 MB per unit.
 */
export const USERS_PER_READING = 2 ** 15;

const NO_USERS: Sampled = new SampleColumns();

/** The users of a run, read after its state. */
interface RunUsersRead {
  readonly sample: Sampled;
  /** Number of lists for which missing users stand. */
  readonly missing: number;
  /** What is wrong with the stored sample; undefined: nothing. */
  readonly why?: string | undefined;
}

interface KeptSample extends RunUsersRead {
  /** Number of further reads that use it. */
  readonly left: number;
}

export class ExperimentParts {
  readonly #settings: PartsSettings;
  readonly #store: Store;
  readonly #codec: RowCodec;
  /** The present run of each experiment. */
  readonly runs: readonly string[];
  /** Parts of each unit as last read. */
  readonly #known = new Map<number, UnitParts>();
  /** Samples by unit, then by key of its users. */
  readonly #samples = new Map<number, ReadonlyMap<string, KeptSample>>();

  constructor(settings: PartsSettings, store: Store) {
    this.#settings = settings;
    this.#store = store;
    this.#codec = rowCodec(shapeOf(settings.measures));
    this.runs = settings.experiments.map((experiment) => runOf(experiment));
  }

  /**
   * The stored parts of a unit. undefined: nothing has been committed to it. The result is the same object as long as nothing is
   * committed. Rejects if the store cannot be read, if this build cannot read its content, or if the unit changed hands too often.
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
    const named = experiments.map(({ name }, e) => ({ name, run: this.runs[e] }));
    const totals = named.map((run) => keysOfRun(owner, run).total);
    const users = named.map((run) => keysOfRun(owner, run).users);
    const runs = named.map((run) => state.runs.find(isRun(run)));
    const kept = new Map([...(this.#samples.get(unit) ?? [])].filter(([, { left }]) => left > 0));
    const wanted = users.filter((key) => !kept.has(key));
    const hashes = await this.#store.read([...totals, ...wanted, unitKey(namespace, unit)]);
    const isExact = hashes.at(-1)?.get('cid') === state.cid;
    const samples = new Map<string, KeptSample>();
    for (const [e, key] of users.entries()) {
      const known = kept.get(key);
      if (known !== undefined) {
        samples.set(key, { ...known, left: known.left - 1 });
        continue;
      }
      const read = await usersOfRun(
        hashes[totals.length + wanted.indexOf(key)],
        runs[e],
        isExact,
        experiments[e].variants.size,
      );
      const left = read.why === undefined ? Math.ceil(read.sample.size / USERS_PER_READING) - 1 : 0;
      samples.set(key, { ...read, left });
    }
    this.#samples.set(unit, samples);
    const lost = new Map<string, string>();
    let lostLists = 0;
    const parts = runs.map((run, e) => {
      const total = totalOfRun(this.#codec, hashes[e], run, isExact);
      if (total.why !== undefined) lost.set(totals[e], total.why);
      const { sample, missing: unseen, why } = samples.get(users[e]) ?? { sample: NO_USERS, missing: 0 };
      if (why !== undefined) lost.set(users[e], why);
      const missing = total.missing + unseen;
      lostLists += missing - (run?.missing ?? 0);
      return { rows: total.rows, sample, missing, since: run?.since, looksLost: run?.looksLost };
    });
    return { parts, lost, lostLists };
  }
}

interface RunTotalRead {
  /** Rows by value of the run's dimension. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Number of records and lists that are missing from them, whoever lost them. */
  readonly missing: number;
  /** Why stored lists are missing from them; undefined: none are. */
  readonly why?: string | undefined;
}

/**
 * The total of a run, read after its state: it contains at least as many lists as the state says.
 * @param run undefined: nothing is stored for it
 * @param isExact whether nothing was committed in between, so that it contains no more
 */
export function totalOfRun(codec: RowCodec, fields: Fields, run: RunState | undefined, isExact: boolean): RunTotalRead {
  const missing = run === undefined ? 0 : missingFrom(run);
  try {
    const rows = rowsOfRun(codec, fields, run?.since);
    const held = [...rows.values()].reduce((sum, { impressions }) => sum + impressions, 0);
    const { lists, why, more } = goneFrom(run, { lists: held });
    if (isExact && more.size > 0) throw new Error(more.get('total'));
    return { rows, missing: missing + lists, why: why.get('total') };
  } catch (error) {
    return { rows: new Map(), missing: missing + Math.max(1, run?.lists ?? 0), why: messageOf(error) };
  }
}

/**
 * The users of a run, read after its state; none if the sample is damaged.
 * @param run undefined: nothing is stored for it
 * @param isExact as in `totalOfRun`
 * @param variants number of variants of the run
 */
export async function usersOfRun(
  fields: Fields,
  run: RunState | undefined,
  isExact: boolean,
  variants: number,
): Promise<RunUsersRead> {
  try {
    const sample = await sampleInTurns(fields, variants);
    const { lists, why, more } = goneFrom(run, { users: [sample.level, sample.size] });
    if (isExact && more.size > 0) throw new Error(more.get('users'));
    return { sample, missing: lists, why: why.get('users') };
  } catch (error) {
    // It is not known for any list who saw it.
    return { sample: NO_USERS, missing: Math.max(1, run?.lists ?? 0), why: messageOf(error) };
  }
}

/**
 * The results of a run's looks, read after its state; none if fields are damaged.
 * @param horizon of the experiment
 */
export function looksOfRun(
  fields: Fields,
  run: RunState | undefined,
  horizon: string,
): { readonly looks: ExperimentLooks; readonly why?: string | undefined } {
  try {
    const { why } = goneFrom(run, { looks: goneFromLooks(fields) });
    return { looks: decodeLooks(fields, horizon), why: why.get('looks') };
  } catch (error) {
    return { looks: NO_EXPERIMENT_LOOKS, why: messageOf(error) };
  }
}

/** The rows of a run's total by value of its dimension. A measure that was added to the run has only lists since then. */
function rowsOfRun(codec: RowCodec, fields: Fields, since: Since | undefined): ReadonlyMap<string, Row> {
  return valuesOfRun(new Map([...fields].map(([field, text]) => [field, codec.decode(text, since)] as const)));
}

/** Number of users that are read in one turn of the event loop. */
const USERS_PER_TURN = 2 ** 14;

async function sampleInTurns(fields: Fields, variants: number): Promise<Sampled> {
  const read = new SampleColumns();
  for (const [field, text] of fields) {
    readField(read, field, text, variants);
    if (read.size > 0 && read.size % USERS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  mustHaveLevel(fields);
  read.trim();
  return read;
}
