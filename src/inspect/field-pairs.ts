/**
 * Where no single field identifies a list, two may do so together, such as a session and the number of its query. This tries the
 * pairs of fields that both sides have.
 */
import type { Fields } from '../consumers/decode/raw.ts';
import { type Difference, matchIds, normalizers } from '../findings/id-match.ts';
import { nameFit } from './field-names.ts';
import { type Field, isIdLike, isNumeric, isOfElements, type Profile, timesOf } from './fields.ts';
import type { JoinTrial } from './join-trial.ts';
import { jointId } from './reading.ts';

interface Side {
  readonly rows: readonly Fields[];
  readonly profile: Profile;
}

/** Two fields, one from each side, that share values. */
interface Met {
  readonly impressions: Field;
  readonly feedback: Field;
  /** The difference to remove before they share values; undefined: none. */
  readonly difference: Difference | undefined;
  /** Whether this is unlikely to be chance: they have the same name, or many values. */
  readonly isBelieved: boolean;
}

/** Fields with fewer values than these match by chance: only their names can make them credible. */
const FEW_NUMBERS = 50;
const FEW_WORDS = 4;
const MOST_MET = 10;
/** Least share of the values in feedback that the field of the lists must have. */
const MEET = 0.8;
const LEAST_JOINED = 0.5;
/** A pair must join at least this share of the feedback that chance does not join. */
const BETTER = 0.5;
/** Share of lists with an id of their own. Lists sent twice keep it below 1. */
const NEARLY_UNIQUE = 0.9;
/** In rows of items, an id with this many times more values than there are lists identifies items. */
const MORE_THAN_LISTS = 1.1;

/**
 * The trials of single fields; if none of them identifies the list, pairs that do come first.
 *
 * @param rows the fields that identify a row's list; undefined: each record is a list
 *
 * @param isTold as for `tryPairs`
 */
export function orPairs(
  single: readonly JoinTrial[],
  impressions: Side,
  feedback: Side,
  rows: readonly string[] | undefined,
  isTold: (join: JoinTrial) => boolean,
): readonly JoinTrial[] {
  // Rows that are grouped by two fields are not grouped by one of them.
  const alone = rows !== undefined && rows.length > 1 ? [] : single;
  return alone.some(tellsLists) ? alone : [...tryPairs(impressions, feedback, rows, isTold), ...alone];
}

/** Whether one field is the id: most feedback has a known one, and few lists share a value. */
function tellsLists({ match, unique }: JoinTrial): boolean {
  return match.share >= 0.3 && unique >= 0.3;
}

/**
 * Pairs that identify lists and join, the best first.
 *
 * @param isTold whether the clicked items confirm the pair: called if chance would join as many
 */
function tryPairs(
  impressions: Side,
  feedback: Side,
  rows: readonly string[] | undefined,
  isTold: (join: JoinTrial) => boolean,
): readonly JoinTrial[] {
  const met = metFields(impressions.profile, feedback.profile);
  const lists = new Set(impressions.rows.map(rows === undefined ? (row) => JSON.stringify(row) : jointId(rows))).size;
  const trials = met.flatMap((one, i) =>
    met.slice(i + 1).flatMap((other): readonly JoinTrial[] => {
      if (one.impressions === other.impressions || one.feedback === other.feedback) return [];
      // At most one of the two may need a change. It comes first, so that it and the whole id have the same beginning.
      if (one.difference !== undefined && other.difference !== undefined) return [];
      const [first, second] = other.difference === undefined ? [one, other] : [other, one];
      const { difference } = first;
      const [ofLists, ofClicks] = difference === undefined ? [asIs, asIs] : normalizers(difference);
      const idOf = jointId([first.impressions.path, second.impressions.path]);
      const known = new Set(impressions.rows.map(idOf).map((id) => (id === undefined ? undefined : ofLists(id))));
      const unique = known.size / Math.max(1, lists);
      const asked = feedback.rows.map(jointId([first.feedback.path, second.feedback.path]));
      const joined = asked.filter((id) => id !== undefined && known.has(ofClicks(id)));
      const share = joined.length / Math.max(1, asked.length);
      if (unique < NEARLY_UNIQUE || unique > MORE_THAN_LISTS || share < LEAST_JOINED) return [];
      const named = nameFit(first.impressions.path, 'requestId') + nameFit(second.impressions.path, 'requestId');
      const join: JoinTrial = {
        impressions: first.impressions.path,
        feedback: first.feedback.path,
        second: { impressions: second.impressions.path, feedback: second.feedback.path },
        match: { share, difference },
        unique,
        rating: share * Math.min(1, unique) * (0.5 + 0.1 * named) * (difference === undefined ? 1 : 0.9),
      };
      const chance = Math.min(1, known.size / (first.impressions.distinct.size * second.impressions.distinct.size));
      const isNoChance = first.isBelieved && second.isBelieved && chance < 1 && share - chance >= BETTER * (1 - chance);
      return isNoChance || isTold(join) ? [join] : [];
    }),
  );
  return trials.sort((a, b) => b.rating - a.rating);
}

function metFields(impressions: Profile, feedback: Profile): readonly Met[] {
  const right = [...feedback.fields.values()].filter((field) => isPart(field, feedback));
  return [...impressions.fields.values()]
    .filter((field) => isPart(field, impressions) && !isUnique(field))
    .flatMap((a) =>
      right
        .map((b) => ({ b, match: matchIds(a.distinct, b.distinct) }))
        .filter(
          ({ match: { share, difference } }) => share >= MEET && (difference === undefined || isOfStart(difference)),
        )
        .map(
          ({ b, match: { difference } }): Met => ({
            impressions: a,
            feedback: b,
            difference,
            isBelieved: isBelieved(a, b),
          }),
        ),
    )
    .sort(
      (x, y) =>
        Number(y.isBelieved) - Number(x.isBelieved) || y.impressions.distinct.size - x.impressions.distinct.size,
    )
    .slice(0, MOST_MET);
}

/**
 * Whether removing the difference from the whole id removes it from the first part, and leaves the others as they are or changes
 * them on both sides.
 */
function isOfStart(difference: Difference): boolean {
  const { kind } = difference;
  // The whole id has | between its parts, and \\ before each | or \\ in them.
  if (kind === 'prefix') return !/[\\|]/.test(difference.impressions + difference.feedback);
  return kind === 'case' || kind === 'dashes' || kind === 'letters';
}

function asIs(id: string): string {
  return id;
}

function isBelieved(a: Field, b: Field): boolean {
  const values = Math.min(a.distinct.size, b.distinct.size);
  const areNumbers = [...b.distinct.keys()].every(isNumeric);
  return lastName(a.path) === lastName(b.path) || values >= (areNumbers ? FEW_NUMBERS : FEW_WORDS);
}

/** Whether the field can be a part of an id. */
function isPart(field: Field, { records }: Profile): boolean {
  const isOfItem =
    nameFit(field.path, 'itemId') > Math.max(nameFit(field.path, 'requestId'), nameFit(field.path, 'sessionId'));
  return (
    !isOfElements(field.path) &&
    isIdLike(field) &&
    timesOf(field) === undefined &&
    field.records >= 0.5 * records &&
    field.distinct.size > 1 &&
    !isOfItem
  );
}

function isUnique({ distinct, values }: Field): boolean {
  return distinct.size >= NEARLY_UNIQUE * values;
}

function lastName(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/[^\p{L}\p{Nd}]/gu, '');
}
