import type { Measure } from './definition.ts';
import { meanOf } from './value.ts';

/** Whether the mean is over users or sessions. */
export function isClustered({ params }: Measure): boolean {
  const per = params.get('per');
  return per === 'user' || per === 'session';
}

/**
 * `per=user` and `per=session`: the mean over users of each user's own mean, so that busy users do not weigh more. A user
 * keeps n, n+ and S; `empty` applies to each user's mean, and a user without one (no list with positives under `empty=skip`)
 * is left out. Every user is known, so the standard error is sd / sqrt(users).
 *
 * Example: lists 11 and 00100000 of user u, 0000000000 of user v: `recall(per=user)@2` is ((1 + 0)/2 + 0)/2 = 0.25.
 */
export class Clusters {
  readonly #places = new Map<string, number>();
  /** Sums by place. */
  readonly #n: number[] = [];
  readonly #positive: number[] = [];
  readonly #sum: number[] = [];

  /** Adds one list of a cluster. */
  add(cluster: string, hasPositive: boolean, value: number): void {
    const place = this.#placeOf(cluster);
    this.#n[place]++;
    if (hasPositive) this.#positive[place]++;
    this.#sum[place] += value;
  }

  /** Adds the clusters of another; a cluster may occur in both. */
  merge(other: Clusters): void {
    for (const [cluster, theirs] of other.#places) {
      const place = this.#placeOf(cluster);
      this.#n[place] += other.#n[theirs];
      this.#positive[place] += other.#positive[theirs];
      this.#sum[place] += other.#sum[theirs];
    }
  }

  /**
   * The clusters' own means, ascending, so that the order of adding does not matter.
   * @param unit the number as which a value of 1 was added
   */
  means(measure: Measure, unit = 1): Float64Array {
    const means: number[] = [];
    for (let place = 0; place < this.#n.length; place++) {
      const mean = meanOf(measure, this.#n[place], this.#positive[place], this.#sum[place] / unit);
      if (mean !== undefined) means.push(mean);
    }
    return Float64Array.from(means).sort();
  }

  #placeOf(cluster: string): number {
    const known = this.#places.get(cluster);
    if (known !== undefined) return known;
    const place = this.#n.length;
    this.#places.set(cluster, place);
    this.#n.push(0);
    this.#positive.push(0);
    this.#sum.push(0);
    return place;
  }
}
