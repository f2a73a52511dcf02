import { DAY } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs, Offset } from '../vocabulary/events.ts';
import { validGeneration } from './store/generation.ts';
import { countOf, keysOf, listOf, parseJson, textOf, timeOf } from './store/json.ts';

/**
 * What a unit needs to know of one run of an experiment. A run counts impressions from where it began: what was accepted before
 * belongs to other variants or weights and is left out, even if it closes later.
 */
export interface RunSettings {
  /** Name of the experiment. */
  readonly name: string;
  /** Fingerprint of what defines the run: a run with another fingerprint starts at zero. */
  readonly run: string;
  readonly dimension: string;
  /** Index of the horizon whose results are summed. */
  readonly horizon: number;
  /** Configured values of the dimension. */
  readonly variants: readonly string[];
  /** Impressions before this time are left out; undefined: none are. */
  readonly start: EpochMs | undefined;
}

/** What the checkpoint keeps of a run. */
export interface RunState {
  readonly name: string;
  readonly run: string;
  /** For each topic the offset of the first record that counts. */
  readonly begins: readonly Offset[];
  /** Records that were lost in gaps since the run began. */
  readonly missing: number;
  /** Lists in its total; undefined: stored by an earlier release, which did not keep this. */
  readonly lists?: number | undefined;
  /** Level and users of its user sample; undefined: there are no users, or an earlier release stored the state. */
  readonly users?: UsersHeld | undefined;
  /** Whether findings of looks are stored. Absent: they are not, or an earlier release stored the state. */
  readonly looks?: true | undefined;
  /** Lists that were found lost from the store, with their rows or their users, when the unit was claimed; undefined: none. */
  readonly lost?: number | undefined;
  /** Whether findings of looks were found lost when the unit was claimed. Absent: no. */
  readonly looksLost?: true | undefined;
  /**
   * For each measure, by canonical name, the time after which lists must close to count; -Infinity: all lists count. Rows may
   * have sums of other measures, which are ignored.
   */
  readonly since: Since;
  /** undefined: the run goes on. */
  readonly ended?: EndOfRun | undefined;
}

/** Which run of which experiment. */
export type RunName = Pick<RunState, 'name' | 'run'>;

/**
 * Level and number of users of a user sample. From commit to commit this pair grows in lexical order: users leave only when the
 * level rises.
 */
type UsersHeld = readonly [level: number, users: number];

/** The parts of a run that are stored beside its state, each under its own key. */
export type RunPart = 'total' | 'users' | 'looks';

/** What the store holds of these parts. A part that is undefined was not read. */
interface HeldOfRun {
  /** Lists in its total. */
  readonly lists?: number;
  readonly users?: UsersHeld;
  /** Why the findings of looks are incomplete; '': they are complete. */
  readonly looks?: string;
}

/** How the stored parts of a run differ from its state. */
interface GoneFromRun {
  /** Lists missing from its total, plus those that its missing users stand for. */
  readonly lists: number;
  /** For each part that is incomplete, the reason. */
  readonly why: ReadonlyMap<RunPart, string>;
  /** For each part that has more than the state counts, what it has. If both are of one commit, the part is damaged. */
  readonly more: ReadonlyMap<RunPart, string>;
}

/** For each name, the event time from which on it is summed; -Infinity: from the beginning on. */
export type Since = Readonly<Record<string, EpochMs>>;

export interface EndOfRun {
  /** All lists that closed up to this event time belong to it. */
  readonly at: EpochMs;
  /** The generation under which the store keeps the run. */
  readonly generation: string;
}

/** How long a run is kept after its end, in event time. */
export const KEPT_AFTER_END: DurationMs = 7 * DAY;

/** Number of bits that bitwise operators can use. */
export const MOST_RUNS = 31;

/** The runs that a start finds. */
export interface StoredRuns {
  /** The states in the checkpoint. */
  readonly states: readonly RunState[];
  /** For each topic the offset at which a run that is not in `states` begins. */
  readonly positions: readonly Offset[];
  /** The event time up to which all lists have closed. */
  readonly closedUpTo: EpochMs;
}

/** Where the runs of one unit began, and which impressions take no part in them. */
export class Runs {
  readonly #starts: readonly EpochMs[];
  #states: readonly RunState[];
  readonly #ended: readonly RunState[];

  /** `measures`: canonical names of the measures that are summed from now on. */
  constructor(
    settings: readonly RunSettings[],
    measures: readonly string[],
    { states, positions, closedUpTo }: StoredRuns,
  ) {
    if (settings.length > MOST_RUNS) throw new Error(`at most ${MOST_RUNS} experiments, not ${settings.length}`);
    this.#starts = settings.map(({ start }) => start ?? Number.NEGATIVE_INFINITY);
    this.#states = settings.map(({ name, run }) => {
      const known = runGoingOn(states, { name, run });
      const since = sinceOf(measures, known?.since, closedUpTo);
      return known === undefined ? { name, run, begins: [...positions], missing: 0, since } : { ...known, since };
    });
    this.#ended = states.filter(({ ended }) => ended !== undefined);
  }

  /** A bit set: bit r is set if the impression takes no part in run r. */
  leftOut(topic: number, offset: Offset, ts: EpochMs): number {
    let runs = 0;
    for (let r = 0; r < this.#starts.length; r++) {
      if (ts < this.#starts[r] || offset < (this.#states[r].begins[topic] ?? 0)) runs |= 1 << r;
    }
    return runs;
  }

  /** Whether every impression from this record on takes part in all runs, whatever its time. */
  haveBegun(topic: number, offset: Offset): boolean {
    return this.leftOut(topic, offset, Number.NEGATIVE_INFINITY) === 0;
  }

  /** Must be called when `records` were lost before they could be read. */
  lost(records: number): void {
    this.#states = this.#states.map((state) => ({ ...state, missing: state.missing + records }));
  }

  /**
   * The states in the order of the settings, then those that have ended. @param held what is stored of them, in the order of the
   * settings
   */
  state(held: readonly Pick<RunState, 'lists' | 'users' | 'looks'>[]): readonly RunState[] {
    return [...this.#states.map((state, r) => ({ ...state, ...held[r] })), ...this.#ended];
  }

  /** What a run lacks, and since when its measures are summed. */
  part(run: number): Pick<RunState, 'missing' | 'since' | 'looksLost'> {
    const { since, looksLost } = this.#states[run];
    return { missing: missingFrom(this.#states[run]), since, looksLost };
  }
}

/**
 * Compares what the store holds of a run with its state, which must not be the newer of the two. Users are taken to have the same
 * number of lists each.
 */
export function goneFrom(state: RunState | undefined, held: HeldOfRun): GoneFromRun {
  const why: [RunPart, string][] = [];
  const { lists = 0, users: [level, users] = [0, 0], looks } = state ?? {};
  const goneLists = Math.max(0, lists - (held.lists ?? lists));
  if (goneLists > 0) why.push(['total', `${goneLists} of ${lists} lists are gone`]);
  const [heldLevel, heldUsers] = held.users ?? [level, users];
  const goneUsers = heldLevel > level ? 0 : heldLevel < level ? users : Math.max(0, users - heldUsers);
  if (goneUsers > 0) why.push(['users', `${goneUsers} of ${users} users are gone`]);
  if (looks && held.looks) why.push(['looks', held.looks]);
  const more: [RunPart, string][] = [];
  if (state?.lists !== undefined && (held.lists ?? 0) > lists) more.push(['total', `${held.lists} of ${lists} lists`]);
  if (state?.users && (heldLevel > level || (heldLevel === level && heldUsers > users))) {
    more.push(['users', `${heldUsers} users at level ${heldLevel} of ${users} at level ${level}`]);
  }
  return {
    lists: goneLists + Math.ceil(goneUsers * Math.max(1, lists / Math.max(1, users))),
    why: new Map(why),
    more: new Map(more),
  };
}

/** The state of a run that continues without the missing parts. */
export function withLost(state: RunState, { lists, why }: Pick<GoneFromRun, 'lists' | 'why'>): RunState {
  if (why.size === 0) return state;
  return {
    ...state,
    ...(lists === 0 ? {} : { lost: (state.lost ?? 0) + lists }),
    ...(why.has('looks') ? { looksLost: true } : {}),
  };
}

/** Number of records and lists that a run lacks, for whatever reason. */
export function missingFrom({ missing, lost = 0 }: Pick<RunState, 'missing' | 'lost'>): number {
  return missing + lost;
}

/** The run of these settings that has not ended; undefined: there is none. Under several generations the same settings may have run before. */
export function runGoingOn(states: readonly RunState[], named: Pick<RunState, 'name' | 'run'>): RunState | undefined {
  return states.filter(isRun(named)).find(({ ended }) => ended === undefined);
}

export function isRun({
  name,
  run,
}: Pick<RunState, 'name' | 'run'>): (state: Pick<RunState, 'name' | 'run'>) => boolean {
  return (state) => state.name === name && state.run === run;
}

/**
 * For each name the time since which it is summed: as stored, or `now` if the name is new. `stored` undefined: nothing was summed
 * before, so all names begin at -Infinity.
 */
function sinceOf(names: readonly string[], stored: Since | undefined, now: EpochMs): Since {
  const beginning = stored === undefined ? Number.NEGATIVE_INFINITY : now;
  return Object.fromEntries(names.map((name) => [name, stored?.[name] ?? beginning]));
}

/** Reads a list of entries. Throws an Error that names the part that is wrong. */
export function parseSince(value: unknown, where: string): Since {
  return Object.fromEntries(
    listOf(value, where, (entry, place) => {
      const [name, at] = listOf(entry, place, (part) => part);
      return [textOf(name, place), timeOf(at, place)] as const;
    }),
  );
}

/** States as JSON. */
export function runsText(states: readonly RunState[]): string {
  return JSON.stringify(states.map((state) => ({ ...state, since: Object.entries(state.since) })));
}

/** Reads stored states; undefined: a checkpoint of a release that had no runs. Throws an Error that names the part that is wrong. */
export function parseRuns(text: string | undefined): readonly RunState[] {
  if (text === undefined) return [];
  return listOf(parseJson(text, 'runs'), 'runs', (value, where): RunState => {
    const state = keysOf(value, where);
    return {
      name: textOf(state['name'], `${where}.name`),
      run: textOf(state['run'], `${where}.run`),
      begins: listOf(state['begins'], `${where}.begins`, countOf),
      missing: countOf(state['missing'], `${where}.missing`),
      // Earlier releases began a new run for each measure, so theirs do not count.
      since: state['since'] === undefined ? {} : parseSince(state['since'], `${where}.since`),
      ...(state['lists'] === undefined ? {} : { lists: countOf(state['lists'], `${where}.lists`) }),
      ...(state['users'] === undefined ? {} : { users: usersOf(state['users'], `${where}.users`) }),
      ...(state['looks'] === true ? { looks: true } : {}),
      ...(state['lost'] === undefined ? {} : { lost: countOf(state['lost'], `${where}.lost`) }),
      ...(state['looksLost'] === true ? { looksLost: true } : {}),
      ...(state['ended'] === undefined ? {} : { ended: endOf(state['ended'], `${where}.ended`) }),
    };
  });
}

function usersOf(value: unknown, where: string): UsersHeld {
  const [level, users] = listOf(value, where, countOf);
  return [level, countOf(users, where)];
}

function endOf(value: unknown, where: string): EndOfRun {
  const end = keysOf(value, where);
  const generation = textOf(end['generation'], `${where}.generation`);
  return { at: timeOf(end['at'], `${where}.at`), generation: validGeneration(generation) };
}
