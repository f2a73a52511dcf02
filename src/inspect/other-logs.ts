/** Logs that cannot be read as they are, however their fields are mapped: recognised, to say what they lack or what makes them readable. */
import type { InspectedFile } from './inspected.ts';
import { cut, type Finding, wrong } from './log-finding.ts';
import { behindCommand, fedAll, type Packing, pairsCommand } from './mend.ts';

type OtherLog = 'Elasticsearch slow log' | 'Matomo visits' | 'Adobe data feed';

/** Paths of which a record of the log has all, in one of its forms. */
const SIGNS: Readonly<Record<OtherLog, readonly (readonly string[])[]>> = {
  'Elasticsearch slow log': [
    ['/elasticsearch.slowlog.source', '/elasticsearch.slowlog.took'],
    ['/elasticsearch/slowlog/source', '/elasticsearch/slowlog/took'],
    ['/source', '/took_millis', '/total_shards', '/search_type'],
  ],
  'Matomo visits': [['/idVisit', '/actionDetails', '/actionDetails[]/timestamp']],
  'Adobe data feed': [
    ['/event_list', '/product_list', '/visid_high'],
    ['/post_event_list', '/post_product_list', '/post_visid_high'],
  ],
};

/** A product of Adobe's list: category;product;quantity;price;events;merchandising. The first two may be all. */
const ADOBE_PRODUCTS = /^[^;,]*;[^;,]+;[^;,]*;[^;,]*;[^;,]*;[^;]*=/;

/** undefined: it is none of these. */
export function otherLog({ profile: { fields }, rows }: Pick<InspectedFile, 'profile' | 'rows'>): OtherLog | undefined {
  for (const [log, forms] of Object.entries(SIGNS)) {
    if (forms.some((form) => form.every((path) => fields.has(path)))) return isOther(log) ? log : undefined;
  }
  // A feed has no header: its columns stand in a file of their own.
  const products = [...fields.values()].some(
    ({ path, distinct }) =>
      path.startsWith('/column_') && rows.length > 0 && [...distinct.keys()].some((text) => ADOBE_PRODUCTS.test(text)),
  );
  return products ? 'Adobe data feed' : undefined;
}

function isOther(log: string): log is OtherLog {
  return log in SIGNS;
}

export function otherLogFinding(log: OtherLog, { name, format }: InspectedFile): Finding {
  switch (log) {
    case 'Elasticsearch slow log':
      return queryLog(name, 'a slow log of Elasticsearch or OpenSearch');
    case 'Matomo visits':
      return wrong(
        'no_lists',
        `${name} holds visits of Matomo: what was shown and clicked is in the actions of each (/actionDetails).`,
        'Write each action as a record of its own, and inspect that:',
        `${fedAll(`jq -c '(if type == "array" then .[] else . end) | {visitorId, idVisit} as $visit | .actionDetails[] | $visit + .'`, [name], format.compression)} > actions.ndjson`,
      );
    case 'Adobe data feed':
      return wrong(
        'no_lists',
        `${name} is a data feed of Adobe Analytics: the products of a hit are one text (category;product;..., separated by commas), and the id of a list is in a variable that only you know (an eVar).`,
        'Write one JSON object a hit, with the names of column_headers.tsv: {"requestId": that eVar, "ts": hit_time_gmt, "items": the second parts of product_list, in order} for hits that show a list, and {"requestId", "ts", "itemId", "action"} for clicks and purchases (event_list says which).',
      );
  }
}

function queryLog(name: string, what: string): Finding {
  return wrong(
    'no_lists',
    `${name} is ${what}: it holds queries and how long they took, but not which documents were found, so it is unknown what was shown.`,
    'Log the ids of the documents with an id of the query where the application shows them, and that id with each click. User Behavior Insights does so for OpenSearch (docs/adapters/opensearch-ubi.md).',
  );
}

/** Lines that hold records in a form that receval does not read. */
export function linesNotRead(lines: 'json-behind' | 'pairs' | 'solr', name: string, compression: Packing): Finding {
  if (lines === 'solr') return queryLog(name, 'the log of requests to Solr');
  const [what, command] =
    lines === 'pairs'
      ? ['of name=value pairs', pairsCommand(name, compression)]
      : ['with a prefix before the JSON object', behindCommand(name, compression)];
  return wrong('format_not_read', `${name} has lines ${what}.`, 'Write one JSON object a line:', command);
}

/** A text of several parts that no separator cuts into ids, such as `sku-1:17.99, sku-2:5.00`. undefined: there is none. */
export function listsInText(logs: readonly InspectedFile[]): Finding | undefined {
  for (const { name, profile } of logs) {
    for (const { path, distinct, values } of profile.fields.values()) {
      const texts = [...distinct.keys()];
      const several = texts.filter((text) =>
        /^[^\s,;|:=]+[:=][^\s,;|:=]+(?:[,;|] ?[^\s,;|:=]+[:=][^\s,;|:=]+)+$/.test(text),
      );
      if (several.length === 0 || several.length < 0.9 * texts.length || values < 3) continue;
      return wrong(
        'lists_not_read',
        `${path} of ${name} seems to hold lists as text, with a value behind each id: ${cut(several[0])}.`,
        'Write the ids alone, separated by |, or as a JSON list of objects: [{"id": "a", "score": 1}, ...].',
      );
    }
  }
  return undefined;
}
