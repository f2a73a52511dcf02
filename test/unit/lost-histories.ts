/** What a unit, a reader of windows and a reader of runs make of rows that are lost: for the tests of each, and for mutations of what they do. */
import { liveKeys } from '../../src/accumulators/panes-settings.ts';
import { decodeCheckpoint, type UnitCheckpoint } from '../../src/accumulators/store/checkpoint-codec.ts';
import { keysOfRun, paneKey, unitKey } from '../../src/accumulators/store/layout.ts';
import type { Store } from '../../src/accumulators/store/store-port.ts';
import { createDecoder } from '../../src/consumers/decode/decoder.ts';
import { MemoryLog } from '../../src/consumers/source/memory-source.ts';
import { ExperimentParts } from '../../src/experiment/experiment-parts.ts';
import { stateOfUnits } from '../../src/experiment/units.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { compile } from '../../src/measures/scorer.ts';
import { Unit } from '../../src/unit/unit.ts';
import type { UnitDeps, UnitSettings } from '../../src/unit/unit-contract.ts';
import {
  append,
  BEGIN,
  decoders,
  EXPERIMENT,
  GRADING,
  HORIZONS,
  MEASURES,
  NAMESPACE,
  nameOfRun,
  unitDeps,
  unitSettings,
} from '../experiment-shop.ts';
import { unwatched } from '../exporter/unwatched.ts';
import { RestorableStore } from '../restorable-store.ts';
import { goingBack, type UnitParts } from './claimed-unit.ts';
import { Driver } from './driver.ts';

export const UNIT = unitKey(NAMESPACE, 0);
export const OWNER = { namespace: NAMESPACE, unit: 0, generation: '1' };
export const {
  total: TOTAL,
  users: USERS,
  looks: LOOKS,
} = keysOfRun(OWNER, { name: EXPERIMENT.name, run: nameOfRun(EXPERIMENT) });
const USUAL = unitSettings();
/** With sums by user bucket. */
export const SETTINGS: UnitSettings = { ...USUAL, panes: { ...USUAL.panes, clustered: [[]] } };
export const PANE = USUAL.panes.paneSize;

/** A store in which keys can be lost. */
export class LeakyStore extends RestorableStore {
  get checkpoint(): UnitCheckpoint {
    return decodeCheckpoint(this.snapshot().get(UNIT) ?? new Map());
  }

  lose(...keys: readonly string[]): void {
    this.restoreSnapshot(new Map([...this.snapshot()].filter(([key]) => !keys.includes(key))));
  }

  /** Replaces a part of every row of a key. */
  alter(key: string, from: RegExp, to: string): void {
    const altered = [...(this.snapshot().get(key) ?? [])].map(
      ([field, text]) => [field, text.replace(from, to)] as const,
    );
    this.restoreSnapshot(new Map([...this.snapshot(), [key, new Map(altered)]]));
  }

  /** Sets a field of a key. */
  put(key: string, field: string, text: string): void {
    this.alterFields(key, (fields) => fields.set(field, text));
  }

  alterFields(key: string, change: (fields: Map<string, string>) => void): void {
    const fields = new Map(this.snapshot().get(key));
    change(fields);
    this.restoreSnapshot(new Map([...this.snapshot(), [key, fields]]));
  }

  /** Loses the last field of a key. */
  loseRow(key: string): void {
    const rows = [...(this.snapshot().get(key) ?? [])].slice(0, -1);
    this.restoreSnapshot(new Map([...this.snapshot(), [key, new Map(rows)]]));
  }

  /** What a claim reads of panes that can still change, minutes and hours. */
  get livePanes(): readonly string[] {
    return this.#live.filter((key) => key.includes(':pane:'));
  }

  /** The same of sums by user bucket. */
  get liveVectors(): readonly string[] {
    return this.#live.filter((key) => key.includes(':vector:'));
  }

  get #live(): readonly string[] {
    const { panes, join } = this.checkpoint;
    return liveKeys({ ...SETTINGS.panes, owner: OWNER, closedUpTo: join.watermark }, panes, join.watermark);
  }
}

/** The code that is judged. */
export interface LostParts extends UnitParts {
  readonly Exporter: typeof Exporter;
  readonly ExperimentParts: typeof ExperimentParts;
}
const PARTS: LostParts = { Unit, createDecoder, compile, Exporter, ExperimentParts };

export async function claim(
  store: LeakyStore,
  settings: UnitSettings = SETTINGS,
  parts: UnitParts = PARTS,
): Promise<Unit> {
  return await parts.Unit.claim(settings, depsOf(parts, store));
}

function depsOf({ createDecoder: make, compile: compiled }: UnitParts, store: Store): UnitDeps {
  return { ...unitDeps(store), decoders: decoders(make), scorer: compiled(MEASURES, GRADING) };
}

/** A list a second, from turn to turn in A and B, the first 300 of 100 users; each third one is clicked. */
export function fill(log: MemoryLog, from: number, to: number): void {
  for (let n = from; n < to; n++) {
    const shown = { ts: BEGIN + 1000 * n, variant: n % 2 === 0 ? 'A' : 'B', user: `u${n < 300 ? n % 100 : n}` };
    append(log, 0, n % 3 === 0 ? { ...shown, click: 1 } : shown);
  }
}

/** A unit has read and committed so many lists, and its owner is gone. */
export async function having(lists: number): Promise<{ readonly log: MemoryLog; readonly store: LeakyStore }> {
  const log = new MemoryLog(2, 1);
  const store = new LeakyStore();
  fill(log, 0, lists);
  const unit = await claim(store);
  new Driver(log, unit).drain();
  look(unit);
  await unit.commit();
  return { log, store };
}

/** The only unit looks at the experiment. */
export function look(unit: Unit): void {
  unit.look(0, stateOfUnits(EXPERIMENT, MEASURES, [unit.part(0)], unit.join.watermark));
}

const HARMS: Readonly<Record<string, (store: LeakyStore) => void>> = {
  nothing: () => {},
  'a live minute is gone': (store) => store.lose(store.livePanes[1]),
  'a live hour is gone': (store) => store.lose(store.livePanes.findLast((key) => key.includes(':h:')) ?? ''),
  'a sealed minute is gone': (store) => store.lose(paneKey(OWNER, 'm', Math.floor((BEGIN + 140_000) / PANE) * PANE)),
  'a sealed minute contradicts itself': (store) =>
    store.alter(paneKey(OWNER, 'm', Math.floor((BEGIN + 140_000) / PANE) * PANE), /"positives":\d+/, '"positives":901'),
  'the total is gone': (store) => store.lose(TOTAL),
  'a row of the total is gone': (store) => store.loseRow(TOTAL),
  'the users are gone': (store) => store.lose(USERS),
  'a user is gone': (store) => store.loseRow(USERS),
  'the total and the users are gone': (store) => store.lose(TOTAL, USERS),
  'the looks are gone': (store) => store.lose(LOOKS),
  'a field of the looks is gone': (store) => store.loseRow(LOOKS),
  'live sums by user bucket are gone': (store) => store.lose(store.liveVectors[0]),
  'the total contradicts itself': (store) => store.alter(TOTAL, /"userless":\d+/, '"userless":901'),
  'the total has more lists': (store) => store.alter(TOTAL, /"impressions":/, '"impressions":1'),
  'a user more': (store) => store.put(USERS, '7', '[1,0,0]'),
  'a user of a variant that is none': (store) => store.put(USERS, '7', '[7,0,0]'),
  'users without their level': (store) => store.alterFields(USERS, (fields) => fields.delete('level')),
  'users at a higher level': (store) => store.put(USERS, 'level', '1'),
  'more positives than lists': (store) => store.alter(store.livePanes[0], /"positives":\d+/, '"positives":901'),
  'more lists without a user than lists': (store) =>
    store.alter(store.livePanes[0], /"userless":\d+/, '"userless":901'),
  'more empty lists than lists': (store) => store.alter(store.livePanes[0], /"measures"/, '"empty":901,"measures"'),
  'more of a measure than lists': (store) => store.alter(store.livePanes[0], /"mrr":\[\d+/, '"mrr":[901'),
  'more positives of a measure than its lists': (store) =>
    store.alter(store.livePanes[0], /"mrr":\[(\d+),\d+/, '"mrr":[$1,901'),
  'fewer lists than none': (store) => store.alter(store.livePanes[0], /"impressions":\d+/, '"impressions":-1'),
  'more lists in a bucket than in the row': (store) => store.alter(TOTAL, /"n":\[\d+/, '"n":[901'),
};

/** In text, for each harm: what becomes of a claim, what it stores, and which windows and runs are whole for a reader. */
export async function outcomes(parts: LostParts): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [name, harm] of Object.entries(HARMS)) {
    const { log, store } = await having(300);
    harm(store);
    const read = [await windowsOf(parts, store), await runOf(parts, store)];
    const goesOn = await goneOn(parts, log, store);
    found.set(name, JSON.stringify([...read, goesOn, await runOf(parts, store)]));
  }
  for (const isRead of [false, true]) {
    found.set(
      `the last minute is gone, read ${isRead}`,
      await refused(parts, isRead, (store) => store.livePanes.findLast((key) => key.includes(':m:')) ?? ''),
    );
    found.set(`the users are gone, read ${isRead}`, await refused(parts, isRead, () => USERS));
    found.set(`the looks are gone, read ${isRead}`, await refused(parts, isRead, () => LOOKS));
  }
  const { log, store } = await having(200);
  const before = store.snapshot();
  const unit = await claim(store);
  fill(log, 200, 300);
  new Driver(log, unit).drain();
  await unit.commit();
  const went = await parts.Unit.claim(SETTINGS, depsOf(parts, goingBack(store, before))).then(String, nameOf);
  found.set('the store goes back', went);
  return found;
}

/** What becomes of a commit to a key that its owner has written, or has read, when it is gone. */
async function refused(parts: LostParts, isRead: boolean, keyOf: (store: LeakyStore) => string): Promise<string> {
  const { log, store } = isRead ? await having(300) : { log: new MemoryLog(2, 1), store: new LeakyStore() };
  let unit: Unit;
  try {
    unit = await claim(store, SETTINGS, parts);
  } catch (error) {
    return nameOf(error);
  }
  if (!isRead) fill(log, 0, 300);
  const driver = new Driver(log, unit);
  driver.drain();
  look(unit);
  const first = await unit.commit();
  store.lose(keyOf(store));
  fill(log, 300, 330);
  driver.drain();
  look(unit);
  return `${first}, then ${await unit.commit()}`;
}

async function windowsOf({ Exporter: Read }: LostParts, store: LeakyStore): Promise<unknown> {
  const { panes } = unitSettings();
  const exporter = new Read(
    {
      measures: MEASURES,
      cohorts: [[]],
      experiments: [],
      statistics: { clustered: [[]] },
      detect: unwatched(HORIZONS[0]),
      paneSize: { text: '20s', ms: panes.paneSize },
      windows: [1, 6].map((n) => ({ text: `${n}`, ms: n * panes.paneSize })),
      attribution: { horizons: HORIZONS, window: HORIZONS[HORIZONS.length - 1], unitTimeout: 60_000 },
    },
    { store, namespace: NAMESPACE, partitions: 1, hour: panes.hour },
  );
  const { windows, lost } = await exporter.refresh();
  return [windows.map(({ complete }) => complete), [...(lost?.keys ?? [])]];
}

async function runOf({ ExperimentParts: Parts }: LostParts, store: LeakyStore): Promise<unknown> {
  const read = await new Parts({ namespace: NAMESPACE, experiments: [EXPERIMENT], measures: MEASURES }, store).read(0);
  return [read?.parts.map(({ missing, looksLost }) => [missing, looksLost]), [...(read?.lost ?? [])], read?.lostLists];
}

async function goneOn(parts: LostParts, log: MemoryLog, store: LeakyStore): Promise<unknown> {
  let unit: Unit;
  try {
    unit = await claim(store, SETTINGS, parts);
  } catch (error) {
    return nameOf(error);
  }
  fill(log, 300, 330);
  new Driver(log, unit).drain();
  await unit.commit();
  const { lostUpTo, incompleteBefore, runs, panes } = store.checkpoint;
  return [unit.lost.keys, lostUpTo, incompleteBefore, panes.vectors, runs.map(({ since: _, ...run }) => run)];
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
