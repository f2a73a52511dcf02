/** What must hold between any two commits that follow each other, and in each of them. */
import type { TopicCounts } from '../../src/vocabulary/checkpoint.ts';
import type { Lineage } from './lineage.ts';

/** In words, what has gone back; undefined: nothing. */
export function wentBack(before: Lineage | undefined, after: Lineage): string | undefined {
  if (before === undefined) return undefined;
  for (const [topic, offset] of before.committed.entries()) {
    if (after.committed[topic] < offset)
      return `the offset of topic ${topic} went from ${offset} to ${after.committed[topic]}`;
    if (after.replay[topic] < before.replay[topic]) {
      return `the replay offset of topic ${topic} went from ${before.replay[topic]} to ${after.replay[topic]}`;
    }
  }
  if (after.watermark < before.watermark) return `W went from ${before.watermark} to ${after.watermark}`;
  for (const [topic, counts] of before.counts.entries()) {
    for (const side of ['impressions', 'feedback'] as const) {
      const name = lessIn(counts[side], after.counts[topic][side]);
      if (name !== undefined) return `topic ${topic}: ${side} ${name} went back`;
    }
  }
  return undefined;
}

/** The first total that is less than it was; undefined: none is. */
function lessIn(
  before: TopicCounts['impressions'] | TopicCounts['feedback'],
  after: TopicCounts['impressions'] | TopicCounts['feedback'],
): string | undefined {
  if (after.read < before.read) return 'read';
  if (kept(after) < kept(before)) return 'that count';
  const later: Readonly<Record<string, number>> = after.drops;
  for (const [reason, times] of Object.entries(before.drops)) if (later[reason] < times) return `dropped as ${reason}`;
  return before.late.some((times, horizon) => after.late[horizon] < times) ? 'late for a horizon' : undefined;
}

function kept(side: TopicCounts['impressions'] | TopicCounts['feedback']): number {
  return 'accepted' in side ? side.accepted : side.attributed;
}

/** In words, what does not add up: in = accepted + dropped; attributed + dropped are not more than in. */
export function identityBroken({ committed, replay, counts, begin }: Lineage): string | undefined {
  for (const [topic, { impressions, feedback }] of counts.entries()) {
    if (replay[topic] > committed[topic]) return `topic ${topic} would be replayed from beyond its offset`;
    if (committed[topic] < begin[topic]) return `topic ${topic} stands before its beginning`;
    const dropped = total(impressions.drops);
    if (impressions.read !== impressions.accepted + dropped) {
      return `topic ${topic}: ${impressions.read} impressions read, ${impressions.accepted} accepted, ${dropped} dropped`;
    }
    if (feedback.attributed + total(feedback.drops) > feedback.read) {
      return `topic ${topic}: ${feedback.read} feedback read, ${feedback.attributed} attributed, ${total(feedback.drops)} dropped`;
    }
  }
  return undefined;
}

function total(drops: Readonly<Record<string, number>>): number {
  let sum = 0;
  for (const name in drops) sum += drops[name];
  return sum;
}
