import { unbound } from './bound.ts';
import type { Measure } from './definition.ts';
import { type ExposureKind, Exposures } from './exposures.ts';
import { Registers } from './registers.ts';

/**
 * What a row keeps about items for measures of all lists together: registers of a HyperLogLog, or exact exposures. Measures that keep the
 * same share it: `distinct@10` has its own part, `gini@10` and `entropy@10` share one.
 */
export interface ItemPart {
  /** Its identity, in rows and their text: `registers@10`, `count`, `log2(known)@5`. */
  readonly name: string;
  readonly holds: 'registers' | ExposureKind;
  /** It contains only slots of rank <= k; Infinity: all. */
  readonly k: number;
  /** It contains only items of the catalogue. */
  readonly known: boolean;
}

export type Sketch = Registers | Exposures;

/** The part that a measure is computed from; undefined: it is computed from sums. */
export function itemPartOf(measure: Measure): ItemPart | undefined {
  const { definition, params, k } = measure;
  if (definition.kind !== 'items') return undefined;
  const exposure = params.get('exposure') === 'log2' ? 'log2' : 'count';
  const holds = definition.ofItems.from === 'registers' ? 'registers' : exposure;
  const known = definition.asksCatalogue?.(measure) === 'item';
  return {
    name: `${holds}${known ? '(known)' : ''}${k === undefined ? '' : `@${k}`}`,
    holds,
    k: k ?? Number.POSITIVE_INFINITY,
    known,
  };
}

/** The parts that measures are computed from, each once, in the order of the measures. */
export function itemPartsOf(measures: readonly Measure[]): readonly ItemPart[] {
  const parts = new Map<string, ItemPart>();
  for (const measure of measures) {
    const part = itemPartOf(measure);
    if (part !== undefined) parts.set(part.name, part);
  }
  return [...parts.values()];
}

/**
 * An empty sketch.
 * @param limit the most items whose exposure is counted
 */
export function emptySketch({ holds }: ItemPart, limit: number): Sketch {
  return holds === 'registers' ? new Registers() : new Exposures(limit);
}

/**
 * The value of a measure of items. undefined: nothing was shown, more items were shown than are counted, or the measure has
 * no value for a single item.
 * @param catalogueSize number of its items; 0: there is none
 */
export function itemValue(measure: Measure, sketch: Sketch, catalogueSize: number): number | undefined {
  const value = valueOfSketch(measure, sketch, catalogueSize);
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

function valueOfSketch(measure: Measure, sketch: Sketch, catalogueSize: number): number | undefined {
  const { definition } = measure;
  if (definition.kind !== 'items') throw unbound(measure);
  const { ofItems } = definition;
  if (ofItems.from === 'registers') {
    return sketch instanceof Registers ? ofItems.value(sketch, measure, catalogueSize) : undefined;
  }
  if (sketch instanceof Registers || sketch.isOver || sketch.size === 0) return undefined;
  return ofItems.value(sketch.ascending(), measure, catalogueSize);
}
