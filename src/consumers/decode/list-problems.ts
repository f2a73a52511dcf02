import type { TopicRole } from '../../vocabulary/topic-role.ts';
import { mapProblems } from './map-problems.ts';
import { parsePointer } from './pointer.ts';
import type { FieldMap, ListChoice } from './settings.ts';

/** `at` is where it stands below the adapter. */
interface ListProblem {
  readonly at: readonly string[];
  readonly message: string;
}

const POINTER = 'expected a JSON pointer such as /rank (RFC 6901), or a name without a slash at its begin';

/** What is wrong with rows of one item each for an input of this role. */
export function listProblems({ list, map, feedback = {} }: ListChoice, role: TopicRole): readonly ListProblem[] {
  const problems: ListProblem[] = [];
  const check = (at: readonly string[], name: string): void => {
    if (name.startsWith('/') && parsePointer(name) === undefined) problems.push({ at, message: POINTER });
  };
  if (!role.impressions) problems.push({ at: [], message: 'rows of one item each make impressions: set it there' });
  check(['list', 'by'], list.by);
  if (list.order !== undefined) check(['list', 'order'], list.order);
  for (const [column, given] of Object.entries(feedback)) {
    check(['feedback', column], column);
    if (typeof given === 'string') continue;
    for (const field of ['ts', 'value'] as const) {
      const source = given[field];
      if (typeof source === 'string' && parsePointer(source) === undefined) {
        problems.push({ at: ['feedback', column, field], message: 'expected a JSON pointer such as /at (RFC 6901)' });
      }
    }
  }
  return map === undefined ? problems : [...problems, ...rowMapProblems(map, list.by)];
}

/** The map of a row is one of feedback, as to what it needs, and names fields of its item as well. */
function rowMapProblems(map: FieldMap, by: string): readonly ListProblem[] {
  // As mapProblems wants it: who the request is and what happened is told elsewhere.
  const whole: FieldMap = { requestId: by.startsWith('/') ? by : '', items: '', action: { const: '' }, ...map };
  return mapProblems(whole, { impressions: true, feedback: true })
    .filter(({ field }) => field === '' || Object.hasOwn(map, field))
    .map(({ field, message }) => ({ at: ['map', field], message }))
    .concat(
      ['items', 'action', 'value', 'each', 'items.id', 'items.position']
        .filter((field) => Object.hasOwn(map, field))
        .map((field) => ({ at: ['map', field], message: INSTEAD[field] ?? 'has no meaning in a row of one item' })),
    );
}

const INSTEAD: Readonly<Record<string, string>> = {
  'items.id': 'write itemId, the item of the row',
  'items.position': 'write list.order',
  action: 'write feedback, such as {clicked: click}',
  value: 'write feedback, such as {bought: {action: purchase, value: /price}}',
};
