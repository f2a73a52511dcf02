import { describe, expect, it } from 'vitest';
import { describeMisfit, MisfitChanges, misfitGroups, unknownPartitions, unshown } from '../../src/service/misfits.ts';
import type { Misfit } from '../../src/windows/unit-state.ts';

const FITS: Misfit = { changed: [], missing: [] };
const LACKS: Misfit = { changed: [], missing: ['measure hit@1', 'cohorts surface'] };
const OTHER: Misfit = { changed: ['grades: stored 2, now 1'], missing: ['measure hit@1'] };

describe('partitions that were stored under another configuration', () => {
  it('are described together if they differ alike, first those that are not shown', () => {
    expect(misfitGroups([LACKS, FITS, OTHER, LACKS, undefined]).map(describeMisfit)).toEqual([
      'partition 2 was stored under another configuration and not shown (grades: stored 2, now 1)',
      'partitions 0, 3 were stored without measure hit@1, cohorts surface, which no window has whole',
    ]);
  });

  it('are a reason for not being ready if they are not shown, with what to do', () => {
    expect(unshown([LACKS, FITS, OTHER])).toEqual([
      expect.stringMatching(
        /^partition 2 .* not shown \(.*\)\. Start every worker and exporter .* the same configuration/,
      ),
    ]);
  });

  it('are logged once when they have differed for a minute, and once when that is over', () => {
    const lines: string[] = [];
    const line = (level: string) => (_: object, message: string) => void lines.push(`${level}: ${message}`);
    const log = { info: line('info'), warn: line('warn') };
    const changes = new MisfitChanges();
    changes.report([FITS, LACKS], log, 0);
    changes.report([FITS, FITS], log, 59_000);
    changes.report([FITS, LACKS], log, 60_000);
    changes.report([FITS, LACKS], log, 119_000);
    expect(lines).toEqual([]);
    changes.report([FITS, LACKS], log, 120_000);
    changes.report([FITS, LACKS], log, 121_000);
    changes.report([FITS, FITS], log, 122_000);
    changes.report([FITS, FITS], log, 123_000);
    expect(lines).toEqual([
      'warn: partition 1 was stored without measure hit@1, cohorts surface, which no window has whole',
      'info: what all partitions have stored fits the configuration again',
    ]);
  });
});

it.each([
  [4, 0, []],
  [4, 4, []],
  [6, 4, []],
  [
    4,
    6,
    [
      'there were 4 partitions when this process was started, and now 6 are stored: the others are not shown, and all windows are incomplete. Restart it',
    ],
  ],
])('partitions that were added after our start are a reason for not being ready: %d, then %d', (ours, stored, told) => {
  expect(unknownPartitions(ours, stored)).toEqual(told);
});
