import type { Settings } from '../config/settings.ts';
import type { Decoder } from '../consumers/decode/record.ts';
import type { Sample, SampledRecord } from '../consumers/source/kafka/access/kafka-sample.ts';
import { comparedFindings } from '../findings/compared.ts';
import { EventSample } from '../findings/event-sample.ts';
import { counted, type Finding as Looked } from '../findings/finding.ts';
import { InvalidReasons } from '../findings/invalid.ts';
import { matchesOf, sampleFindings } from '../findings/sample-findings.ts';
import type { InvalidCode } from '../vocabulary/drops.ts';
import type { EpochMs, Event } from '../vocabulary/events.ts';
import { count, type Finding, finding, percent } from './doctor-finding.ts';

/** Pairs below this share come from other causes than a change of keys or partitions. */
const ENOUGH_PAIRS = 0.95;
const MOST_INVALID = 0.5;
/** Shares above which alerts fire (specification: faults 9). */
const POISON_SHARE = 0.005;
const ORPHAN_SHARE = 0.5;

/** Fewer pairs say nothing of the whole. */
const ENOUGH = 10;

/** Lists of a variant that are expected in the sample, from which on it is no chance that there are none. */
const EXPECTED = 30;

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

/** What the newest records of all topics show. `decoders`: one per topic. */
export function checkRecords(
  settings: Settings,
  partitions: number,
  sample: Sample,
  decoders: readonly Decoder[],
  now: EpochMs,
): readonly Finding[] {
  const { topics } = settings.kafka;
  const read = topics.map(({ name }, t) =>
    inspect(
      sample.records.filter(({ topic }) => topic === name),
      decoders[t],
      now,
      settings.attribution.futureSkew,
    ),
  );
  return [
    ...topics.flatMap(({ name }, t) => checkSide(name, partitions, read[t])),
    ...sample.refused.map(({ topic, partition, from, to, reason }) =>
      finding(
        'records',
        settings.start.onUndecodable === 'skip' ? 'warning' : 'error',
        `${topic}, partition ${partition}: the batch of offsets ${from} to ${to - 1} cannot be decoded (${reason}): ` +
          (settings.start.onUndecodable === 'skip'
            ? 'with start.onUndecodable: skip its records are counted as undecodable, and the windows say incomplete'
            : 'the partition stops there. Pass all such batches with start.onUndecodable: skip, or this one with ' +
              `receval skip --partition ${partition} --topic ${topic} --to ${to}`),
        settings.start.onUndecodable === 'skip' ? 'RecevalUndecodable' : 'RecevalCodecFailure',
      ),
    ),
    checkPairs(partitions, read),
    ...checkJoin(
      settings,
      read.flatMap(({ events }) => events),
      now,
    ),
  ];
}

interface Seen {
  readonly records: number;
  readonly withoutKey: number;
  readonly invalid: number;
  readonly codes: ReadonlyMap<InvalidCode, number>;
  readonly reasons: InvalidReasons;
  readonly events: readonly Event[];
  readonly future: number;
  /** By request id: partitions. */
  readonly impressions: ReadonlyMap<string, ReadonlySet<number>>;
  readonly feedback: readonly { readonly requestId: string; readonly partition: number }[];
}

function inspect(records: readonly SampledRecord[], decoder: Decoder, now: EpochMs, skew: number): Seen {
  const codes = new Map<InvalidCode, number>();
  const impressions = new Map<string, Set<number>>();
  const feedback: { requestId: string; partition: number }[] = [];
  const reasons = new InvalidReasons();
  const events: Event[] = [];
  let invalid = 0;
  let future = 0;
  for (const { topic, partition, offset, timestamp, value } of records) {
    const decoded = decoder.decode(value, `${topic}:${partition}`, offset);
    if ('refused' in decoded) {
      if (decoded.refused !== 'invalid') continue;
      invalid++;
      codes.set(decoded.code, (codes.get(decoded.code) ?? 0) + 1);
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
  const withoutKey = records.filter(({ hasKey }) => !hasKey).length;
  return { records: records.length, withoutKey, invalid, codes, reasons, events, future, impressions, feedback };
}

function checkSide(name: string, partitions: number, seen: Seen): readonly Finding[] {
  const { records, withoutKey, invalid, codes, reasons, future } = seen;
  if (records === 0) {
    return [
      finding('records', 'warning', `${name}: there are no records, so neither keys nor events could be looked at`),
    ];
  }
  const of = `of ${count(records)} sampled records`;
  const findings: Finding[] = [];
  if (invalid === 0)
    findings.push(finding('records', 'ok', `${name}: all ${count(records)} sampled records can be read`));
  else {
    const sorted = [...codes].sort(([, a], [, b]) => b - a);
    const why = sorted.map(([code, n]) => `${code} ${count(n)}`);
    const remedy =
      sorted[0][0] === 'wrong_kind'
        ? 'Are the names of kafka.topics the wrong way round, or does the topic want an adapter?'
        : 'Mend the producer, or set the adapter of the topic;';
    findings.push(
      finding(
        'records',
        invalid > MOST_INVALID * records ? 'error' : 'warning',
        `${name}: ${count(invalid)} ${of} are invalid (${why.join(', ')}): they will not count. ${fieldsText(reasons)}${remedy} ` +
          'docs/events.md explains each code',
        invalid > POISON_SHARE * records ? 'RecevalPoisonRate' : undefined,
      ),
    );
  }
  if (future > 0) {
    findings.push(
      finding(
        'clocks',
        'warning',
        `${name}: ${count(future)} ${of} are dated further ahead than attribution.futureSkew allows and will be dropped as future. ` +
          'Correct the clocks that date them, or tsUnit of the topic',
        future > POISON_SHARE * records ? 'RecevalPoisonRate' : undefined,
      ),
    );
  }
  if (withoutKey > 0 && partitions > 1) {
    findings.push(
      finding(
        'keys',
        'warning',
        `${name}: ${count(withoutKey)} ${of} have no key, so chance decides their partition. Key all topics by the request id or the user id`,
      ),
    );
  }
  return findings;
}

/** Names of fields, no values. Such as: missing_field: requestId; the first such record has request_id, ts. */
function fieldsText(reasons: InvalidReasons): string {
  const [first] = reasons.of('impressions');
  if (first?.field === undefined || first.fields.length === 0) return '';
  return `${first.code}: ${first.field}; the first such record has ${first.fields.join(', ')}. `;
}

/** Whether feedback lies in the partition of its impression: only there it is found. */
function checkPairs(partitions: number, seen: readonly Seen[]): Finding {
  if (partitions === 1) return finding('keys', 'ok', 'there is one partition, so an impression and its feedback meet');
  const places = new Map<string, Set<number>>();
  for (const { impressions } of seen) {
    for (const [id, where] of impressions) {
      const all = places.get(id) ?? new Set();
      for (const partition of where) all.add(partition);
      places.set(id, all);
    }
  }
  const feedback = seen.flatMap((topic) => topic.feedback);
  const matched = feedback.filter(({ requestId }) => places.has(requestId));
  const missing = feedback.length === 0 ? 'feedback' : places.size === 0 ? 'impression' : undefined;
  if (missing !== undefined) {
    return finding(
      'keys',
      'warning',
      `no sampled record can be read as ${missing}, so nobody can tell whether impressions and their feedback meet in one partition`,
    );
  }
  if (matched.length === 0) {
    return finding(
      'keys',
      'warning',
      `none of ${count(feedback.length)} sampled feedback events belongs to one of ${count(places.size)} sampled requests, so ` +
        'nobody can tell whether they meet in one partition. Look again while events flow',
    );
  }
  const paired = matched.filter(({ requestId, partition }) => places.get(requestId)?.has(partition)).length;
  const share = paired / matched.length;
  const found = `${percent(share)} of ${count(matched.length)} sampled feedback events lie in the partition of their impression`;
  if (share === 1) return finding('keys', 'ok', found);
  return finding(
    'keys',
    share < ENOUGH_PAIRS ? 'error' : 'warning',
    `${found}; the others will count as orphans. Key all topics by the same id (the request id or the user id), with the same ` +
      'partitioner (that of Java and of librdkafka differ)',
    1 - share > ORPHAN_SHARE ? 'RecevalKeysNotPaired' : undefined,
  );
}

/** Whether the newest feedback fits the newest lists: what a replay of them would find wrong. Ids of events are not told, only how they differ. */
function checkJoin(settings: Settings, events: readonly Event[], now: EpochMs): readonly Finding[] {
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
