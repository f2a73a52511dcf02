/** The schema of the configuration, with all defaults (specification: configuration 1). */
import { z } from 'zod';
import { OF_ITEMS } from '../measures/all.ts';
import { deadLetterSchema } from './dead-letter.ts';
import { detectSchema, statisticsSchema } from './detect.ts';
import { experimentsSchema } from './experiments.ts';
import { gradesSchema } from './grades.ts';
import { httpSchema } from './http.ts';
import { redisSchema } from './security.ts';
import { SIMPLE } from './simple.ts';
import { inputsSchema, kafkaSchema } from './topics.ts';
import { ADDITIVE, anyText, CHANGING, ENDS_RUN, group, groupingSets, list, ON_CHANGE, whole } from './values.ts';

const positionsSchema = group({
  ranks: whole(0, 50).prefault(0).meta({
    description:
      'ranks, from 1 on, of which lists with an item there and those with a positive there are counted, at the longest horizon; the page shows them. 0: none; 10 in the demo and in reports',
  }),
  sets: groupingSets.optional().meta({
    description: 'which of cohorts keep them. Default: [variant] if cohorts has it, else the first of cohorts',
  }),
});

export const configSchema = group({
  namespace: SIMPLE.namespace,
  inputs: inputsSchema.prefault({}).meta({ description: 'How events are written, in files and in Kafka.' }),
  kafka: kafkaSchema.prefault({}).meta({ description: 'Where events come from.' }),
  redis: redisSchema.prefault({}).meta({ description: 'Where state is kept.' }),
  attribution: SIMPLE.attribution,
  join: SIMPLE.join,
  start: SIMPLE.start,
  commit: SIMPLE.commit,
  grades: gradesSchema
    .prefault({
      click: 1,
      add_to_cart: 2,
      purchase: 3,
      rating: { from: 'value', rule: 'last', max: 5 },
      hide: { grade: 0, veto: true },
      view: { grade: 0 },
    })
    .meta({
      description: 'the grade of each action; replaces the default as a whole. An action that is not named has grade 0',
    })
    .register(ON_CHANGE, CHANGING),
  relevantFrom: SIMPLE.relevantFrom,
  measures: list(anyText, 'measures, such as [mrr, ndcg@10]', 1)
    .prefault(['mrr', 'precision@5', 'precision@10', 'ndcg@10', 'recall@10', 'ap@10', 'hit@10'])
    .meta({
      description:
        'what is computed; @a..b stands for every k from a to b. per=user and per=session are for a replay only',
    })
    .register(ON_CHANGE, ADDITIVE),
  lowerIsBetter: list(anyText, 'measures, such as [rate(action=return)]')
    .prefault([])
    .meta({
      description:
        'measures where lower is better, besides errors and rates of actions that veto: a rise of them is a regression',
    })
    .register(ON_CHANGE, { ...ENDS_RUN, only: 'of which it decides' }),
  windows: SIMPLE.windows,
  incompleteWindows: SIMPLE.incompleteWindows,
  paneSize: SIMPLE.paneSize,
  cohorts: SIMPLE.cohorts,
  itemSets: groupingSets
    .optional()
    .meta({
      description: `which of cohorts keep what ${OF_ITEMS} are made of; the others have no value of these. Default: [] if cohorts has it`,
    })
    .register(ON_CHANGE, ADDITIVE),
  positions: positionsSchema.prefault({}).meta({ description: 'What is counted by rank.' }),
  limits: SIMPLE.limits,
  experiments: experimentsSchema
    .prefault({
      default: { control: 'control', variants: { control: 0.5, treatment: 0.5 } },
    })
    .meta({
      description:
        'experiments by name. The experiment default reads the dimension variant, any other experiment_ and its name',
    })
    .register(ON_CHANGE, ADDITIVE),
  statistics: statisticsSchema.prefault({}).meta({ description: 'How standard errors are computed.' }),
  detect: detectSchema.prefault({}).meta({ description: 'Cohorts that are watched against their own past.' }),
  http: httpSchema.prefault({}).meta({ description: 'Who may read gauges and health.' }),
  catalogue: SIMPLE.catalogue,
  deadLetter: deadLetterSchema
    .prefault('off')
    .meta({ description: 'where the bytes of invalid records go; a group for the settings below' }),
});

/** A configuration in which each setting is valid by itself, with values in our units. */
export type ParsedConfig = z.output<typeof configSchema>;

/** JSON Schema (draft 2020-12) of the file. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' });
}
