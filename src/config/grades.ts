import { z } from 'zod';
import type { GradeRule } from '../measures/contract.ts';
import { number, word } from './values.ts';

const HIGHEST = 30;
const grade = number(0, HIGHEST);

const rule = z
  .strictObject(
    {
      from: word(['value'])
        .optional()
        .meta({ description: "value: the grade is the event's value. Either this or grade" }),
      grade: grade.optional().meta({ description: 'a fixed grade; parts are fine' }),
      rule: word(['max', 'last', 'sum'])
        .prefault('max')
        .meta({ description: 'how several events of this action on one item combine; last is by event time' }),
      max: number(0, HIGHEST, { above: true })
        .prefault(HIGHEST)
        .meta({ description: 'highest grade that the action can give; what is above is cut' }),
      veto: z
        .boolean({ error: 'expected true or false' })
        .prefault(false)
        .meta({ description: "true: the slot's grade is 0, whatever else came" }),
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

const action = z.string().regex(/^[^\p{Cc}]{1,200}$/u, { error: 'expected the name of an action' });

export const gradesSchema = z.record(
  action,
  z
    .union([grade, rule], { error: 'expected a grade from 0 to 30, or {from: value, rule: last}' })
    .meta({ description: 'what one action is worth. A number is short for {grade: number}' }),
  { error: 'expected actions and their grades, such as {click: 1, purchase: 3}' },
);

type GradeDocument = z.output<typeof gradesSchema>[string];

export function gradeRule(document: GradeDocument): GradeRule {
  if (typeof document === 'number') return { from: 'grade', grade: document, rule: 'max', max: HIGHEST, veto: false };
  const from = document.from === undefined ? 'grade' : 'value';
  const { rule: combine, max, veto } = document;
  return { from, grade: document.grade ?? 0, rule: combine, max, veto };
}

/** What an action without a grade is worth. */
export const NO_GRADE: GradeRule = { from: 'grade', grade: 0, rule: 'max', max: HIGHEST, veto: false };

/** The highest grade that a slot can have; undefined: a grade comes from a value without a cap below 30. */
export function highestGrade(rules: readonly GradeRule[]): number | undefined {
  if (rules.some(({ from }) => from === 'value')) return undefined;
  return rules.reduce((highest, { grade: fixed, max, rule: combine }) => {
    return Math.max(highest, combine === 'sum' && fixed > 0 ? max : Math.min(fixed, max));
  }, 0);
}
