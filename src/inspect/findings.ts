/** What looks wrong in a sample, each with its cause, an example and what to do. */
import { ofActions, ofOrder, ofPeople, ofTimes } from './event-findings.ts';
import { ofFile, ofRoles } from './file-findings.ts';
import type { InspectedFile, InspectOptions, Known } from './inspected.ts';
import { ofClock, ofJoin } from './join-findings.ts';
import type { Finding, FindingCode } from './log-finding.ts';

/** What is wrong first, then in the order of the data path. */
export function findingsOf(known: Known, options: InspectOptions): readonly Finding[] {
  const found = [
    ...known.files.flatMap(ofFile),
    ...ofRoles(known),
    ...ofTimes(known, options),
    ...ofJoin(known),
    ...ofClock(known),
    ...ofActions(known),
    ...ofPeople(known),
    ...ofOrder(known),
  ];
  const isLate = found.some(({ code }) => code === 'all_late');
  const told = isLate ? found.filter(({ code }) => code !== 'out_of_order' && code !== 'feedback_before_list') : found;
  const packed = known.files.filter((file) => !isPlainJson(file));
  const shown = told.map((finding) => withoutJq(finding, packed));
  return [...shown.filter(({ level }) => level === 'wrong'), ...shown.filter(({ level }) => level === 'note')];
}

/** What must be fixed first: a replay would tell nothing, or something else. */
const STOPS: ReadonlySet<FindingCode> = new Set([
  'format_not_read',
  'encoding',
  'no_lists',
  'feedback_missing',
  'feedback_within_items',
  'most_invalid',
  'kinds_unclear',
  'nothing_joined',
  'ids_differ',
  'ids_differ_by_prefix',
  'ids_differ_by_case',
  'other_type_of_id',
  'items_never_match',
  'clock_offset',
  'all_late',
  'request_ids_repeat',
]);

/** Whether a replay makes sense before anything is fixed. */
export function mayReplay(findings: readonly Finding[]): boolean {
  return !findings.some(({ code, level }) => level === 'wrong' && STOPS.has(code));
}

/** Whether jq reads it as it is. */
function isPlainJson({ format: { compression, form, encoding } }: InspectedFile): boolean {
  return compression === 'none' && form.kind === 'ndjson' && encoding !== undefined;
}

/** A command of jq is of use only where it reads the files that it names. */
function withoutJq(finding: Finding, others: readonly InspectedFile[]): Finding {
  const { command, remedy } = finding;
  if (command?.startsWith('jq ') !== true || !others.some(({ name }) => command.includes(` ${name} `))) return finding;
  return { ...finding, remedy: remedy.replace(/:$/, '.'), command: undefined };
}
