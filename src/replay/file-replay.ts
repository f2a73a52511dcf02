import { isLasting } from '../accumulators/store/layout.ts';
import { MemoryStore } from '../accumulators/store/memory-store.ts';
import type { Commit, CommitAnswer, Store } from '../accumulators/store/store-port.ts';
import type { InputSettings, Settings } from '../config/settings.ts';
import { LogClock } from '../consumers/decode/clock-order.ts';
import { rowObject } from '../consumers/decode/csv-row.ts';
import { createDecoder } from '../consumers/decode/decoder.ts';
import { type AdapterChoice, adapterTraits } from '../consumers/decode/decoder-settings.ts';
import { hasRowFeedback, listKey } from '../consumers/decode/list.ts';
import type { TouchCounts } from '../consumers/join/touch.ts';
import { FileSource, type FileTopic } from '../consumers/source/files/files.ts';
import type { Batch } from '../consumers/source/source-port.ts';
import { needsFeedback } from '../measures/needs.ts';
import { compile } from '../measures/scorer.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { NO_PERMISSIONS } from '../unit/resume.ts';
import { Unit } from '../unit/unit.ts';
import type { UnitDeps, UnitHooks, UnitSettings } from '../unit/unit-contract.ts';
import { decoderLimits, unitShape } from '../unit/unit-settings.ts';
import type { EpochMs, TopicRole } from '../vocabulary/events.ts';
import { type Dropped, DropWatch } from './drop-watch.ts';
import { comesLater, hasNoTimes, type LogsEnd, reachOf } from './feedback-reach.ts';
import { OpenLists } from './open-lists.ts';
import { type ReplayResult, readResult } from './replay-result.ts';
import { TouchedBatches } from './touched-batches.ts';
import { UserMeans } from './user-means.ts';
import { Watch } from './watch.ts';

/** One input file and the values for records that lack them (`FILE@variant=bts`). */
export interface ReplayFile {
  /** Path, or `-` for standard input. */
  readonly path: string;
  readonly defaults: ReadonlyMap<string, string>;
}

/** The logs: two sides, or both in one. */
export type ReplayInputs =
  | { readonly impressions: readonly ReplayFile[]; readonly feedback: readonly ReplayFile[] }
  | { readonly events: readonly ReplayFile[] };

export interface ReplayOptions {
  readonly settings: Settings;
  readonly inputs: ReplayInputs;
  /** The adapter for all files; undefined: that of the configured topic. */
  readonly adapter: AdapterChoice | undefined;
  /** How several files of a side are read: by event time, or one after the other. */
  readonly order: 'time' | 'concat';
  readonly newId: () => string;
  /** Seed of the join's hashes: random per process, so that nobody can choose ids that collide. No result depends on it. */
  readonly hashSeed: number;
  /** Whether lists that are younger than a horizon at the end of the files count too, with the feedback so far. Default: no. */
  readonly closeAll?: boolean | undefined;
  /** The wall clock at the start: events later than this plus `attribution.futureSkew` are `future`. undefined: none are. */
  readonly now?: EpochMs | undefined;
  /** Called for invalid records, as in a unit; default: ignore them. */
  readonly onInvalid?: UnitDeps['onInvalid'];
  /** Called with the record for everything that is dropped. Default: ignore it; then records keep only their positions. */
  readonly onDropped?: ((dropped: Dropped) => void) | undefined;
  /** Called from time to time. Bytes are counted as stored, records of all kinds. */
  readonly onProgress: (progress: { readonly bytes: number; readonly records: number }) => void;
}

/** Name of the total of everything since the start. */
export const ALL = 'all';

const RECORDS_PER_COMMIT = 50_000;

/** A unit that has read all files, and what is needed to read its results. */
interface FinishedUnit {
  readonly unit: Unit;
  readonly unitSettings: UnitSettings;
  readonly store: Store;
  readonly ignoredCohortKeys: number;
  /** undefined: no measure is a mean over users or sessions. */
  readonly users: UserMeans | undefined;
  readonly watch: Watch;
  readonly open: OpenLists;
  readonly end: LogsEnd;
  /** undefined: feedback is joined by request id. */
  readonly touched: TouchCounts | undefined;
}

/** Replays the files and reads the result like any reader of a store. Rejects with the error of a file that cannot be read. */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const finished = await readFiles(options, () => undefined);
  return readResult({ settings: options.settings, total: ALL, ...finished });
}

/**
 * Runs the service's own data path over files: one unit, a store in memory, a clock that does not move. At the end of the files, lists
 * count that are old enough, as far as the feedback is complete (specification: join 4.1). Rejects with the error of a file that cannot
 * be read.
 * @param hooksOf makes the hooks; called before the first record, from which on `unit` returns the unit
 * @param start lists that were shown before this time are not counted as open
 */
export async function readFiles(
  options: ReplayOptions,
  hooksOf: (unit: () => Unit) => UnitHooks | undefined,
  start: EpochMs = Number.NEGATIVE_INFINITY,
): Promise<FinishedUnit> {
  const { settings, now } = options;
  const latest = now === undefined ? Number.POSITIVE_INFINITY : now + settings.attribution.futureSkew;
  const watch = new Watch(settings, inputOf(options.inputs), latest);
  const scorer = compile(settings.measures, settings.grading, settings.itemFile);
  const users = UserMeans.of(settings);
  const topics = topicsOf(options, users, watch);
  const unitSettings = unitSettingsOf(settings, scorer, options.hashSeed, topics);
  const store = new TotalsOnly();
  const source = new FileSource(
    topics,
    Math.max(settings.limits.impressionBytes, settings.limits.feedbackBytes),
    latest,
  );
  const { onDropped } = options;
  const drops = new DropWatch(
    topics.map(({ role }) => role),
    (dropped) => {
      watch.dropped(dropped);
      onDropped?.(dropped);
    },
    onDropped !== undefined,
  );
  const unit: Unit = await Unit.claim(unitSettings, {
    store,
    scorer,
    decoders: [],
    newId: options.newId,
    now: () => now,
    hooks: hooksOf(() => unit) ?? users,
    observer: drops,
    onPassedOver: drops.passedOver,
    onInvalid: watch.invalid(
      topics.map(({ role }) => role),
      (invalid) => {
        drops.invalid(invalid);
        options.onInvalid?.(invalid);
      },
    ),
  });
  let records = 0;
  let uncommitted = 0;
  const judge = async (batch: Batch): Promise<void> => {
    drops.reads(batch);
    unit.feed(batch);
    uncommitted += batch.records.length;
    if (uncommitted < RECORDS_PER_COMMIT) return;
    uncommitted = 0;
    await commit(unit);
  };
  const touched = touchedOf(settings, unitSettings, latest, watch);
  await source.run({
    assigned: async () => {},
    batch: async (batch) => {
      records += batch.records.length;
      options.onProgress({ bytes: source.progress.bytes, records });
      if (touched === undefined) await judge(batch);
      else for (const ready of touched.take(batch, source)) await judge(ready);
    },
  });
  for (const ready of touched?.rest() ?? []) await judge(ready);
  const end = endOf(options, unit, topics, watch);
  const open = new OpenLists(settings.cohorts);
  unit.finish(end.closeAll ? Number.POSITIVE_INFINITY : end.reach, (closed, cohorts) => {
    if (closed.ts >= start) open.add(closed, cohorts);
  });
  await commit(unit);
  const ignoredCohortKeys = topics
    .flatMap((topic) => topic.files)
    .reduce((sum, file) => sum + file.decoder.ignoredCohortKeys, 0);
  return { unit, unitSettings, store, ignoredCohortKeys, users, watch, open, end, touched: touched?.counts };
}

/** Commits. Each commit is applied, because nobody else writes the store of a replay. */
async function commit(unit: Unit): Promise<void> {
  const outcome = await unit.commit();
  if (outcome !== 'OK' && outcome !== 'NOTHING_NEW') throw new Error(`the commit of a replay ended with ${outcome}`);
}

/** Where the logs end, and up to which time they are complete. */
function endOf(
  { settings, closeAll = false }: ReplayOptions,
  unit: Unit,
  topics: readonly { readonly comesLater: boolean }[],
  watch: Watch,
): LogsEnd {
  const isKnown = !needsFeedback(settings.measures) || hasNoTimes(watch.sample);
  const watermarks = topics.map(({ comesLater }, t) => ({ comesLater, watermark: unit.join.topicWatermark(t) }));
  return { newest: unit.newest, reach: isKnown ? Number.POSITIVE_INFINITY : reachOf(watermarks), closeAll };
}

function inputOf(inputs: ReplayInputs): 'two sides' | 'one log' | 'impressions' {
  if ('events' in inputs) return 'one log';
  return inputs.feedback.length > 0 ? 'two sides' : 'impressions';
}

/** undefined: feedback is joined by request id. */
function touchedOf(
  { join: { by, touch } }: Settings,
  { join }: UnitSettings,
  latest: EpochMs,
  watch: Watch,
): TouchedBatches | undefined {
  return by === 'requestId' ? undefined : new TouchedBatches({ ...join, touch, latest }, watch);
}

/** Settings of a unit that keeps only totals. */
function unitSettingsOf(
  settings: Settings,
  scorer: Scorer,
  hashSeed: number,
  topics: readonly { readonly role: TopicRole }[],
): UnitSettings {
  const shape = unitShape({ ...settings, kafka: { ...settings.kafka, topics: [] } }, scorer, hashSeed);
  return {
    namespace: 'replay',
    partition: 0,
    partitions: 1,
    generation: '1',
    permissions: NO_PERMISSIONS,
    fingerprint: { shape: '', additive: '' },
    join: { ...shape.join, topics: topics.map(({ role }) => role) },
    panes: {
      ...shape.panes,
      // Cohorts keep their places to the end, so that every named total is complete.
      keepMinutes: Number.POSITIVE_INFINITY,
      keepHours: Number.POSITIVE_INFINITY,
      keepVectors: Number.POSITIVE_INFINITY,
      takeover: undefined,
      // Totals have vectors in any case.
      clustered: [],
      totals: [ALL],
      items: { sets: settings.itemSets, inTotals: true },
      positions: shape.panes.positions === undefined ? undefined : { ...shape.panes.positions, inTotals: true },
      runs: [],
    },
    experiments: [],
    sources: topics.map(() => ''),
  };
}

interface TopicOfUnit extends FileTopic {
  readonly role: TopicRole;
  /** Whether it contains feedback that may arrive later than its list. */
  readonly comesLater: boolean;
}

function topicsOf(options: ReplayOptions, users: UserMeans | undefined, watch: Watch): TopicOfUnit[] {
  const { settings, inputs, order } = options;
  let files = 0;
  const topic = (role: TopicRole, side: readonly ReplayFile[], input: InputSettings): TopicOfUnit => {
    const { tsUnit, timeZone, positionBase, drop, file: form, adapter: configured } = input;
    const adapter = options.adapter ?? configured;
    const isList = typeof adapter === 'object' && 'list' in adapter;
    const newClock = (): LogClock | undefined => (timeZone === undefined ? undefined : new LogClock(timeZone));
    const clockOfAll = order === 'concat' ? newClock() : undefined;
    return {
      role,
      comesLater: side.length > 0 && comesLater(role, adapter),
      order,
      files: side.map(({ path, defaults }) => {
        const clock = clockOfAll ?? newClock();
        const decoder = createDecoder({
          ...decoderLimits(settings),
          role,
          tsUnit,
          clock,
          positionBase,
          drop,
          adapter,
          defaults,
          columns: form.columns,
          sessions: users?.needsSessions === true,
          joinBy: settings.join.by === 'requestId' ? undefined : settings.join.by,
        });
        const numbering = users?.numbering(decoder) ?? decoder;
        const ofSide = role.impressions ? 'impressions' : 'feedback';
        return {
          path,
          name: String(++files),
          decoder: watch.watching(numbering, path, ofSide, clock),
          side: ofSide,
          form: adapterTraits(adapter).readsLines ? { ...form, format: 'ndjson' } : form,
          toObject: rowObject(adapter),
          lists: isList ? { keyOf: listKey(adapter), within: adapter.list.within } : undefined,
        };
      }),
    };
  };
  const { impressions, feedback, events } = settings.inputs;
  if ('events' in inputs) return [topic({ impressions: true, feedback: true }, inputs.events, events)];
  // Rows of shown items may contain their feedback.
  const isBoth = hasRowFeedback(options.adapter ?? impressions.adapter);
  return [
    topic({ impressions: true, feedback: isBoth }, inputs.impressions, impressions),
    topic({ impressions: false, feedback: true }, inputs.feedback, feedback),
  ];
}

/** A store in memory that drops panes at once: a replay reads only totals, and a long log has many panes. */
class TotalsOnly implements Store {
  readonly #store = new MemoryStore();

  claim = (unit: string, token: string) => this.#store.claim(unit, token);
  read = (keys: readonly string[]) => this.#store.read(keys);

  async commit(commit: Commit): Promise<CommitAnswer> {
    const rows = new Map([...commit.rows].filter(([key]) => isLasting(key)));
    const stored = new Set([...(commit.stored ?? [])].filter(isLasting));
    return this.#store.commit({ ...commit, rows, stored });
  }
}
