import { coverage } from './coverage.ts';
import { distinct } from './distinct.ts';
import { entropy } from './entropy.ts';
import { type ExposureKind, Exposures } from './exposures.ts';
import type { Measure } from './family.ts';
import { gini } from './gini.ts';
import { Registers } from './registers.ts';

/**
 * What measures of all lists together keep of items in a row: registers of a HyperLogLog, or exact exposures. Measures that
 * keep the same share it: `distinct@10` has its own, `gini@10` and `entropy@10` have one.
 */
export interface ItemPart {
  /** Its identity, in rows and their text: `registers@10`, `count`, `log2(known)@5`. */
  readonly name: string;
  readonly holds: 'registers' | ExposureKind;
  /** Only slots of rank <= k; Infinity: all. */
  readonly k: number;
  /** Only items of the catalogue. */
  readonly known: boolean;
}

export type Sketch = Registers | Exposures;

/** The part that a measure is made of; undefined: it is made of sums. */
export function itemPartOf({ name, params, k }: Measure): ItemPart | undefined {
  const part = (holds: ItemPart['holds'], known: boolean): ItemPart => ({
    name: `${holds}${known ? '(known)' : ''}${k === undefined ? '' : `@${k}`}`,
    holds,
    k: k ?? Number.POSITIVE_INFINITY,
    known,
  });
  const exposure = params.get('exposure') === 'log2' ? 'log2' : 'count';
  switch (name) {
    case 'distinct':
      return part('registers', false);
    case 'coverage':
      return part('registers', true);
    case 'gini':
      return part(exposure, params.get('over') === 'catalogue');
    case 'entropy':
      return part(exposure, false);
    default:
      return undefined;
  }
}

/** The parts that measures are made of, each once, in the order of the measures. */
export function itemPartsOf(measures: readonly Measure[]): readonly ItemPart[] {
  const parts = new Map<string, ItemPart>();
  for (const measure of measures) {
    const part = itemPartOf(measure);
    if (part !== undefined) parts.set(part.name, part);
  }
  return [...parts.values()];
}

/** Nothing shown yet. `limit`: most items whose exposure is counted. */
export function emptySketch({ holds }: ItemPart, limit: number): Sketch {
  return holds === 'registers' ? new Registers() : new Exposures(limit);
}

/**
 * The value of a measure that is made of items. undefined: nothing was shown, more items were shown than are counted, or
 * the measure says nothing of one item.
 * @param catalogueSize number of its items; 0: there is none
 */
export function itemValue(measure: Measure, sketch: Sketch, catalogueSize: number): number | undefined {
  const value = valueOfSketch(measure, sketch, catalogueSize);
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

function valueOfSketch({ name, params }: Measure, sketch: Sketch, catalogueSize: number): number | undefined {
  if (sketch instanceof Registers) return name === 'coverage' ? coverage(sketch, catalogueSize) : distinct(sketch);
  if (sketch.isOver || sketch.size === 0) return undefined;
  const ascending = sketch.ascending();
  if (name === 'entropy') return entropy(ascending, params.get('norm') === 'max');
  const items = params.get('over') === 'catalogue' ? catalogueSize : ascending.length;
  return gini(ascending, items, params.get('corrected') === 'yes');
}
