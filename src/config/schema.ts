/** The record of what a configuration may hold, with all defaults (interfaces.md section 2). */
import { z } from 'zod';
import { deadLetterSchema } from './dead-letter.ts';
import { detectSchema, experimentsSchema, isInstant, statisticsSchema } from './experiments.ts';
import { gradesSchema } from './grades.ts';
import { httpSchema } from './http.ts';
import { redisSchema } from './redis.ts';
import { kafkaSchema } from './topics.ts';
import {
  anyText,
  auto,
  duration,
  group,
  groupingSets,
  ladder,
  list,
  number,
  positiveDuration,
  textOf,
  whole,
  word,
} from './values.ts';

export const MAX_HORIZONS = 31;

const attributionSchema = group({
  horizons: ladder(MAX_HORIZONS).prefault(['1m', '5m', '30m']),
  outOfOrderness: duration.prefault('10s'),
  backward: duration.prefault('0s'),
  idleAfter: positiveDuration.prefault('30s'),
  maxSkew: positiveDuration.prefault('2m'),
  futureSkew: duration.prefault('5m'),
  unitTimeout: positiveDuration.prefault('10m'),
});

const limitsSchema = group({
  series: whole(1, 10_000_000).prefault(10_000),
  cohortsPerSet: auto(10_000_000).prefault('auto'),
  openImpressions: auto(1_000_000_000).prefault('auto'),
  itemsPerList: whole(1, 100_000).prefault(1000),
  feedbackPerImpression: whole(1, 1_000_000).prefault(1000),
  impressionBytes: whole(1, 64 * 1024 * 1024).prefault(256 * 1024),
  feedbackBytes: whole(1, 64 * 1024 * 1024).prefault(64 * 1024),
  itemsCounted: whole(1, 10_000_000).prefault(100_000),
  catalogueItems: whole(1, 100_000_000).prefault(1_000_000),
});

const startSchema = group({
  from: textOf('earliest, latest or a time such as 2026-11-21T08:00:00Z', /^\S+( \S+)?$/, isStart).prefault('earliest'),
  onGap: word(['stop', 'skip']).prefault('stop'),
});

function isStart(text: string): boolean {
  return text === 'earliest' || text === 'latest' || isInstant(text);
}

export const configSchema = group({
  namespace: textOf('a name without blanks and braces, at most 100 characters', /^[^\s{}\p{Cc}]{1,100}$/u).prefault(
    'default',
  ),
  kafka: kafkaSchema.prefault({}),
  redis: redisSchema.prefault({}),
  attribution: attributionSchema.prefault({}),
  start: startSchema.prefault({}),
  commit: group({ interval: positiveDuration.prefault('1s') }).prefault({}),
  grades: gradesSchema.prefault({
    click: 1,
    add_to_cart: 2,
    purchase: 3,
    rating: { from: 'value', rule: 'last', max: 5 },
    hide: { grade: 0, veto: true },
    view: { grade: 0 },
  }),
  relevantFrom: number(0, 30, { above: true }).prefault(1),
  measures: list(anyText, 'measures, such as [mrr, ndcg@10]', 1).prefault([
    'mrr',
    'precision@5',
    'precision@10',
    'ndcg@10',
    'recall@10',
    'ap@10',
    'hit@10',
  ]),
  lowerIsBetter: list(anyText, 'measures, such as [rate(action=return)]')
    .prefault([])
    .meta({ description: 'measures of which less is better, beside errors and rates of actions that veto' }),
  windows: ladder(100).prefault(['5m', '1h', '24h']),
  paneSize: positiveDuration.prefault('1m'),
  cohorts: groupingSets.prefault([[], ['variant'], ['variant', 'country']]),
  itemSets: groupingSets
    .optional()
    .meta({ description: 'which of cohorts keep what measures of items are made of; default []' }),
  limits: limitsSchema.prefault({}),
  experiments: experimentsSchema.prefault({
    default: { control: 'control', variants: { control: 0.5, treatment: 0.5 } },
  }),
  statistics: statisticsSchema.prefault({}),
  detect: detectSchema.prefault({}),
  http: httpSchema.prefault({}),
  catalogue: anyText.nullable().prefault(null),
  deadLetter: deadLetterSchema.prefault('off'),
});

/** A valid configuration as it stands in YAML, with the defaults filled in. */
export type ConfigDocument = z.output<typeof configSchema>;

/** JSON Schema (draft 2020-12) of the file. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' });
}
