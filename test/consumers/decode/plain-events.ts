/**
 * Valid events and what is made of them, in the plainest form: schemas, to which the reader is compared. The message of every issue is
 * the code of the refusal, its path the field.
 */
import { z } from 'zod';
import type { Carried, DecoderOptions } from '../../../src/consumers/decode/decoder-settings.ts';
import type { Dimensions } from '../../../src/consumers/decode/dimensions.ts';
import type { Invalid } from '../../../src/consumers/decode/event-fields.ts';
import { isFields, isItem, isVariants } from '../../../src/consumers/decode/raw.ts';
import { timeOf, zoneOf } from '../../../src/consumers/decode/times.ts';
import { INVALID_CODES, type InvalidCode } from '../../../src/vocabulary/drops.ts';
import { type Feedback, type Impression, LARGEST_VALUE } from '../../../src/vocabulary/events.ts';

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
    .refine((rank) => Number.isInteger(rank) && rank >= 1 && rank <= 2 ** 31 - 1, 'bad_position');
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

function impressionSchema(
  options: Pick<DecoderOptions, 'itemsPerList' | 'positionBase' | 'tsUnit' | 'timeZone' | 'clock'>,
) {
  return z.object({
    ...eventFields(options),
    items: itemsSchema(options),
    offset: finite
      .refine((value) => Number.isInteger(value) && value >= 0 && value <= 1_000_000, 'bad_number')
      .nullish(),
    surface: text.nullish(),
    variant: text.nullish(),
    experiments: z.custom<Readonly<Record<string, string | null>>>(isVariants, 'wrong_type').nullish(),
    cohorts: fields.nullish(),
    model: model.nullish(),
  });
}

function feedbackSchema(options: Pick<DecoderOptions, 'tsUnit' | 'timeZone' | 'clock'>) {
  return z.object({
    ...eventFields(options),
    itemId: id,
    action: text.min(1, 'missing_field'),
    value: measured.nullish(),
  });
}

/** What is made of a parsed record: an event, or the code and field of the first thing that is wrong, in the order of the schema. */
export function plainImpression(
  record: unknown,
  options: Parameters<typeof impressionSchema>[0] & Pick<DecoderOptions, 'carries'>,
  dimensions: Dimensions,
): Impression | Invalid {
  const { data: valid, error } = impressionSchema(options).safeParse(record);
  if (error !== undefined) return explained(error);
  const pageOffset = valid.offset ?? 0;
  const slots = valid.items.map((item, i) => ({ ...item, rank: item.position ?? pageOffset + i + 1 }));
  slots.sort((a, b) => a.rank - b.rank);
  const isPlain = slots.every(({ rank }, i) => rank === pageOffset + i + 1);
  return {
    kind: 'impression',
    requestId: valid.requestId,
    ts: valid.ts,
    userId: valid.userId ?? undefined,
    pageOffset: pageOffset === 0 ? 0 : pageOffset,
    items: slots.map(({ id: item }) => item),
    ranks: isPlain ? undefined : slots.map(({ rank }) => rank),
    dimensions: dimensions.read(valid),
    ...carried(slots, options.carries),
  };
}

function carried(
  slots: readonly { readonly score?: number | null | undefined; readonly category?: string | null | undefined }[],
  carries: Carried | undefined,
): Pick<Impression, 'scores' | 'categories'> {
  const scores = slots.some(({ score }) => typeof score === 'number')
    ? slots.map(({ score }) => score ?? Number.NaN)
    : undefined;
  const categories = slots.some(({ category }) => (category ?? '') !== '')
    ? slots.map(({ category }) => category ?? '')
    : undefined;
  return { ...(carries?.scores === true ? { scores } : {}), ...(carries?.categories === true ? { categories } : {}) };
}

/** The same of feedback. */
export function plainFeedback(record: unknown, options: Parameters<typeof feedbackSchema>[0]): Feedback | Invalid {
  const { data: valid, error } = feedbackSchema(options).safeParse(record);
  if (error !== undefined) return explained(error);
  const { requestId, itemId, ts, action, eventId, value } = valid;
  return {
    kind: 'feedback',
    requestId,
    itemId,
    ts,
    action,
    eventId: eventId ?? undefined,
    value: value ?? undefined,
  };
}

function explained(error: z.ZodError): Invalid {
  const issue = error.issues[0];
  const code = INVALID_CODES.find((known) => known === issue.message) ?? 'wrong_type';
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return { code, field: path.slice(1) };
}
