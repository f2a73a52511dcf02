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
    name: 'an unsound look leaves evidence',
    changes: [
      {
        file: 'experiment/take-looks.ts',
        text: 'if (unsoundness(soundFactsOf(state, variant, split)) !== undefined) return [];',
        replacement: 'if (unsoundness(soundFactsOf(state, variant, split)) === null) return [];',
      },
    ],
  },
  {
    name: 'an unsound look leaves what was known before',
    changes: [
      {
        file: 'experiment/take-looks.ts',
        text: 'if (unsoundness(soundFactsOf(state, variant, split)) !== undefined) return [];',
        replacement:
          'if (unsoundness(soundFactsOf(state, variant, split)) !== undefined) return looks.measures.has(variant) ? [[variant, looks.measures.get(variant) ?? new Map()] as const] : [];',
      },
    ],
  },
  {
    name: 'an unsound look forgets the split, which may heal then',
    changes: [
      {
        file: 'experiment/take-looks.ts',
        text: 'const srm = larger(looks.srm, isAbsent(logE) ? undefined : { logE, at: asOf });',
        replacement: 'const srm = isAbsent(logE) ? undefined : { logE, at: asOf };',
      },
    ],
  },
  {
    name: 'a finding outlives an unsound look',
    changes: [inFacts("if (previous.reason !== 'effect_changed' && isUnsound(found.reason)) return found;", '')],
  },
  ...['incomplete: isIncomplete', 'srm: isSplitOff', 'crossover: ({ exposure }) => isCrossed(exposure)'].map(
    (rule) => ({
      name: `a look is sound in spite of ${rule.split(':')[0]}`,
      changes: [inFacts(`  ${rule},`, `  ${rule.split(':')[0]}: () => false,`)],
    }),
  ),
  {
    name: 'lists without a user are sound',
    changes: [inFacts('return userless > MOST_USERLESS * impressions;', 'return userless > 2 * impressions;')],
  },
  {
    name: 'the control may lack user ids',
    changes: [
      inFacts(
        'no_user_ids: ({ control, variant }) => isUnclustered(control) || isUnclustered(variant),',
        'no_user_ids: ({ variant }) => isUnclustered(variant),',
      ),
    ],
  },
  {
    name: 'lists without a user are users',
    changes: [
      {
        file: 'experiment/facts.ts',
        text: 'users: usersSeen(state, name, exposure),',
        replacement: 'users: usersSeen(state, name, exposure) + userless,',
      },
    ],
  },
  {
    name: 'lists without a user are users of N',
    changes: [
      {
        file: 'experiment/facts.ts',
        text: 'return balancedUsers(usersSeen(state, settings.control, exposure), usersSeen(state, variant, exposure));',
        replacement:
          'return balancedUsers(usersSeen(state, settings.control, exposure) + variantOf(state, settings.control).userless, usersSeen(state, variant, exposure));',
      },
    ],
  },
  {
    name: 'an effect of lists without a user has an error',
    changes: [
      {
        file: 'experiment/facts.ts',
        text: "const effect = isUnknown ? { ...known, error: absent('no_user_ids') } : known;",
        replacement: 'const effect = isUnknown ? { ...known } : known;',
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
