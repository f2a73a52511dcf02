/** The types of settings. Every message starts with what was expected. */
import { z } from 'zod';
import { cleanDimension, isDimensionName, RESERVED_DIMENSIONS } from '../consumers/decode/dimensions.ts';
import { parseTime } from '../consumers/decode/times.ts';
import { DURATION, parseDuration } from '../vocabulary/durations.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { nearest } from '../vocabulary/spelling.ts';

/**
 * The effect of changing a setting, or one below it, on what is stored (specification: commit 6). `only`: when it has this
 * effect; default: always. `run`: it ends the run of the experiment.
 */
interface Change {
  readonly change: 'free' | 'additive' | 'changing' | 'run';
  readonly only?: string;
}

/** Settings whose change has an effect on what is stored. */
export const ON_CHANGE = z.registry<Change>();
export const ADDITIVE: Change = { change: 'additive' };
export const CHANGING: Change = { change: 'changing' };
export const ENDS_RUN: Change = { change: 'run' };

/** How durations are written, for messages. */
export const UNITS = ' (a whole number with ms, s, m, h or d)';
const A_DURATION = `a duration such as 30s or 5m${UNITS}`;

/** A duration with its text, which is a label. */
export interface Span {
  readonly text: string;
  readonly ms: DurationMs;
}

const isDuration = (text: string): boolean => parseDuration(text) !== undefined;
const isPositive = (text: string): boolean => msOf(text) > 0;

export const duration = textOf(A_DURATION, DURATION, isDuration).transform(msOf);
export const positiveDuration = textOf(`${A_DURATION}, above 0`, DURATION, isPositive).transform(msOf);
export const span = textOf(A_DURATION, DURATION, isDuration).transform(spanOf);
export const positiveSpan = textOf(`${A_DURATION}, above 0`, DURATION, isPositive).transform(spanOf);

function spanOf(text: string): Span {
  return { text, ms: msOf(text) };
}

/** NaN: the text is no duration. */
function msOf(text: string): DurationMs {
  return parseDuration(text) ?? Number.NaN;
}

/** A duration within bounds, which the message names. */
export function durationBetween(least: string, most: string) {
  const isWithin = (text: string): boolean => msOf(text) >= msOf(least) && msOf(text) <= msOf(most);
  return textOf(`${A_DURATION}, from ${least} to ${most}`, DURATION, isWithin).transform(msOf);
}

/** Ascending durations without repeats. */
export function ladder(most: number) {
  const error = `expected a list of 1 to ${most} durations such as [1m, 5m]`;
  return z
    .array(positiveSpan, { error })
    .min(1, { error })
    .max(most, { error })
    .superRefine((spans, ctx) => {
      for (const [i, { ms }] of spans.entries()) {
        if (i === 0 || ms > spans[i - 1].ms) continue;
        const message = `expected more than ${spans[i - 1].text}, the one before it: durations ascend without repeats`;
        ctx.addIssue({ code: 'custom', message, path: [i] });
      }
    });
}

/** Text that matches a pattern. `allows` is called only if it does. */
export function textOf(what: string, pattern: RegExp, allows: (text: string) => boolean = () => true) {
  const error = `expected ${what}`;
  return z.string({ error }).regex(pattern, { error, abort: true }).refine(allows, { error });
}

/** A number from 0, or above it. */
export function number(most: number, { above = false } = {}) {
  const error = `expected a number ${above ? 'above 0, at most' : 'from 0 to'} ${most}`;
  return z.number({ error }).refine((value) => (above ? value > 0 : value >= 0) && value <= most, { error });
}

/** A number between the two, excluding both. */
export function between(least: number, most: number) {
  const error = `expected a number above ${least} and below ${most}`;
  return z.number({ error }).refine((value) => value > least && value < most, { error });
}

export function whole(least: number, most: number) {
  const error = `expected a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

export function auto(most: number) {
  return z.union([z.literal('auto'), whole(1, most)], { error: `expected auto, or a whole number from 1 to ${most}` });
}

/** One of a few words. */
export function word<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: wordError(words) });
}

export function wordError(words: readonly string[]): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => {
    const near = typeof input === 'string' && words.length > 1 ? nearest(input, words) : undefined;
    return `expected ${words.join(', ')}${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
  };
}

export function list<Item extends z.ZodType>(item: Item, what: string, least = 0) {
  const error = `expected a list of ${what}`;
  return z.array(item, { error }).min(least, { error });
}

export function group<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, { error: `expected a group of settings (${Object.keys(shape).join(', ')})` });
}

export const anyText = textOf('text that is not empty', /^[^\0]+$/);

/** A time with its zone. */
export function isInstant(text: string): boolean {
  return parseTime(text) >= 0;
}

export const instant = textOf('a time such as 2026-11-21T08:00:00Z', /^\S+( \S+)?$/, isInstant);

export const measureNames = list(anyText, 'measures, such as [mrr, ndcg@10]');

const DIMENSION_EXAMPLE = 'a name such as country: lower case letters, digits and _, letter first';
const dimension = textOf(
  `${DIMENSION_EXAMPLE}, none of ${RESERVED_DIMENSIONS.join(' ')}`,
  /^[a-z][a-z0-9_]*$/,
  isDimensionName,
);
export const experimentName = textOf(DIMENSION_EXAMPLE, /^[a-z][a-z0-9_]{0,49}$/);

/** A value of a dimension that an event can have. */
export const dimensionValue = textOf(
  "letters, digits, blanks and _.:/+&'()- (at most 64, no leading __)",
  /^.+$/su,
  (text) => cleanDimension(text) === text,
);

/** Grouping sets: `[]` is everything. No name may be twice in a set, and no set twice. */
export const groupingSets = list(
  list(dimension, 'dimensions, such as [variant, country]'),
  'lists of dimensions',
  1,
).superRefine((sets, ctx) => {
  const seen = new Set<string>();
  for (const [i, set] of sets.entries()) {
    const key = [...set].sort().join(',');
    if (new Set(set).size < set.length) ctx.addIssue({ code: 'custom', message: 'has a dimension twice', path: [i] });
    else if (seen.has(key)) ctx.addIssue({ code: 'custom', message: 'appears twice', path: [i] });
    seen.add(key);
  }
});
