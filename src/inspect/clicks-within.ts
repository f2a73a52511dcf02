/**
 * Records that hold a list together with the item of it that was clicked: both sides are read from them. Other records of the
 * log, such as searches without a list, are skipped.
 */
import type { Conditions, MapCase } from '../consumers/decode/decoder-settings.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import type { Found } from './feedback-apart.ts';
import { fitFeedback } from './feedback-fit.ts';
import { type FittedSide, fitImpressions } from './field-fit.ts';
import { nameFit } from './field-names.ts';
import { isOfElements, mainType, profileOf } from './fields.ts';
import { fittedWith } from './fitted-side.ts';
import type { InspectedFile, InspectedSide, Known } from './inspected.ts';
import { type ListForm, listCandidates } from './list-candidates.ts';
import { type LogFinding, note, wrong } from './log-finding.ts';
import { merged } from './made-fields.ts';
import { ownClick } from './own-feedback.ts';
import type { ProposedAdapter } from './proposed-adapter.ts';
import { eventsOf, timesIn } from './reading.ts';

/** undefined: no record names an item of its own list. */
export function clicksWithin(files: readonly InspectedFile[]): Found | undefined {
  const all = files.flatMap(({ rows }) => rows);
  const whole = profileOf(all);
  if (files.some(({ guess }) => guess?.role === 'feedback')) return undefined;
  for (const list of listCandidates(whole, all)) {
    const { form } = list;
    const listed = form.kind === 'rows' ? [] : all.filter(has(form.path));
    const own = ownClick({ rows: listed, profile: profileOf(listed) }, list);
    if (own !== undefined && form.kind !== 'rows') return readWithin(files, all, listed, own, form);
  }
  return undefined;
}

function readWithin(
  files: readonly InspectedFile[],
  all: readonly Fields[],
  listed: readonly Fields[],
  { side, joins, items }: NonNullable<ReturnType<typeof ownClick>>,
  form: ListForm & { readonly path: string },
): Found {
  const ofLists = listed.length === all.length ? undefined : whichHave(form.path, all);
  const item = items[0].feedback;
  const done = listed.filter(has(item));
  const ofClicks = { ...ofLists, ...(done.length === listed.length ? {} : { [item]: { exists: true } }) };
  const lists = fitImpressions(side, form, joins[0], items[0]);
  const clicks = fitFeedback({ rows: done, profile: profileOf(done) }, joins[0], items[0], 'click');
  const made = merged(files.flatMap((file) => file.made));
  const read = (fitted: FittedSide, when: Conditions | undefined): InspectedSide => {
    const { reading, map, fits, missing } = withCondition(fittedWith(fitted, made), when);
    const sample = eventsOf(all, reading);
    return {
      files: files.map(({ name }) => name),
      profile: side.profile,
      reading,
      map,
      fits,
      missing,
      sample,
      apart: [],
    };
  };
  const impressions = read(lists, ofLists);
  return {
    oneLog: false,
    joined: undefined,
    kinds: undefined,
    impressions,
    feedback: read(clicks, Object.keys(ofClicks).length === 0 ? undefined : ofClicks),
    joins,
    notTaken: [],
    items,
    guess: undefined,
    logs: { lists: files.map(({ rows }) => timesIn(rows, impressions.reading)), feedback: [] },
  };
}

function has(path: string): (row: Fields) => boolean {
  const pointer = parsePointer(path) ?? [];
  return (row) => (resolvePointer(row, pointer) ?? undefined) !== undefined;
}

function withCondition(fitted: FittedSide, when: Conditions | undefined): FittedSide {
  if (when === undefined) return fitted;
  const { reading, map } = fitted;
  const cases = typeof reading.adapter === 'object' && 'maps' in reading.adapter ? reading.adapter.maps : [{ map }];
  const maps = cases.map((one: MapCase): MapCase => ({ when: { ...when, ...one.when }, map: one.map }));
  const adapter: ProposedAdapter = { maps };
  return { ...fitted, reading: { ...reading, adapter } };
}

const MOST_KINDS = 40;

/** The kind of these records, if a field has it; otherwise that they have a list. */
function whichHave(path: string, rows: readonly Fields[]): Conditions {
  const kind = [...profileOf(rows).fields.values()]
    .filter((field) => !isOfElements(field.path) && mainType(field) === 'text' && nameFit(field.path, 'action') > 0)
    .filter(({ distinct, records }) => distinct.size <= MOST_KINDS && records === rows.length)
    .sort((a, b) => nameFit(b.path, 'action') - nameFit(a.path, 'action'))
    .map((field) => ({ field, listed: kindsOf(field.path, rows.filter(has(path))) }))
    .find(({ field, listed }) => {
      const others = kindsOf(
        field.path,
        rows.filter((row) => !has(path)(row)),
      );
      return listed.every((one) => !others.includes(one));
    });
  if (kind === undefined) return { [path]: { exists: true } };
  return { [kind.field.path]: kind.listed.length === 1 ? kind.listed[0] : kind.listed };
}

function kindsOf(path: string, rows: readonly Fields[]): readonly string[] {
  const pointer = parsePointer(path) ?? [];
  return [...new Set(rows.map((row) => String(resolvePointer(row, pointer))))];
}

/** LogFinding that only records of clicks have lists: those that nobody clicked are missing. */
export function listsOfClicks({ impressions, feedback, files, oneLog, items }: Known): readonly LogFinding[] {
  if (oneLog || impressions === undefined || feedback === undefined || impressions === feedback) return [];
  const isOwn = impressions.files.join() === feedback.files.join() && items[0]?.feedback.includes('[]') === false;
  const clicked = new Set(feedback.sample.feedback.map(({ requestId }) => requestId));
  const { lists } = impressions.sample;
  if (!isOwn || lists.length === 0 || !lists.every(({ requestId }) => clicked.has(requestId))) return [];
  const known = files.find(({ known: is, name }) => is !== undefined && impressions.files.includes(name))?.known;
  const message = `Every list of ${impressions.files.join(', ')} has a click by construction: it stands in the record of what was done with it, so lists without a click are missing, and every measure is too high.`;
  const remedy =
    'Two rankers can be compared by where people clicked, not by how often. Log each list when it is shown.';
  return [
    known === undefined
      ? note('lists_of_clicks', message, remedy)
      : wrong(
          'lists_of_clicks',
          message,
          `Log what ${known.system} recommends at each call, and link its events to that (${known.page}).`,
        ),
  ];
}
