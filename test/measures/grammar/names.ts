/** Arbitrary texts of measures, drawn from the family's own table. */
import fc from 'fast-check';
import { MEASURES } from '../../../src/measures/all.ts';
import type { Measure, MeasureDefinition } from '../../../src/measures/definition.ts';
import { offered, parseMeasure } from '../../../src/measures/grammar/measure-name.ts';
import type { ParamShape } from '../../../src/measures/grammar/parameters.ts';
import { MeasureError } from '../../../src/measures/grammar/scan.ts';
import { isListOnly } from '../../../src/measures/needs.ts';

/** By parameter that is a number: values to draw it from, the default and others. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  rel: ['0.25', '0.0000001', '1', '1.0', '2', '3'],
  beta: ['0.5', '1', '2'],
  p: ['0.80', '0.5'],
  gmax: ['3', '4.5'],
  min_list_length: ['0', '1', '2', '5'],
  slot: ['1', '3', '14'],
  users: ['100'],
  below: ['5', '10'],
};

function valuesOf(key: string, shape: ParamShape): readonly string[] {
  if (shape.kind === 'word') return shape.values;
  if (shape.kind === 'action') return ['click', 'purchase', 'rating', 'tip', 'hide'];
  if (!Object.hasOwn(NUMBERS, key)) throw new Error(`test/measures/grammar/names.ts: add values of ${key} to NUMBERS`);
  return NUMBERS[key];
}

function textOf({ name, params, takesCut }: MeasureDefinition): fc.Arbitrary<string> {
  const chosen = fc.tuple(
    ...Object.entries(params).map(([key, shape]) =>
      fc.option(
        fc.constantFrom(...valuesOf(key, shape)).map((value) => `${key}=${value}`),
        { freq: 3, nil: undefined },
      ),
    ),
  );
  const k = takesCut ? fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }) : fc.constant(undefined);
  return fc
    .tuple(
      chosen.chain((some) => fc.shuffledSubarray(some.filter((one) => one !== undefined))),
      k,
    )
    .map(([some, at]) => `${name}${some.length > 0 ? `(${some.join(',')})` : ''}${at === undefined ? '' : `@${at}`}`);
}

export const DEFAULTS = { relevantFrom: 1, highestGrade: 5 };

/** The measure of a text; undefined: a forbidden combination. */
function measureOrNot(text: string): Measure | undefined {
  try {
    return parseMeasure(text, DEFAULTS);
  } catch (error) {
    if (error instanceof MeasureError) return undefined;
    throw error;
  }
}

function measuresOf(
  definitions: readonly MeasureDefinition[],
  only: (measure: Measure) => boolean,
): fc.Arbitrary<Measure> {
  return fc
    .constantFrom(...definitions)
    .chain(textOf)
    .map(measureOrNot)
    .filter((measure) => measure !== undefined && only(measure))
    .map((measure) => byName(measure ?? parseMeasure('mrr', DEFAULTS)));
}

/** A counterexample prints it as its name alone. */
export function byName(measure: Measure): Measure {
  return Object.defineProperty({ ...measure }, fc.toStringMethod, { value: () => measure.canonical });
}

/** Any measure of the family. */
export const anyMeasure = measuresOf(MEASURES, () => true);

/** Any measure of feedback that is scored. */
export const scoredMeasure = measuresOf(
  MEASURES.filter((definition) => !isListOnly({ definition })),
  (measure) => offered(measure, 'score') === undefined,
);
