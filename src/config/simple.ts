/**
 * Settings that stand for themselves: the program uses the value that is written, in our units, whatever the other settings are.
 * A setting that refers to others, or is checked with them, is resolved (resolve.ts).
 */
import type { z } from 'zod';
import { JOIN_KEYS } from '../consumers/decode/decoder-settings.ts';
import { parseTime } from '../consumers/decode/times.ts';
import { TOUCHES } from '../consumers/join/touch.ts';
import { OF_EXPOSURES } from '../measures/all.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { childrenOf, isTree, valueAt } from './tree.ts';
import {
  ADDITIVE,
  anyText,
  auto,
  CHANGING,
  duration,
  group,
  groupingSets,
  isInstant,
  ladder,
  number,
  ON_CHANGE,
  positiveDuration,
  positiveSpan,
  textOf,
  whole,
  word,
} from './values.ts';

/**
 * The most bytes of state that a process can hold. The rest of the engine's 4 GiB lets a state grow a quarter beyond its limit. This is
 * not in engine.ts, because the schema of the configuration would load the engine's code with it.
 */
export const MOST_STATE_BYTES = 3 * 2 ** 30;

const MAX_HORIZONS = 31;

const attributionSchema = group({
  horizons: ladder(MAX_HORIZONS)
    .prefault(['1m', '5m', '30m'])
    .meta({ description: 'ascending. Each list closes once at each of them; the longest is the attribution window' })
    .register(ON_CHANGE, CHANGING),
  outOfOrderness: duration
    .prefault('10s')
    .meta({
      description: 'how far a record may be overtaken by later ones and still be in time. Every result waits for it',
    })
    .register(ON_CHANGE, CHANGING),
  backward: duration
    .prefault('0s')
    .meta({ description: 'how far feedback may be dated before its impression' })
    .register(ON_CHANGE, CHANGING),
  idleAfter: positiveDuration.prefault('30s').meta({
    description:
      'a topic that has been read to its end and has had nothing new for this long no longer holds the others back',
  }),
  maxSkew: positiveDuration
    .prefault('2m')
    .meta({ description: 'a topic that is further ahead of the slowest may be paused while memory is short' }),
  futureSkew: duration
    .prefault('5m')
    .meta({
      description:
        'an event dated further ahead of its record, or a record further ahead of the clock, is dropped as future',
    })
    .register(ON_CHANGE, CHANGING),
  unitTimeout: positiveDuration.prefault('10m').meta({
    description:
      'a partition that is further behind the newest is left out of the windows, which are then marked as incomplete',
  }),
});

const limitsSchema = group({
  series: whole(1, 10_000_000)
    .prefault(10_000)
    .meta({ description: 'most gauges of quality. A replay allows 10,000,000' }),
  cohortsPerSet: auto(10_000_000).prefault('auto').meta({
    description:
      'cohorts by name per grouping set, including the variants of experiments; the rest go to __other__. auto: as many as fit into limits.series with these measures, windows, horizons and sets, each value with its standard error',
  }),
  stateBytes: auto(MOST_STATE_BYTES).prefault('auto').meta({
    description:
      'bytes of state in memory per worker: open impressions, waiting feedback, and the sums. auto: half of the memory limit of the container (or of the machine), less 192 MiB, and at most 3 GiB, which is the most that a worker can hold',
  }),
  openImpressions: auto(1_000_000_000)
    .prefault('auto')
    .meta({ description: 'a limit by number besides limits.stateBytes: open impressions per worker. auto: none' }),
  itemsPerList: whole(1, 100_000)
    .prefault(1000)
    .meta({ description: 'longer lists are invalid (too_many_items)' })
    .register(ON_CHANGE, CHANGING),
  feedbackPerImpression: whole(1, 1_000_000)
    .prefault(1000)
    .meta({ description: 'per topic; the rest is dropped as capped' })
    .register(ON_CHANGE, CHANGING),
  impressionBytes: whole(1, 64 * 1024 * 1024)
    .prefault(256 * 1024)
    .meta({ description: 'larger records are invalid (too_large)' })
    .register(ON_CHANGE, CHANGING),
  feedbackBytes: whole(1, 64 * 1024 * 1024)
    .prefault(64 * 1024)
    .meta({ description: 'the same for feedback; on a log of both kinds the larger of the two applies' })
    .register(ON_CHANGE, CHANGING),
  itemsCounted: whole(1, 10_000_000)
    .prefault(100_000)
    .meta({
      description: `items of one row whose exposure is counted for ${OF_EXPOSURES}; with more they are absent`,
    })
    .register(ON_CHANGE, { ...CHANGING, only: 'with measures of exposure' }),
  catalogueItems: whole(1, 100_000_000)
    .prefault(1_000_000)
    .meta({ description: 'items of the catalogue; a larger file is refused' }),
});

const startSchema = group({
  from: textOf('earliest, latest or a time such as 2026-11-21T08:00:00Z', /^\S+( \S+)?$/, isStart)
    .transform(startOf)
    .prefault('earliest')
    .meta({ description: 'where a service without state starts' }),
  onGap: word(['stop', 'skip']).prefault('stop').meta({
    description:
      'when the log no longer contains what is needed: stop the partition, or skip and mark the windows incomplete',
  }),
  onUndecodable: word(['stop', 'skip']).prefault('stop').meta({
    description:
      'when a record batch cannot be decoded: stop the partition, or skip the batch, count its records as undecodable and mark the windows incomplete',
  }),
});

function isStart(text: string): boolean {
  return text === 'earliest' || text === 'latest' || isInstant(text);
}

function startOf(from: string): 'earliest' | 'latest' | { readonly at: EpochMs } {
  return from === 'earliest' || from === 'latest' ? from : { at: Math.floor(parseTime(from)) };
}

export const SIMPLE = {
  namespace: textOf('a name without blanks and braces, at most 100 characters', /^[^\s{}\p{Cc}]{1,100}$/u)
    .prefault('default')
    .meta({ description: 'prefix of all keys in Redis' }),
  attribution: attributionSchema.prefault({}).meta({ description: 'Which feedback belongs to which impression.' }),
  join: group({
    by: word(['requestId', ...JOIN_KEYS])
      .prefault('requestId')
      .meta({
        description:
          'requestId: feedback names the id of its list. userId, sessionId: feedback without one is joined to a list that its user was shown, or that was shown in its session, and that holds its item; for files alone (replay, compare)',
      }),
    touch: word(TOUCHES).prefault('last').meta({
      description: 'which of several such lists takes it: the last one that was shown before it, or the first',
    }),
  })
    .prefault({})
    .meta({ description: 'What links feedback to its list.' }),
  start: startSchema.prefault({}).meta({ description: 'Where reading starts.' }),
  commit: group({
    interval: positiveDuration.prefault('1s').meta({ description: 'how often state is stored' }),
    perSecond: whole(1, 100_000).prefault(32).meta({
      description:
        'commits of one worker per second; with more partitions, those with fewer than 100 new records take turns, each every 10 s or more often',
    }),
  })
    .prefault({})
    .meta({ description: 'When state is stored.' }),
  paneSize: positiveSpan
    .prefault('1m')
    .meta({ description: 'slice of event time that results are added to; a whole part of an hour' })
    .register(ON_CHANGE, CHANGING),
  relevantFrom: number(30, { above: true })
    .prefault(1)
    .meta({ description: 'lowest grade that makes a slot a positive' })
    .register(ON_CHANGE, CHANGING),
  windows: ladder(100)
    .prefault(['5m', '1h', '24h'])
    .meta({ description: 'rolling windows, ascending, multiples of paneSize' })
    .register(ON_CHANGE, ADDITIVE),
  incompleteWindows: word(['hide', 'show']).prefault('hide').meta({
    description:
      'gauges of windows that are not complete, as after the first start: hide them, or show what there is. receval_window_complete says which are complete',
  }),
  cohorts: groupingSets
    .prefault([[], ['variant'], ['variant', 'country']])
    .meta({ description: 'grouping sets; [] is everything' })
    .register(ON_CHANGE, ADDITIVE),
  limits: limitsSchema.prefault({}).meta({ description: 'What must not grow without bound.' }),
  catalogue: anyText
    .nullable()
    .transform((path) => path ?? undefined)
    .prefault(null)
    .meta({ description: 'path of the item file' })
    .register(ON_CHANGE, { ...CHANGING, only: 'with measures that need it, if its contents differ' }),
};

type Frozen<Value> = Value extends string | number | boolean | undefined
  ? Value
  : Value extends readonly (infer Each)[]
    ? readonly Frozen<Each>[]
    : { readonly [Name in keyof Value]: Frozen<Value[Name]> };

/** Their values as the program uses them. */
export type SimpleSettings = { readonly [Name in keyof typeof SIMPLE]: Frozen<z.output<(typeof SIMPLE)[Name]>> };

/** The settings whose every change gives rows another meaning, by path: durations in ms, or as text if the text is a label. */
export function rowSettings(settings: SimpleSettings): readonly (readonly [path: string, value: unknown])[] {
  return changingBelow(Object.entries(SIMPLE), []).map((path) => [path.join('.'), stored(valueAt(settings, path))]);
}

function changingBelow(
  schemas: Iterable<readonly [string, z.core.$ZodType]>,
  above: readonly string[],
): readonly (readonly string[])[] {
  return [...schemas].flatMap(([name, schema]) => {
    const own = ON_CHANGE.get(schema);
    if (own === undefined) return changingBelow(childrenOf(schema), [...above, name]);
    return own.change === 'changing' && own.only === undefined ? [[...above, name]] : [];
  });
}

function stored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => (isTree(one) ? one['text'] : one));
  return isTree(value) ? value['ms'] : value;
}
