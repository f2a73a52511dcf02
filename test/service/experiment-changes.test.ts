import { describe, expect, it } from 'vitest';
import type { ComparedVariant, Comparison } from '../../src/experiment/comparison.ts';
import { evaluate } from '../../src/experiment/evaluate.ts';
import { ExperimentChanges } from '../../src/service/logged-changes.ts';
import { state } from '../experiment/states.ts';

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
    changes.tell([comparison], { info: line('info'), warn: line('warn') });
    return lines;
  });
}

const WAITS = { decision: 'insufficient', reason: 'few_users' } as const;
const HEALTHY = { decision: 'healthy', reason: 'within_tolerance' } as const;
const WORSE = { decision: 'regressed', reason: 'primary_worse' } as const;
const UNSOUND = { decision: 'invalid', reason: 'srm' } as const;

describe('the log of experiments', () => {
  it('tells each decision once as long as it stays, and warns of what somebody must look at', () => {
    expect(told(of(WAITS, HEALTHY), of(WAITS, HEALTHY), of(WORSE, HEALTHY), of(UNSOUND, HEALTHY))).toEqual([
      ['info: default v0 insufficient few_users', 'info: default v1 healthy within_tolerance'],
      [],
      ['warn: default v0 regressed primary_worse'],
      ['warn: default v0 invalid srm'],
    ]);
  });

  it('tells another reason of the same decision', () => {
    expect(told(of(WAITS), of({ ...WAITS, reason: 'few_buckets' }))).toEqual([
      ['info: default v0 insufficient few_users'],
      ['info: default v0 insufficient few_buckets'],
    ]);
  });
});
