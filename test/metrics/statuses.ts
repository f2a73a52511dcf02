import { emptyRow, type Row } from '../../src/accumulators/row.ts';
import type { RowsByField } from '../../src/accumulators/scored-rows.ts';
import { noCounts } from '../../src/consumers/join/counts.ts';
import type { UnitStatus, WorkerStatus } from '../../src/worker/status.ts';

/** A unit that has seen nothing yet, with changes. */
export function unitStatus(partition: number, changes: Partial<UnitStatus> = {}): UnitStatus {
  return {
    partition,
    counts: [noCounts(3), noCounts(3)],
    invalid: [new Map(), new Map()],
    ignoredCohortKeys: 0,
    scored: rowsByField(),
    unknownItems: [0, 0, 0],
    unscored: [0, 0, 0],
    idleAdvances: 0,
    closedByIdle: 0,
    topicWatermarks: [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    watermark: Number.NEGATIVE_INFINITY,
    openImpressions: 0,
    waitingFeedback: 0,
    stateBytes: 0,
    replaying: false,
    stopped: undefined,
    lag: [undefined, undefined],
    inTransactions: [0, 0],
    waiting: 0,
    retentionHeadroom: [undefined, undefined],
    ...changes,
  };
}

/** Rows that stay as they are. */
export function rowsByField(...rows: readonly (readonly [field: string, row: Row])[]): RowsByField {
  const byField = new Map(rows);
  return {
    size: byField.size,
    fields: () => byField.keys(),
    impressionsOf: (field) => byField.get(field)?.impressions,
    get: (field) => byField.get(field),
  };
}

/** A worker that has done nothing yet, with changes. */
export function workerStatus(units: readonly UnitStatus[], changes: Partial<WorkerStatus> = {}): WorkerStatus {
  return {
    topics: ['impressions', 'feedback'],
    units,
    commits: { ok: 0, already: 0, fenced: 0, conflict: 0, unknown: 0 },
    commitDuration: { bounds: [0.01, 0.1], counts: [0, 0, 0], sum: 0 },
    feedbackDelay: { bounds: [60], counts: [0, 0], sum: 0 },
    lastCommit: undefined,
    rewinds: 0,
    gapRecords: 0,
    lostKeys: 0,
    fetchedBytes: 0,
    clockSkew: undefined,
    ...changes,
  };
}

/** A row of these means, each with the same n, n+ and sum of values. */
export function meanRow(names: readonly string[], n: number, positive: number, sum: number): Row {
  const row = emptyRow({ names, kinds: names.map(() => 'mean' as const) });
  row.impressions = n;
  row.positives = positive;
  row.sums.splice(0, row.sums.length, ...names.flatMap(() => [n, positive, Math.round(sum * 1e9), 0]));
  return row;
}
