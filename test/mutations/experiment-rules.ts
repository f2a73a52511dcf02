/** What decides about the variants of an experiment, with one rule taken out: the scenes of its test must find each. */
import type { Change, Mutation } from './mutation.ts';

function inArm(text: string, replacement: string): Change {
  return { file: 'statistics/arm.ts', text, replacement };
}

function inFacts(text: string, replacement: string): Change {
  return { file: 'statistics/decision.ts', text, replacement };
}

export const EXPERIMENT_RULE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'positives are needed in both variants',
    changes: [
      inFacts('Math.max(control.positives, variant.positives)', 'Math.min(control.positives, variant.positives)'),
    ],
  },
  {
    name: 'a variant in which all users are alike borrows no spread',
    changes: [
      inArm('return isAbsent(own) ? lent : Math.max(own, lent);', 'return isAbsent(own) ? own : Math.max(own, lent);'),
    ],
  },
  {
    name: 'a variant with next to no spread trusts its own',
    changes: [inArm('return isAbsent(own) ? lent : Math.max(own, lent);', 'return isAbsent(own) ? lent : own;')],
  },
  {
    name: 'what is lent is not scaled by the sizes',
    changes: [
      inArm('other.stderr * Math.sqrt(other.users / arm.users)', 'other.stderr * Math.sqrt(arm.users / arm.users)'),
    ],
  },
  {
    name: 'looks below the minima are remembered',
    changes: [
      {
        file: 'experiment/take-looks.ts',
        text: 'look: mayCount ? lookOf(state, measure, pair, users, asOf) : undefined',
        replacement: 'look: mayCount || !mayCount ? lookOf(state, measure, pair, users, asOf) : undefined',
      },
    ],
  },
  {
    name: 'N is the sum of the users',
    changes: [
      {
        file: 'statistics/exposure.ts',
        text: '(4 * control * treatment) / (control + treatment)',
        replacement: 'control + treatment',
      },
    ],
  },
  {
    name: 'one user may make most of the lists',
    changes: [
      inFacts('side.kish !== undefined && !(side.kish >= kish)', 'side.kish !== undefined && !(side.kish >= 0 * kish)'),
    ],
  },
  {
    name: 'degrees of freedom do not know the sizes',
    changes: [inArm('df: Math.min(arm.df, arm.kish - 1)', 'df: arm.df')],
  },
];
