/** LogFinding on logs that are read without an error but have no feedback: every measure of clicks is 0. */
import type { Known } from './inspected.ts';
import { type LogFinding, wrong } from './log-finding.ts';

export function nothingDone({ impressions, feedback }: Known): readonly LogFinding[] {
  const lists = impressions?.sample.lists.length ?? 0;
  if (impressions === undefined || feedback === undefined || lists === 0 || feedback.sample.feedback.length > 0)
    return [];
  const { adapter } = feedback.reading;
  const columns = typeof adapter === 'object' && 'list' in adapter ? Object.keys(adapter.feedback ?? {}) : [];
  const files = feedback.files.join(', ');
  const without = 'every measure of clicks would be 0';
  if (columns.length > 0) {
    return [
      wrong(
        'feedback_missing',
        `No row of ${files} says that something was done with its item (${columns.join(', ')}): ${without}.`,
        'Read more of the log (--sample), or name the column that says it.',
      ),
    ];
  }
  const fields = conditionsOf(adapter);
  const asked = fields.length === 0 ? '' : `, as none meets the conditions on ${fields.join(' and ')}`;
  return [
    wrong(
      'feedback_missing',
      `No record of ${files} is read as feedback on a list${asked}: ${without}.`,
      fields.length > 0
        ? 'Name the records that say what people did in the when of a map (inputs), each with the id of its list, the item and the time.'
        : 'Also name the log of clicks.',
    ),
  ];
}

function conditionsOf(adapter: NonNullable<Known['feedback']>['reading']['adapter']): readonly string[] {
  if (typeof adapter !== 'object' || !('maps' in adapter)) return [];
  return [...new Set(adapter.maps.flatMap(({ when = {} }) => Object.keys(when)))];
}
