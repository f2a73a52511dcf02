import { z } from 'zod';
import type { Measure } from '../measures/definition.ts';
import { gradeLimit, LARGEST_EXPONENT } from '../measures/gain.ts';
import type { GradeRule, Grading } from '../measures/scorer-contract.ts';
import { ACTION_NAME, LARGEST_VALUE } from '../vocabulary/events.ts';
import type { Report } from './problems.ts';
import { number, word } from './values.ts';

const grade = number(LARGEST_VALUE);

const rule = z
  .strictObject(
    {
      from: word(['value'])
        .optional()
        .meta({ description: "value: the grade is the event's value. Either this or grade" }),
      grade: grade.optional().meta({ description: 'a fixed grade, not necessarily whole' }),
      rule: word(['max', 'last', 'sum'])
        .prefault('max')
        .meta({ description: 'how several events of this action on one item combine; last is by event time' }),
      max: number(LARGEST_VALUE, { above: true }).prefault(LARGEST_VALUE).meta({
        description:
          'highest grade that the action can give; higher ones are cut to it. Measures with `gain=exp` need 30 or less if a value or a sum can be above',
      }),
      veto: z
        .boolean({ error: 'expected true or false' })
        .prefault(false)
        .meta({ description: "true: the slot's grade is 0, whatever else was done" }),
    },
    { error: 'expected a grade such as 2, or {from: value, rule: last}' },
  )
  .superRefine((one, ctx) => {
    const reason =
      one.from !== undefined && one.grade !== undefined
        ? 'has both grade and from: value; leave one out'
        : one.from === undefined && one.grade === undefined && !one.veto
          ? 'has no grade; write grade: n or from: value'
          : undefined;
    if (reason !== undefined) ctx.addIssue({ code: 'custom', message: reason });
  });

const action = z.string().regex(ACTION_NAME, { error: 'expected the name of an action' });

export const gradesSchema = z.record(
  action,
  z
    .union([grade, rule], { error: 'expected a grade of 0 or more, or {from: value, rule: last}' })
    .meta({ description: 'what one action is worth. A number is short for {grade: number}' }),
  { error: 'expected actions and their grades, such as {click: 1, purchase: 3}' },
);

type GradeDocument = z.output<typeof gradesSchema>[string];

export function gradeRule(document: GradeDocument): GradeRule {
  if (typeof document === 'number')
    return { from: 'grade', grade: document, rule: 'max', max: LARGEST_VALUE, veto: false };
  const from = document.from === undefined ? 'grade' : 'value';
  const { rule: combine, max, veto } = document;
  return { from, grade: document.grade ?? 0, rule: combine, max, veto };
}

/** The rule of an action without a grade. */
export const NO_GRADE: GradeRule = { from: 'grade', grade: 0, rule: 'max', max: LARGEST_VALUE, veto: false };

/** The default of `gmax`: the highest grade that a slot can have; undefined: gmax cannot have this value. */
export function highestGrade(rules: readonly GradeRule[]): number | undefined {
  if (rules.some(({ from }) => from === 'value')) return undefined;
  const highest = rules.reduce((most, rule) => Math.max(most, highestOf(rule)), 0);
  return highest <= LARGEST_EXPONENT ? highest : undefined;
}

function highestOf({ from, grade: fixed, rule: combine, max }: GradeRule): number {
  return from === 'value' || (combine === 'sum' && fixed > 0) ? max : Math.min(fixed, max);
}

/** Reports, at the action, a measure that does not accept every grade that the action may give. */
export function checkGrades(actions: Grading['actions'], measures: readonly Measure[], report: Report): void {
  for (const { name, rule } of actions) {
    const counting = measures.filter(({ params }) => (params.get('action') ?? name) === name);
    const { most, by } = gradeLimit(counting);
    if (by === undefined || rule.veto || highestOf(rule) <= most) continue;
    const what = `may be above ${most}, the highest grade that ${by.measure} takes, ${by.reason}`;
    report.add(['grades', name], `${what}; expected max: ${most} or less here, or gain=linear there`, ['measures']);
  }
}
