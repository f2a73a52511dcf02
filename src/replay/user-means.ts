import { fixed } from '../accumulators/exact.ts';
import { otherValues } from '../accumulators/store/layout.ts';
import type { Settings } from '../config/settings.ts';
import { type Decoded, type Decoder, decoderBy } from '../consumers/decode/decoder.ts';
import { Clusters, isClustered } from '../measures/clusters.ts';
import type { Measure } from '../measures/definition.ts';
import { LEFT_OUT, PER_ONE, SCORE_WIDTH, WITH_POSITIVE } from '../measures/sums.ts';
import { absent, isAbsent, type Result } from '../statistics/absent.ts';
import { meanOfBuckets, PUBLISHED_BUCKETS } from '../statistics/mean.ts';
import type { UnitHooks } from '../unit/unit-contract.ts';
import type { Closing, Event } from '../vocabulary/events.ts';

/** A measure with `per=user` or `per=session` of one cohort. */
export interface UserMean {
  readonly value: number | null;
  readonly stderr: Result<number>;
  /** Number of users, or sessions, that have a mean. */
  readonly n: number;
  /** Number of lists that the measure does not leave out, but that have no such id. */
  readonly withoutId: number;
}

/** Data kept for one measure of one cohort. */
interface Held {
  readonly clusters: Clusters;
  withoutId: number;
}

/**
 * Means over users and sessions, for files: n, n+ and S of every user, by horizon and cohort, in memory. Rows have no room for them. When
 * a list closes only its tag is known, so the numbers of its user and session are appended to the values of its dimensions.
 */
export class UserMeans implements UnitHooks {
  readonly #settings: Settings;
  readonly #places: readonly (readonly number[])[];
  readonly #measures: readonly { readonly m: number; readonly measure: Measure; readonly at: number }[];
  readonly #held = new Map<string, Map<string, Held[]>>();
  readonly #numbers = new Map<string, string>();

  /** undefined if no measure needs it. */
  static of(settings: Settings): UserMeans | undefined {
    const asked = settings.measures.some(isClustered);
    return asked ? new UserMeans(settings) : undefined;
  }

  private constructor(settings: Settings) {
    this.#settings = settings;
    const { cohorts, dimensions, measures } = settings;
    this.#places = cohorts.map((by) => by.map((dimension) => dimensions.indexOf(dimension)));
    this.#measures = measures.flatMap((measure, m) => {
      if (!isClustered(measure)) return [];
      return [{ m, measure, at: dimensions.length + (measure.params.get('per') === 'session' ? 1 : 0) }];
    });
  }

  /** Whether impressions must carry their session id. */
  get needsSessions(): boolean {
    return this.#measures.some(({ measure }) => measure.params.get('per') === 'session');
  }

  /** A decoder whose impressions have the numbers of user and session after their dimensions. */
  numbering(decoder: Decoder): Decoder {
    const decode = (value: Uint8Array | null, source: string, offset: number): Decoded => {
      const decoded = decoder.decode(value, source, offset);
      return 'events' in decoded
        ? { ...decoded, events: decoded.events.map((event) => this.#numbered(event)) }
        : decoded;
    };
    return decoderBy(decoder, decode);
  }

  scored({ horizon }: Pick<Closing, 'horizon'>, scores: Float64Array, values: readonly string[]): void {
    for (const [set, places] of this.#places.entries()) {
      const held = this.#heldBy(groupKey(horizon, set), places.map((place) => values[place]).join(','));
      for (const [i, { m, at }] of this.#measures.entries()) {
        const state = scores[SCORE_WIDTH * m];
        if (state === LEFT_OUT) continue;
        if (values[at] === '') held[i].withoutId++;
        else held[i].clusters.add(values[at], state === WITH_POSITIVE, Number(fixed(scores[SCORE_WIDTH * m + 1])));
      }
    }
  }

  /**
   * The mean of a cohort at a horizon (its index).
   * @param named values of the cohorts of this set that are shown by name; the rest of a set is all others together
   */
  of(
    measure: Measure,
    horizon: number,
    by: readonly string[],
    values: readonly string[],
    named: ReadonlySet<string>,
  ): UserMean {
    const i = this.#measures.findIndex((one) => one.measure.canonical === measure.canonical);
    const set = this.#settings.cohorts.findIndex((known) => known.join() === by.join());
    const own = values.join(',');
    const isRest = by.length > 0 && own === otherValues(by);
    const all = new Clusters();
    let withoutId = 0;
    for (const [cohort, held] of this.#held.get(groupKey(horizon, set)) ?? []) {
      if (isRest ? named.has(cohort) : cohort !== own) continue;
      all.merge(held[i].clusters);
      withoutId += held[i].withoutId;
    }
    const means = all.means(measure, PER_ONE);
    const mean = meanOfBuckets(means, new Float64Array(means.length).fill(1), PUBLISHED_BUCKETS);
    if (isAbsent(mean)) return { value: null, stderr: absent('no_data'), n: 0, withoutId };
    return { value: mean.value, stderr: mean.stderr, n: means.length, withoutId };
  }

  #numbered(event: Event): Event {
    if (event.kind !== 'impression') return event;
    const { userId, sessionId, dimensions } = event;
    return { ...event, dimensions: [...dimensions, this.#number('u', userId), this.#number('s', sessionId)] };
  }

  /** The number of an id, as a short text without the characters that separate dimension values. */
  #number(kind: string, id: string | undefined): string {
    if (id === undefined) return '';
    const key = kind + id;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = String(this.#numbers.size);
      this.#numbers.set(key, number);
    }
    return number;
  }

  #heldBy(group: string, cohort: string): Held[] {
    let cohorts = this.#held.get(group);
    if (cohorts === undefined) {
      cohorts = new Map();
      this.#held.set(group, cohorts);
    }
    let held = cohorts.get(cohort);
    if (held === undefined) {
      held = this.#measures.map(() => ({ clusters: new Clusters(), withoutId: 0 }));
      cohorts.set(cohort, held);
    }
    return held;
  }
}

function groupKey(horizon: number, set: number): string {
  return `${horizon}|${set}`;
}
