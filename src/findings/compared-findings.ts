import { MOST_USERLESS, NOTED_USERLESS } from '../statistics/decision.ts';
import { userlessWords } from '../statistics/explain.ts';
import { ABSENT_DIMENSION, INVALID_DIMENSION, OTHER_COHORT } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { type Finding, quoted } from './finding.ts';

/** The impressions of an experiment. */
interface ComparedFacts {
  readonly experiment: string;
  /** Dimension that the variants are read from: `variant`, or `experiment_<name>`. */
  readonly dimension: string;
  /** Impressions by configured variant. */
  readonly impressions: Readonly<Record<string, number>>;
  /** Impressions by other values of the dimension. */
  readonly others: Readonly<Record<string, number>>;
  /** For each configured variant the share of its impressions that name no user, 0 to 1. */
  readonly userless: Readonly<Record<string, number>>;
  /** Sampled impressions by `variant`, if the experiment reads another dimension; empty: unknown. */
  readonly plainVariants: ReadonlyMap<string, number>;
}

const NO_NAMES: readonly string[] = [ABSENT_DIMENSION, INVALID_DIMENSION, OTHER_COHORT];

/** Findings on the variants of an experiment. Without any impression there are none, because the cause is elsewhere. */
export function comparedFindings(facts: ComparedFacts): readonly Finding[] {
  const { impressions, others } = facts;
  const inArms = sum(impressions);
  if (inArms + sum(others) === 0) return [];
  return [...userIds(facts), ...oneVariant(facts, inArms), ...notNamed(facts, inArms)];
}

function userIds({ userless }: ComparedFacts): readonly Finding[] {
  const shares = Object.entries(userless);
  if (!shares.some(([, share]) => share > NOTED_USERLESS)) return [];
  return [
    {
      code: 'no_user_ids',
      cause: `${userlessWords(shares)} name no user: errors take these lists for independent, and are too small where users come back; changes of variant go unnoticed. Above ${percent(MOST_USERLESS)} of a variant nothing is decided.`,
      example: null,
      remedy: 'Log userId in the impressions of all variants; more traffic does not fix it.',
    },
  ];
}

function oneVariant(facts: ComparedFacts, inArms: number): readonly Finding[] {
  const { experiment, impressions, others } = facts;
  const empty = Object.keys(impressions).filter((name) => impressions[name] === 0);
  const names = Object.entries(others).filter(([name]) => !NO_NAMES.includes(name));
  // A running service has only one count for all values that are not configured.
  const pooled = others[OTHER_COHORT] ?? 0;
  if (empty.length === 0 || (inArms === 0 && names.length === 0 && pooled === 0)) return [];
  const seen = [...Object.entries(impressions), ...names].filter(([, n]) => n > 0).sort(([, a], [, b]) => b - a);
  return [
    {
      code: 'one_variant',
      cause: `Experiment ${quoted(experiment)} has no impression of ${empty.map(quoted).join(', ')}.`,
      example: `seen: ${[
        ...seen.slice(0, 5).map(([name, n]) => `${quoted(name)} ${grouped(n)}`),
        ...(pooled > 0 ? [`variants that are not configured ${grouped(pooled)}`] : []),
      ].join(', ')}`,
      remedy:
        names.length > 0 || pooled > 0
          ? `Write the variants in experiments.${experiment}.variants as the impressions write them.`
          : 'Check that the log holds all of the traffic.',
    },
  ];
}

function notNamed(
  { experiment, dimension, impressions, others, plainVariants }: ComparedFacts,
  inArms: number,
): readonly Finding[] {
  const absent = others[ABSENT_DIMENSION] ?? 0;
  if (inArms > 0 || absent < sum(others)) return [];
  const isDefault = dimension === 'variant';
  const field = isDefault ? 'variant' : `experiments.${experiment}`;
  const plain = [...plainVariants].filter(([name]) => !NO_NAMES.includes(name)).sort(([, a], [, b]) => b - a);
  const [variant] = Object.keys(impressions);
  return [
    {
      code: 'variant_not_named',
      cause: `None of ${grouped(absent)} impressions has the field ${field}, where the variants of experiment ${quoted(experiment)} are read${plain.length === 0 ? '' : '; they only have variant'}.`,
      example:
        plain.length === 0
          ? null
          : `variant: ${plain
              .slice(0, 5)
              .map(([name]) => quoted(name))
              .join(', ')}`,
      remedy: isDefault
        ? 'Log variant in the impressions.'
        : `${plain.length === 0 ? 'If they have the field variant, name' : 'Name'} the experiment "default" in the configuration: only that one reads variant. Else log ${JSON.stringify({ experiments: { [experiment]: variant } })} in the impressions.`,
    },
  ];
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, n) => all + n, 0);
}
