/** A finding on a log, and helpers for its texts. */

/** The codes, in the order of the data path; docs/inspect.md explains each. */
export const FINDING_CODES = [
  'not_a_log',
  'format_not_read',
  'bad_rows',
  'encoding',
  'no_header',
  'files_swapped',
  'no_lists',
  'lists_not_read',
  'fields_in_pairs',
  'feedback_missing',
  'feedback_within_items',
  'clicks_guessed',
  'lists_of_clicks',
  'files_differ',
  'most_invalid',
  'some_invalid',
  'ids_too_large',
  'rows_beside_feedback',
  'kinds_unclear',
  'kinds_skipped',
  'nothing_joined',
  'few_joined',
  'ids_differ',
  'ids_differ_by_prefix',
  'ids_differ_by_case',
  'other_type_of_id',
  'items_never_match',
  'few_items_match',
  'clock_offset',
  'unit_of_time',
  'times_shortened',
  'times_without_zone',
  'clock_change',
  'feedback_before_list',
  'all_late',
  'unknown_actions',
  'action_assumed',
  'flags_not_read',
  'ratings',
  'values_missing',
  'empty_lists',
  'no_user_ids',
  'one_variant',
  'uneven_split',
  'users_of_two_variants',
  'request_ids_repeat',
  'lists_in_pages',
  'duplicates',
  'out_of_order',
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export interface Finding {
  readonly code: FindingCode;
  /** `wrong`: a replay's numbers would be wrong or missing. `note`: worth knowing. */
  readonly level: 'wrong' | 'note';
  /** What was found, and why, in complete sentences. */
  readonly message: string;
  /** What to do, as a complete sentence. */
  readonly remedy: string;
  /** A command that does this; undefined: there is none. */
  readonly command: string | undefined;
}

export function wrong(code: FindingCode, message: string, remedy: string, command?: string): Finding {
  return { code, level: 'wrong', message, remedy, command };
}

export function note(code: FindingCode, message: string, remedy: string, command?: string): Finding {
  return { code, level: 'note', message, remedy, command };
}

/** Problems that must be fixed first: a replay would have no result, or a wrong one. */
const STOPS: ReadonlySet<FindingCode> = new Set([
  'format_not_read',
  'encoding',
  'no_lists',
  'feedback_missing',
  'feedback_within_items',
  'fields_in_pairs',
  'files_differ',
  'most_invalid',
  'ids_too_large',
  'rows_beside_feedback',
  'kinds_unclear',
  'nothing_joined',
  'ids_differ',
  'ids_differ_by_prefix',
  'ids_differ_by_case',
  'other_type_of_id',
  'items_never_match',
  'clock_offset',
  'times_shortened',
  'all_late',
  'request_ids_repeat',
]);

/** Whether a replay makes sense before anything is fixed. */
export function mayReplay(findings: readonly Finding[]): boolean {
  return !findings.some(({ code, level }) => level === 'wrong' && STOPS.has(code));
}

/** The text, shortened to fit into a sentence. */
export function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** `/rec/id` in jq's notation: `.rec.id`; `/items[]/sku`: `.items[].sku`. Any name becomes a literal. */
export function jqPath(path: string): string {
  const steps = path.split('/').slice(1);
  return steps.length === 0
    ? '.'
    : steps
        .map((step) => {
          const [, name, each] = /^(.*?)((?:\[\])*)$/s.exec(step) ?? [];
          // jq 1.6 reads `.e5` as a number.
          const isPlain = /^(?!e\d+$)[a-z_]\w*$/i.test(name);
          return `.${isPlain ? name : JSON.stringify(name.replaceAll('~1', '/').replaceAll('~0', '~'))}${each}`;
        })
        .join('');
}

/** The words in lines of at most `width` characters, unless one word is longer. A percent sign stays with its number. */
export function wrapped(words: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.split(/ (?!%)/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
