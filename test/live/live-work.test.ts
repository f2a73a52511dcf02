import { describe, expect, it } from 'vitest';
import { LiveWork } from '../../src/live/live-work.ts';
import type { UnitStatus } from '../../src/worker/status.ts';
import { unitStatus, workerStatus } from '../metrics/statuses.ts';

const MINUTE = 60_000;

/** A unit that has dropped so many feedback events as orphans. */
function unit(partition: number, orphans: number, changes: Partial<UnitStatus> = {}): UnitStatus {
  const status = unitStatus(partition, changes);
  status.counts[1].feedback.drops.orphan = orphans;
  return status;
}

describe('what the page shows of a worker', () => {
  it('counts drops by the minute, from what units add while they are here', () => {
    const work = new LiveWork();
    const steps: readonly (readonly [number, readonly UnitStatus[]])[] = [
      [0, [unit(0, 100)]],
      [10_000, [unit(0, 103)]],
      [MINUTE, [unit(0, 104), unit(1, 5000)]],
      [2 * MINUTE, [unit(0, 104), unit(1, 5002)]],
      // Taken back by a rollback, and away.
      [3 * MINUTE, [unit(0, 90)]],
      [4 * MINUTE, [unit(0, 91), unit(1, 6000)]],
    ];
    for (const [at, units] of steps) work.update(workerStatus(units), at);
    expect(work.view(workerStatus([])).drops).toEqual({
      times: [0, 1, 2, 3, 4].map((minute) => minute * MINUTE),
      reasons: [{ reason: 'orphan', counts: [3, 1, 2, 0, 1] }],
    });
  });

  it('remembers three hours', () => {
    const work = new LiveWork();
    for (let minute = 0; minute < 500; minute++) work.update(workerStatus([unit(0, minute)]), minute * MINUTE);
    const { times, reasons } = work.view(workerStatus([])).drops;
    expect([times.length, times[0], reasons[0].counts.length]).toEqual([180, 320 * MINUTE, 180]);
  });

  it('shows partitions that stand still first, then those that lag most', () => {
    const units = [
      unit(0, 0, { lag: [5, 5] }),
      unit(1, 0, { lag: [90, undefined], watermark: 1000 }),
      unit(2, 0, { stopped: 'gap' }),
    ];
    const { partitions } = new LiveWork().view(workerStatus(units));
    expect(partitions.map(({ partition, stopped, lag, watermark }) => [partition, stopped, lag, watermark])).toEqual([
      [2, 'gap', [null, null], null],
      [1, null, [90, null], 1000],
      [0, null, [5, 5], null],
    ]);
  });

  it('says how long commits take, once there are any', () => {
    const view = (changes: object) => new LiveWork().view(workerStatus([], changes));
    expect([view({}).commitSeconds, view({}).lastCommit]).toEqual([null, null]);
    const commitDuration = { bounds: [0.01, 0.1], counts: [3, 1, 0], sum: 0.2 };
    const { commitSeconds, lastCommit } = view({ commitDuration, lastCommit: 0 });
    expect([commitSeconds, lastCommit]).toEqual([0.05, '1970-01-01T00:00:00.000Z']);
  });
});
