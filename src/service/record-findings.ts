/** Findings in the newest records of the topics, for doctor and for a running service. They contain no value of an event. */
import type { Settings } from '../config/settings.ts';
import type { Decoder } from '../consumers/decode/decoder.ts';
import { timeZone } from '../consumers/decode/times.ts';
import type { Sample, SampledRecord } from '../consumers/source/kafka/access/kafka-sample.ts';
import { clockChange } from '../findings/clock-change.ts';
import { comparedFindings } from '../findings/compared-findings.ts';
import { type EmptyCounts, emptyLists } from '../findings/empty-lists.ts';
import { EventSample } from '../findings/event-sample.ts';
import { passedOver } from '../findings/feedback-missing.ts';
import type { Finding } from '../findings/finding.ts';
import { namesText, reasonsText } from '../findings/invalid-files.ts';
import { hasFeedback, type InvalidReason, InvalidReasons } from '../findings/invalid-reasons.ts';
import { invalidRemedy, TOPICS } from '../findings/invalid-remedy.ts';
import { AHEAD_REMEDY, type LiveFinding } from '../findings/live-findings.ts';
import { matchesOf, sampleFindings } from '../findings/sample-findings.ts';
import { shortenedTimes } from '../findings/shortened-times.ts';
import { needsFeedback } from '../measures/needs.ts';
import { type EpochMs, type Event, type Impression, isEmptyList } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { countUnmapped, sumOfUnmapped, type Unmapped, type UnmappedRecords } from '../vocabulary/unmapped.ts';

const MOST_INVALID = 0.5;
const MUCH_AHEAD = 0.01;
/** Fewer events are not representative. */
const ENOUGH = 10;
/** If this many lists of a variant are expected in the sample, having none is not by chance. */
const EXPECTED = 30;

/** The sample of one topic. */
export interface SeenTopic {
  readonly name: string;
  readonly records: number;
  readonly withoutKey: number;
  readonly invalid: number;
  /** The reasons, the most frequent one first. */
  readonly reasons: readonly InvalidReason[];
  readonly events: readonly Event[];
  /** Records that no map of the topic fits. */
  readonly unmapped: Unmapped;
  readonly future: number;
  /** For each request id the partitions of its impressions. */
  readonly impressions: ReadonlyMap<string, ReadonlySet<number>>;
  readonly feedback: readonly { readonly requestId: string; readonly partition: number }[];
}

/** The sample of each topic. `decoders`: one for each topic. */
export function readSample(
  { kafka, attribution }: Settings,
  sample: Sample,
  decoders: readonly Decoder[],
  now: EpochMs,
): readonly SeenTopic[] {
  return kafka.topics.map(({ name }, t) =>
    readTopic(
      name,
      sample.records.filter(({ topic }) => topic === name),
      decoders[t],
      now,
      attribution.futureSkew,
    ),
  );
}

function readTopic(
  name: string,
  records: readonly SampledRecord[],
  decoder: Decoder,
  now: EpochMs,
  skew: number,
): SeenTopic {
  const impressions = new Map<string, Set<number>>();
  const feedback: { requestId: string; partition: number }[] = [];
  const reasons = new InvalidReasons();
  const events: Event[] = [];
  const unmapped: UnmappedRecords[] = [];
  let invalid = 0;
  let future = 0;
  for (const { topic, partition, offset, timestamp, value } of records) {
    const decoded = decoder.decode(value, `${topic}:${partition}`, offset);
    if ('refused' in decoded) {
      if (decoded.refused === 'unmapped') countUnmapped(unmapped, decoded.condition);
      if (decoded.refused !== 'invalid') continue;
      invalid++;
      reasons.take('impressions', decoded, value, undefined);
      continue;
    }
    if (timestamp > now + skew || decoded.events.some(({ ts }) => ts > timestamp + skew)) future++;
    for (const event of decoded.events) {
      events.push(event);
      if (event.kind === 'feedback') {
        feedback.push({ requestId: event.requestId, partition });
        continue;
      }
      const places = impressions.get(event.requestId) ?? new Set();
      impressions.set(event.requestId, places.add(partition));
    }
  }
  return {
    name,
    records: records.length,
    withoutKey: records.filter(({ hasKey }) => !hasKey).length,
    invalid,
    reasons: reasons.of('impressions'),
    events,
    unmapped: sumOfUnmapped([unmapped]),
    future,
    impressions,
    feedback,
  };
}

/** The findings in the whole sample. `isEach`: whether a single invalid or early record is one; default: only where they are many. */
export function recordFindings(
  settings: Settings,
  seen: readonly SeenTopic[],
  now: EpochMs,
  isEach = false,
): readonly LiveFinding[] {
  return [
    ...seen.flatMap((topic) => [
      ...(topic.invalid > (isEach ? 0 : MOST_INVALID * topic.records) ? [invalidRecords(topic)] : []),
      ...(topic.future > (isEach ? 0 : MUCH_AHEAD * topic.records) ? [datedAhead(topic)] : []),
    ]),
    ...joinFindings(settings, seen, now),
  ];
}

function invalidRecords({ name, records, invalid, reasons }: SeenTopic): LiveFinding {
  const [first] = reasons;
  const code = invalid > MOST_INVALID * records ? 'most_invalid' : 'some_invalid';
  const fields = first.fields.length === 0 ? '' : ` The first such record has ${namesText(first)}.`;
  // A record without items passes for feedback; one with a field of feedback is feedback.
  const isOther = first.code === 'wrong_kind' && (first.fields.includes('items') || hasFeedback(first));
  return {
    code: isOther && code === 'most_invalid' ? 'files_swapped' : code,
    topic: name,
    cause: `${grouped(invalid)} of ${grouped(records)} sampled records are invalid (${reasonsText(reasons)}): they do not count.${fields}`,
    remedy: invalidRemedy(code, isOther ? { ...first, side: 'feedback' } : first, TOPICS),
  };
}

function datedAhead({ name, records, future }: SeenTopic): LiveFinding {
  return {
    code: 'dated_ahead',
    topic: name,
    cause: `${grouped(future)} of ${grouped(records)} sampled records are dated further ahead than attribution.futureSkew allows, and dropped as future.`,
    remedy: AHEAD_REMEDY,
  };
}

/** Checks that the newest events have complete times, and that feedback fits the lists. A replay would report the same. */
function joinFindings(settings: Settings, seen: readonly SeenTopic[], now: EpochMs): readonly LiveFinding[] {
  const { attribution } = settings;
  const sample = new EventSample();
  let row = 0;
  for (const { events } of seen) {
    for (const event of events) sample.take(event, '', ++row, now + attribution.futureSkew);
  }
  const found = [
    ...shortenedTimes(sample),
    ...clockChanges(settings, seen),
    ...feedbackMissing(settings, seen, sample),
    ...manyEmpty(settings, sample),
    ...ofJoin(settings, sample),
  ];
  return found.map(({ code, cause, remedy }) => ({ code, topic: undefined, cause, remedy }));
}

function manyEmpty({ experiments, dimensions, measures }: Settings, { impressions }: EventSample): readonly Finding[] {
  const counts = (lists: readonly Impression[]): EmptyCounts => ({
    lists: lists.length,
    empty: lists.filter(({ items, pageOffset }) => isEmptyList(items.length, pageOffset)).length,
  });
  const [experiment] = experiments;
  const place = dimensions.indexOf(experiment?.dimension ?? '');
  const variants = [...(experiment?.variants.keys() ?? [])].map(
    (name) => [name, counts(impressions.filter((list) => list.dimensions[place] === name))] as const,
  );
  return emptyLists(counts(impressions), measures, 'sampled impressions', new Map(variants));
}

/** Each record of a topic is read by itself, so a time that clocks show twice is read as the first of the two. */
function clockChanges({ kafka }: Settings, seen: readonly SeenTopic[]): readonly Finding[] {
  return seen.flatMap(({ name, events }, t) => {
    const { timeZone: zone } = kafka.topics[t];
    const clock = zone === undefined ? undefined : timeZone(zone);
    if (zone === undefined || clock === undefined) return [];
    const twice = events.filter(({ ts }) => clock.isTwice(ts)).length;
    const times = { twice, second: 0, untold: 0, skipped: 0, oneTwice: undefined, oneSkipped: undefined };
    return clockChange(`the newest records of ${name}`, events.length, [{ name: zone, times }]);
  });
}

/** There are lists, no feedback, and records that no map fits: feedback may be among them. */
function feedbackMissing({ measures }: Settings, seen: readonly SeenTopic[], sample: EventSample): readonly Finding[] {
  const unmapped = sumOfUnmapped(seen.map((topic) => topic.unmapped));
  const lists = sample.count('impressions');
  if (unmapped.length === 0 || lists < ENOUGH || sample.count('feedback') > 0 || !needsFeedback(measures)) return [];
  return [passedOver(unmapped)];
}

function ofJoin(settings: Settings, sample: EventSample): readonly Finding[] {
  if (sample.count('impressions') === 0 || sample.count('feedback') < ENOUGH) return [];
  const found = sampleFindings(sample, settings);
  return [
    ...nothingJoined(settings, sample, found),
    ...found,
    ...noUserIds(settings, sample),
    ...variants(settings, sample),
  ];
}

/** No feedback from the time of the sampled lists finds its list, and no other finding explains that. */
function nothingJoined(settings: Settings, sample: EventSample, found: readonly Finding[]): readonly Finding[] {
  if (found.length > 0 || matchesOf(sample).known > 0) return [];
  const [shortest] = settings.attribution.horizons;
  const shown = sample.impressions.map(({ ts }) => ts).sort((a, b) => a - b);
  const [first, last] = [shown[0], shown[shown.length - 1]];
  // Earlier feedback may belong to lists before the sample.
  const own = sample.feedback.filter(({ ts }) => ts >= first + shortest.ms && ts <= last);
  if (own.length < ENOUGH) return [];
  return [
    {
      code: 'nothing_joined',
      cause: `None of ${grouped(own.length)} sampled feedback events that are of the time of the sampled lists has the request id of one of them.`,
      example: null,
      remedy:
        'Check that both sides log the request id of the list that was shown; receval inspect --kafka shows the fields.',
    },
  ];
}

function noUserIds({ experiments }: Settings, sample: EventSample): readonly Finding[] {
  if (experiments.length === 0 || sample.withUser > 0) return [];
  return [
    {
      code: 'no_user_ids',
      cause: `None of ${grouped(sample.count('impressions'))} sampled impressions names its user, and experiments need that.`,
      example: null,
      remedy: 'Log userId in the impressions.',
    },
  ];
}

/** Findings on the variants of each experiment in the sampled lists. */
function variants({ experiments, dimensions }: Settings, sample: EventSample): readonly Finding[] {
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
    const facts = { experiment: name, dimension, impressions, others, userless: {}, plainVariants: new Map() };
    return comparedFindings(facts)
      .filter(({ code }) => (code === 'variant_not_named' ? name !== 'default' : least >= EXPECTED))
      .map((one) => (one.example === null ? one : { ...one, cause: `${one.cause} (${one.example}.)` }));
  });
}
