/** Reads files as lists and as feedback: which records are which, how they join, and the map of each. */
import type { MapCase } from '../consumers/decode/decoder-settings.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import { matchIds } from '../findings/id-match.ts';
import { packedAgain } from './clicked-lists.ts';
import { clicksWithin } from './clicks-within.ts';
import { type Found, putTogether, readApart } from './feedback-apart.ts';
import { fitFeedback } from './feedback-fit.ts';
import { type Fit, type FittedSide, fitImpressions, type Side } from './field-fit.ts';
import { type Profile, profileOf, timesOf } from './fields.ts';
import { fittedWith } from './fitted-side.ts';
import type { InspectedFile, InspectedSide, KindsRead } from './inspected.ts';
import { doubtsOf, type JoinTrial, tryJoins } from './join-trial.ts';
import { completed } from './known-completed.ts';
import { type ListCandidate, type ListForm, listCandidates } from './list-candidates.ts';
import { type MadeField, mapWith, merged } from './made-fields.ts';
import { bestPair, formsOf, keyOf, pairedSides, pairedWithin } from './paired-sides.ts';
import { adapterWith, joinedAdapter, type Kinds, type ProposedAdapter } from './proposed-adapter.ts';
import { unnamedAction } from './purchases.ts';
import { eventsOf, type Reading, type Sample, timesIn } from './reading.ts';
import { splitBoth } from './roles.ts';

/** Both sides. Files of feedback with their fields in different places each have their own map, if all files can be read in this way. */
export function sidesOf(files: readonly InspectedFile[]): Found {
  const used = files.filter((file) => file.guess !== undefined);
  const together = readAlike(used);
  const found = isJoined(together) ? together : (clicksWithin(used) ?? together);
  if (found.oneLog || found.feedback === undefined || found.feedback === found.impressions) return found;
  const lists = used.filter(({ guess }) => guess?.role === 'impressions');
  const clicks = used.filter(({ guess }) => guess?.role === 'feedback');
  const apart = readApart(clicks, found, (some) => readAlike([...lists, ...some]));
  return apart.length < 2 ? found : (putTogether(apart, found) ?? found);
}

export function isSound(found: Found): boolean {
  return found.impressions !== undefined && found.impressions.missing.length === 0 && isJoined(found);
}

/** Whether feedback names items of its lists without any change. */
function isJoined({ feedback, joins, impressions, items: [item] }: Found): boolean {
  if (feedback === undefined || feedback.missing.length > 0 || feedback.sample.feedback.length === 0) return false;
  if (impressions === feedback || item === undefined) return true;
  return (joins[0]?.match.share ?? 0) > 0 && item.difference === undefined && item.share >= 0.5;
}

/** Both sides, each read by one map: that of the known system that wrote them, or the best fit. */
function readAlike(used: readonly InspectedFile[]): Found {
  const both = used.filter((file) => file.guess?.role === 'both');
  const known = both.find((file) => file.known?.adapter !== undefined)?.known;
  if (known?.adapter !== undefined) return knownLog(both, known.adapter);
  const rowLog = rowsWithFeedback(used);
  if (rowLog !== undefined) return rowLog;
  const parts = used.map((file) => partsOf(file));
  const listed = parts.flatMap(({ name, lists }) => (lists.length > 0 ? [{ name, rows: lists }] : []));
  const others = parts.flatMap(({ name, others: rows }) => (rows.length > 0 ? [{ name, rows }] : []));
  const impressions = sideOf(listed);
  const own = others.length === 0 ? pairedWithin(impressions) : undefined;
  const { lists, feedback, packed, joins, join, items, notTaken } = own ?? pairedSides(impressions, sideOf(others));
  const joining = join !== undefined && join.match.share > 0 ? join : undefined;
  const list = joinedBy(items[0]?.list.form ?? lists[0]?.form, joining);
  const knownLists = used.find((file) => file.guess?.role === 'impressions')?.known?.adapter;
  const knownFeedback = used.find((file) => file.guess?.role === 'feedback')?.known?.adapter;
  const madeIn = (some: readonly { readonly name: string }[]): readonly MadeField[] =>
    merged(used.filter(({ name }) => some.some((one) => one.name === name)).flatMap((file) => file.made));
  const fittedLists = fittedWith(
    orKnown(fitImpressions(impressions, list, joining, items[0]), knownLists, impressions),
    madeIn(listed),
  );
  const fitted = packedAgain(fitFeedback(feedback, joining, items[0], unnamedAction(others)), packed);
  const fittedFeedback = fittedWith(
    orKnown(fitted, knownFeedback, feedback),
    madeIn(own === undefined ? others : listed),
  );
  const kinds = both.length > 0 ? kindsOf(parts[0]?.kinds, feedback, fittedFeedback) : undefined;
  const more =
    kinds === undefined
      ? []
      : otherKinds(kinds, parts[0]?.kinds?.others ?? [], impressions, feedback, lists, chosenPath(fittedLists)).map(
          (one) => ({ ...one, map: mapWith(one.map, madeIn(others)) }),
        );
  const read = inspected(own === undefined ? others : listed, feedback, fittedFeedback);
  const made = {
    impressions: listed.length === 0 ? undefined : inspected(listed, impressions, fittedLists),
    feedback: own === undefined && others.length === 0 ? undefined : withKinds(read, feedback, more),
  };
  const chosen = usedPair(impressions, feedback, fittedLists, fittedFeedback, joins) ?? join;
  const ordered = chosen === undefined ? joins : [chosen, ...joins.filter((one) => one !== chosen)];
  const oneLog = both.length > 0;
  const areRows = list?.kind === 'rows';
  const joined =
    oneLog && !areRows
      ? joinedAdapter(fittedLists.map, fittedFeedback.map, kinds, more, fittedLists.reading.adapter !== 'canonical')
      : undefined;
  const logs =
    joined !== undefined
      ? { lists: both.map(({ rows }) => timesIn(rows, { ...fittedLists.reading, adapter: joined })), feedback: [] }
      : {
          lists: listed.map(({ rows }) => timesIn(rows, fittedLists.reading)),
          feedback: others.map(({ rows }) => timesIn(rows, fittedFeedback.reading)),
        };
  return {
    oneLog,
    joined,
    kinds: kindsRead(parts[0]?.kinds, kinds, more),
    ...made,
    joins: ordered,
    notTaken,
    items,
    guess: undefined,
    logs,
  };
}

/** The trial of the pair in use, which a known system may have chosen. */
function usedPair(
  impressions: Side,
  feedback: Side,
  lists: FittedSide,
  clicks: FittedSide,
  joins: readonly JoinTrial[],
): JoinTrial | undefined {
  const [ofLists, ofClicks] = [lists, clicks].map(({ fits }) => fits.find(({ as }) => as === 'requestId')?.path);
  const [together] = joins;
  if (together?.second !== undefined && together.impressions === ofLists && together.feedback === ofClicks)
    return together;
  const [a, b] = [impressions.profile.fields.get(ofLists ?? ''), feedback.profile.fields.get(ofClicks ?? '')];
  if (a === undefined || b === undefined) return undefined;
  const tried = joins.find((one) => one.impressions === a.path && one.feedback === b.path);
  return (
    tried ?? { impressions: a.path, feedback: b.path, match: matchIds(a.distinct, b.distinct), unique: 1, rating: 0 }
  );
}

/** Logs with one row for each item, including the feedback on it; undefined: they are something else. */
function rowsWithFeedback(files: readonly InspectedFile[]): Found | undefined {
  if (files.length === 0 || files.some((file) => file.guess?.role !== 'impressions')) return undefined;
  const side = sideOf(files);
  const [list] = formsOf(side);
  if (list?.form.kind !== 'rows') return undefined;
  const { guess } = list.form;
  const made = merged(files.flatMap((file) => file.made));
  const isGuess = list.form.flags.length === 0 && guess !== undefined;
  const flags = isGuess ? [guess] : list.form.flags;
  if (flags.length === 0) return undefined;
  const fitted = fittedWith(fitImpressions(side, { ...list.form, flags }, undefined, undefined), made);
  const why = isGuess ? 'where it is set (a guess)' : 'where it is set';
  const fits = [...fitted.fits, ...flags.map(({ path, action }) => ({ as: 'action', path, why: `${action} ${why}` }))];
  const both = inspected(files, side, { ...fitted, fits });
  const logs = { lists: files.map(({ rows }) => timesIn(rows, fitted.reading)), feedback: [] };
  return {
    oneLog: false,
    joined: undefined,
    kinds: undefined,
    impressions: both,
    feedback: both,
    joins: [],
    notTaken: [],
    items: [],
    guess: isGuess ? guess.path : undefined,
    logs,
  };
}

/** One log of both sides, in the format of a known system. */
function knownLog(files: readonly InspectedFile[], page: ProposedAdapter): Found {
  const rows = files.flatMap((file) => file.rows);
  const profile = profileOf(rows);
  const { adapter: own, fits } = page === 'open-bandit' ? OPEN_BANDIT : completedLog(page, rows, profile);
  const adapter = adapterWith(own, {}, merged(files.flatMap((file) => file.made)));
  const ts = fits.find(({ as }) => as === 'ts');
  const reading: Reading = { adapter, time: timeAt(profile, ts?.path), positionBase: 1 };
  const samples = files.map((file) => eventsOf(file.rows, reading));
  const sample: Sample = {
    lists: samples.flatMap(({ lists }) => lists),
    feedback: samples.flatMap(({ feedback }) => feedback),
    times: samples.flatMap(({ times }) => times),
    missing: samples[0]?.missing ?? new Map(),
  };
  const map = typeof adapter === 'object' && 'map' in adapter ? (adapter.map ?? {}) : {};
  const names = files.map(({ name }) => name);
  const side: InspectedSide = { files: names, profile, reading, map, fits, missing: [], sample, apart: [] };
  return {
    oneLog: true,
    joined: adapter,
    kinds: undefined,
    impressions: side,
    feedback: side,
    joins: [],
    notTaken: [],
    items: [],
    guess: undefined,
    logs: { lists: samples.map(({ times }) => times), feedback: [] },
  };
}

/** The page's adapter, completed by what the records of lists hold. */
function completedLog(page: ProposedAdapter, rows: readonly Fields[], profile: Profile): ReturnType<typeof completed> {
  const reading: Reading = { adapter: page, time: undefined, positionBase: 1 };
  const lists = sideOf([{ rows: rows.filter((row) => eventsOf([row], reading).lists.length > 0) }]);
  return completed(page, rows, profile, fitImpressions(lists, undefined, undefined, undefined));
}

const OPEN_BANDIT_FITS: readonly Fit[] = [
  { as: 'ts', path: '/timestamp', why: 'as documented' },
  { as: 'items', path: '/item_id', why: 'one row, one list of one item' },
  { as: 'items.position', path: '/position', why: 'as documented' },
  { as: 'action', path: '/click', why: 'click where it is 1' },
  { as: 'items.propensity', path: '/propensity_score', why: 'as documented' },
];

const OPEN_BANDIT = { adapter: 'open-bandit', fits: OPEN_BANDIT_FITS } as const;

function timeAt(profile: Profile, path: string | undefined): Reading['time'] {
  const field = path === undefined ? undefined : profile.fields.get(path);
  return field === undefined ? undefined : timesOf(field);
}

/** The map of the known system, if there is one, completed by what was found. */
function orKnown(fitted: FittedSide, page: ProposedAdapter | undefined, { rows, profile }: Side): FittedSide {
  if (page === undefined) return fitted;
  const { adapter, fits } = completed(page, rows, profile, fitted);
  const time = timeAt(profile, fits.find(({ as }) => as === 'ts')?.path) ?? fitted.reading.time;
  const map = typeof adapter === 'object' && 'map' in adapter ? (adapter.map ?? {}) : fitted.map;
  return { reading: { ...fitted.reading, adapter, time }, map, fits, missing: [] };
}

interface Part {
  readonly name: string;
  readonly lists: readonly Fields[];
  readonly others: readonly Fields[];
  readonly kinds: Kinds | undefined;
}

function partsOf({ name, rows, profile, guess }: InspectedFile): Part {
  switch (guess?.role) {
    case 'impressions':
      return { name, lists: rows, others: [], kinds: undefined };
    case 'both': {
      const { kinds } = guess;
      return { name, ...splitBoth(rows, kinds, listCandidates(profile, rows)[0]), kinds };
    }
    default:
      return { name, lists: [], others: rows, kinds: undefined };
  }
}

function sideOf(parts: readonly { readonly rows: readonly Fields[] }[]): Side {
  const rows = parts.flatMap((part) => part.rows);
  return { rows, profile: profileOf(rows) };
}

function inspected(
  files: readonly { readonly name: string }[],
  side: Side,
  { reading, map, fits, missing }: FittedSide,
): InspectedSide {
  const sample = eventsOf(side.rows, reading);
  const names = [...new Set(files.map(({ name }) => name))];
  return { files: names, profile: side.profile, reading, map, fits, missing, sample, apart: [] };
}

/** The form of lists with rows grouped by the id that clicks have. */
function joinedBy(form: ListForm | undefined, join: JoinTrial | undefined): ListForm | undefined {
  if (form?.kind !== 'rows' || join?.second === undefined) return form;
  return { ...form, by: join.impressions, second: join.second.impressions };
}

/** The kinds without those whose records lack the feedback that others have, such as page views. */
function kindsOf(kinds: Kinds | undefined, side: Side, { reading }: FittedSide): Kinds | undefined {
  if (kinds === undefined) return undefined;
  return { ...kinds, others: kinds.others.filter((kind) => isRead(rowsOf(kind, kinds, side), reading)) };
}

function rowsOf(kind: string, { path }: Kinds, { rows }: Side): readonly Fields[] {
  const pointer = parsePointer(path) ?? [];
  return rows.filter((row) => String(resolvePointer(row, pointer)) === kind);
}

function isRead(rows: readonly Fields[], reading: Reading): boolean {
  return 2 * eventsOf(rows, reading).feedback.length >= rows.length;
}

/** Kinds of feedback with other fields, such as orders with a list of products. Each gets its own map. */
function otherKinds(
  kinds: Kinds,
  all: readonly string[],
  impressions: Side,
  feedback: Side,
  lists: readonly ListCandidate[],
  requestId: string | undefined,
): readonly MapCase[] {
  return all.flatMap((kind) => {
    if (kinds.others.includes(kind)) return [];
    const side = sideOf([{ rows: rowsOf(kind, kinds, feedback) }]);
    const tried = tryJoins(impressions.profile, side.profile, keyOf(lists[0]?.form));
    const doubts = new Map(doubtsOf(tried, impressions, side, lists));
    const sound = tried.filter((one) => one.impressions === requestId && !doubts.has(one));
    const { join, items } = bestPair(impressions, side, lists, sound);
    const [item] = items;
    if (join === undefined || item === undefined) return [];
    if (join.match.difference !== undefined || item.difference !== undefined || item.share === 0) return [];
    const { map, reading } = fitFeedback(side, join, item, 'purchase');
    return isRead(side.rows, reading) ? [{ when: { [kinds.path]: [kind] }, map }] : [];
  });
}

function chosenPath({ fits }: FittedSide): string | undefined {
  return fits.find(({ as }) => as === 'requestId')?.path;
}

function kindsRead(all: Kinds | undefined, some: Kinds | undefined, more: readonly MapCase[]): KindsRead | undefined {
  if (all === undefined || some === undefined) return undefined;
  return { ...all, read: [...some.others, ...more.flatMap(({ when = {} }) => [when[all.path]].flat().map(String))] };
}

/** The side with the maps of other kinds added. */
function withKinds(side: InspectedSide, { rows }: Side, more: readonly MapCase[]): InspectedSide {
  if (more.length === 0) return side;
  const adapter = { maps: [...more, { map: side.map }] };
  return { ...side, sample: eventsOf(rows, { ...side.reading, adapter }) };
}
