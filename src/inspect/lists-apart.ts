/** LogFinding on lists with a field for each item. */
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isOfElements, type Profile, timesOf } from './fields.ts';
import type { InspectedFile } from './inspected.ts';
import { type LogFinding, wrong } from './log-finding.ts';
import { gatherCommand } from './mend.ts';

/** LogFinding on lists with one field for each item, `item_1` to `item_9`, which are not read as a list. */
export function listsApart(logs: readonly InspectedFile[]): LogFinding | undefined {
  for (const file of logs) {
    const paths = itemFields(file.profile);
    if (paths === undefined) continue;
    const command = gatherCommand(paths, file);
    return wrong(
      'lists_not_read',
      `Each item of the lists in ${file.name} is in a field of its own, ${paths[0]} to ${paths[paths.length - 1]}, and no field holds the list.`,
      `Write them as one list, in the order of their positions${command === undefined ? '.' : ':'}`,
      command,
    );
  }
  return undefined;
}

/** Fields with names that differ only by a number, from 0 or 1 on, and with the same ids; undefined: there are none. */
function itemFields({ fields, records }: Profile): readonly string[] | undefined {
  const families = new Map<string, Map<number, Field>>();
  for (const field of fields.values()) {
    // The fields may be ids, or objects with an id.
    const match = /^(.*?)(\d+)(\/\D+)?$/.exec(field.path);
    if (match === null || isOfElements(field.path) || !isIdLike(field) || timesOf(field) !== undefined) continue;
    if (match[3] !== undefined && nameFit(match[3], 'itemId') === 0) continue;
    const name = `${match[1]} ${match[3] ?? ''}`;
    const family = families.get(name) ?? new Map<number, Field>();
    families.set(name, family.set(Number(match[2]), field));
  }
  for (const [name, family] of families) {
    const from = family.has(0) ? 0 : 1;
    const members = Array.from({ length: family.size }, (_, i) => family.get(from + i)).filter(
      (one) => one !== undefined,
    );
    const [first, second] = members;
    if (members.length < 3 || members.length < family.size || first.records < 0.5 * records) continue;
    const common = [...second.distinct.keys()].filter((id) => first.distinct.has(id)).length;
    // With many items, few appear at two positions within a sample. Then the names decide.
    const [before, behind] = name.split(' ').map((part) => part.replace(/[/_.-]+$/, ''));
    const isNamed = nameFit(behind === '' ? before : behind, 'itemId') > 0 || nameFit(before, 'items') > 0;
    if (isNamed || common >= 0.2 * second.distinct.size) return members.map(({ path }) => path);
  }
  return undefined;
}
