/** LogFinding on yes-or-no columns in rows of items that may be actions, but that nothing identifies as such. */
import type { Known } from './inspected.ts';
import { type LogFinding, note } from './log-finding.ts';
import { isOneEach } from './row-groups.ts';
import { isYesNo } from './row-shape.ts';

const MOST_NAMED = 4;

export function flagsNotRead({ impressions, feedback, files, guess }: Known): readonly LogFinding[] {
  const adapter = impressions?.reading.adapter;
  if (impressions === undefined || impressions !== feedback || guess !== undefined) return [];
  if (typeof adapter !== 'object' || !('list' in adapter)) return [];
  const rows = files.filter(({ name }) => impressions.files.includes(name)).flatMap((file) => file.rows);
  const by = impressions.fits.filter(({ as }) => as === 'requestId').map(({ path }) => path);
  const read = new Set(impressions.fits.map(({ path }) => path));
  const left = [...impressions.profile.fields.values()]
    .filter((field) => isYesNo(field) && !read.has(field.path) && !isOneEach(rows, by, field.path))
    .map(({ path }) => path);
  if (left.length === 0) return [];
  const named = left.slice(0, MOST_NAMED).join(', ') + (left.length > MOST_NAMED ? ', ...' : '');
  return [
    note(
      'flags_not_read',
      `${named} of ${impressions.files.join(', ')} ${left.length === 1 ? 'is' : 'are'} yes or no of each item, too, and ${left.length === 1 ? 'is' : 'are'} taken for what the item is, not for what was done with it.`,
      `If people did it, add it to feedback of the adapter, such as ${left[0]}: like.`,
    ),
  ];
}
