/** Findings on feedback whose action is assumed, because no field says what people did in known words. */
import { type Field, isOfElements, mainType } from './fields.ts';
import { alikeIn, type InspectedFile, type InspectedSide, type Known } from './inspected.ts';
import { cut, type LogFinding, note, wrong } from './log-finding.ts';
import { purchaseSign } from './purchases.ts';

export function actionAssumed({ feedback: all, files, oneLog }: Known): readonly LogFinding[] {
  if (all === undefined || oneLog) return [];
  const place = `inputs.feedback.adapter.${all.apart.length === 0 ? 'map' : 'maps'}`;
  return alikeIn(all).flatMap((feedback) => assumedIn(feedback, files, place));
}

function assumedIn(feedback: InspectedSide, files: readonly InspectedFile[], place: string): readonly LogFinding[] {
  if (!feedback.fits.some(({ as, path }) => as === 'action' && path === '')) return [];
  const signs = files
    .filter(({ name }) => feedback.files.includes(name))
    .map(({ name, profile }) => ({ name, sign: purchaseSign(name, profile) }));
  const bought = signs.filter(({ sign }) => sign !== undefined);
  const others = signs.filter(({ sign }) => sign === undefined).map(({ name }) => name);
  const [first] = bought;
  if (feedback.sample.feedback.every(({ action }) => action === 'rating')) return [];
  if (first === undefined) return unreadActions(feedback, place);
  if (others.length === 0) {
    return [
      note(
        'action_assumed',
        `No field of ${feedback.files.join(', ')} says what people did; all of it is taken for purchases, as ${first.sign} says so.`,
        `If it is something else, say so in ${place}: action: {const: click}.`,
      ),
    ];
  }
  return [
    wrong(
      'action_assumed',
      `No field says what people did: ${bought.map(({ name }) => name).join(', ')} holds purchases (${first.sign} says so), ${others.join(', ')} does not, and all would count as clicks.`,
      'Add a field to each, such as "action": "purchase" and "action": "click".',
    ),
  ];
}

/** A field with more values does not hold actions. */
const MOST_ACTIONS = 12;

/** LogFinding that all feedback is taken for clicks although a field has a few words in a script whose words are not known. */
function unreadActions({ files, profile, fits }: InspectedSide, place: string): readonly LogFinding[] {
  const field = [...profile.fields.values()].find(
    (one) => mayBeActions(one, profile.records) && !fits.some(({ path }) => path === one.path),
  );
  if (field === undefined) return [];
  const words = [...field.distinct.keys()].slice(0, 3).map(cut).join(', ');
  return [
    note(
      'action_assumed',
      `Nothing that is known here says what people did in ${files.join(', ')}; all of it is taken for clicks. ${field.path} may say it (${words}).`,
      `If it does, write action: ${field.path} in ${place}, and the grade of each in grades.`,
    ),
  ];
}

function mayBeActions(field: Field, records: number): boolean {
  const words = [...field.distinct.keys()];
  return (
    mainType(field) === 'text' &&
    !isOfElements(field.path) &&
    field.records >= 0.5 * records &&
    words.length <= Math.min(MOST_ACTIONS, records / 3) &&
    words.every((word) => /\p{L}/u.test(word) && !/[\p{Script=Latin}\p{Nd}]/u.test(word))
  );
}
