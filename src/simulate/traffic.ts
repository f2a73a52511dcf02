import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { Scheduled, TrafficRecord } from './delivery.ts';
import { type Plan, Tally } from './expectation.ts';
import { Random } from './random.ts';
import { inviteVisitors, makeShopItems } from './shop-items.ts';
import { LAST_PAGE, Requests, type Shop } from './shop-requests.ts';
import { NO_FAULTS, type SimulationSettings, settingsProblems } from './simulation-settings.ts';

const PILOT_REQUESTS = 2000;

/**
 * The traffic of a simulated shop on both topics, merged in order of arrival. It is lazy: requests are made as records are taken,
 * and only records on their way are kept. The same settings give the same records.
 *
 * Measured on one core with the usual settings, scores included: 120,000 to 200,000 records per second.
 */
export class Traffic implements Iterable<TrafficRecord> {
  readonly #settings: SimulationSettings;
  readonly #requests: Requests;
  readonly #schedule: Schedule<Scheduled>;
  readonly #tally: Tally;
  readonly #arrivals: Random;
  /** Mean time between two requests, in ms. */
  readonly #gap: number;
  /** Time of the next request, in ms with a fraction. */
  #clock: number;
  #made = 0;
  #held: Scheduled | undefined;

  /** @throws Error when the settings have problems */
  constructor(settings: SimulationSettings) {
    const problems = settingsProblems(settings);
    if (problems.length > 0) throw new Error(`cannot simulate: ${problems.join('; ')}`);
    const shop: Shop = {
      shopItems: makeShopItems(settings.seed, settings.items),
      visitors: inviteVisitors(settings.seed, settings.users, settings.variants),
    };
    this.#settings = settings;
    this.#schedule = new Schedule(Math.max(1000, Math.ceil(1000 / settings.rate)));
    this.#requests = new Requests(shop, settings, '', (record) => {
      if (this.#made >= settings.events) return;
      this.#made++;
      this.#schedule.add(record);
    });
    this.#tally = new Tally(settings);
    this.#arrivals = new Random(settings.seed, 'arrivals');
    this.#gap = (1000 * recordsPerRequest(shop, settings)) / settings.rate;
    this.#clock = settings.start;
  }

  /** The faults in the records that were taken so far. */
  get plan(): Plan {
    return this.#tally.plan;
  }

  /** The next record, if it arrives before `before`; undefined: none does, or the traffic has ended. */
  poll(before: EpochMs = Number.POSITIVE_INFINITY): TrafficRecord | undefined {
    this.#held ??= this.#take(before);
    const record = this.#held;
    if (record === undefined || record.at >= before) return undefined;
    this.#held = undefined;
    this.#tally.count(record);
    return record;
  }

  *[Symbol.iterator](): Generator<TrafficRecord, void, void> {
    for (let record = this.poll(); record !== undefined; record = this.poll()) yield record;
  }

  #take(before: EpochMs): Scheduled | undefined {
    for (;;) {
      const ended = this.#made >= this.#settings.events;
      const record = this.#schedule.take(ended ? Number.POSITIVE_INFINITY : this.#clock);
      if (record !== undefined || ended) return record;
      // No record of a later request arrives before that request.
      if (this.#schedule.isEmpty && this.#clock >= before) return undefined;
      this.#requests.request(Math.floor(this.#clock));
      this.#clock += this.#arrivals.exponential(this.#gap);
    }
  }
}

/**
 * Time that traffic without faults takes from its start to its last arrival, in ms, such that only one of 10,000 takes longer.
 * The variance of the number of records in a time is below 4 times its mean.
 */
export function longestSpan(of: Pick<SimulationSettings, 'events' | 'rate' | 'window'>): DurationMs {
  return (1000 / of.rate) * (of.events + 4 * Math.sqrt(4 * of.events)) + LAST_PAGE + of.window;
}

/** Mean number of records of a request without faults, from a pilot with its own random streams. */
function recordsPerRequest(shop: Shop, settings: SimulationSettings): number {
  let records = 0;
  const pilot = new Requests(shop, { ...settings, regression: undefined, faults: NO_FAULTS }, 'pilot ', () => {
    records++;
  });
  for (let n = 0; n < PILOT_REQUESTS; n++) pilot.request(settings.start);
  return records / PILOT_REQUESTS;
}

/**
 * Records on their way, taken in order of arrival (ties: in the order of addition). They are in buckets of equal time; a bucket
 * is sorted once, when it is due. There are about rate times mean delay of them.
 */
export class Schedule<T extends { readonly at: EpochMs }> {
  readonly #width: DurationMs;
  readonly #buckets = new Map<number, T[]>();
  #due: readonly T[] = [];
  #taken = 0;
  /** Number of the first bucket that is not due yet. */
  #next = Number.NEGATIVE_INFINITY;
  #waiting = 0;

  constructor(width: DurationMs) {
    this.#width = width;
  }

  add(record: T): void {
    const number = Math.floor(record.at / this.#width);
    if (number < this.#next) throw new Error(`a record of ${record.at} came after its time was taken`);
    const bucket = this.#buckets.get(number);
    if (bucket === undefined) this.#buckets.set(number, [record]);
    else bucket.push(record);
    this.#waiting++;
  }

  get isEmpty(): boolean {
    return this.#waiting === 0 && this.#taken >= this.#due.length;
  }

  /** The next record if nothing below `sealed` will be added any more; undefined: none is certain to be next. */
  take(sealed: EpochMs): T | undefined {
    if (this.#taken < this.#due.length) return this.#due[this.#taken++];
    const end = Math.floor(sealed / this.#width);
    if (this.#waiting === 0) {
      if (end !== Number.POSITIVE_INFINITY) this.#next = end;
      return undefined;
    }
    if (this.#next === Number.NEGATIVE_INFINITY) this.#next = Math.min(end, ...this.#buckets.keys());
    while (this.#next < end) {
      const bucket = this.#buckets.get(this.#next++);
      if (bucket === undefined) continue;
      this.#buckets.delete(this.#next - 1);
      this.#waiting -= bucket.length;
      this.#due = bucket.sort((a, b) => a.at - b.at);
      this.#taken = 1;
      return this.#due[0];
    }
    return undefined;
  }
}
