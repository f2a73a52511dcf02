// Long because one estimate covers everything that a row costs: in a worker, in Redis, in a commit and in an exporter.
import { CellColumns } from '../accumulators/list-sums.ts';
import { HOUR_BUCKETS } from '../accumulators/panes.ts';
import { longest, type PanesSettings } from '../accumulators/panes-settings.ts';
import { emptyRow, type Row, sumsStarts } from '../accumulators/row.ts';
import { rowCodec, vectorRowCodec } from '../accumulators/row-codec.ts';
import { ROW_BYTES } from '../accumulators/row-table.ts';
import { paneKey, rowField, setText, vectorKey } from '../accumulators/store/layout.ts';
import { columnsBeforeSums, LISTS, POSITIVES, Vector, vectorStarts } from '../accumulators/vector.ts';
import { GAUGES_PER_MEASURE } from '../config/resolve.ts';
import type { Settings } from '../config/settings.ts';
import { MOST_STATE_BYTES } from '../config/simple.ts';
import type { Scorer } from '../measures/scorer-contract.ts';
import { PER_ONE, SUMS } from '../measures/sums.ts';
import { SAMPLE_CAPACITY } from '../statistics/user-sample.ts';
import { unitShape } from '../unit/unit-settings.ts';
import { DAY, HOUR } from '../vocabulary/durations.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { memoryFor } from '../worker/memory-load.ts';
import { BUSY_RECORDS, turnsOf } from '../worker/owned.ts';
import { filled, ItemPlan } from './plan-items.ts';
import { WHOLE } from './service-settings.ts';

/** The traffic of one service. Lists are assumed to be spread evenly over partitions, cohorts and users, which gives the most rows. */
export interface ExpectedTraffic {
  readonly listsPerSecond: number;
  readonly feedbackPerList: number;
  readonly itemsPerList: number;
  /** Different items that lists show; undefined: as many as measures of items count. */
  readonly catalogue: number | undefined;
  readonly partitions: number;
  readonly workers: number;
  /** Different values of each dimension of the grouping sets. */
  readonly values: ReadonlyMap<string, number>;
  /** Users that experiments will have seen; undefined: more than they sample. */
  readonly users: number | undefined;
}

/** What Redis holds after some time of this traffic. */
interface StoredRows {
  readonly after: DurationMs;
  readonly rows: number;
  readonly bytes: number;
}

/** The resources that the traffic takes. Bytes are of memory. */
export interface Plan {
  readonly cohorts: readonly { readonly by: readonly string[]; readonly cohorts: number; readonly asked: number }[];
  readonly worker: {
    readonly openImpressions: number;
    /** Bytes of state of the worker with most partitions. */
    readonly stateBytes: number;
    readonly memoryBytes: number;
    /** The least number of workers that can hold the state; Infinity: even one for each partition cannot. */
    readonly leastWorkers: number;
    /** Cores of all workers together, on a machine as in docs/performance.md. */
    readonly cores: number;
  };
  readonly redis: {
    readonly stored: readonly StoredRows[];
    /** Bytes of the users that experiments sample, which are stored beside the rows. */
    readonly sampleBytes: number;
    readonly commitsPerSecond: number;
    readonly rowsPerCommit: number;
    /** Bytes that are sent to Redis, and written to its append-only file. */
    readonly bytesPerSecond: number;
  };
  readonly exporter: { readonly rows: number; readonly series: number; readonly memoryBytes: number };
}

/** Bytes of an open impression besides its items: ids, places in tables and in the order of time; then bytes for each item and feedback. */
const OPEN_BYTES = 160;
const OPEN_ITEM_BYTES = 5;
const OPEN_FEEDBACK_BYTES = 33;
/** Seconds of CPU for an event, without rows, and for each row of a commit (docs/performance.md). */
const EVENT_S = 8e-6;
const ROW_S = 10e-6;
/** Seconds of CPU for the sums by user bucket of a row, which are written as a whole; then for a commit. */
const VECTOR_S = 75e-6;
const COMMIT_S = 150e-6;
/** Seconds of CPU for each item whose exposure a row counts: added to the row, and written with it at each commit. */
const ITEM_S = 1e-6;
/** Bytes for each user of a run in one unit (statistics/user-sample.ts). */
const SAMPLED_BYTES = 120;
/** Bytes of a row in an exporter besides its sums: its objects, its entry in a map and its field. */
const SHOWN_ROW_BYTES = 300;
/** Bytes of an exporter without any rows. */
const EXPORTER_BYTES = 150 * 2 ** 20;
/** Bytes of a hash in Redis: of an entry with its place in a table that is half full, and of a key with its entries and an empty table. */
const ENTRY_BYTES = 24 + 12;
const KEY_BYTES = 250;
/** The number of lists, and of those with positives. */
const COUNTS = 2;
const USUAL_VALUE = 0.3;
const A_VALUE = 'treatment';
const A_UNIT = { namespace: 'default', unit: 10, generation: WHOLE.generation };
/** A time with the usual number of digits. */
const A_TIME = 1_700_000_000_000;

/**
 * Memory and CPU that a configuration takes for this traffic.
 *
 * @throws RangeError for a dimension whose number of values is not given
 */
export function planFor(settings: Settings, scorer: Scorer, traffic: ExpectedTraffic): Plan {
  const { panes } = unitShape(settings, scorer, 0);
  const rows = new RowPlan(panes, traffic, settings.limits.itemsCounted);
  const { attribution, commit, windows, measures } = settings;
  const openFor = attribution.window.ms + attribution.outOfOrderness;
  const openImpressions = traffic.listsPerSecond * (openFor / 1000);
  const share = Math.ceil(traffic.partitions / traffic.workers) / traffic.partitions;
  const state = openImpressions * openBytes(traffic) + rows.changingBytes(openFor);
  const mostPartitions = Math.floor(MOST_STATE_BYTES / (state / traffic.partitions));
  const commitsPerSecond = commitRate(commit, traffic);
  const perCommit = rows.perCommit((1000 * traffic.partitions) / commitsPerSecond);
  const sampled = Math.min(traffic.users ?? SAMPLE_CAPACITY, SAMPLE_CAPACITY);
  const sampleBytes = settings.experiments.length * traffic.partitions * sampled * SAMPLED_BYTES;
  const longestWindow = Math.max(0, ...windows.map(({ ms }) => ms));
  const shown = rows.minuteRows(longestWindow);
  return {
    cohorts: rows.sets.map(({ by, cohorts, asked }) => ({ by, cohorts, asked })),
    worker: {
      openImpressions,
      stateBytes: share * state,
      memoryBytes: memoryFor(share * state),
      leastWorkers: Math.ceil(traffic.partitions / mostPartitions),
      cores:
        traffic.listsPerSecond * (1 + traffic.feedbackPerList) * EVENT_S +
        commitsPerSecond *
          (COMMIT_S + perCommit.rows * ROW_S + perCommit.vectors * VECTOR_S + perCommit.items * ITEM_S),
    },
    redis: {
      stored: [HOUR, DAY, Math.max(panes.keepMinutes, panes.keepHours) + DAY].map((after) => rows.stored(after)),
      sampleBytes,
      commitsPerSecond,
      rowsPerCommit: perCommit.rows + perCommit.vectors,
      bytesPerSecond: commitsPerSecond * perCommit.bytes,
    },
    exporter: {
      rows: shown,
      series: measures.length * GAUGES_PER_MEASURE * windows.length * attribution.horizons.length * rows.cohortsShown,
      memoryBytes: EXPORTER_BYTES + (shown / traffic.partitions) * rows.shownBytes + rows.shownItemBytes(longestWindow),
    },
  };
}

/** Commits per second of all workers. Partitions with little to store take turns (specification: commit 1.1). */
function commitRate({ interval, perSecond }: Settings['commit'], traffic: ExpectedTraffic): number {
  const { partitions, workers, listsPerSecond, feedbackPerList } = traffic;
  const inOne = (partitions * 1000) / interval;
  const records = (listsPerSecond * (1 + feedbackPerList)) / inOne;
  if (records >= BUSY_RECORDS) return inOne;
  const turns = turnsOf(Math.ceil(partitions / workers), { commitInterval: interval, commitsPerSecond: perSecond });
  return Math.min(inOne, (workers * turns * 1000) / interval);
}

function openBytes({ itemsPerList, feedbackPerList }: ExpectedTraffic): number {
  return OPEN_BYTES + itemsPerList * OPEN_ITEM_BYTES + feedbackPerList * OPEN_FEEDBACK_BYTES;
}

interface PlannedSet {
  readonly by: readonly string[];
  /** Number of cohorts kept by name, plus one for the rest. */
  readonly cohorts: number;
  /** Number of cohorts that the values can make. */
  readonly asked: number;
  readonly isClustered: boolean;
}

/** The rows of all units together, if lists are spread evenly. */
class RowPlan {
  readonly sets: readonly PlannedSet[];
  readonly #panes: Omit<PanesSettings, 'owner' | 'closedUpTo'>;
  readonly #traffic: ExpectedTraffic;
  readonly #encode: (row: Row) => string;
  readonly #encodeVector: (row: Row) => string;
  readonly #items: ItemPlan;

  constructor(panes: Omit<PanesSettings, 'owner' | 'closedUpTo'>, traffic: ExpectedTraffic, itemsCounted: number) {
    this.#panes = panes;
    this.#traffic = traffic;
    this.#items = new ItemPlan(panes, { ...traffic, catalogue: traffic.catalogue ?? itemsCounted });
    this.#encode = rowCodec(panes.shape).encode;
    this.#encodeVector = vectorRowCodec(panes.shape).encode;
    const clustered = new Set(panes.clustered.map(setText));
    this.sets = panes.sets.map((by) => {
      const asked = by.reduce((product, dimension) => product * valuesOf(traffic, dimension), 1);
      const cohorts = asked > panes.cohortsPerSet ? panes.cohortsPerSet + 1 : asked;
      return { by, cohorts, asked, isClustered: clustered.has(setText(by)) };
    });
  }

  /** Number of cohorts of all sets. */
  get cohortsShown(): number {
    return this.sets.reduce((sum, { cohorts }) => sum + cohorts, 0);
  }

  /** Bytes of one row in an exporter, without its vector. */
  get shownBytes(): number {
    const starts = sumsStarts(this.#panes.shape);
    return SHOWN_ROW_BYTES + 8 * starts[starts.length - 1];
  }

  /** Bytes of one row in a worker, without its vector. */
  get liveBytes(): number {
    return ROW_BYTES + 8 * new CellColumns(this.#panes.shape).width;
  }

  /** Number of rows of the minute panes of this span. */
  minuteRows(span: DurationMs): number {
    const { paneSize } = this.#panes;
    return this.#perPane(paneSize) * Math.ceil(span / paneSize);
  }

  /** Bytes of the rows that can still change. */
  changingBytes(span: DurationMs): number {
    const { hour, paneSize } = this.#panes;
    const rows = this.minuteRows(span + paneSize) + this.#perPane(hour) * Math.ceil((span + hour) / hour);
    return rows * this.liveBytes + this.#liveItemBytes();
  }

  /**
   * Bytes in workers of what minute rows keep besides their sums, for all units: from when lists close at a horizon until they
   * close at the last one.
   */
  #liveItemBytes(): number {
    const { paneSize, horizons } = this.#panes;
    const window = longest(this.#panes);
    let bytes = 0;
    for (const set of this.sets) {
      const lists = this.#listsOf(set, paneSize);
      const { liveBytes } = this.#items.itemsOf(set.by, lists);
      horizons.forEach(({ ms }, h) => {
        const panes = Math.ceil((window - ms) / paneSize) + 1;
        const { positions } = this.#items.positionsOf(set.by, h, lists);
        bytes += panes * this.#rowsOf(set, paneSize) * (liveBytes + (positions?.bytes ?? 0));
      });
    }
    return bytes;
  }

  /** Bytes in an exporter of the items of a window, all partitions together. */
  shownItemBytes(span: DurationMs): number {
    const { paneSize, horizons } = this.#panes;
    const bytes = this.sets.reduce((sum, { by, cohorts }) => {
      const shown = filled(this.#lists(paneSize), cohorts);
      return sum + horizons.length * shown * this.#items.shownBytes(by, this.#lists(paneSize) / shown);
    }, 0);
    return bytes * Math.ceil(span / paneSize);
  }

  /** What Redis holds after the service has run for this time. */
  stored(after: DurationMs): StoredRows {
    const { hour, paneSize, keepHours, keepMinutes, keepVectors } = this.#panes;
    let rows = 0;
    let bytes = 0;
    const add = (size: DurationMs, keep: DurationMs, part: { rows: number; bytes: number }): void => {
      const panes = Math.min(after, keep + size) / size;
      rows += panes * part.rows;
      bytes += panes * part.bytes;
    };
    add(
      paneSize,
      keepMinutes,
      this.#pane(paneSize, (start) => paneKey(A_UNIT, 'm', start)),
    );
    add(
      hour,
      keepHours,
      this.#pane(hour, (start) => paneKey(A_UNIT, 'h', start)),
    );
    add(hour, keepVectors, this.#vectors(hour));
    return { after, rows, bytes };
  }

  /** Rows and bytes of one commit: the closings of an interval change a minute row and an hour row for each of their cohorts. */
  perCommit(interval: DurationMs): {
    readonly rows: number;
    readonly vectors: number;
    readonly items: number;
    readonly bytes: number;
  } {
    const { partitions } = this.#traffic;
    const { hour, paneSize, horizons } = this.#panes;
    let rows = 0;
    let vectors = 0;
    let items = 0;
    let bytes = 0;
    for (const set of this.sets) {
      const changed = filled(this.#lists(interval), set.cohorts * partitions) / partitions;
      const { counted } = this.#items.itemsOf(set.by, this.#listsOf(set, paneSize));
      horizons.forEach((_, h) => {
        rows += 2 * changed;
        items += changed * counted;
        bytes += changed * (this.#textBytes(set, paneSize, h) + this.#textBytes(set, hour, h));
        if (!set.isClustered) return;
        vectors += changed;
        bytes += changed * this.#vectorText(set, hour).length;
      });
    }
    return { rows, vectors, items, bytes };
  }

  #lists(span: DurationMs): number {
    return (this.#traffic.listsPerSecond * span) / 1000;
  }

  /** Number of rows of one pane, for all units. */
  #perPane(size: DurationMs): number {
    return this.sets.reduce((sum, set) => sum + this.#panes.horizons.length * this.#rowsOf(set, size), 0);
  }

  /** Number of rows of one set at one horizon, for all units. */
  #rowsOf({ cohorts }: PlannedSet, size: DurationMs): number {
    return filled(this.#lists(size), cohorts * this.#traffic.partitions);
  }

  /** Rows and bytes in Redis of one pane, for all units. */
  #pane(size: DurationMs, keyOf: (start: number) => string): { readonly rows: number; readonly bytes: number } {
    let rows = 0;
    let bytes = this.#traffic.partitions * keyBytes(keyOf(A_TIME));
    for (const set of this.sets) {
      const count = this.#rowsOf(set, size);
      this.#panes.horizons.forEach(({ text }, h) => {
        rows += count;
        bytes += count * fieldBytes(fieldOf(set, text), this.#textBytes(set, size, h));
      });
    }
    return { rows, bytes };
  }

  #vectors(size: DurationMs): { readonly rows: number; readonly bytes: number } {
    const { partitions } = this.#traffic;
    const { horizons } = this.#panes;
    const clustered = this.sets.filter(({ isClustered }) => isClustered);
    let rows = 0;
    let bytes = clustered.length === 0 ? 0 : partitions * keyBytes(vectorKey(A_UNIT, A_TIME));
    for (const set of clustered) {
      const count = horizons.length * this.#rowsOf(set, size);
      rows += count;
      bytes += count * fieldBytes(fieldOf(set, horizons[0].text), this.#vectorText(set, size).length);
    }
    return { rows, bytes };
  }

  /** Number of lists of one row that has any. */
  #listsOf(set: PlannedSet, size: DurationMs): number {
    return Math.max(1, Math.round(this.#lists(size) / this.#rowsOf(set, size)));
  }

  /** Bytes of the text of a row. Only minute rows keep items and counts by rank. */
  #textBytes(set: PlannedSet, size: DurationMs, horizon: number): number {
    const lists = this.#listsOf(set, size);
    const row = this.#usualRow(lists);
    if (size !== this.#panes.paneSize) return this.#encode(row).length;
    const positions = this.#items.positionsOf(set.by, horizon, lists);
    return this.#encode({ ...row, ...positions }).length + this.#items.itemsOf(set.by, lists).textBytes;
  }

  #vectorText(set: PlannedSet, size: DurationMs): string {
    const lists = this.#listsOf(set, size);
    const { shape } = this.#panes;
    const starts = vectorStarts(shape.kinds);
    const width = starts[starts.length - 1];
    const vector = new Vector(HOUR_BUCKETS, width);
    const buckets = Math.round(filled(lists, HOUR_BUCKETS));
    for (let bucket = 0; bucket < buckets; bucket++) {
      const own = Math.max(1, Math.round(lists / buckets));
      vector.addTo(bucket, LISTS, own);
      vector.addTo(bucket, POSITIVES, Math.round(USUAL_VALUE * own));
      shape.kinds.forEach((kind, m) => {
        const first = starts[m] + columnsBeforeSums(kind);
        for (let column = first; column < starts[m + 1]; column++) vector.addTo(bucket, column, usualSum(own, column));
      });
    }
    return this.#encodeVector({ ...emptyRow(shape), vector });
  }

  /** A row of `lists` lists, a third of them with a positive. */
  #usualRow(lists: number): Row {
    const { shape } = this.#panes;
    const row = emptyRow(shape);
    row.impressions = lists;
    row.positives = Math.round(USUAL_VALUE * lists);
    const starts = sumsStarts(shape);
    shape.kinds.forEach((kind, m) => {
      const { counted } = SUMS[kind];
      for (let i = starts[m]; i < starts[m + 1]; i++) {
        const isCount = counted && i < starts[m] + COUNTS;
        row.sums[i] = isCount ? (i === starts[m] ? lists : row.positives) : usualSum(lists, i);
      }
    });
    return row;
  }
}

function valuesOf({ values }: ExpectedTraffic, dimension: string): number {
  const count = values.get(dimension);
  if (count === undefined) throw new RangeError(`how many values the dimension ${dimension} has is not known`);
  return count;
}

/** A sum with all nine decimal digits, as values of discounts have. */
function usualSum(lists: number, column: number): number {
  return Math.round(USUAL_VALUE * lists * PER_ONE * (1 + column / 97)) + 1;
}

/** A field as long as those of real cohorts. */
function fieldOf({ by }: PlannedSet, horizon: string): string {
  return rowField(horizon, setText(by), by.map(() => A_VALUE).join(','));
}

/**
 * Bytes that Redis takes for one field of a hash: an entry and its place in the table, and two strings with their heads, each
 * rounded up to a size class of the allocator.
 */
function fieldBytes(field: string, valueBytes: number): number {
  return ENTRY_BYTES + stringBytes(field.length) + stringBytes(valueBytes);
}

/** Bytes that Redis takes for a key: entries in the tables of keys and of times to live, and an empty hash. */
function keyBytes(key: string): number {
  return KEY_BYTES + stringBytes(key.length);
}

function stringBytes(length: number): number {
  return allocated(length + (length < 256 ? 4 : 6));
}

/** Rounds up to a size class of jemalloc: there are four between two powers of two. */
function allocated(bytes: number): number {
  if (bytes <= 64) return Math.ceil(bytes / 8) * 8;
  const step = 2 ** (Math.ceil(Math.log2(bytes)) - 3);
  return Math.ceil(bytes / step) * step;
}
