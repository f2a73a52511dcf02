import { describe, expect, it } from 'vitest';
import { emptyRow } from '../../src/accumulators/row.ts';
import { FoldedCohorts } from '../../src/service/logged-changes.ts';
import { load } from '../config/fixture.ts';

const HOUR = 3_600_000;
const SETTINGS = load('cohorts: [[], [variant], [variant, country]]\nlimits: {cohortsPerSet: 7}');

function scored(field: string, impressions: number) {
  return { scored: new Map([[field, { ...emptyRow({ names: [], kinds: [] }), impressions }]]) };
}

/** What is logged when each of these impressions, of two partitions, is the sum at that hour. */
function told(field: string, ...sums: readonly (readonly [hours: number, impressions: number])[]): readonly string[] {
  const folded = new FoldedCohorts(SETTINGS);
  const lines: string[] = [];
  const line = (level: string) => (_: object, message: string) => lines.push(`${level}: ${message}`);
  for (const [hours, impressions] of sums) {
    const units = [
      scored(field, impressions - Math.floor(impressions / 2)),
      scored(field, Math.floor(impressions / 2)),
    ];
    folded.tell(units, { info: line('info'), warn: line('warn') }, hours * HOUR);
  }
  return lines;
}

const BEGINS =
  'warn: cohorts of [variant] are counted under __other__ from now on: all places of limits.cohortsPerSet are taken';
const ENDS = 'info: for an hour no cohort of [variant] has been counted under __other__';

describe('the log of cohorts that are counted under __other__', () => {
  it('tells when it begins, once', () => {
    expect(told('1m|variant|__other__', [0, 0], [1, 1], [1.1, 20], [2, 21])).toEqual([BEGINS]);
  });

  it.each([
    [1.99, [BEGINS]],
    [2, [BEGINS, ENDS]],
    [2.01, [BEGINS, ENDS]],
  ])('tells that it ended when nothing was added for an hour, at %d', (hours, lines) => {
    expect(told('1m|variant|__other__', [1, 5], [hours, 5])).toEqual(lines);
  });

  it('tells it again when it begins again, also where a partition has gone to another worker', () => {
    expect(told('1m|variant|__other__', [1, 5], [3, 0], [4, 3])).toEqual([BEGINS, ENDS, BEGINS]);
  });

  it('is silent about cohorts that have a name, and about all traffic', () => {
    expect([...told('1m|variant|a', [1, 5]), ...told('1m||', [1, 5])]).toEqual([]);
  });
});
