import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import { OTHER_COHORT } from '../vocabulary/events.ts';
import type { Unmapped, UnmetCondition } from '../vocabulary/unmapped.ts';
import { type Exposition, labelText } from './exposition.ts';
import { LifetimeLedger } from './ledgers.ts';

/** Number of series of a topic: somewhat more than one unit names, since units may name different ones. The first is for all the others. */
const PLACES = 32;

/**
 * Records for which there is no map, by topic, field and value. A value is always counted under the same name, so no series ever
 * decreases.
 */
export class UnmappedSeries {
  readonly #topics: readonly string[];
  readonly #ledger: LifetimeLedger;
  /** Names by topic. */
  readonly #names: readonly UnmetCondition[][];

  constructor(topics: readonly string[]) {
    this.#topics = topics;
    this.#ledger = new LifetimeLedger(PLACES * topics.length);
    this.#names = topics.map(() => [{ field: OTHER_COHORT, value: OTHER_COHORT }]);
  }

  claimed(partition: number, counts: readonly TopicCounts[]): void {
    this.#ledger.claimed(partition, this.#numbers(counts));
  }

  update(units: readonly { readonly partition: number; readonly counts: readonly TopicCounts[] }[]): void {
    this.#ledger.update(new Map(units.map(({ partition, counts }) => [partition, this.#numbers(counts)])));
  }

  /** The records of a topic, given by its index, as far as this process has counted them. */
  of(topic: number): Unmapped {
    return this.#names[topic].flatMap((name, place) => {
      const records = this.#ledger.sums[PLACES * topic + place];
      return records === 0 ? [] : [{ ...name, records }];
    });
  }

  write(page: Exposition): void {
    for (const [t, topic] of this.#topics.entries()) {
      for (const [place, { field, value }] of this.#names[t].entries()) {
        page.series('receval_unmapped_total')(
          labelText({ topic, field, value }),
          this.#ledger.sums[PLACES * t + place],
        );
      }
    }
  }

  #numbers(counts: readonly TopicCounts[]): readonly number[] {
    const numbers = new Array<number>(PLACES * this.#topics.length).fill(0);
    for (const [topic, { unmapped = [] }] of counts.entries()) {
      for (const one of unmapped) numbers[PLACES * topic + this.#placeOf(topic, one)] += one.records;
    }
    return numbers;
  }

  #placeOf(topic: number, { field, value }: UnmetCondition): number {
    const names = this.#names[topic];
    const known = names.findIndex((name) => name.field === field && name.value === value);
    if (known >= 0) return known;
    return names.length < PLACES ? names.push({ field, value }) - 1 : 0;
  }
}
