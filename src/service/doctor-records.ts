import type { Settings } from '../config/settings.ts';
import type { Decoder } from '../consumers/decode/decoder.ts';
import type { Sample } from '../consumers/source/kafka/access/kafka-sample.ts';
import { CATALOGUE, type FindingCode } from '../findings/catalogue.ts';
import { passedText } from '../findings/feedback-missing.ts';
import type { LiveFinding } from '../findings/live-findings.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { type CheckResult, resultsOf } from './check-result.ts';
import { readSample, recordFindings, type SeenTopic } from './record-findings.ts';

const RECORDS = resultsOf('records');
const KEYS = resultsOf('keys');

/** Share of paired feedback from which on the rest has another cause than a change of keys or partitions. */
const ENOUGH_PAIRS = 0.95;
/** Shares above which alerts fire (specification: faults 9). */
const POISON_SHARE = 0.005;
const ORPHAN_SHARE = 0.5;

/** Findings in the newest records of all topics. `decoders`: one for each topic. */
export function checkRecords(
  settings: Settings,
  partitions: number,
  sample: Sample,
  decoders: readonly Decoder[],
  now: EpochMs,
): readonly CheckResult[] {
  const read = readSample(settings, sample, decoders, now);
  const hasLists = read.some(({ impressions }) => impressions.size > 0);
  const found = recordFindings(settings, read, now, true);
  const results = (isOfTopic: boolean): readonly CheckResult[] =>
    found.filter(({ topic }) => (topic !== undefined) === isOfTopic).map((one) => resultOf(one, read));
  return [
    ...results(true),
    ...read.flatMap((seen, t) => checkSide(partitions, seen, hasLists && settings.kafka.topics[t].role.feedback)),
    ...sample.refused.map(({ topic, partition, from, to, reason }) =>
      RECORDS[settings.start.onUndecodable === 'skip' ? 'warning' : 'error'](
        `${topic}, partition ${partition}: the batch of offsets ${from} to ${to - 1} cannot be decoded (${reason}): ` +
          (settings.start.onUndecodable === 'skip'
            ? 'with start.onUndecodable: skip its records are counted as undecodable, and the windows are marked incomplete'
            : 'the partition stops there. Pass all such batches with start.onUndecodable: skip, or this one with ' +
              `receval skip --partition ${partition} --topic ${topic} --to ${to}`),
        settings.start.onUndecodable === 'skip' ? 'RecevalUndecodable' : 'RecevalCodecFailure',
      ),
    ),
    checkPairs(partitions, read),
    ...results(false),
  ];
}

/** The check that a finding in the records belongs to; most are of the join. */
const CHECKS: Readonly<Partial<Record<FindingCode, string>>> = {
  files_swapped: 'records',
  most_invalid: 'records',
  some_invalid: 'records',
  dated_ahead: 'clocks',
};

function resultOf({ code, topic, cause, remedy }: LiveFinding, read: readonly SeenTopic[]): CheckResult {
  const check = CHECKS[code] ?? 'join';
  const { records = 1, invalid = 0, future = 0 } = read.find(({ name }) => name === topic) ?? {};
  const poison = (check === 'clocks' ? future : invalid) > POISON_SHARE * records ? 'RecevalPoisonRate' : undefined;
  const level = code === 'files_swapped' || code === 'most_invalid' ? 'error' : 'warning';
  const alert = check === 'join' ? CATALOGUE[code].alert : poison;
  return { ...resultsOf(check)[level](`${topic ?? code}: ${cause} ${remedy}`, alert), code };
}

/** @param isMissed whether there are lists that wait for what this topic should hold */
function checkSide(partitions: number, seen: SeenTopic, isMissed: boolean): readonly CheckResult[] {
  const { name, records, withoutKey, invalid, unmapped } = seen;
  if (records === 0) {
    const message = `${name}: there are no records, so neither keys nor events could be looked at`;
    return [{ ...RECORDS.warning(message), ...(isMissed ? { code: 'feedback_missing' as const } : {}) }];
  }
  const of = `of ${grouped(records)} sampled records`;
  const findings: CheckResult[] = [];
  if (invalid === 0) findings.push(RECORDS.ok(`${name}: all ${grouped(records)} sampled records can be read`));
  if (unmapped.length > 0) findings.push(RECORDS.ok(`${name}: ${passedText(unmapped)}, ${of}`));
  if (withoutKey > 0 && partitions > 1) {
    findings.push(
      KEYS.warning(
        `${name}: ${grouped(withoutKey)} ${of} have no key, so chance decides their partition. Key all topics by the request id or the user id`,
      ),
    );
  }
  return findings;
}

/** Checks that feedback is in the partition of its impression: it is found only there. */
function checkPairs(partitions: number, seen: readonly SeenTopic[]): CheckResult {
  if (partitions === 1) return KEYS.ok('there is one partition, so an impression and its feedback meet');
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
    return KEYS.warning(
      `no sampled record can be read as ${missing}, so nobody can tell whether impressions and their feedback meet in one partition`,
    );
  }
  if (matched.length === 0) {
    return KEYS.warning(
      `none of ${grouped(feedback.length)} sampled feedback events belongs to one of ${grouped(places.size)} sampled requests, so ` +
        'nobody can tell whether they meet in one partition. Look again while events flow',
    );
  }
  const paired = matched.filter(({ requestId, partition }) => places.get(requestId)?.has(partition)).length;
  const share = paired / matched.length;
  const found = `${percent(share)} of ${grouped(matched.length)} sampled feedback events lie in the partition of their impression`;
  if (share === 1) return KEYS.ok(found);
  return KEYS[share < ENOUGH_PAIRS ? 'error' : 'warning'](
    `${found}; the others will count as orphans. Key all topics by the same id (the request id or the user id), with the same ` +
      'partitioner (that of Java and of librdkafka differ)',
    1 - share > ORPHAN_SHARE ? 'RecevalKeysNotPaired' : undefined,
  );
}
