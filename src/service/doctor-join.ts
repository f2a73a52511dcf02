import type { Settings } from '../config/settings.ts';
import { comparedFindings } from '../findings/compared.ts';
import { counted, type Finding as Looked } from '../findings/finding.ts';
import { EventSample } from '../findings/sample.ts';
import { matchesOf, sampleFindings } from '../findings/sampled.ts';
import type { EpochMs, Event } from '../vocabulary/events.ts';
import { count, type Finding, finding } from './doctor-finding.ts';

/** Fewer pairs say nothing of the whole. */
const ENOUGH = 10;

/** Whether the newest feedback fits the newest lists: what a replay of them would find wrong. Ids of events are not told, only how they differ. */
export function judgeJoin(settings: Settings, events: readonly Event[], now: EpochMs): readonly Finding[] {
  const { attribution, grading } = settings;
  const sample = new EventSample();
  for (const [row, event] of events.entries()) sample.take(event, '', row + 1, now + attribution.futureSkew);
  if (sample.count('impressions') === 0 || sample.count('feedback') < ENOUGH) return [];
  const found: readonly Looked[] = sampleFindings(sample, {
    horizon: attribution.horizons[attribution.horizons.length - 1],
    backward: attribution.backward,
    actions: grading.actions.map(({ name }) => name),
  });
  const users =
    settings.experiments.length > 0 && sample.withUser === 0
      ? [
          finding(
            'join',
            'warning',
            `no_user_ids: none of ${count(sample.count('impressions'))} sampled impressions names its user, and experiments need that. Log userId in the impressions.`,
          ),
        ]
      : [];
  const all = [...nothingJoined(settings, sample, found), ...found, ...variants(settings, sample)];
  return [
    ...all.map(({ code, cause, remedy }) =>
      finding('join', 'warning', `${code}: ${cause} ${remedy}`, ALERTS.has(code) ? 'RecevalFewJoined' : undefined),
    ),
    ...users,
  ];
}

/** None of the feedback of the sampled lists' own time finds its list, and nothing else tells why. */
function nothingJoined(settings: Settings, sample: EventSample, found: readonly Looked[]): readonly Looked[] {
  if (found.length > 0 || matchesOf(sample).known > 0) return [];
  const [shortest] = settings.attribution.horizons;
  const shown = sample.impressions.map(({ ts }) => ts).sort((a, b) => a - b);
  const [first, last] = [shown[0], shown[shown.length - 1]];
  // Earlier feedback may be of lists before the sample.
  const own = sample.feedback.filter(({ ts }) => ts >= first + shortest.ms && ts <= last);
  if (own.length < ENOUGH) return [];
  return [
    {
      code: 'nothing_joined',
      cause: `None of ${counted(own.length)} sampled feedback events that are of the time of the sampled lists has the request id of one of them.`,
      example: null,
      remedy:
        'Look whether both sides log the request id of the list that was shown; receval inspect --kafka shows the fields.',
    },
  ];
}

/** Lists of a variant that are expected in the sample, from which on it is no chance that there are none. */
const EXPECTED = 30;

/** What the sampled lists say of the arms of each experiment. */
function variants({ experiments, dimensions }: Settings, sample: EventSample): readonly Looked[] {
  return experiments.flatMap(({ name, dimension, variants: weights }) => {
    const place = dimensions.indexOf(dimension);
    if (place < 0) return [];
    const impressions = Object.fromEntries([...weights.keys()].map((variant) => [variant, 0]));
    const others: Record<string, number> = {};
    for (const { dimensions: values } of sample.impressions) {
      const counts = Object.hasOwn(impressions, values[place]) ? impressions : others;
      counts[values[place]] = (counts[values[place]] ?? 0) + 1;
    }
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    const least = (Math.min(...weights.values()) / total) * sample.impressions.length;
    return comparedFindings({ experiment: name, dimension, impressions, others, userless: 0, plainVariants: new Map() })
      .filter(({ code }) => (code === 'variant_not_named' ? name !== 'default' : least >= EXPECTED))
      .map((one) => (one.example === null ? one : { ...one, cause: `${one.cause} (${one.example}.)` }));
  });
}

/** Those that keep most of the feedback from counting. */
const ALERTS: ReadonlySet<Looked['code']> = new Set([
  'nothing_joined',
  'ids_differ_by_prefix',
  'ids_differ_by_suffix',
  'ids_differ_by_case',
  'other_type_of_id',
  'clock_offset',
  'items_never_match',
]);
