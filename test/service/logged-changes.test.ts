import { describe, expect, it } from 'vitest';
import { emptyRow } from '../../src/accumulators/row.ts';
import type { ComparedVariant, Comparison } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import type { QualityDecision } from '../../src/exporter/cohort-watch.ts';
import { DecisionChanges, ExperimentChanges, FoldedCohorts } from '../../src/service/logged-changes.ts';
import { type WatchedDecision, watch } from '../../src/statistics/watched.ts';
import { load } from '../config/fixture.ts';
import { state } from '../experiment/states.ts';
import { rowsByField } from '../metrics/statuses.ts';

describe('the log of decisions', () => {
  const REST = watch({
    at: 0,
    replaying: true,
    blocks: [],
    step: 300_000,
    pastOf: () => undefined,
    settings: { k: 0.5, h: 20, tolerance: 0.01 },
  });
  const WARMING: WatchedDecision = REST;
  const HEALTHY: WatchedDecision = { ...REST, label: 'healthy', reason: 'in_control' };
  const REGRESSED: WatchedDecision = { ...REST, label: 'regressed', reason: 'below_baseline' };
  const NO_PAST: WatchedDecision = { ...REST, label: 'insufficient', reason: 'no_baseline' };

  function of(decision: WatchedDecision, value?: string, accepted?: QualityDecision['accepted']): QualityDecision {
    const by = value === undefined ? [] : ['variant'];
    return { by, values: value === undefined ? [] : [value], horizon: '1m', measure: 'mrr', decision, accepted };
  }

  /** What is logged for each of these, one after the other. */
  function told(...looks: readonly (readonly QualityDecision[])[]): readonly (readonly string[])[] {
    const changes = new DecisionChanges();
    return looks.map((decisions) => {
      const lines: string[] = [];
      const line = (level: string) => (details: object, message: string) => {
        const { cohort, decision, reason } = Object.fromEntries(Object.entries(details));
        lines.push(`${level}: ${cohort} ${decision} ${reason}`);
        expect(message).toContain('mrr');
      };
      changes.report(decisions, { info: line('info'), warn: line('warn') });
      return lines;
    });
  }

  it('reports when a level was accepted, though the label stays', () => {
    const level = { by: ['variant'], values: ['B'], measure: 'mrr', from: 0, at: 1, note: 'meant' };
    expect(told([of(HEALTHY, 'B')], [of(HEALTHY, 'B', level)], [of(HEALTHY, 'B', { ...level })])).toEqual([
      ['info: variant=B healthy in_control'],
      ['info: variant=B healthy in_control'],
      [],
    ]);
  });

  it('reports each decision once as long as it stays', () => {
    expect(told([of(HEALTHY, 'a')], [of(HEALTHY, 'a')])).toEqual([['info: variant=a healthy in_control'], []]);
  });

  it('warns of a regression alone', () => {
    expect(told([of(HEALTHY, 'a'), of(HEALTHY)], [of(REGRESSED, 'a'), of(HEALTHY)], [of(HEALTHY, 'a')])).toEqual([
      ['info: variant=a healthy in_control', 'info: all traffic healthy in_control'],
      ['warn: variant=a regressed below_baseline'],
      ['info: variant=a healthy in_control'],
    ]);
  });

  it('reports another reason of the same label', () => {
    expect(told([of(WARMING)], [of(NO_PAST)])).toEqual([
      ['info: all traffic insufficient warming_up'],
      ['info: all traffic insufficient no_baseline'],
    ]);
  });

  it('reports again what was gone for a while', () => {
    expect(told([of(HEALTHY)], [], [of(HEALTHY)])[2]).toEqual(['info: all traffic healthy in_control']);
  });
});

describe('the log of experiments', () => {
  const EMPTY: Comparison = evaluate(state({}));

  function of(...decisions: readonly Pick<ComparedVariant, 'decision' | 'reason'>[]): Comparison {
    const [shape] = EMPTY.variants;
    const variants = decisions.map((decision, v): ComparedVariant => ({ ...shape, variant: `v${v}`, ...decision }));
    return { ...EMPTY, variants };
  }

  /** What is logged for each of these, one after the other. */
  function told(...looks: readonly Comparison[]): readonly (readonly string[])[] {
    const changes = new ExperimentChanges();
    return looks.map((comparison) => {
      const lines: string[] = [];
      const line = (level: string) => (details: object, message: string) => {
        const { experiment, variant, decision, reason } = Object.fromEntries(Object.entries(details));
        lines.push(`${level}: ${experiment} ${variant} ${decision} ${reason}`);
        expect(message).toBe(comparison.variants[0].explanation);
      };
      changes.report([comparison], { info: line('info'), warn: line('warn') });
      return lines;
    });
  }

  const WAITS = { decision: 'insufficient', reason: 'few_users' } as const;
  const HEALTHY = { decision: 'healthy', reason: 'within_tolerance' } as const;
  const WORSE = { decision: 'regressed', reason: 'primary_worse' } as const;
  const UNSOUND = { decision: 'invalid', reason: 'srm' } as const;

  it('reports each decision once as long as it stays, and warns of what somebody must look at', () => {
    expect(told(of(WAITS, HEALTHY), of(WAITS, HEALTHY), of(WORSE, HEALTHY), of(UNSOUND, HEALTHY))).toEqual([
      ['info: default v0 insufficient few_users', 'info: default v1 healthy within_tolerance'],
      [],
      ['warn: default v0 regressed primary_worse'],
      ['warn: default v0 invalid srm'],
    ]);
  });

  it('reports another reason of the same decision', () => {
    expect(told(of(WAITS), of({ ...WAITS, reason: 'few_buckets' }))).toEqual([
      ['info: default v0 insufficient few_users'],
      ['info: default v0 insufficient few_buckets'],
    ]);
  });
});

describe('the log of cohorts that are counted under __other__', () => {
  const HOUR = 3_600_000;
  const SETTINGS = load('cohorts: [[], [variant], [variant, country]]\nlimits: {cohortsPerSet: 7}');

  function scored(field: string, impressions: number) {
    return { scored: rowsByField([field, { ...emptyRow({ names: [], kinds: [] }), impressions }]) };
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
      folded.report(units, { info: line('info'), warn: line('warn') }, hours * HOUR);
    }
    return lines;
  }

  const BEGINS =
    'warn: cohorts of [variant] are counted under __other__ from now on: all places of limits.cohortsPerSet are taken';
  const ENDS = 'info: for an hour no cohort of [variant] has been counted under __other__';

  it('reports when it begins, once', () => {
    expect(told('1m|variant|__other__', [0, 0], [1, 1], [1.1, 20], [2, 21])).toEqual([BEGINS]);
  });

  it.each([
    [1.99, [BEGINS]],
    [2, [BEGINS, ENDS]],
    [2.01, [BEGINS, ENDS]],
  ])('reports that it ended when nothing was added for an hour, at %d', (hours, lines) => {
    expect(told('1m|variant|__other__', [1, 5], [hours, 5])).toEqual(lines);
  });

  it('reports it again when it begins again, also where a partition has gone to another worker', () => {
    expect(told('1m|variant|__other__', [1, 5], [3, 0], [4, 3])).toEqual([BEGINS, ENDS, BEGINS]);
  });

  it('is silent about cohorts that have a name, and about all traffic', () => {
    expect([...told('1m|variant|a', [1, 5]), ...told('1m||', [1, 5])]).toEqual([]);
  });
});
