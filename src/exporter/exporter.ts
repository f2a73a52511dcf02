import { damagedCheckpoint } from '../accumulators/store/json.ts';
import { placesKey, unitKeys } from '../accumulators/store/layout.ts';
import type { Fields } from '../accumulators/store/store-port.ts';
import { Turns } from '../vocabulary/clock.ts';
import { HOUR } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { HorizonWindows } from '../windows/horizon-windows.ts';
import {
  type Misfit,
  readUnit,
  stands,
  type UnitState,
  type UnitStates,
  wentBack,
  withPlaces,
} from '../windows/unit-state.ts';
import { cohortRows } from '../windows/windows.ts';
import { Histories } from './cohort-history.ts';
import { watchedSpan } from './cohort-watch.ts';
import { Decisions } from './decisions.ts';
import { Experiments } from './experiments-reader.ts';
import type {
  CohortHistory,
  ExporterDeps,
  ExporterSettings,
  HistoryQuestion,
  QualitySnapshot,
} from './exporter-contract.ts';
import { HourRows } from './hour-rows.ts';
import { type LostPane, LostRows } from './lost-rows.ts';
import { SealedPanes, wantedPanes } from './sealed-panes.ts';
import { WindowErrors } from './window-errors.ts';

const ATTEMPTS = 5;

/**
 * Reads the windows of all units from a store (specification: windows 3.4): first the units' hashes, then the panes sealed by their
 * watermarks, then the hashes again. A unit that meanwhile changed hands, went back or deleted what was read is read again.
 *
 * A sealed pane never changes, so it is read once per horizon; the windows' sums move with the panes (running-windows.ts). They are
 * rebuilt only when a unit went back or started a new generation. The hours that standard errors need are read again when a unit has
 * sealed more panes. Decisions on watched cohorts are made once per step.
 */
export class Exporter {
  readonly #settings: ExporterSettings;
  readonly #deps: ExporterDeps;
  readonly #unitKeys: readonly string[];
  /** States as last read; undefined: nothing has been committed to the unit. */
  #stored: UnitStates;
  /** States of the units whose rows can be shown. */
  #units: UnitStates;
  #allWindows: readonly HorizonWindows[];
  readonly #panes: SealedPanes;
  #hours: HourRows;
  readonly #decisions: Decisions;
  readonly #experiments: Experiments;
  readonly #histories: Histories;
  readonly #lost = new LostRows();
  #last: QualitySnapshot | undefined;
  #shown: readonly unknown[] = [];
  /** Whether any unit was ever found in the store. */
  #hasSeen = false;
  #running: Promise<QualitySnapshot> | undefined;

  constructor(settings: ExporterSettings, deps: ExporterDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#panes = new SealedPanes(settings, deps);
    this.#unitKeys = unitKeys(deps.namespace, deps.partitions);
    this.#stored = this.#unitKeys.map(() => undefined);
    this.#units = this.#stored;
    this.#allWindows = this.#newWindows();
    this.#hours = this.#newHours();
    this.#decisions = new Decisions(settings, deps);
    this.#experiments = new Experiments(settings, deps);
    this.#histories = new Histories({
      store: deps.store,
      namespace: deps.namespace,
      measures: settings.measures,
      paneSize: settings.paneSize.ms,
      hour: deps.hour ?? HOUR,
      longest: settings.attribution.window.ms,
    });
  }

  /**
   * The present windows. A call joins one that is in progress. Rejects if the store cannot be read, if it contains a unit that this build
   * cannot read, or if units changed hands too often; the next call continues where this one ended.
   */
  refresh(): Promise<QualitySnapshot> {
    this.#running ??= this.#refresh().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * A measure of one cohort over time, as of the last `refresh`: minutes as far as windows reach, preceded by whole hours. Hours are read
   * in the background when they are first requested; `historyRead` waits for them.
   */
  history(question: HistoryQuestion): CohortHistory {
    const windows = this.#allWindows.find(({ horizon }) => horizon.text === question.horizon);
    if (windows === undefined) return { points: [], hoursTo: undefined, isReading: false };
    const values = question.values.join();
    const newest = this.#last?.rows.filter(
      (row) => row.horizon === question.horizon && row.by.join() === question.by.join() && row.values.join() === values,
    );
    return this.#histories.of(question, { units: this.#units, windows, newest: newest?.at(-1) });
  }

  /** Resolves when the requested hours have been read, or could not be. */
  historyRead(): Promise<void> {
    return this.#histories.settled();
  }

  /** Set if the last read found no unit in the store, because nobody has committed yet, or because the units are gone. */
  get nothingStored(): 'not yet' | 'no more' | undefined {
    if (this.#stored.some((unit) => unit !== undefined)) return undefined;
    return this.#hasSeen ? 'no more' : 'not yet';
  }

  /** For each unit as last read, how the configuration under which it was stored differs from ours; undefined: nothing is stored. */
  get misfits(): readonly (Misfit | undefined)[] {
    return this.#stored.map((unit) => unit?.misfit);
  }

  /**
   * Number of partitions of every topic, as the workers know it; 0: nothing is stored. If it exceeds ours, some were added, which are not
   * shown.
   */
  get partitionsStored(): number {
    return Math.max(0, ...this.#stored.map((unit) => unit?.partitions ?? 0));
  }

  #readState(unit: number, fields: Fields, last: UnitState | undefined): UnitState | undefined {
    const state = readUnit(unit, fields, last, this.#deps.fingerprint);
    if (state === undefined || state === last || state.partitions <= this.#deps.partitions) return state;
    return { ...state, incompleteBefore: Number.POSITIVE_INFINITY };
  }

  async #refresh(): Promise<QualitySnapshot> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (!(await this.#read())) continue;
      await this.#decisions.update(this.#units, this.#detector, (horizonWindows) =>
        this.#errorsOf(horizonWindows, this.#longestWindow),
      );
      await this.#experiments.read(this.#units);
      return this.#snapshot();
    }
    throw new Error(
      `the units of namespace "${this.#deps.namespace}" changed hands while they were read, ${ATTEMPTS} times in a row: ` +
        'the last values are shown until they settle',
    );
  }

  #newWindows(): readonly HorizonWindows[] {
    const { attribution, cohorts, detect, paneSize, windows } = this.#settings;
    const settings = { paneSize: paneSize.ms, windows, sets: cohorts, unitTimeout: attribution.unitTimeout };
    const span = watchedSpan(this.#settings);
    return attribution.horizons.map((horizon) => {
      const watched = horizon.ms === detect.horizon.ms ? span : 0;
      return new HorizonWindows(horizon, this.#deps.partitions, { ...settings, watched });
    });
  }

  /** Updates all sums to what the units have sealed. false: a unit changed hands; what was read from the others is kept. */
  async #read(): Promise<boolean> {
    const hashes = await this.#deps.store.read(this.#unitKeys);
    const states = hashes.map((fields, u) => this.#readState(u, fields, this.#stored[u]));
    const stored = await Promise.all(states.map((state, u) => this.#withPlaces(u, state)));
    if (stored.includes('changing')) return false;
    this.#stored = stored.map((state) => (state === 'changing' ? undefined : state));
    // Rows written with other settings are treated as missing.
    const fitting = this.#stored.map((unit) => (unit?.misfit.changed.length === 0 ? unit : undefined));
    if (fitting.some((unit, u) => wentBack(unit, this.#units[u]))) {
      this.#lost.reset();
      this.#allWindows = this.#newWindows();
      this.#hours = this.#newHours();
      this.#decisions.reset();
      this.#experiments.reset();
      this.#histories.reset();
    }
    const units = this.#lost.applied(fitting);
    this.#units = units;
    this.#hasSeen ||= this.#stored.some((unit) => unit !== undefined);
    let same = true;
    for (const [u, unit] of units.entries()) if (unit !== undefined) same = (await this.#readUnit(u, unit)) && same;
    if (!same) return false;
    const turns = new Turns();
    for (const horizonWindows of this.#allWindows) {
      for (const _ of horizonWindows.moving(units)) await turns.step();
    }
    return (await this.#readHours()) && (await this.#readPast());
  }

  /**
   * Reads those tables of places that changed and are stored beside a unit's hash, together with the hash. changing: it committed in
   * between, each time. Rejects if they differ although nobody commits.
   */
  async #withPlaces(u: number, read: UnitState | undefined): Promise<UnitState | undefined | 'changing'> {
    const { store, namespace } = this.#deps;
    let state = read;
    let isSame = true;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (state === undefined || state.unread.length === 0) return state;
      const { seq, cid, token } = state;
      const owner = { namespace, unit: u, generation: state.generation };
      const asked = state.unread.map(({ by }) => placesKey(owner, by));
      const [fields, ...hashes] = await store.read([this.#unitKeys[u], ...asked]);
      state = this.#readState(u, fields, state);
      isSame &&= state?.seq === seq && state.cid === cid && state.token === token;
      if (state === undefined || state.generation !== owner.generation) continue;
      // A table that changed since the first reading was not requested.
      const places = state.unread.map(({ by }) => hashes[asked.indexOf(placesKey(owner, by))] ?? new Map());
      const complete = withPlaces(u, state, places);
      if (complete !== undefined) return complete;
    }
    if (isSame) throw damagedCheckpoint(`unit ${u} counts other places of cohorts than are stored`);
    return 'changing';
  }

  /**
   * Reads the hours that the windows overlap, from units that have sealed more, or from all units when the windows have moved. false: a
   * unit changed hands.
   */
  async #readHours(): Promise<boolean> {
    const { paneSize, statistics } = this.#settings;
    const spans = this.#allWindows.flatMap(({ span }) => (span === undefined ? [] : [span]));
    if (spans.length === 0 || statistics.clustered.length === 0) return true;
    const start = Math.min(...spans.map((span) => span.start));
    const end = Math.max(...spans.map((span) => span.end));
    const read: number[] = [];
    for (const [u, unit] of this.#units.entries()) {
      if (unit === undefined) continue;
      const sealed = this.#allWindows.map(({ horizon }) => Math.floor((unit.watermark - horizon.ms) / paneSize.ms));
      const moment = JSON.stringify([start, end, sealed]);
      if (await this.#hours.read(u, unit, start, end, moment)) read.push(u);
    }
    if (read.length === 0) return true;
    this.#hours.forget(start);
    const lost = this.#hours.takeLost();
    const stood = await this.#stand(read, lost);
    if (!stood) this.#hours = this.#newHours();
    else for (const [u, hours] of lost) this.#loses(u, hours);
    return stood;
  }

  /** Reads a part of the past with which watched cohorts are compared. false: a unit changed hands. */
  async #readPast(): Promise<boolean> {
    const read = await this.#decisions.read(this.#units, this.#detector);
    if (read.length === 0) return true;
    const stood = await this.#stand(read);
    if (!stood) this.#decisions.reset();
    return stood;
  }

  /**
   * Whether what was read from these units is still valid.
   * @param lost their hours of which nothing was found
   */
  async #stand(read: readonly number[], lost?: ReadonlyMap<number, readonly LostPane[]>): Promise<boolean> {
    const hashes = await this.#deps.store.read(read.map((u) => this.#unitKeys[u]));
    return read.every((u, i) => {
      const before = this.#units[u];
      if (before === undefined) return false;
      return stands(this.#readState(u, hashes[i], before), before, lost?.get(u) ?? []);
    });
  }

  /** The windows of the horizon at which cohorts are watched. */
  get #detector(): HorizonWindows | undefined {
    return this.#allWindows.find(({ horizon }) => horizon.ms === this.#settings.detect.horizon.ms);
  }

  get #longestWindow(): DurationMs {
    return Math.max(0, ...this.#settings.windows.map(({ ms }) => ms));
  }

  #newHours(): HourRows {
    const { attribution, measures, statistics } = this.#settings;
    const { store, namespace, hour = HOUR } = this.#deps;
    const longest = attribution.window.ms;
    return new HourRows({ store, namespace, measures, clustered: statistics.clustered, hour, longest });
  }

  async #readUnit(u: number, unit: UnitState): Promise<boolean> {
    const wanted = wantedPanes(this.#allWindows, this.#units, u);
    if (wanted.size > 0) {
      const { sealed, lost } = await this.#panes.read(u, unit, wanted);
      const [fields] = await this.#deps.store.read([this.#unitKeys[u]]);
      const panes = [...wanted.keys()].sort((a, b) => a - b).map((n) => ({ size: 'm', n }) as const);
      if (!stands(this.#readState(u, fields, unit), unit, panes)) return false;
      this.#loses(u, lost);
      const turns = new Turns();
      for (const { horizonWindows, pane, rows } of sealed) {
        horizonWindows.add(pane, rows);
        await turns.step();
      }
    }
    for (const horizonWindows of this.#allWindows) horizonWindows.note(this.#units, u);
    return true;
  }

  /** Records lost panes of a unit whose identity was the same, and which listed them, all the time. */
  #loses(u: number, lost: readonly LostPane[]): void {
    if (lost.length === 0) return;
    this.#lost.add(u, lost);
    this.#units = this.#lost.applied(this.#units);
  }

  #snapshot(): QualitySnapshot {
    const impressions = this.#units.reduce((sum, unit) => sum + (unit?.accepted ?? 0), 0);
    const shown = this.#allWindows.map((horizonWindows) => horizonWindows.show(this.#units));
    const lost = {
      keys: new Map([...this.#lost.why, ...this.#experiments.lost]),
      found: this.#lost.found + this.#experiments.lostFound,
    };
    const last = this.#last;
    if (last !== undefined && shown.every((windows, h) => windows === this.#shown[h])) {
      this.#last = {
        ...last,
        impressions,
        lost,
        decisions: this.#decisions.made,
        experiments: this.#experiments.made,
        trails: this.#experiments.trails,
      };
      return this.#last;
    }
    const { windows } = this.#settings;
    const all = this.#allWindows.flatMap((horizonWindows, h) =>
      shown[h].map(({ complete, lacks, completeAt, rows }, w) => ({
        horizon: horizonWindows.horizon.text,
        window: windows[w].text,
        complete,
        lacks,
        completeAt,
        rows,
        errors: this.#errorsOf(horizonWindows, windows[w].ms),
      })),
    );
    const resultTimes = new Map<string, EpochMs>();
    for (const horizonWindows of this.#allWindows) {
      const newest = horizonWindows.newest(this.#units);
      if (newest !== undefined) resultTimes.set(horizonWindows.horizon.text, newest);
    }
    this.#shown = shown;
    this.#last = {
      rows: all.flatMap(({ horizon, window, rows, errors }) =>
        rows.map((row) => ({ horizon, window, ...row, stderrs: errors.of(row) })),
      ),
      windows: all.map(({ rows: _, errors: __, ...window }) => window),
      decisions: this.#decisions.made,
      experiments: this.#experiments.made,
      trails: this.#experiments.trails,
      resultTimes,
      impressions,
      lost,
    };
    return this.#last;
  }

  /** The errors of one window, from the hours that overlap it. */
  #errorsOf({ horizon, span }: HorizonWindows, length: DurationMs): WindowErrors {
    const { measures, statistics } = this.#settings;
    const { clustered } = statistics;
    if (span === undefined) return new WindowErrors(measures, clustered, []);
    const start = span.end - length;
    const tables = this.#units.map((unit) => unit?.admission);
    const hours = cohortRows(this.#hours.sum(horizon.text, start, span.end), clustered, tables, start);
    return new WindowErrors(measures, clustered, hours);
  }
}
