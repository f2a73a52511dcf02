import { describe, expect, it } from 'vitest';
import type { QualityDecision } from '../../src/exporter/cohort-watch.ts';
import { DecisionChanges } from '../../src/service/logged-changes.ts';
import { type WatchedDecision, watch } from '../../src/statistics/watched.ts';

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
    changes.tell(decisions, { info: line('info'), warn: line('warn') });
    return lines;
  });
}

describe('the log of decisions', () => {
  it('tells when a level was accepted, though the label stays', () => {
    const level = { by: ['variant'], values: ['B'], measure: 'mrr', from: 0, at: 1, note: 'meant' };
    expect(told([of(HEALTHY, 'B')], [of(HEALTHY, 'B', level)], [of(HEALTHY, 'B', { ...level })])).toEqual([
      ['info: variant=B healthy in_control'],
      ['info: variant=B healthy in_control'],
      [],
    ]);
  });

  it('tells each decision once as long as it stays', () => {
    expect(told([of(HEALTHY, 'a')], [of(HEALTHY, 'a')])).toEqual([['info: variant=a healthy in_control'], []]);
  });

  it('warns of a regression alone', () => {
    expect(told([of(HEALTHY, 'a'), of(HEALTHY)], [of(REGRESSED, 'a'), of(HEALTHY)], [of(HEALTHY, 'a')])).toEqual([
      ['info: variant=a healthy in_control', 'info: all traffic healthy in_control'],
      ['warn: variant=a regressed below_baseline'],
      ['info: variant=a healthy in_control'],
    ]);
  });

  it('tells another reason of the same label', () => {
    expect(told([of(WARMING)], [of(NO_PAST)])).toEqual([
      ['info: all traffic insufficient warming_up'],
      ['info: all traffic insufficient no_baseline'],
    ]);
  });

  it('tells again what was gone for a while', () => {
    expect(told([of(HEALTHY)], [], [of(HEALTHY)])[2]).toEqual(['info: all traffic healthy in_control']);
  });
});
