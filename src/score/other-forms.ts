/**
 * Forms in which today's tools write runs and judgements, other than as rows: JSON, lists in one field, and lines of features. Each is read
 * as rows of CSV (specification: commands 3.3).
 */
import type { Side } from './remedies.ts';

/** A judged or retrieved item. `number`: the grade, score or rank, as text. */
interface FormRow {
  readonly query: string;
  readonly item: string;
  readonly number: string;
}

/** A form that was recognised. */
export interface OtherForm {
  /** What the file is, in words. */
  readonly is: string;
  readonly side: Side;
  /** The name of the column with the number. */
  readonly number: 'grade' | 'score' | 'rank';
  /** Each line has a query, in order, and predictions may follow it line by line. */
  readonly hasLinesOfQueries?: true;
  /** Number of lines that it must have. */
  readonly lines?: number;
  /** Its rows, from the whole text, or from each line with its number from 1. Throws an Error that says what is wrong. */
  readonly rows:
    | { readonly of: 'text'; readonly read: (text: string) => Iterable<FormRow> }
    | { readonly of: 'line'; readonly read: (line: string, number: number) => Iterable<FormRow> };
}

/** Number of bytes that are examined to recognise a file. */
export const MOST_LOOKED_AT = 65536;

/** The first of two fields. */
const FIELD = '(?:"(?:[^"\\n]|"")*"|[^\\n,;\\t"]+)';
/** A row of TREC may have a comma in an id. */
const TREC_ROW = '\\S+\\s+(?:Q0|0)\\s+\\S+\\s+\\S+\\s+\\S+';
/** Names of a column of items. */
const LIST_NAME = '"?(?:labels|items|item_ids|predictions?|recommendations?|ranking|docs|documents|docids|products)"?';
const TEXT = '"(?:[^"\\\\]|\\\\.)*"';

type Known = Omit<OtherForm, 'side'> & { readonly looks: RegExp; readonly side: Side | 'both' };

const KNOWN: readonly Known[] = [
  {
    is: 'the request of an evaluation (_rank_eval)',
    looks: /^\s*\{[\s\S]*"requests"\s*:\s*\[[\s\S]*"ratings"\s*:/,
    side: 'judgements',
    number: 'grade',
    rows: { of: 'text', read: ratingsOfRequest },
  },
  {
    is: 'the response of an evaluation (_rank_eval)',
    looks: /^\s*\{[\s\S]*"details"\s*:\s*\{[\s\S]*"hits"\s*:/,
    side: 'run',
    number: 'rank',
    rows: { of: 'text', read: hitsOfResponse },
  },
  {
    is: 'JSON of {query: {item: number}}',
    looks: new RegExp(`^\\s*\\{\\s*${TEXT}\\s*:\\s*\\{\\s*(?:\\}|${TEXT}\\s*:\\s*(?:-?\\d|null))`),
    side: 'both',
    number: 'score',
    rows: { of: 'text', read: numbersByQuery },
  },
  {
    is: 'JSON of {query: [item, ...]}',
    looks: new RegExp(`^\\s*\\{\\s*${TEXT}\\s*:\\s*\\[\\s*(?:\\]|${TEXT}|\\d)`),
    side: 'run',
    number: 'rank',
    rows: { of: 'text', read: listsByQuery },
  },
  {
    is: 'what people did next, by session and type',
    looks: /^\s*\{\s*"session"\s*:\s*\d+\s*,\s*"labels"\s*:\s*\{/,
    side: 'judgements',
    number: 'grade',
    rows: { of: 'line', read: labelsOfSession },
  },
  {
    is: 'lists, the items of each in one field',
    looks: new RegExp(
      `^(?:${FIELD}[,;\\t]${LIST_NAME}[ \\t\\r]*\\n|(?!${TREC_ROW})[^\\s,;]+[,;\\t]"?[^\\n,;\\t" ]+ [^\\n,;\\t]*(?:\\n|$))`,
      'i',
    ),
    side: 'run',
    number: 'rank',
    rows: { of: 'line', read: itemsOfField },
  },
  {
    is: 'lines of features (LETOR, SVMlight)',
    hasLinesOfQueries: true,
    looks: /^\s*-?\d+(?:\.\d+)?[ \t]+qid:\S+[ \t]+\d+:/,
    side: 'judgements',
    number: 'grade',
    rows: { of: 'line', read: labelOfFeatures },
  },
];

/**
 * The form of a file; undefined: it has rows, or a form that is not known.
 * @param head its first characters
 * @throws Error for the other side's form
 */
export function otherForm(head: string, side: Side): OtherForm | undefined {
  const known = KNOWN.find(({ looks }) => looks.test(head));
  if (known === undefined) return undefined;
  if (known.side !== 'both' && known.side !== side) {
    const holds = known.side === 'run' ? 'a run' : 'judgements';
    throw new Error(`this is ${known.is}, which holds ${holds}: are --run and --qrels the wrong way round?`);
  }
  return { ...known, side, number: known.side === 'both' && side === 'judgements' ? 'grade' : known.number };
}

/**
 * The form of scores that a program wrote for the lines of a file of features, one number a line; undefined: it is another one.
 * @param queries of those lines; undefined: the judgements are no lines of features
 */
export function predictionsIn(head: string, queries: readonly string[] | undefined): OtherForm | undefined {
  if (queries === undefined || !/^\s*[-+]?(?:\d|\.\d|inf|nan)\S*[ \t]*(?:\r?\n|$)/i.test(head)) return undefined;
  return {
    is: 'a score for each line of features',
    side: 'run',
    number: 'score',
    lines: queries.length,
    rows: {
      of: 'line',
      read: (line, number) => [{ query: queryOf(queries, number), item: String(number), number: line.trim() }],
    },
  };
}

function queryOf(queries: readonly string[], number: number): string {
  if (number > queries.length) throw new Error(`it has more lines than the file of features, ${queries.length}`);
  return queries[number - 1];
}

/** The names of its columns, as a line of CSV. */
export function headerOf({ number }: OtherForm): string {
  return `query,item,${number}\n`;
}

/** The query of a line of features. */
export function queryOfFeatures(line: string): string {
  return FEATURES.exec(line)?.[2] ?? '';
}

type Json = Readonly<Record<string, unknown>>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`it begins like JSON, and is not: ${error instanceof Error ? error.message : error}`);
  }
}

function objectOf(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`${what} is not an object`);
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${what} is not a list`);
}

function idOf(value: unknown, what: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new Error(`${what} is neither a text nor a number`);
}

function numberOf(value: unknown, what: string): string {
  if (typeof value === 'number') return String(value);
  throw new Error(`${what} is not a number`);
}

/** BEIR, ranx, pytrec_eval. An item with null is not judged, or was not scored. */
function* numbersByQuery(text: string): Iterable<FormRow> {
  for (const [query, numbers] of Object.entries(objectOf(parsed(text), 'it'))) {
    for (const [item, number] of Object.entries(objectOf(numbers, `what "${query}" has`))) {
      if (number === null) continue;
      yield { query, item, number: numberOf(number, `the number of item "${item}" of query "${query}"`) };
    }
  }
}

function* listsByQuery(text: string): Iterable<FormRow> {
  for (const [query, items] of Object.entries(objectOf(parsed(text), 'it'))) {
    for (const [i, item] of listOf(items, `what "${query}" has`).entries()) {
      yield { query, item: idOf(item, `an item of query "${query}"`), number: String(i + 1) };
    }
  }
}

/** Elasticsearch and OpenSearch. */
function* ratingsOfRequest(text: string): Iterable<FormRow> {
  for (const one of listOf(objectOf(parsed(text), 'it')['requests'], 'requests')) {
    const { id, ratings } = objectOf(one, 'one of the requests');
    const query = idOf(id, 'the id of a request');
    for (const rated of listOf(ratings, `what rates query "${query}"`)) {
      const { _id, rating } = objectOf(rated, `a rating of query "${query}"`);
      const item = idOf(_id, `the _id of a rating of query "${query}"`);
      if (rating !== null)
        yield { query, item, number: numberOf(rating, `the rating of "${item}" of query "${query}"`) };
    }
  }
}

function* hitsOfResponse(text: string): Iterable<FormRow> {
  for (const [query, one] of Object.entries(objectOf(objectOf(parsed(text), 'it')['details'], 'details'))) {
    const { hits } = objectOf(one, `what details say of query "${query}"`);
    for (const [i, found] of listOf(hits, `the hits of query "${query}"`).entries()) {
      const { hit } = objectOf(found, `a hit of query "${query}"`);
      const { _id } = objectOf(hit, `a hit of query "${query}"`);
      yield { query, item: idOf(_id, `the _id of a hit of query "${query}"`), number: String(i + 1) };
    }
  }
}

/** OTTO's `{"session": 1, "labels": {"clicks": 5, "orders": [6, 7]}}`; the query is the session and the type, as in its predictions. */
function* labelsOfSession(line: string): Iterable<FormRow> {
  if (line.trim() === '') return;
  const { session, labels } = objectOf(parsed(line), 'a line');
  for (const [type, items] of Object.entries(objectOf(labels, 'labels'))) {
    const query = `${idOf(session, 'the session')}_${type}`;
    for (const item of Array.isArray(items) ? items : [items]) {
      yield { query, item: idOf(item, `a label of ${query}`), number: '1' };
    }
  }
}

/** A query, and the ids of its items, best first, separated by blanks. */
function* itemsOfField(line: string, number: number): Iterable<FormRow> {
  if (line.trim() === '' || (number === 1 && LIST_HEADER.test(line))) return;
  const [, query, rest] = /^("(?:[^"]|"")*"|[^,;\t]*)[,;\t](.*)$/.exec(line.trimEnd()) ?? [];
  if (query === undefined || rest === undefined) throw new Error(`line ${number}: expected a query and its items`);
  const plain = (cell: string): string => (/^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell).trim();
  const items = plain(rest).split(/\s+/);
  for (const [i, item] of items.entries()) if (item !== '') yield { query: plain(query), item, number: String(i + 1) };
}

const LIST_HEADER = new RegExp(`^${FIELD}[,;\\t]${LIST_NAME}\\s*$`, 'i');

const FEATURES = /^\s*(-?\d+(?:\.\d+)?)[ \t]+qid:(\S+)[ \t]/;

/** The item is the number of the line. */
function* labelOfFeatures(line: string, number: number): Iterable<FormRow> {
  if (line.trim() === '') return;
  const [, grade, query] = FEATURES.exec(line) ?? [];
  if (grade === undefined) throw new Error(`line ${number}: expected "label qid:query feature:value ..."`);
  yield { query, item: String(number), number: grade };
}

/** A row as a line of CSV. */
export function rowLine({ query, item, number }: FormRow): string {
  return `${csvCell(query)},${csvCell(item)},${number}\n`;
}

function csvCell(id: string): string {
  if (/[\r\n]/.test(id)) throw new Error(`the id ${JSON.stringify(id)} holds a line break`);
  return /[",]|^\s|\s$/.test(id) ? `"${id.replaceAll('"', '""')}"` : id;
}
