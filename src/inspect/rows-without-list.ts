/** LogFinding on rows of shown items with the actions on each, but without an id of what was shown together, so that they make no lists. */
import { yesOrNo } from '../consumers/decode/list.ts';
import { roughly } from '../vocabulary/numbers.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, timesOf } from './fields.ts';
import type { InspectedFile } from './inspected.ts';
import { type LogFinding, wrong } from './log-finding.ts';
import { printing, recordsIn, valueAt } from './python-records.ts';
import { jointId } from './reading.ts';
import { actionIn, isYesNo } from './row-shape.ts';

/** Rows of one person that are farther apart than this belong to two visits. */
const GAP_SECONDS = 1800;
const PER_SECOND = { s: 1, ms: 1e3, us: 1e6, ns: 1e9, zoned: 0, utc: 0, local: 0 } as const;

/** Returns undefined if the file holds something else. */
export function rowsWithoutList(file: InspectedFile): LogFinding | undefined {
  const { name, profile, rows } = file;
  const fields = [...profile.fields.values()].filter(
    ({ path, records }) => !isOfElements(path) && records >= 0.95 * rows.length,
  );
  const best = (as: 'userId' | 'sessionId' | 'itemId' | 'ts', fits: (field: Field) => boolean): Field | undefined =>
    fields
      .filter((field) => nameFit(field.path, as) >= 0.3 && fits(field))
      .sort((a, b) => nameFit(b.path, as) - nameFit(a.path, as))[0];
  const isId = (field: Field): boolean => isIdLike(field) && timesOf(field) === undefined && !isYesNo(field);
  const flag =
    fields.find((field) => isYesNo(field) && actionIn(field.path) === 'click') ??
    fields.find((field) => isYesNo(field) && actionIn(field.path) !== undefined);
  const person = best('sessionId', isId) ?? best('userId', isId);
  const item = best('itemId', (field) => isId(field) && field !== person);
  const time = fields.find((field) => timesOf(field) !== undefined);
  if (flag === undefined || item === undefined) return undefined;
  const yes = [...flag.distinct].filter(([text]) => yesOrNo(text) === true).reduce((sum, [, n]) => sum + n, 0);
  const message = `Each row of ${name} is an item that was shown (${item.path}), and ${flag.path} says what was done with it: ${roughly(yes / flag.values)} of the rows. But no field says which rows were one list, so no ranking is known.`;
  if (person === undefined || time === undefined)
    return wrong('no_lists', message, 'Log an id of the list with each row, and the position.');
  const groups = new Set(rows.map(jointId([person.path, time.path]))).size;
  const command = commandFor(file, person, time);
  const rule = `A rule can say it meanwhile, such as: the rows of one ${person.path} with less than half an hour between (${time.path}), in the order of the file${command === undefined ? '' : '; this writes list_id and rank so'}. With one ${person.path} and one ${time.path} they are ${groups} lists`;
  return wrong(
    'no_lists',
    message,
    `Log an id of the list with each row, and the position. ${rule}${command === undefined ? '.' : ':'}`,
    command,
  );
}

function commandFor(file: InspectedFile, person: Field, time: Field): string | undefined {
  const [records, whose, when] = [recordsIn(file, 'sys.stdin'), valueAt(person.path), valueAt(time.path)];
  const form = timesOf(time)?.form ?? 'zoned';
  if (records === undefined || whose === undefined || when === undefined) return undefined;
  const at =
    PER_SECOND[form] > 0
      ? `float(${when})`
      : `datetime.datetime.fromisoformat(${when}.replace("Z","+00:00")).timestamp()`;
  const gap = GAP_SECONDS * Math.max(1, PER_SECOND[form]);
  const setup = [
    'S={}',
    `T=lambda r:${at}`,
    `F=lambda r,u,t:S.__setitem__(u,(S[u][0],t,S[u][2]+1) if u in S and t-S[u][1]<=${gap} else (f"{u}-{t:.0f}",t,1)) or {**r,"list_id":S[u][0],"rank":S[u][2]}`,
  ];
  return printing(setup, `(F(r,${whose},T(r)) for r in sorted(${records},key=T))`, file, true);
}
