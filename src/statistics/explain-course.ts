/** When an effect began and ended, and how large it is now, in plain words (specification: statistics 9.3). */
import { isAbsent } from './absent.ts';
import { boundsOf, type Episode, type Estimated, type Span } from './course.ts';
import { minute, minuteAfter, signedPercent, signedPlain } from './explain-numbers.ts';

/** The course of the measure that gave the decision. */
export interface Course {
  readonly lowerIsBetter: boolean;
  /** Whether other settings have ended the run, so that "now" is its end. */
  readonly isOver?: boolean;
  /** undefined: there are too few new lists. */
  readonly now: Span | undefined;
  /** undefined: no difference was found, or more than one. */
  readonly found: FoundCourse | undefined;
}

export interface FoundCourse {
  readonly word: Word;
  /** undefined: the looks do not show when it existed. */
  readonly episode: Episode | undefined;
}

type Word = 'better' | 'worse';

/** Whether a measure that became better, or worse, has risen (1) or fallen (-1). */
export function directionOf(word: Word, lowerIsBetter: boolean): 1 | -1 {
  return (word === 'better') === lowerIsBetter ? -1 : 1;
}

/**
 * The course as sentences that follow the decision.
 *
 * Example: ` It began about 2026-01-05T10:20Z (10:10Z to 10:30Z) and ended about 2026-01-05T14:00Z (13:55Z to 14:05Z). Now, in the lists
 * from 2026-01-05T14:05Z to 14:35Z alone, no difference can be told: between -1.0 % and +4.6 %, at this one look.`
 */
export function explainCourse({ lowerIsBetter, isOver = false, now, found }: Course): string {
  const when = found?.episode === undefined ? '' : whenWords(found.episode);
  if (now !== undefined) return `${when} ${nowWords(now, { lowerIsBetter, isOver, found: found?.word })}`;
  if (isOver) return when;
  return found === undefined ? '' : `${when} How it is now, apart from before, is not known yet.`;
}

function whenWords({ fromStart, began, ended }: Episode): string {
  const first = fromStart ? 'It was there from the first looks on' : began && `It began about ${estimate(began)}`;
  const last = ended && `ended about ${estimate(ended)}`;
  if (first === undefined) return last === undefined ? ' Since when is not known.' : ` It ${last}.`;
  return ` ${first}${last === undefined ? '' : ` and ${last}`}.`;
}

function estimate({ at, earliest, latest }: Estimated): string {
  return `${minute(at)} (${minuteAfter(at, earliest)} to ${minuteAfter(earliest, latest)})`;
}

/** What the newest lists show by themselves; undefined: they show no difference. */
export function wordNow(span: Span, lowerIsBetter: boolean): Word | undefined {
  const { lower, upper } = boundsOf(span).difference;
  if (lower <= 0 && upper >= 0) return undefined;
  return lower > 0 === lowerIsBetter ? 'worse' : 'better';
}

function nowWords(
  span: Span,
  { lowerIsBetter, isOver, found }: { lowerIsBetter: boolean; isOver: boolean; found: Word | undefined },
): string {
  const { from, to } = span;
  const { difference, lift } = boundsOf(span);
  const isRelative = !isAbsent(lift) && !isAbsent(lift.bounds);
  const { lower, upper } = isRelative ? lift.bounds : difference;
  const print = isRelative ? signedPercent : signedPlain;
  const word = wordNow(span, lowerIsBetter);
  const [nowOrThen, can, verb] = isOver ? ['At its end', 'could', 'was'] : ['Now', 'can', 'is'];
  const is =
    word === undefined ? `no difference ${can} be told` : `it ${verb} ${word === found ? 'still ' : ''}${word}`;
  return `${nowOrThen}, in the lists from ${minute(from)} to ${minuteAfter(from, to)} alone, ${is}: between ${print(lower)} and ${print(upper)}, at this one look.`;
}
