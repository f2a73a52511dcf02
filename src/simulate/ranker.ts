import type { Catalogue } from './catalogue.ts';
import type { Random } from './random.ts';
import { CANDIDATES } from './settings.ts';

/**
 * Draws candidates by popularity and orders them by `quality * utility + sqrt(1 - quality^2) * noise`, both standard:
 * the scores correlate with the utility by `quality`. It draws the same numbers whatever the quality is.
 */
export class Ranker {
  /** Items of the last ranking, best score first. Valid up to `length`; used again by the next one. */
  readonly items: Int32Array;
  readonly scores: Float64Array;
  readonly length: number;
  readonly #catalogue: Catalogue;
  readonly #random: Random;
  /** Number of the ranking that last drew the item. */
  readonly #drawn: Int32Array;
  #ranking = 0;

  constructor(catalogue: Catalogue, random: Random) {
    this.#catalogue = catalogue;
    this.#random = random;
    this.length = Math.min(CANDIDATES, catalogue.size);
    this.items = new Int32Array(this.length);
    this.scores = new Float64Array(this.length);
    this.#drawn = new Int32Array(catalogue.size);
  }

  /** @param quality 0..1 */
  rank(segment: number, quality: number): void {
    const { items, scores, length } = this;
    const { size, utility } = this.#catalogue;
    const noise = Math.sqrt(1 - quality * quality);
    this.#ranking = (this.#ranking + 1) | 0;
    for (let n = 0; n < length; n++) {
      const item = this.#draw();
      const score = quality * utility[segment * size + item] + noise * this.#random.normal();
      let place = n;
      for (; place > 0 && scores[place - 1] < score; place--) {
        scores[place] = scores[place - 1];
        items[place] = items[place - 1];
      }
      scores[place] = score;
      items[place] = item;
    }
  }

  /** An item that this ranking does not have yet: one by popularity, else the next one after it. */
  #draw(): number {
    let item = this.#catalogue.popularity.pick(this.#random);
    while (this.#drawn[item] === this.#ranking) item = item + 1 === this.#catalogue.size ? 0 : item + 1;
    this.#drawn[item] = this.#ranking;
    return item;
  }
}
