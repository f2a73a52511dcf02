/** LogFinding on lists two levels deep, such as the products of each carousel of a page: the list that was found is that of the carousels. */
import { nameFit } from './field-names.ts';
import { type Field, isIdLike } from './fields.ts';
import type { Known } from './inspected.ts';
import { type LogFinding, wrong } from './log-finding.ts';
import { nestedCommand } from './mend.ts';

/** Least share of the clicked items that must be in the inner lists. */
const MOST = 0.5;

/** Returns undefined if the ids of feedback are not in inner lists either. */
export function listsInLists({ impressions, feedback, files }: Known): LogFinding | undefined {
  const clicked = feedback?.profile.fields.get(feedback.fits.find(({ as }) => as === 'itemId')?.path ?? '');
  if (impressions === undefined || clicked === undefined) return undefined;
  const { fields } = impressions.profile;
  const [within] = [...fields.values()]
    .filter((field) => field.path.split('[]').length === 3 && isIdLike(field) && shareOf(clicked, field) >= MOST)
    .sort((a, b) => rating(clicked, b) - rating(clicked, a));
  if (within === undefined) return undefined;
  const [outer, inner, id] = within.path.split('[]');
  const isOne = fields.get(outer)?.elements === fields.get(outer)?.records;
  const place = within.path.replaceAll('[]', '/*');
  const map = `items: ${outer}/0${inner}${id === '' ? '' : `, items.id: ${id}`}`;
  const command = isOne ? undefined : nestedCommand(outer, inner, impressions.files, files);
  return wrong(
    'items_never_match',
    `Feedback joins, but it does not name what is in ${outer}: the ids of feedback are in ${place}, lists within its elements.`,
    isOne
      ? `Every ${outer} has one element: map ${map} (in place of the items and items.id that are proposed).`
      : `Write them as one list, in the order in which they were shown${command === undefined ? '.' : ':'}`,
    command,
  );
}

function rating(clicked: Field, field: Field): number {
  return shareOf(clicked, field) + 0.1 * nameFit(field.path, 'itemId');
}

/** Share of the clicked items that occur in the field. */
function shareOf(clicked: Field, { distinct }: Field): number {
  let known = 0;
  for (const [id, n] of clicked.distinct) if (distinct.has(id)) known += n;
  return known / Math.max(1, clicked.values);
}
