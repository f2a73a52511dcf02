/** Note on requests that are logged page by page: nothing is wrong, but a mean over pages is not the mean over requests. */

import { grouped } from '../vocabulary/grouped.ts';
import { shellWord } from '../vocabulary/shell-word.ts';
import type { InspectedSide, Known } from './inspected.ts';
import { fedAll, isPartlyReadable, READABLE } from './log-commands.ts';
import { jqPath, type LogFinding, note } from './log-finding.ts';

export function inPages(lists: InspectedSide, { facts: { paged }, files, oneLog }: Known): LogFinding {
  const at = (as: string): string | undefined => {
    const paths = lists.fits.filter((fit) => fit.as === as).map(({ path }) => path);
    return paths.length === 1 ? jqPath(paths[0]) : undefined;
  };
  const [id, ts, items, offset] = [at('requestId'), at('ts'), at('items'), at('offset')];
  const isCommand = !oneLog && [id, ts, items, offset].every((path) => path !== undefined);
  const program = `[group_by(${id})[] | unique_by(${offset}) | reduce .[1:][] as $page (.[0]; ${items} += ($page | ${items}))] | sort_by(${ts})[]`;
  const packing = files.find(({ name }) => lists.files.includes(name))?.format.compression ?? 'none';
  const command = `jq -cs ${shellWord(program)}`;
  const input = isPartlyReadable(lists.files, files)
    ? `${fedAll(READABLE, lists.files, packing)} | ${command}`
    : fedAll(command, lists.files, packing);
  return note(
    'lists_in_pages',
    `${grouped(paged.requests)} requests were shown in several pages (${grouped(paged.pages)} lists): each page is a list of its own, with ranks that continue. So a mean such as mrr is over pages, and below that over whole requests.`,
    `To measure whole requests, put the pages of each together${isCommand ? ':' : '.'}`,
    isCommand ? `${input} > whole-lists.ndjson` : undefined,
  );
}
