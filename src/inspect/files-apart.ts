/**
 * Findings on files of one side with different records: each has some of the fields that one map would need, and none has all of
 * them. Files of feedback may each have their own map (feedback-apart.ts).
 */

import { shellWord } from '../vocabulary/shell-word.ts';
import type { Fit } from './field-fit.ts';
import { profileOf } from './fields.ts';
import { TOPIC } from './file-shape.ts';
import type { InspectedFile, InspectedSide, Known } from './inspected.ts';
import { type LogFinding, note, wrong } from './log-finding.ts';

const REQUIRED: ReadonlySet<string> = new Set(['requestId', 'ts', 'items', 'items.id', 'itemId']);

const MOST_TOLD = 4;

/** A file or a topic, and the required fields that most of its records lack. */
interface Apart {
  readonly name: string;
  readonly lacks: readonly Fit[];
}

export function filesApart(known: Pick<Known, 'impressions' | 'feedback' | 'oneLog' | 'files'>): readonly LogFinding[] {
  const { impressions, feedback, oneLog, files } = known;
  if (oneLog || impressions === undefined || feedback === undefined || impressions === feedback) return [];
  return [impressions, feedback].flatMap((side) => {
    if (side.apart.length > 0) return [readByMaps(side)];
    const apart = apartIn(side, files);
    const lacking = apart.filter(({ lacks }) => lacks.length > 0);
    if (lacking.length === 0) return [];
    const isOfLists = side === impressions;
    const what = isOfLists ? 'lists' : 'feedback';
    const each = lacking.map(({ name, lacks }) => `${name} has no ${lacks.map(fitText).join(' and no ')}`);
    const more = each.length > MOST_TOLD ? `; and so on, ${each.length} files` : '';
    const areTopics = files.some((file) => file.name === side.files[0] && file.format === TOPIC);
    const [first] = lacking;
    const [lists, others] = isOfLists ? [[first.name], feedback.files] : [impressions.files, [first.name]];
    const words = (names: readonly string[]): string => names.map(shellWord).join(' ');
    return [
      wrong(
        'files_differ',
        `No one map reads all files of ${what}: ${each.slice(0, MOST_TOLD).join('; ')}${more}.`,
        areTopics
          ? 'Give each topic an adapter of its own (kafka.topics.NAME.adapter): inspect a file of the records of each.'
          : `Inspect each by itself, and put the maps together (inputs.${isOfLists ? 'impressions' : 'feedback'}.adapter: {maps: [{when, map}, ...]}; when: {/field: {exists: true}} tells records apart):`,
        areTopics ? undefined : `receval inspect --impressions ${words(lists)} --feedback ${words(others)}`,
      ),
    ];
  });
}

/** Note on how the maps select records, for readers of the configuration. Nothing is wrong. */
function readByMaps({ apart }: InspectedSide): LogFinding {
  const each = apart.map(({ side, has }) => {
    const names = side.files.slice(0, MOST_TOLD).join(', ');
    const more = side.files.length > MOST_TOLD ? ` and ${side.files.length - MOST_TOLD} more` : '';
    return `${has === undefined ? 'the rest' : `records with ${has}`} as those of ${names}${more}`;
  });
  return note(
    'files_differ',
    `The files of feedback have their fields in different places, and are read by ${apart.length} maps: ${each.join('; ')}.`,
    'A new kind of record needs a map of its own.',
  );
}

function apartIn({ files: names, fits }: InspectedSide, files: readonly InspectedFile[]): readonly Apart[] {
  if (names.length < 2) return [];
  const required = fits.filter(({ as }) => REQUIRED.has(as));
  return names.map((name) => {
    const { fields, records } = profileOf(files.filter((file) => file.name === name).flatMap(({ rows }) => rows));
    return { name, lacks: required.filter(({ path }) => (fields.get(path)?.records ?? 0) < 0.5 * records) };
  });
}

/** Returns text such as: /when (ts). */
function fitText({ as, path }: Fit): string {
  return `${path} (${as})`;
}
