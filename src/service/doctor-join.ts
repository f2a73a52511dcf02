import type { Settings } from '../config/settings.ts';
import type { Finding as Looked } from '../findings/finding.ts';
import { EventSample } from '../findings/sample.ts';
import { sampleFindings } from '../findings/sampled.ts';
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
  return [
    ...found.map(({ code, cause, remedy }) =>
      finding('join', 'warning', `${code}: ${cause} ${remedy}`, ALERTS.has(code) ? 'RecevalFewJoined' : undefined),
    ),
    ...users,
  ];
}

/** Those that keep most of the feedback from counting. */
const ALERTS: ReadonlySet<Looked['code']> = new Set([
  'ids_differ_by_prefix',
  'ids_differ_by_suffix',
  'ids_differ_by_case',
  'other_type_of_id',
  'clock_offset',
  'items_never_match',
]);
