import { mustBeAsStored } from '../accumulators/store/json.ts';
import type { ExperimentSettings } from '../config/settings.ts';
import type { CoursePoint } from '../statistics/course.ts';
import { EXPERIMENT_REASONS, type ExperimentVerdict, type StandingDecision } from '../statistics/decision.ts';
import { type Largest, type Looks, NO_LOOKS } from '../statistics/sequence.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { runText } from './run-settings.ts';

/**
 * What a run of an experiment keeps from look to look, in addition to its totals and its user sample: the largest evidence so far, the
 * current decisions, and for plots the results of some of the looks.
 */
export interface ExperimentLooks {
  /** Evidence on the split of the users, over all variants. */
  readonly srm: Largest | undefined;
  /** Evidence by variant, then by the measure's canonical name. */
  readonly measures: ReadonlyMap<string, ReadonlyMap<string, Looks>>;
  /** Decisions by variant. */
  readonly decisions: ReadonlyMap<string, StandingDecision>;
  /** Points by variant, then by place (`withPoint`). */
  readonly points: ReadonlyMap<string, readonly LookPoint[]>;
}

export const NO_EXPERIMENT_LOOKS: ExperimentLooks = {
  srm: undefined,
  measures: new Map(),
  decisions: new Map(),
  points: new Map(),
};

/** What one look found about the primary measure. */
export interface LookPoint {
  /** Event time of the look. */
  readonly at: EpochMs;
  readonly effect: number;
  /** The confidence sequence at this look. */
  readonly lower: number;
  readonly upper: number;
  /**
   * Both variants since the start, by name of the primary measure and the guardrails. Measures that are no plain ratios are missing.
   * Absent in points of earlier versions.
   */
  readonly arms?: Arms;
}

export type Arms = ReadonlyMap<string, Omit<CoursePoint, 'at'>>;

/** Number of looks that are kept for a variant: more cannot be distinguished in a plot. */
export const MOST_POINTS = 256;

export function looksOf({ measures }: ExperimentLooks, variant: string, measure: string): Looks {
  return measures.get(variant)?.get(measure) ?? NO_LOOKS;
}

/**
 * Adds a point. There is a fixed number of places, so that a store writes one place per look: when all are taken, the new point replaces
 * the one that is missed least, which is the earliest of those with the shortest time between their neighbours. So the remaining points
 * are spread evenly over the run and include its first and its last look. Taking a look again changes nothing.
 *
 * Example, four places: looks at 1, 2, 3, 4, 5 leave 1, 5, 3, 4, in this order of the places.
 * @param points by place, not in the order of time; at most `most` of them
 */
export function withPoint(
  points: readonly LookPoint[],
  point: LookPoint,
  most: number = MOST_POINTS,
): readonly LookPoint[] {
  const same = points.findIndex(({ at }) => at === point.at);
  if (same >= 0) return points.with(same, point);
  if (points.length < most) return [...points, point];
  const ordered = inOrder([...points, point]);
  let missed = point;
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 1; i + 1 < ordered.length; i++) {
    const between = ordered[i + 1].at - ordered[i - 1].at;
    if (between >= shortest) continue;
    shortest = between;
    missed = ordered[i];
  }
  return missed === point ? points : points.with(points.indexOf(missed), point);
}

export function inOrder(points: readonly LookPoint[]): readonly LookPoint[] {
  return [...points].sort((a, b) => a.at - b.at);
}

const KINDS = ['worse', 'better', 'guard'] as const;

/** Version of the rules by which evidence is taken. Evidence by other rules has another meaning. */
const RULES = { field: 'rules', text: '2' } as const;

/** The settings of the run, so that it can be shown when the configuration has another. */
export const SETTINGS = 'settings';

/** Field that holds the number of the other fields. */
const FIELDS = 'fields';

const SRM = 'srm';

const DECISION = 'decision';

const POINT = 'point';

const PLACE = /^\d{1,3}$/;

const VERDICTS: readonly ExperimentVerdict[] = [
  ...EXPERIMENT_REASONS.insufficient.map((reason) => ({ label: 'insufficient', reason }) as const),
  ...EXPERIMENT_REASONS.healthy.map((reason) => ({ label: 'healthy', reason }) as const),
  ...EXPERIMENT_REASONS.regressed.map((reason) => ({ label: 'regressed', reason }) as const),
  ...EXPERIMENT_REASONS.improved.map((reason) => ({ label: 'improved', reason }) as const),
  ...EXPERIMENT_REASONS.invalid.map((reason) => ({ label: 'invalid', reason }) as const),
];

/**
 * The looks of one run as fields of a hash (specification: layout 6), every value JSON:
 *
 *     settings                                   of the run (`runText`)
 *     rules                                      2: without it, evidence and decisions are of older rules, and are not read
 *     fields                                     number of the other fields; absent in looks of earlier versions
 *     srm                                        [log Bayes factor, time of the look]
 *     <horizon>|<variant>|<measure>|worse        [log e, time of the look]; also `better`, and `guard` for guardrails
 *     <horizon>|<variant>|decision               [label, reason, since]
 *     <horizon>|<variant>|point|<place>          [time of the look, effect, lower, upper, arms]: of the primary measure, and of this and
 *                                                each guardrail by name [value, weight] of the control and of the variant
 *
 * Times are event times in ms. Horizons and variants never contain `|`.
 */
export function encodeLooks(
  { srm, measures, decisions, points }: ExperimentLooks,
  settings: ExperimentSettings,
): Map<string, string> {
  const horizon = settings.horizon.text;
  const fields = new Map<string, string>([
    [SETTINGS, runText(settings)],
    [RULES.field, RULES.text],
  ]);
  if (srm !== undefined) fields.set(SRM, largestText(srm));
  for (const [variant, ofMeasures] of measures) {
    for (const [measure, looks] of ofMeasures) {
      for (const kind of KINDS) {
        const largest = looks[kind];
        if (largest !== undefined) fields.set(`${horizon}|${variant}|${measure}|${kind}`, largestText(largest));
      }
    }
  }
  for (const [variant, { label, reason, since }] of decisions) {
    fields.set(`${horizon}|${variant}|${DECISION}`, JSON.stringify([label, reason, since]));
  }
  for (const [variant, ofVariant] of points) {
    for (const [place, { at, effect, lower, upper, arms }] of ofVariant.entries()) {
      const point = [at, effect, lower, upper, ...(arms === undefined ? [] : [armsText(arms)])];
      fields.set(`${horizon}|${variant}|${POINT}|${place}`, JSON.stringify(point));
    }
  }
  return fields.set(FIELDS, String(fields.size));
}

/** Whether the fields contain their number. */
export function areCounted(fields: ReadonlyMap<string, string>): boolean {
  return fields.has(FIELDS);
}

/** What is missing from looks that are stored and counted; '': nothing. */
export function goneFromLooks(fields: ReadonlyMap<string, string>): string {
  if (!areCounted(fields)) return fields.size === 0 ? 'gone' : `the field ${FIELDS} is gone`;
  const counted = Number(fields.get(FIELDS));
  return fields.size > counted ? '' : `${counted + 1 - fields.size} of ${counted} fields are gone`;
}

/**
 * Reads what `encodeLooks` wrote; fields of other horizons are left out.
 * @throws Error that names the field that is wrong
 */
export function decodeLooks(fields: ReadonlyMap<string, string>, horizon: string): ExperimentLooks {
  let srm: Largest | undefined;
  const measures = new Map<string, Map<string, Looks>>();
  const decisions = new Map<string, StandingDecision>();
  const points = new Map<string, LookPoint[]>();
  mustBeAsStored(fields);
  const isOlder = fields.get(RULES.field) !== RULES.text;
  for (const [field, text] of fields) {
    if (field === SRM) {
      srm = largestOf(text, field);
      continue;
    }
    const [of, variant, ...rest] = field.split('|');
    const kind = KINDS.find((name) => name === rest.at(-1));
    if (of !== horizon || variant === undefined) continue;
    if (rest.length === 2 && rest[0] === POINT && PLACE.test(rest[1])) {
      const ofVariant = points.get(variant) ?? [];
      ofVariant[Number(rest[1])] = pointOf(text, field);
      points.set(variant, ofVariant);
      continue;
    }
    if (isOlder) continue;
    if (rest.length === 1 && rest[0] === DECISION) {
      decisions.set(variant, decisionOf(text, field));
    } else if (rest.length > 1 && kind !== undefined) {
      const ofVariant = measures.get(variant) ?? new Map<string, Looks>();
      const measure = rest.slice(0, -1).join('|');
      ofVariant.set(measure, { ...(ofVariant.get(measure) ?? NO_LOOKS), [kind]: largestOf(text, field) });
      measures.set(variant, ofVariant);
    }
  }
  for (const [variant, ofVariant] of points) {
    const missing = ofVariant.findIndex((point: LookPoint | undefined) => point === undefined);
    if (missing >= 0)
      throw new Error(`looks: ${horizon}|${variant}|${POINT}|${missing}: there are later ones, but not this one`);
  }
  return { srm, measures, decisions, points };
}

function largestText({ logE, at }: Largest): string {
  return JSON.stringify([logE, at]);
}

function listOf(text: string, field: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (Array.isArray(parsed)) return parsed;
  throw new Error(`looks: ${field}: expected a list, found ${text.slice(0, 60)}`);
}

function largestOf(text: string, field: string): Largest {
  const [logE, at] = listOf(text, field);
  if (typeof logE === 'number' && typeof at === 'number') return { logE, at };
  throw new Error(`looks: ${field}: expected [log e, time], found ${text.slice(0, 60)}`);
}

/** The numbers of each measure: value and weight of the control, then those of the variant. */
function armsText(arms: Arms): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(
    [...arms].map(([name, { control, variant }]) => [
      name,
      [control.value, control.weight, variant.value, variant.weight],
    ]),
  );
}

function pointOf(text: string, field: string): LookPoint {
  const [at, effect, lower, upper, ofArms] = listOf(text, field);
  if (typeof at === 'number' && typeof effect === 'number' && typeof lower === 'number' && typeof upper === 'number') {
    const point = { at, effect, lower, upper };
    const arms = ofArms === undefined ? undefined : armsOf(ofArms);
    if (arms !== undefined) return { ...point, arms };
    if (ofArms === undefined) return point;
  }
  throw new Error(`looks: ${field}: expected [time, effect, lower, upper, arms], found ${text.slice(0, 60)}`);
}

/** undefined if the value is something else. */
function armsOf(arms: unknown): Arms | undefined {
  if (typeof arms !== 'object' || arms === null) return undefined;
  const read = new Map<string, Omit<CoursePoint, 'at'>>();
  for (const [name, numbers] of Object.entries(arms)) {
    const isArms = Array.isArray(numbers) && numbers.length === 4 && numbers.every((n) => typeof n === 'number');
    if (!isArms) return undefined;
    const [control, controlWeight, variant, variantWeight] = numbers.map(Number);
    read.set(name, {
      control: { value: control, weight: controlWeight },
      variant: { value: variant, weight: variantWeight },
    });
  }
  return read;
}

function decisionOf(text: string, field: string): StandingDecision {
  const [label, reason, since] = listOf(text, field);
  const verdict = VERDICTS.find((known) => known.label === label && known.reason === reason);
  if (verdict !== undefined && typeof since === 'number') return { ...verdict, since };
  throw new Error(`looks: ${field}: expected [label, reason, since], found ${text.slice(0, 60)}`);
}
