import { isDimensionName } from './dimensions.ts';
import { isFields, isVariants, ownValue, type RawRecord } from './raw.ts';

/** Top-level fields that a default can set by name; every other name is a cohort dimension. */
export const DEFAULT_FIELDS = ['variant', 'surface', 'userId', 'sessionId', 'action'] as const;
type DefaultField = (typeof DEFAULT_FIELDS)[number];

/** Values for records that lack them. Names that are neither such a field nor a dimension are ignored. */
export class Defaults {
  readonly #fields: readonly (readonly [DefaultField, string])[];
  readonly #cohorts: readonly (readonly [string, string])[];

  constructor(values: ReadonlyMap<string, string>) {
    this.#fields = DEFAULT_FIELDS.flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    this.#cohorts = [...values].filter(
      ([name]) => !this.#fields.some(([field]) => field === name) && isDimensionName(name),
    );
  }

  /** Changes the record, which the caller must own. Values of a wrong type are left for validation. */
  fill(record: RawRecord): void {
    for (const [name, value] of this.#fields) {
      if (name === 'variant' && hasDefaultVariant(record)) continue;
      record[name] ??= value;
    }
    const given = record.cohorts ?? {};
    if (this.#cohorts.length === 0 || !isFields(given)) return;
    const cohorts: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(given)) cohorts[name] = given[name];
    for (const [name, value] of this.#cohorts) cohorts[name] ??= value;
    record.cohorts = cohorts;
  }
}

function hasDefaultVariant({ experiments }: RawRecord): boolean {
  return isVariants(experiments) && ownValue(experiments, 'default') !== undefined;
}
