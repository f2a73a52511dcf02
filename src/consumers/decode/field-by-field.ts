/**
 * Judges records by a schema as the whole schema does, but looks at one field after the other, in the order of the schema, and stops
 * at the first that is wrong. The whole schema looks at all fields and all items, and makes an issue of everything that is wrong, of
 * which only the first is told.
 */
import type { z } from 'zod';
import { explain, feedbackSchema, type Invalid, impressionSchema } from './canonical.ts';
import type { DecoderOptions } from './decoder-settings.ts';
import type { RawRecord } from './raw.ts';
import { firstDoubtful } from './reader.ts';

export type Judged<T> = { readonly valid: T } | { readonly invalid: Invalid };

type Fields = Readonly<Record<string, z.ZodType>>;
/** What a field's schema says of a value. Of issues, only the first need be what it says. */
type FieldJudge = (value: unknown) => z.ZodSafeParseResult<unknown>;

type Options = Pick<DecoderOptions, 'itemsPerList' | 'positionBase' | 'tsUnit' | 'timeZone' | 'clock'>;

export function impressionJudge(options: Options) {
  const schema = impressionSchema(options);
  return judge(schema, { items: itemsJudge(schema.shape.items, options) });
}

export function feedbackJudge(options: Options) {
  return judge(feedbackSchema(options), {});
}

/** @param special of fields, by name, that have a faster judge than their schema */
function judge<S extends Fields>(
  schema: z.ZodObject<S>,
  special: Readonly<Record<string, FieldJudge>>,
): (record: RawRecord) => Judged<z.output<z.ZodObject<S>>> {
  const fields = Object.entries<z.ZodType>(schema.shape).map(
    ([name, field]) => [name, special[name] ?? ((value) => field.safeParse(value))] as const,
  );
  return (record) => {
    for (const [name, parse] of fields) {
      const { error } = parse(Reflect.get(record, name));
      if (error !== undefined) return { invalid: explain(error, name) };
    }
    // What is valid is made by the schema itself: readers see such records first, so hardly any comes here.
    const { data, error } = schema.safeParse(record);
    return error === undefined ? { valid: data } : { invalid: explain(error) };
  };
}

/** Without the items behind the first that may be invalid: if it is, they do not matter. */
function itemsJudge(schema: z.ZodType, { itemsPerList, positionBase }: Options): FieldJudge {
  return (items) => {
    const doubtful = Array.isArray(items) && items.length <= itemsPerList ? firstDoubtful(items, positionBase) : -1;
    if (!Array.isArray(items) || doubtful < 0) return schema.safeParse(items);
    const judged = schema.safeParse(items.slice(0, doubtful + 1));
    // An issue without a path is one of the list, which the other items may change.
    return judged.error !== undefined && judged.error.issues[0].path.length > 0 ? judged : schema.safeParse(items);
  };
}
