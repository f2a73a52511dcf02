/**
 * The schemas of valid events. The message of every issue is the code of the refusal, its path the field. They need not be
 * fast: reader.ts comes first and handles events that are certainly valid.
 */
import { z } from 'zod';
import { INVALID_CODES, type InvalidCode } from '../../vocabulary/drops.ts';
import { LARGEST_VALUE } from '../../vocabulary/events.ts';
import type { DecoderOptions } from './decoder-settings.ts';
import { isFields, isItem, isVariants } from './raw.ts';
import { MAX_OFFSET, MAX_RANK } from './reader.ts';
import { timeOf, zoneOf } from './times.ts';

export interface Invalid {
  readonly code: InvalidCode;
  /** Path of the field, such as `items[3].position`; no part of it comes from the event. */
  readonly field: string | undefined;
}

type IssueCode = (issue: { readonly input?: unknown }) => InvalidCode;

/** The code for a value of the wrong type. */
function typed(number: InvalidCode): IssueCode {
  return ({ input }) => {
    if (input === undefined || input === null) return 'missing_field';
    return typeof input === 'number' ? number : 'wrong_type';
  };
}

const id = z
  .union([z.string().min(1, 'bad_id'), z.number().refine(Number.isSafeInteger, 'bad_id')], { error: typed('bad_id') })
  .transform(String);
/** Producers write an empty text if they know no user or have no id for the event. */
const optionalId = z.preprocess((value) => (value === '' ? undefined : value), id.nullish());
const text = z.string({ error: typed('wrong_type') });
const finite = z.number({ error: typed('bad_number') });
const measured = finite.refine((value) => Math.abs(value) <= LARGEST_VALUE, 'bad_number');
const fields = z.custom<Readonly<Record<string, unknown>>>(isFields, 'wrong_type');

const model = z.object(
  { name: text, version: z.union([text, finite], { error: typed('bad_number') }).nullish() },
  { error: typed('wrong_type') },
);

function eventFields(options: Pick<DecoderOptions, 'tsUnit' | 'timeZone' | 'clock'>) {
  const { tsUnit } = options;
  const zone = zoneOf(options);
  const ts = z.union([z.string(), z.number()], { error: typed('bad_time') }).transform((value, ctx) => {
    const ms = timeOf(value, tsUnit, zone);
    if (Number.isNaN(ms)) ctx.addIssue({ code: 'custom', message: 'bad_time' });
    return ms;
  });
  return { requestId: id, ts, eventId: optionalId, userId: optionalId, sessionId: optionalId };
}

function itemsSchema({ itemsPerList, positionBase }: Pick<DecoderOptions, 'itemsPerList' | 'positionBase'>) {
  const position = z
    .number({ error: typed('bad_position') })
    .transform((value) => value - positionBase + 1)
    .refine((rank) => Number.isInteger(rank) && rank >= 1 && rank <= MAX_RANK, 'bad_position');
  const item = z.object({
    id,
    position: position.nullish(),
    score: measured.nullish(),
    propensity: finite.nullish(),
    team: text.nullish(),
    category: text.nullish(),
  });
  return z
    .array(z.unknown(), { error: typed('wrong_type') })
    .max(itemsPerList, 'too_many_items')
    .pipe(z.array(z.preprocess((value) => (isItem(value) ? value : { id: value }), item)))
    .superRefine((items, ctx) => {
      const ranks = items.map(({ position: rank }) => rank ?? undefined).filter((rank) => rank !== undefined);
      if (ranks.length > 0 && ranks.length < items.length) ctx.addIssue({ code: 'custom', message: 'mixed_positions' });
      else if (new Set(ranks).size < ranks.length) ctx.addIssue({ code: 'custom', message: 'duplicate_position' });
    });
}

export function impressionSchema(
  options: Pick<DecoderOptions, 'itemsPerList' | 'positionBase' | 'tsUnit' | 'timeZone' | 'clock'>,
) {
  return z.object({
    ...eventFields(options),
    items: itemsSchema(options),
    offset: finite
      .refine((value) => Number.isInteger(value) && value >= 0 && value <= MAX_OFFSET, 'bad_number')
      .nullish(),
    surface: text.nullish(),
    variant: text.nullish(),
    experiments: z.custom<Readonly<Record<string, string | null>>>(isVariants, 'wrong_type').nullish(),
    cohorts: fields.nullish(),
    model: model.nullish(),
  });
}

export function feedbackSchema(options: Pick<DecoderOptions, 'tsUnit' | 'timeZone' | 'clock'>) {
  return z.object({
    ...eventFields(options),
    itemId: id,
    action: text.min(1, 'missing_field'),
    value: measured.nullish(),
  });
}

export type ValidImpression = z.output<ReturnType<typeof impressionSchema>>;
export type ValidFeedback = z.output<ReturnType<typeof feedbackSchema>>;

/**
 * Code and field of the first thing that is wrong, in the order of the schema.
 *
 * @param within the field whose own schema says so; undefined: that of the record
 */
export function explain(error: z.ZodError, within?: string): Invalid {
  const issue = error.issues[0];
  const code = INVALID_CODES.find((known) => known === issue.message) ?? 'wrong_type';
  let field = within ?? '';
  for (const key of issue.path)
    field += typeof key === 'number' ? `[${key}]` : `${field === '' ? '' : '.'}${String(key)}`;
  return { code, field: field === '' ? undefined : field };
}
