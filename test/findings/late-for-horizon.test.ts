/** A host whose clock is minutes ahead moves time on for all others, so that they miss the short horizons. */
import { afterAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { lateForHorizon } from '../../src/findings/feedback-missing.ts';
import { replay } from '../../src/replay/file-replay.ts';
import { removeLogs, writeLog } from '../stranger/findings-logs.ts';

afterAll(removeLogs);

const AT = Date.parse('2026-11-21T08:00:00Z');

describe('lists that miss the shortest horizon', () => {
  it.each([
    [29, 29, 0],
    [30, 1, 0],
    [100, 4, 0],
    [100, 5, 1],
  ])('of %d, %d that are late, are so many findings: %d', (counted, late, findings) => {
    const none = { counted: 1000, late: { '1m': 0, '5m': 0 } };
    expect(lateForHorizon({ counted, late: { '1m': late, '5m': 0 } }, none)).toHaveLength(findings);
    expect(lateForHorizon(none, { counted, late: { '1m': late, '5m': 0 } })).toHaveLength(findings);
  });

  it.each([
    [0, []],
    [240_000, ['late_for_horizon']],
  ])('are told where one host of a hundred is %d ms ahead', async (ahead, expected) => {
    const rows = Array.from({ length: 2000 }, (_, n) => {
      const ts = AT + 2000 * n + (n % 100 === 0 ? ahead : 0);
      return { requestId: `r${n}`, ts, userId: `u${n}`, items: ['a', 'b'] };
    });
    const clicks = rows.map(({ requestId, ts }) => ({ requestId, ts: ts + 1000, itemId: 'b', action: 'click' }));
    const settings = loadSettings({
      file: 'yaml',
      readFile: () => 'attribution: {horizons: [1m, 10m]}\nmeasures: [mrr]\n',
      env: {},
      command: 'replay',
    });
    const path = (log: readonly object[]) => [
      { path: writeLog(log.map((row) => ({ ...row }))), defaults: new Map<string, string>() },
    ];
    const { findings } = await replay({
      settings,
      inputs: { impressions: path(rows), feedback: path(clicks) },
      adapter: undefined,
      order: 'time',
      closeAll: true,
      newId: () => 'id',
      hashSeed: 1,
      onProgress: () => {},
    });
    expect(findings.map(({ code }) => code)).toEqual(expected);
    if (ahead > 0)
      expect(findings[0].cause).toMatch(/of 2,000 impressions \([\d.]+ %\) come too late for the horizon 1m/);
  });
});
