/** Feedback with several items in one text, such as `sku-1|sku-7` for those that were clicked: each item becomes feedback of its own. */
import type { FieldMap } from '../consumers/decode/decoder-settings.ts';
import { parsePointer, resolvePointer } from '../consumers/decode/pointer.ts';
import type { Fields } from '../consumers/decode/raw.ts';
import type { FittedSide, Side } from './field-fit.ts';
import { type Field, isOfElements, mainType, profileOf, timesOf } from './fields.ts';
import { itemsOf } from './join-trial.ts';
import type { ListForm } from './list-candidates.ts';
import { partsOf } from './reading.ts';

/** A field with such texts, and the separator of the items. */
export interface Packed {
  readonly path: string;
  readonly separator: string;
}

export interface Unpacked {
  /** The same records, with a real list in the field. */
  readonly side: Side;
  readonly packed: Packed | undefined;
}

const SEPARATORS = ['|', ',', ';', ' '] as const;
const NEARLY_ALL = 0.9;

/** @param list position of the items in impressions: they must have the parts of a text, and must not have the text itself */
export function unpackClicked(feedback: Side, impressions: Side, list: ListForm | undefined): Unpacked {
  const none = { side: feedback, packed: undefined };
  if (list === undefined) return none;
  const shown = itemsOf(impressions.rows, list);
  const isPacked = (field: Field, separator: string): boolean => {
    const several = [...field.distinct.keys()].filter(
      (text) => !shown.has(text) && partsOf(text, separator).length > 0,
    );
    const texts = several.filter((text) => partsOf(text, separator).length > 1);
    const known = texts.filter((text) => partsOf(text, separator).every((part) => shown.has(part)));
    return known.length > 0 && known.length >= NEARLY_ALL * several.length;
  };
  for (const field of feedback.profile.fields.values()) {
    // A path with one step is a column.
    const isColumn = parsePointer(field.path)?.length === 1 && !isOfElements(field.path);
    if (!isColumn || mainType(field) !== 'text' || timesOf(field) !== undefined) continue;
    const separator = SEPARATORS.find((one) => isPacked(field, one));
    if (separator === undefined) continue;
    const rows = feedback.rows.map((row) => unpacked(row, field.path, separator));
    return { side: { rows, profile: profileOf(rows) }, packed: { path: field.path, separator } };
  }
  return none;
}

function unpacked(row: Fields, path: string, separator: string): Fields {
  const pointer = parsePointer(path) ?? [];
  const text = resolvePointer(row, pointer);
  return typeof text === 'string' ? { ...row, [pointer[0]]: partsOf(text, separator) } : row;
}

/** The side as a replay must read it: the text is split by its separator. */
export function packedAgain(fitted: FittedSide, packed: Packed | undefined): FittedSide {
  const { reading, map } = fitted;
  if (packed === undefined || map['each'] !== packed.path) return fitted;
  const split: FieldMap = { ...map, each: { at: packed.path, split: packed.separator } };
  return { ...fitted, map: split, reading: { ...reading, adapter: { map: split } } };
}
