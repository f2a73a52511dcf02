/**
 * LogFinding on one log in which no record has the id of its list: each action can be joined with the last list in which the person
 * saw that item. This is a guess, but others report such logs in this way.
 */
import type { InspectedSide, Known } from './inspected.ts';
import { type LogFinding, wrong } from './log-finding.ts';
import { printing, recordsIn, valueAt } from './python-records.ts';

/** Returns undefined if both sides have ids, or if nothing identifies the person. */
export function withoutListId({ impressions, feedback, oneLog, kinds, files }: Known): LogFinding | undefined {
  const [file] = files.filter(({ guess }) => guess?.role === 'both');
  if (!oneLog || impressions === undefined || feedback === undefined || file === undefined || kinds === undefined)
    return undefined;
  if (!impressions.missing.includes('requestId')) return undefined;
  const at = (side: InspectedSide, as: string): string | undefined => side.fits.find((fit) => fit.as === as)?.path;
  const [user, time, list] = [at(impressions, 'userId'), at(impressions, 'ts'), at(impressions, 'items')];
  const [id, item] = [at(impressions, 'items.id'), at(feedback, 'itemId')];
  const message = `No record of ${file.name} has the id of its list, neither lists nor what people did with them, so nobody can tell which list was clicked.`;
  const page = file.known === undefined ? '' : ` (${file.known.page})`;
  const remedy = `Give each list an id when it is shown, and log it with the list and with each click on it, such as list_view_id${page}.`;
  const command =
    user === undefined || time === undefined || list === undefined || item === undefined
      ? undefined
      : commandFor({ user, time, list, id, item, kinds }, file);
  if (command === undefined) return wrong('nothing_joined', message, remedy);
  return wrong(
    'nothing_joined',
    message,
    `${remedy} For this log a guess is the last list that the person (${user}) saw with that item (last touch); this writes list_view_id so:`,
    command,
  );
}

interface Paths {
  readonly user: string;
  readonly time: string;
  readonly list: string;
  readonly id: string | undefined;
  readonly item: string;
  readonly kinds: NonNullable<Known['kinds']>;
}

function commandFor({ user, time, list, id, item, kinds }: Paths, file: Known['files'][number]): string | undefined {
  const records = recordsIn(file, 'sys.stdin');
  const [whose, when, shown, kind] = [user, time, list, kinds.path].map(valueAt);
  const cut = item.indexOf('[]');
  const ofElement = (path: string): string | undefined => (path === '' ? 'i' : valueAt(path)?.replace(/^r/, 'i'));
  const shownId = ofElement(id === undefined ? '' : id.slice(id.indexOf('[]') + 2));
  const doneList = cut < 0 ? undefined : valueAt(item.slice(0, cut));
  const doneId = cut < 0 ? valueAt(item) : ofElement(item.slice(cut + 2));
  const parts = [records, whose, when, shown, kind, shownId, doneId, cut < 0 ? '' : doneList];
  if (file.format.form.kind !== 'ndjson' || parts.some((part) => part === undefined)) return undefined;
  const isNumber = [...(file.profile.fields.get(time)?.times.keys() ?? [])].every(
    (form) => !['zoned', 'utc', 'local'].includes(form),
  );
  const key = isNumber ? `float(${when})` : when;
  const done = cut < 0 ? doneId : `next((${doneId} for i in ${doneList}),None)`;
  const setup = [
    'L={}',
    `I=lambda r:str(${whose})+"-"+str(${when})`,
    `U=lambda r:L.update({(${whose},${shownId}):I(r) for i in ${shown}}) or {**r,"list_view_id":I(r)}`,
    `D=lambda r:{**r,"list_view_id":L.get((${whose},${done}))}`,
  ];
  const lists = JSON.stringify(kinds.lists);
  return printing(
    setup,
    `(U(r) if ${kind} in ${lists} else D(r) for r in sorted(${records},key=lambda r:${key}))`,
    file,
    true,
  );
}
