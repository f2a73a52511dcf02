/** Recognises logs that no map of fields can read, to say what they lack or how to make them readable. */

import { shellWord } from '../vocabulary/shell-word.ts';
import { type Field, isOfElements, timesOf } from './fields.ts';
import type { HeadedLines } from './headed-lines.ts';
import type { InspectedFile, InspectedSide } from './inspected.ts';
import { behindCommand, fed, fedAll, type Packing, pairsCommand } from './log-commands.ts';
import { baseName, cut, jqPath, type LogFinding, wrong } from './log-finding.ts';
import { kindWords, type RaggedLines } from './ragged-lines.ts';

type OtherLog =
  | 'Elasticsearch slow log'
  | 'Elasticsearch answer'
  | 'Matomo visits'
  | 'Adobe data feed'
  | 'Snowplow enriched stream'
  | 'records in a list';

/** Paths by which a log is recognised: a record has all paths of one of its forms. */
const SIGNS: Readonly<
  Record<Exclude<OtherLog, 'Snowplow enriched stream' | 'records in a list'>, readonly (readonly string[])[]>
> = {
  'Elasticsearch slow log': [
    ['/elasticsearch.slowlog.source', '/elasticsearch.slowlog.took'],
    ['/elasticsearch/slowlog/source', '/elasticsearch/slowlog/took'],
    ['/source', '/took_millis', '/total_shards', '/search_type'],
  ],
  'Elasticsearch answer': [['/took', '/_shards', '/hits/hits', '/hits/hits[]/_source']],
  'Matomo visits': [['/idVisit', '/actionDetails', '/actionDetails[]/timestamp']],
  'Adobe data feed': [
    ['/event_list', '/product_list', '/visid_high'],
    ['/post_event_list', '/post_product_list', '/post_visid_high'],
  ],
};

/** A product in Adobe's list: category;product;quantity;price;events;merchandising. It may have only the first two. */
const ADOBE_PRODUCTS = /^[^;,]*;[^;,]+;[^;,]*;[^;,]*;[^;,]*;[^;]*=/;

/** Returns undefined if the log is none of these. */
export function otherLog({ profile, rows }: Pick<InspectedFile, 'profile' | 'rows'>): OtherLog | undefined {
  const { fields } = profile;
  for (const [log, forms] of Object.entries(SIGNS)) {
    if (forms.some((form) => form.every((path) => fields.has(path)))) return isOther(log) ? log : undefined;
  }
  // A feed has no header: its columns are in a separate file.
  const products = [...fields.values()].some(
    ({ path, distinct }) =>
      path.startsWith('/column_') && rows.length > 0 && [...distinct.keys()].some((text) => ADOBE_PRODUCTS.test(text)),
  );
  if (products) return 'Adobe data feed';
  if (isEnriched(fields)) return 'Snowplow enriched stream';
  return listOfRecords({ profile, rows }) === undefined ? undefined : 'records in a list';
}

/** Tables of the enriched stream have no header, and in some of their many columns JSON with the address of its schema. */
function isEnriched(fields: ReadonlyMap<string, Field>): boolean {
  const isSchema = ({ path, distinct }: Field): boolean =>
    /^\/column_\d+\/schema$/.test(path) && [...distinct.keys()].some((text) => text.startsWith('iglu:'));
  return [...fields.values()].some(isSchema);
}

/** With fewer entries, a list may be one that was shown. */
const FEWEST = 5;

/** The list in a file of one object, such as an answer of a database, whose entries are the records: each has a time, and the object has none. */
function listOfRecords({ profile: { fields }, rows }: Pick<InspectedFile, 'profile' | 'rows'>): Field | undefined {
  if (
    rows.length !== 1 ||
    [...fields.values()].some((field) => !isOfElements(field.path) && timesOf(field) !== undefined)
  )
    return undefined;
  return [...fields.values()].find(({ path, elements }) => {
    const isDated = (field: Field): boolean =>
      field.path.startsWith(`${path}[]/`) && field.path.split('[]').length === 2 && timesOf(field) !== undefined;
    return elements >= FEWEST && !isOfElements(path) && [...fields.values()].some(isDated);
  });
}

function isOther(log: string): log is keyof typeof SIGNS {
  return log in SIGNS;
}

export function otherLogFinding(log: OtherLog, file: InspectedFile): LogFinding {
  const { name, format } = file;
  switch (log) {
    case 'Elasticsearch slow log':
      return queryLog(name, 'a slow log of Elasticsearch or OpenSearch');
    case 'Elasticsearch answer':
      return wrong(
        'format_not_read',
        `${name} is the answer to a search of Elasticsearch or OpenSearch: its records are in a list within it (/hits/hits).`,
        'Write one a line, and inspect that:',
        takenOut("'.hits.hits[]._source'", file),
      );
    case 'records in a list':
      return inList(file);
    case 'Matomo visits':
      return wrong(
        'no_lists',
        `${name} holds visits of Matomo: what was shown and clicked is in the actions of each (/actionDetails).`,
        'Write each action as a record of its own, and inspect that:',
        `${fedAll(`jq -c '(if type == "array" then .[] else . end) | {visitorId, idVisit} as $visit | .actionDetails[] | $visit + .'`, [name], format.compression)} > actions.ndjson`,
      );
    case 'Snowplow enriched stream':
      return wrong(
        'format_not_read',
        `${name} is the enriched stream of Snowplow as tab-separated text: what was shown is in JSON within its columns, which no map reads.`,
        "Turn it into JSON with one of Snowplow's Analytics SDKs, or with Snowbridge (spEnrichedToJson), and inspect that: docs/adapters/snowplow.md.",
      );
    case 'Adobe data feed':
      return wrong(
        'no_lists',
        `${name} is a data feed of Adobe Analytics: the products of a hit are one text (category;product;..., separated by commas), and the id of a list is in a variable that only you know (an eVar).`,
        'Write one JSON object a hit, with the names of column_headers.tsv: {"requestId": that eVar, "ts": hit_time_gmt, "items": the second parts of product_list, in order} for hits that show a list, and {"requestId", "ts", "itemId", "action"} for clicks and purchases (event_list says which).',
      );
  }
}

function inList(file: InspectedFile): LogFinding {
  const path = listOfRecords(file)?.path ?? '';
  return wrong(
    'format_not_read',
    `${file.name} is one object: its records are in a list within it (${path}).`,
    'Write one a line, and inspect that:',
    takenOut(shellWord(`${jqPath(path)}[]`), file),
  );
}

/** A command that writes the records to which a filter of jq leads, one a line. */
function takenOut(filter: string, { name, format: { compression } }: InspectedFile): string {
  const to = baseName(name)
    .replace(/(?:\.gz|\.zst)$/, '')
    .replace(/\.json$/, '');
  return `${fedAll(`jq -c ${filter}`, [name], compression)} > ${shellWord(`documents-${to}.ndjson`)}`;
}

function queryLog(name: string, what: string): LogFinding {
  return wrong(
    'no_lists',
    `${name} is ${what}: it holds queries and how long they took, but not which documents were found, so it is unknown what was shown.`,
    'Log the ids of the documents with an id of the query where the application shows them, and that id with each click. User Behavior Insights does so for OpenSearch (docs/adapters/opensearch-ubi.md).',
  );
}

/** LogFinding on lines with records in a form that receval does not read. */
export function linesNotRead(lines: 'json-behind' | 'pairs' | 'solr', name: string, compression: Packing): LogFinding {
  if (lines === 'solr') return queryLog(name, 'the log of requests to Solr');
  const [what, command] =
    lines === 'pairs'
      ? ['of name=value pairs', pairsCommand(name, compression)]
      : ['with a prefix before the JSON object', behindCommand(name, compression)];
  return wrong('format_not_read', `${name} has lines ${what}.`, 'Write one JSON object a line:', command);
}

/** Findings on lists as text in the notation of Python or PostgreSQL, which is not JSON: split at commas, items would keep the brackets. */
export function listsNotRead({ files, profile, fits }: InspectedSide): readonly LogFinding[] {
  const path = fits.find(({ as }) => as === 'items')?.path;
  const field = path === undefined ? undefined : profile.fields.get(path);
  if (path === undefined || field === undefined) return [];
  const texts = [...field.distinct.keys()].map((text) => String(text).trim());
  const odd = texts.filter((text) => /^[[({].*[\])}]$/s.test(text) && !isJsonList(text));
  if (odd.length <= texts.length / 2) return [];
  return [
    wrong(
      'lists_not_read',
      `The lists in ${path} of ${files.join(', ')} are text that is not JSON, such as ${cut(odd[0])}.`,
      'Write each as a JSON list, ["a", "b"], or as ids separated by |, without brackets.',
    ),
  ];
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

/**
 * LogFinding on lines of several kinds: it names the kinds and, if lists and their clicks are among them, a command that makes
 * records of these.
 */
export function raggedFinding(
  { delimiter, kinds, lists }: RaggedLines,
  name: string,
  compression: Packing,
): LogFinding {
  const sign = { '\t': 'tabs', ',': 'commas', ';': 'semicolons', '|': 'bars' }[delimiter] ?? delimiter;
  const message = `${name} has lines of ${kinds.length} kinds, with ${sign} between their columns: ${kindWords(kinds)}.`;
  if (lists === undefined) {
    return wrong(
      'format_not_read',
      message,
      'Write one JSON object a line: {"requestId", "ts", "items"} for what was shown, {"requestId", "ts", "itemId", "action"} for what was done.',
    );
  }
  const { shown, items, behind, done, item, id, time } = lists;
  const what = `${shown.word} holds a list, from column ${items + 1} on${behind === undefined ? '' : ` (before the "${behind}")`}, and ${done.word} the item of it that was clicked, in column ${item + 1}; columns 1 and ${id + 1} are the id of the list`;
  const counts =
    time === undefined
      ? '; no column holds times'
      : `; column ${time + 1} counts the time from the start of each session, so no line has a date`;
  const text = (value: string): string => JSON.stringify(value);
  const cell = behind === undefined ? 'c' : `c.split(${text(behind)})[0]`;
  const ts = time === undefined ? '10**9+n' : `10**9+int(r[${time}])`;
  const about = `"requestId":r[0]+"-"+r[${id}],"ts":${ts}`;
  const records = `{${about},"items":[${cell} for c in r[${items}:]]} if r[${shown.at}]==${text(shown.word)} else {${about},"itemId":r[${item}],"action":"click"}`;
  const python = `import json,sys; R=[l.rstrip("\\r\\n").split(${text(delimiter)}) for l in sys.stdin]; [print(json.dumps(r)) for r in sorted((${records} for n,r in enumerate(R) if r[${shown.at}:${shown.at + 1}]==[${text(shown.word)}] or r[${done.at}:${done.at + 1}]==[${text(done.word)}]),key=lambda r:r["ts"])]`;
  return wrong(
    'format_not_read',
    `${message} ${what}${counts}.`,
    `Write one JSON object for each ${shown.word} and ${done.word}${time === undefined ? '' : ' (as if all sessions began at once, in September 2001: add the start of each if you know it)'}, and inspect that:`,
    `${fed(`python3 -c ${shellWord(python)}`, name, compression)} > ${shellWord(
      `mended-${baseName(name)
        .replace(/\.(?:gz|zst)$/, '')
        .replace(/\.[a-z]+$/, '')}.ndjson`,
    )}`,
  );
}

/** LogFinding with a command that makes rows of items, which name their list. */
export function headedFinding(
  { delimiter, head, width, lists, item, flag }: HeadedLines,
  name: string,
  compression: Packing,
): LogFinding {
  const done = flag === undefined ? '' : `, and column ${flag + 1} says yes or no of each`;
  const click = flag === undefined ? '' : `,"click":r[${flag}]`;
  const row = `{"requestId":str(N[0]),"ts":10**9+N[0],"rank":int(r[0]),"itemId":r[${item}]${click}}`;
  const python = `import json,sys; N=[0]; [N.__setitem__(0,N[0]+1) if len(r)==${head} else print(json.dumps(${row})) for r in (l.rstrip("\\r\\n").split(${JSON.stringify(delimiter)}) for l in sys.stdin)]`;
  return wrong(
    'format_not_read',
    `${name} has a line with ${head} columns for each list, and below it a line with ${width} columns for each of its items: column 1 is its place, column ${item + 1} the item${done} (${lists} lists). No line says which list it belongs to.`,
    `Write rows of items, which name their list (as if one began each second, in September 2001: put in a time if you know it${flag === undefined ? '' : `; if another column than ${flag + 1} says what was clicked, put that in`}), and inspect that:`,
    `${fed(`python3 -c ${shellWord(python)}`, name, compression)} > ${shellWord(
      `mended-${baseName(name)
        .replace(/\.(?:gz|zst)$/, '')
        .replace(/\.[a-z]+$/, '')}.ndjson`,
    )}`,
  );
}
