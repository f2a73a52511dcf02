import type { JoinSettings } from '../../src/consumers/join/api.ts';
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { FeedbackDrop, ImpressionDrop } from '../../src/vocabulary/drops.ts';
import type { JudgedFeedback, JudgedImpression } from './judged.ts';
import type { RefusedReason, TopicLog } from './logs.ts';

/** Most values that are counted by name. */
const NAMED = 20;

/** The records that no map is for: in the order in which what they are counted as came first. */
function unmappedOf({ records }: TopicLog): NonNullable<TopicCounts['unmapped']> {
  const conditions = records.flatMap((each) => (each.kind === 'passed' ? [each.condition] : []));
  const texts = conditions.map((condition) => JSON.stringify(condition));
  const isOurs = (value: string): boolean => value.startsWith('__');
  const names = [...new Set(texts)].filter((_, i, all) => !isOurs(JSON.parse(all[i]).value)).slice(0, NAMED);
  const counted = conditions.map(({ field, value }, i) => ({
    field,
    value: isOurs(value) || names.includes(texts[i]) ? value : '__other__',
  }));
  const keys = counted.map((one) => JSON.stringify(one));
  return [...new Set(keys)].map((key) => ({ ...JSON.parse(key), records: keys.filter((each) => each === key).length }));
}

/** The totals of one topic, from the verdicts. */
export function countTopic(
  settings: JoinSettings,
  log: TopicLog,
  topic: number,
  allImpressions: readonly JudgedImpression[],
  allFeedback: readonly JudgedFeedback[],
): TopicCounts {
  const impressions = allImpressions.filter((each) => each.topic === topic);
  const feedback = allFeedback.filter((each) => each.topic === topic);
  const refused = (side: 'impressions' | 'feedback', reason: RefusedReason): number =>
    log.records.filter((each) => each.kind === 'refused' && each.side === side && each.reason === reason).length;
  const refusedOf = (side: 'impressions' | 'feedback'): number =>
    log.records.filter((each) => each.kind === 'refused' && each.side === side).length;
  const lost = (reason: ImpressionDrop): number =>
    impressions.filter(({ verdict }) => verdict.kind === 'dropped' && verdict.reason === reason).length;
  const unused = (reason: FeedbackDrop): number =>
    feedback.filter(({ verdict }) => verdict.kind === 'dropped' && verdict.reason === reason).length;
  const unmapped = unmappedOf(log);
  return {
    ...(unmapped.length === 0 ? {} : { unmapped }),
    impressions: {
      read: impressions.length + refusedOf('impressions'),
      accepted: impressions.filter(({ verdict }) => verdict.kind === 'accepted').length,
      drops: {
        undecodable: refused('impressions', 'undecodable'),
        tombstone: refused('impressions', 'tombstone'),
        invalid: refused('impressions', 'invalid'),
        future: lost('future'),
        excluded: lost('excluded'),
        late: lost('late'),
        duplicate: lost('duplicate'),
      },
      late: settings.horizons.map(
        (_, h) => impressions.filter(({ verdict }) => verdict.kind === 'accepted' && verdict.missed.includes(h)).length,
      ),
    },
    feedback: {
      read: feedback.length + refusedOf('feedback'),
      attributed: feedback.filter(({ verdict }) => verdict.kind === 'attributed').length,
      drops: {
        undecodable: refused('feedback', 'undecodable'),
        tombstone: refused('feedback', 'tombstone'),
        invalid: refused('feedback', 'invalid'),
        future: unused('future'),
        excluded: unused('excluded'),
        late: unused('late'),
        orphan: unused('orphan'),
        not_in_list: unused('not_in_list'),
        duplicate: unused('duplicate'),
        capped: unused('capped'),
      },
      late: settings.horizons.map(
        (_, h) => feedback.filter(({ verdict }) => verdict.kind === 'attributed' && verdict.missed.includes(h)).length,
      ),
    },
  };
}
