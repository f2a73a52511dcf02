/** Matches fields of feedback with canonical fields, and says why. */
import type { Conditions, FieldSource } from '../consumers/decode/decoder-settings.ts';
import { roughly } from '../vocabulary/numbers.ts';
import {
  type Fit,
  type FittedSide,
  NAMED,
  named,
  requestOf,
  type Side,
  type Take,
  takeRequest,
  timeField,
  usedBy,
} from './field-fit.ts';
import { nameFit, usualGrade } from './field-names.ts';
import {
  decimalComma,
  type Field,
  isIdLike,
  isNumbers,
  isOfElements,
  mainType,
  type Profile,
  timesOf,
} from './fields.ts';
import { type ItemTrial, isPlace, type JoinTrial } from './join-trial.ts';
import { isCanonical, type ProposedAdapter } from './proposed-adapter.ts';
import { clickedValues, isFlag } from './row-shape.ts';
import { timeWords } from './time-forms.ts';

const MOST_ACTIONS = 40;

/** `unnamed`: the action of feedback that has no action and no ratings. */
export function fitFeedback(
  side: Side,
  join: JoinTrial | undefined,
  items: ItemTrial | undefined,
  unnamed: 'click' | 'purchase',
): FittedSide {
  const { profile } = side;
  const each =
    items !== undefined && isOfElements(items.feedback)
      ? items.feedback.slice(0, items.feedback.indexOf('[]'))
      : undefined;
  const fits: Fit[] = [];
  const map: Record<string, FieldSource> = {};
  const take: Take = (as, path, why, at = path) => {
    fits.push({ as, path, why });
    const isOfEach = each !== undefined && path.startsWith(`${each}[]`);
    map[isOfEach ? `each.${as}` : as] = isOfEach ? path.slice(each.length + 2) : at;
  };
  const isReachable = (path: string): boolean =>
    !isOfElements(path) ||
    (each !== undefined && path.startsWith(`${each}[]`) && !isOfElements(path.slice(each.length + 2)));
  const reachable: Profile = {
    ...profile,
    fields: new Map([...profile.fields].filter(([path]) => isReachable(path))),
  };
  if (each !== undefined) map['each'] = each;
  const request =
    join === undefined || !isReachable(join.feedback) ? requestOf(reachable, undefined, undefined) : join.feedback;
  takeRequest(request, undefined, join, 'feedback', take, fits);
  const ts = timeField(reachable, each);
  const time = ts === undefined ? undefined : timesOf(ts);
  if (ts !== undefined && time !== undefined) take('ts', ts.path, timeWords(time.form));
  const isFound = items !== undefined && (items.share > 0 || nameFit(items.feedback, 'itemId') >= NAMED);
  const item =
    (isFound ? items.feedback : undefined) ??
    named(reachable, 'itemId', (field) => isIdLike(field) && !isPlace(field))?.path;
  if (item !== undefined) {
    take(
      'itemId',
      item,
      items === undefined ? 'by name' : `${roughly(items.share)} are in ${items.withinList ? 'the list' : 'lists'}`,
    );
  }
  const used = (): ReadonlySet<string> => usedBy(fits);
  const flag = clickedFlag(reachable, used());
  const action = flag === undefined ? actionField(reachable, used()) : undefined;
  const value = named(reachable, 'value', (field) => !used().has(field.path) && field !== action && isNumbers(field));
  const stars = value ?? named(reachable, 'value', (field) => decimalComma(field) !== undefined);
  const isRating = stars !== undefined && /rating|stars/i.test(stars.path);
  if (action !== undefined) take('action', action.path, `${action.distinct.size} actions`);
  else {
    const all = flag !== undefined ? 'click' : isRating ? 'rating' : unnamed;
    map['action'] = { const: all };
    const why = `none; all are ${all}s`;
    fits.push({ as: 'action', path: flag?.path ?? '', why: flag === undefined ? why : 'click where it is set' });
  }
  if (value !== undefined) take('value', value.path, 'by name');
  const eventId = named(reachable, 'eventId', (field) => !used().has(field.path) && isIdLike(field) && isUnique(field));
  if (eventId !== undefined && (each === undefined || eventId.path.startsWith(`${each}[]`)))
    take('eventId', eventId.path, 'by name, each differs');
  const user = named(reachable, 'userId', (field) => !used().has(field.path) && isIdLike(field));
  if (user !== undefined) take('userId', user.path, 'by name');
  const has = (field: string): boolean => map[field] !== undefined || map[`each.${field}`] !== undefined;
  const missing = ['requestId', 'ts', 'itemId'].filter((field) => !has(field));
  const adapter: ProposedAdapter =
    flag === undefined
      ? isCanonical(map)
        ? 'canonical'
        : { map }
      : { maps: [{ when: { [flag.path]: flag.set }, map }] };
  return { reading: { adapter, time, positionBase: 1 }, map, fits, missing };
}

function actionField(profile: Profile, used: ReadonlySet<string>): Field | undefined {
  const rating = (field: Field): number => {
    let graded = 0;
    for (const [action, n] of field.distinct) if (usualGrade(action) !== undefined) graded += n;
    const share = graded / Math.max(1, field.values);
    return share === 0 && nameFit(field.path, 'action') < 0.5 ? 0 : share + nameFit(field.path, 'action');
  };
  const found = [...profile.fields.values()]
    .filter((field) => mainType(field) === 'text' && field.distinct.size <= MOST_ACTIONS && !used.has(field.path))
    .filter((field) => timesOf(field) === undefined && field.records >= 0.5 * profile.records)
    .sort((a, b) => rating(b) - rating(a))[0];
  return found !== undefined && rating(found) > 0.3 ? found : undefined;
}

/** A column that says whether the row's item was clicked. */
function clickedFlag(
  profile: Profile,
  used: ReadonlySet<string>,
): { readonly path: string; readonly set: Conditions[string] } | undefined {
  const field = named(profile, 'clicked', (one) => !used.has(one.path) && !isOfElements(one.path) && isFlag(one));
  return field === undefined ? undefined : { path: field.path, set: clickedValues(field) };
}

function isUnique({ distinct, values, manyMore }: Field): boolean {
  return manyMore || distinct.size === values;
}
