/** LogFinding on runs and judgements of queries in the forms of current tools: they are not logs, but input for `receval score`. */
import { escapedStep } from '../consumers/decode/pointer.ts';
import { type Fields, isFields } from '../consumers/decode/raw.ts';
import type { Side } from '../score/remedies.ts';
import { shellWord } from '../vocabulary/shell-word.ts';
import { type Field, isNumbers, isOfElements, timesOf } from './fields.ts';
import type { InspectedFile } from './inspected.ts';
import { type LogFinding, note } from './log-finding.ts';
import { isNumbered } from './row-groups.ts';
import { actionIn } from './row-shape.ts';
import { isOtherDate } from './time-forms.ts';

interface Judged {
  readonly side: Side;
  /** The predicate of a sentence about the file. */
  readonly is: string;
  /** Names of its columns for --columns; undefined: the file is not a table of a run. */
  readonly columns?: readonly string[];
}

/** Returns undefined if the file is something else. */
export function judgedFile({
  rows,
  profile,
  format: { form },
}: Pick<InspectedFile, 'rows' | 'profile' | 'format'>): Judged | undefined {
  const { fields } = profile;
  if (form.kind !== 'delimited') return inJson(rows, fields);
  const all = [...fields.values()];
  if (form.width === 2 && isOfLists(all))
    return { side: 'run', is: 'is a table of queries, each with its items in order, a run' };
  if (form.width < 3 || form.width > 6 || all.some(isTime) || all.some(({ path }) => actionIn(path) === 'click'))
    return undefined;
  const names = form.columns ?? Array.from({ length: form.width }, (_, i) => `column_${i + 1}`);
  const paths = names.map((name) => `/${escapedStep(name)}`);
  const [query, item, ...others] = paths;
  const repeats = (fields.get(query)?.distinct.size ?? 0) < 0.7 * rows.length;
  const numbers = others.filter((path) => isNumber(fields.get(path)));
  if (!repeats || numbers.length === 0 || (fields.get(item)?.distinct.size ?? 0) < 2) return undefined;
  const table = `${form.columns === undefined ? '' : ' '}(${names.join(', ')})`;
  const place = numbers.find((path) => isNumbered(rows, query, path));
  if (place !== undefined && (form.columns === undefined || RUN.test(names.join(' ')))) {
    const columns = paths.map((path, i) =>
      i === 0 ? 'query' : i === 1 ? 'item' : path === place ? 'rank' : numbers.includes(path) ? 'score' : '-',
    );
    return { side: 'run', is: `is a table of ranked lists${form.columns === undefined ? '' : table}, a run`, columns };
  }
  const isGraded =
    form.width === 3 && numbers.length === 1 && GRADES.test(form.columns === undefined ? 'grade' : names[2]);
  const grade = fields.get(others[0]);
  const isOfGrades = isGraded && grade !== undefined && grade.distinct.size <= MOST_GRADES && names[0] !== names[1];
  const isSaid = form.columns === undefined || QUERIES.test(names[0]);
  return isOfGrades && isSaid
    ? { side: 'judgements', is: `holds judgements of queries${form.columns === undefined ? '' : table}` }
    : undefined;
}

/** Whether the columns are a query and the ids of its items, separated by blanks. Ids have a digit, unlike the words of a text. */
function isOfLists(fields: readonly Field[]): boolean {
  const texts = [...(fields.at(-1)?.distinct.keys() ?? [])].map((text) => text.trim().split(/\s+/));
  const isList = texts.every((ids) => ids.every((id) => /\d/.test(id))) && texts.some(({ length }) => length > 2);
  return fields.length === 2 && isList && !fields.some(isTime);
}

const RUN = /rank|pos|score/i;
const GRADES = /grade|rating|score|rel|label|judg/i;
const QUERIES = /quer|qid|topic|search/i;
const MOST_GRADES = 12;

function isNumber(field: Field | undefined): boolean {
  return field !== undefined && isNumbers(field);
}

function isTime(field: Field): boolean {
  return timesOf(field) !== undefined || isOtherDate(field.example);
}

function inJson(rows: readonly Fields[], fields: ReadonlyMap<string, Field>): Judged | undefined {
  if (fields.has('/requests[]/ratings') && fields.has('/requests[]/id'))
    return { side: 'judgements', is: 'is the request of an evaluation (_rank_eval): it holds judgements' };
  if (fields.has('/labels') && [...fields.keys()].every((path) => path === '/session' || path.startsWith('/labels')))
    return { side: 'judgements', is: 'holds what people did next, by session and type, judgements' };
  const hits = [...fields.keys()].some((path) => /^\/details\/[^[]+\/hits\[\]\/hit\/_id$/.test(path));
  if (hits && fields.has('/metric_score'))
    return { side: 'run', is: 'is the answer of an evaluation (_rank_eval): it holds a run' };
  const isScores = (value: unknown): boolean =>
    isFields(value) && Object.values(value).length > 0 && Object.values(value).every((one) => typeof one === 'number');
  const [only] = rows;
  const values = rows.length === 1 ? Object.values(only) : [];
  if (values.length === 0 || !values.every(isScores) || [...fields.keys()].some(isOfElements)) return undefined;
  const numbers = values.flatMap((value) => (isFields(value) ? Object.values(value) : []));
  const areGrades = numbers.every(Number.isInteger) && new Set(numbers).size <= MOST_GRADES;
  return {
    side: areGrades ? 'judgements' : 'run',
    is: `holds numbers by query and item, ${areGrades ? 'judgements' : 'a run'}`,
  };
}

export function judgedFinding({ side, is, columns }: Judged, { name }: InspectedFile): LogFinding {
  const file = shellWord(name);
  const named = columns === undefined ? '' : ` --columns ${columns.join(',')}`;
  const [run, qrels] = side === 'run' ? [`${file}${named}`, 'QRELS'] : ['RUN', file];
  return note(
    'not_a_log',
    `${name} ${is}, not a log.`,
    `receval score takes it, with ${side === 'run' ? 'its judgements' : 'a run'}:`,
    `receval score --run ${run} --qrels ${qrels}`,
  );
}
