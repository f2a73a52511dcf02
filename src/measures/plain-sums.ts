import { assertNever } from '../vocabulary/events.ts';
import { Clusters } from './clusters.ts';
import type { Measure } from './definition.ts';
import { SUMS, type SumsKind, WITH_POSITIVE } from './sums.ts';
import { classesOf, fractionOf, meanOf, ofMeans, sumsKind } from './value.ts';

/** Sums of one measure over plain lists: doubles that are not rounded. Rows keep whole numbers instead (row.ts). */
export class PlainSums {
  readonly #measure: Measure;
  readonly #kind: SumsKind;
  readonly #clusters = new Clusters();
  readonly #sums: number[];
  #n = 0;
  #positive = 0;

  constructor(measure: Measure) {
    this.#measure = measure;
    this.#kind = sumsKind(measure);
    this.#sums = SUMS[this.#kind].values.map(() => 0);
  }

  /** Adds one list that is not left out. `out`: as `Scorer.score` wrote it, from 0 on. */
  add(out: Float64Array, cluster: string | number | undefined): void {
    const hasPositive = out[0] === WITH_POSITIVE;
    this.#n++;
    if (hasPositive) this.#positive++;
    for (let i = 0; i < this.#sums.length; i++) this.#sums[i] += out[1 + i];
    if (this.#kind === 'apart' && cluster !== undefined) this.#clusters.add(String(cluster), hasPositive, out[1]);
  }

  /** undefined: nothing was counted. */
  value(): number | undefined {
    const measure = this.#measure;
    const [a, b, c, d] = this.#sums;
    switch (this.#kind) {
      case 'mean':
      case 'pairMeans':
        return meanOf(measure, this.#n, this.#positive, a);
      case 'fraction':
      case 'pairs':
        return fractionOf(measure, a, b);
      case 'means':
        return ofMeans(measure, this.#n, this.#positive, a, b);
      case 'classes':
        return classesOf(measure, a, b, c, d);
      case 'apart': {
        const means = this.#clusters.means(measure);
        return means.length === 0 ? undefined : means.reduce((sum, mean) => sum + mean, 0) / means.length;
      }
      default:
        return assertNever(this.#kind);
    }
  }
}
