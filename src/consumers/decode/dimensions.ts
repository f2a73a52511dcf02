import { ABSENT_DIMENSION, assertNever, INVALID_DIMENSION } from '../../vocabulary/events.ts';
import { type Fields, isFields, isModel, ownValue, type RawRecord } from './raw.ts';

/** Names that Prometheus, in Kubernetes too, or our own metrics use as labels. */
export const RESERVED_DIMENSIONS: readonly string[] = [
  'window',
  'horizon',
  'by',
  'k',
  'params',
  'le',
  'job',
  'instance',
  'pod',
  'namespace',
  'experiment',
  'measure',
  'decision',
  'unit',
  'topic',
  'partition',
  'reason',
];

const NAME = /^[a-z][a-z0-9_]*$/;
const MAX_NAME = 64;
const MAX_VALUE = 64;
/** Letters (with their marks) and digits of any script, the blank and a few punctuation characters. */
const VALUE = /^[\p{L}\p{M}\p{Nd} _.:/+&'()-]+$/u;
/** Most entries in the cache before it is cleared, so that hostile values cannot make it grow. */
const CACHE_SIZE = 10_000;

const EXPERIMENT_PREFIX = 'experiment_';

export function isDimensionName(name: string): boolean {
  return name.length <= MAX_NAME && NAME.test(name) && !RESERVED_DIMENSIONS.includes(name);
}

/** The value as a label: itself, or `__invalid__`. */
export function cleanDimension(value: string): string {
  // A code point takes at most two units, so longer texts are refused without being read.
  if (value.length === 0 || value.length > 2 * MAX_VALUE || value.startsWith('__')) return INVALID_DIMENSION;
  if (!VALUE.test(value)) return INVALID_DIMENSION;
  return value.length <= MAX_VALUE || [...value].length <= MAX_VALUE ? value : INVALID_DIMENSION;
}

/** Where the value of a dimension comes from; `cohorts` is tried last, for every name. */
interface Origin {
  readonly name: string;
  readonly from: 'surface' | 'variant' | 'model' | 'experiment' | 'cohorts';
  readonly experiment: string;
}

/** Reads the values of the configured dimensions from validated impressions. */
export class Dimensions {
  /** Number of keys in `cohorts` so far that are not valid dimension names. */
  ignoredKeys = 0;
  /** Keys of `cohorts`, and of `experiments`, that can hold a value. */
  readonly cohortKeys: ReadonlySet<string>;
  readonly experimentKeys: ReadonlySet<string>;
  readonly #origins: readonly Origin[];
  readonly #clean = new Map<string, string>();
  readonly #names = new Map<string, boolean>();

  constructor(names: readonly string[]) {
    this.#origins = names.map(originOf);
    this.cohortKeys = new Set(names);
    this.experimentKeys = new Set(['default', ...this.#origins.map(({ experiment }) => experiment)]);
  }

  /** One value per dimension, cleaned. Call it once per accepted impression: it counts the ignored keys. */
  read(record: RawRecord): readonly string[] {
    const cohorts = isFields(record.cohorts) ? record.cohorts : undefined;
    if (cohorts !== undefined) this.#countIgnored(cohorts);
    const origins = this.#origins;
    const values: string[] = [];
    for (let d = 0; d < origins.length; d++) {
      const origin = origins[d];
      let value = origin.from === 'cohorts' ? undefined : fieldOf(record, origin);
      if (value === undefined && cohorts !== undefined) value = ownValue(cohorts, origin.name);
      values.push(this.#label(value));
    }
    return values;
  }

  #label(value: unknown): string {
    if (value === undefined) return ABSENT_DIMENSION;
    if (typeof value === 'string') return this.#cleaned(value);
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    return typeof value === 'number' && Number.isFinite(value) ? cleanDimension(String(value)) : INVALID_DIMENSION;
  }

  #cleaned(value: string): string {
    if (value.length > 2 * MAX_VALUE) return INVALID_DIMENSION;
    const known = this.#clean.get(value);
    if (known !== undefined) return known;
    const cleaned = cleanDimension(value);
    if (this.#clean.size >= CACHE_SIZE) this.#clean.clear();
    this.#clean.set(value, cleaned);
    return cleaned;
  }

  #countIgnored(cohorts: Fields): void {
    for (const name in cohorts) if (!this.#isName(name)) this.ignoredKeys++;
  }

  #isName(name: string): boolean {
    if (name.length > MAX_NAME) return false;
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const valid = isDimensionName(name);
    if (this.#names.size >= CACHE_SIZE) this.#names.clear();
    this.#names.set(name, valid);
    return valid;
  }
}

function originOf(name: string): Origin {
  if (name === 'surface' || name === 'variant' || name === 'model') return { name, from: name, experiment: '' };
  if (!name.startsWith(EXPERIMENT_PREFIX)) return { name, from: 'cohorts', experiment: '' };
  const experiment = name.slice(EXPERIMENT_PREFIX.length);
  return { name, from: experiment === 'default' ? 'variant' : 'experiment', experiment };
}

function fieldOf(record: RawRecord, origin: Origin): unknown {
  switch (origin.from) {
    case 'surface':
      return record.surface ?? undefined;
    case 'variant':
      return record.variant ?? variantOf(record, 'default');
    case 'experiment':
      return variantOf(record, origin.experiment);
    case 'model':
      return modelOf(record);
    case 'cohorts':
      return undefined;
    default:
      return assertNever(origin.from);
  }
}

function variantOf(record: RawRecord, experiment: string): unknown {
  return isFields(record.experiments) ? ownValue(record.experiments, experiment) : undefined;
}

function modelOf({ model }: RawRecord): unknown {
  if (!isModel(model)) return undefined;
  const version = model.version ?? undefined;
  return version === undefined ? model.name : `${model.name}:${version}`;
}
