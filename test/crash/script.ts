import { randomStream } from '../../bench/workload.ts';

/** What happens to the world of the workers, by the clock; the same in every run. */
export interface Step {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly append: readonly Appended[];
  readonly does?:
    | 'store goes away'
    | 'store answers nothing'
    | 'store is well'
    | 'other claims'
    | 'backup'
    | 'roll back';
}

export interface Appended {
  readonly topic: 0 | 1;
  readonly partition: number;
  readonly value: Buffer | null;
  readonly timestamp: number;
}

export const START = 1_760_000_040_000;
export const PARTITIONS = 2;
export const HORIZONS = [
  { text: '3s', ms: 3_000 },
  { text: '10s', ms: 10_000 },
];
export const DIMENSIONS = ['country', 'variant'];
export const FUTURE_SKEW_MS = 60_000;
export const FEEDBACK_LIMIT = 2;

const STEP_MS = 500;
const COUNTRIES = ['BR', 'DE', 'FR', 'JP', 'US'];
const USERS = 7;
const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Traffic, then so long a silence that all of it closes by the clock however often a worker dies meanwhile, then more. */
const FIRST_TRAFFIC = { from: 500, to: 10_000 };
const SECOND_TRAFFIC = { from: 68_000, to: 90_000 };
export const SCRIPT_MS = 91_000;

/** Of the first traffic, read by a process that has just come: it must know how much time silence let pass. */
const STRAGGLERS = { at: 65_000 };

/** Of the future for whoever reads them first, even after two kills on the way; of the past for a replay at the end. */
const FUTURE = { at: 71_000, passes: 89_000 };

/** The second outage comes when the last rows of the first traffic close: nothing later would write them again. */
const DOES: Readonly<Record<number, Step['does']>> = {
  0: 'store goes away',
  1000: 'store is well',
  4000: 'store goes away',
  6000: 'store answers nothing',
  7500: 'store is well',
  36000: 'store goes away',
  39500: 'store is well',
  62500: 'other claims',
  74000: 'other claims',
  79500: 'backup',
  83000: 'roll back',
};

export function script(): readonly Step[] {
  const traffic = new Traffic();
  return Array.from({ length: SCRIPT_MS / STEP_MS }, (_, n): Step => {
    const at = n * STEP_MS;
    const does = DOES[at];
    return { at, append: traffic.at(at), ...(does === undefined ? {} : { does }) };
  });
}

/** Impressions and feedback at the edge of every rule. */
class Traffic {
  readonly #random = randomStream(7);
  /** Records that come later than they were made, by the time when they come. */
  readonly #delayed: { readonly at: number; readonly record: Appended }[] = [];
  #requests = 0;

  at(at: number): readonly Appended[] {
    const records: Appended[] = [];
    if (at === STRAGGLERS.at) records.push(...this.#stragglers(at));
    if (at === FUTURE.at) records.push(...this.#future());
    const flows = [FIRST_TRAFFIC, SECOND_TRAFFIC].some(({ from, to }) => at >= from && at < to);
    if (flows)
      for (let partition = 0; partition < PARTITIONS; partition++) records.push(...this.#moment(at, partition));
    while (this.#delayed.length > 0 && this.#delayed[0].at <= at) {
      const next = this.#delayed.shift();
      if (next !== undefined) records.push(next.record);
    }
    return records;
  }

  /** One request, its feedback, and a feedback that nothing belongs to: both topics of a partition continue. */
  #moment(at: number, partition: number): readonly Appended[] {
    const records: Appended[] = [];
    const n = this.#requests++;
    const requestId = `r${n}`;
    const ts = at - this.#below(400);
    const shown = this.#impression(partition, requestId, ts);
    // Some lists come after the first feedback on them.
    if (n % 7 === 3) this.#later(at + 1500, shown);
    else records.push(shown);
    if (n % 5 === 1) this.#later(at + 2500, { ...shown, timestamp: START + at + 2500 });
    if (n % 11 === 4) records.push({ ...shown, value: null });
    if (n % 13 === 5) records.push({ ...shown, value: Buffer.from('{"requestId":') });
    if (n % 19 === 7) records.push(ofBot(shown, { requestId: `bot-${n}` }));
    const clicks = this.#below(5);
    for (let k = 0; k < clicks; k++) {
      const lag = k === 0 ? 100 : this.#below(11_000);
      const click = this.#feedback(partition, requestId, ts + lag, `${requestId}-${k % 3}`);
      if (lag <= 100) records.push(click);
      else
        this.#later(
          Math.min(at + lag + this.#below(1500), (at < SECOND_TRAFFIC.from ? FIRST_TRAFFIC : SECOND_TRAFFIC).to),
          click,
        );
    }
    const nobody = this.#feedback(partition, n % 3 === 0 ? `nobody-${n}` : requestId, ts + 200, `extra-${n}`);
    records.push(n % 17 === 6 ? { ...nobody, value: null } : nobody);
    if (n % 13 === 6) records.push({ ...nobody, value: Buffer.from('{"itemId":') });
    if (n % 9 === 4) records.push(ofBot(nobody, { eventId: `bot-${n}` }));
    return records;
  }

  #stragglers(at: number): readonly Appended[] {
    return Array.from({ length: 6 }, (_, n) => {
      const partition = n % PARTITIONS;
      const list = this.#impression(partition, `straggler-${n}`, 6_000 + n);
      const click = this.#feedback(partition, `r${n}`, 7_000 + n, `straggler-${n}`);
      return [list, click].map((record) => ({ ...record, timestamp: START + at }));
    }).flat();
  }

  /** Records of which the broker says that they are of the future, in each topic partition. */
  #future(): readonly Appended[] {
    const timestamp = START + FUTURE.passes + FUTURE_SKEW_MS;
    return Array.from({ length: PARTITIONS }, (_, partition) => [
      this.#impression(partition, `future-${partition}`, FUTURE.at),
      this.#feedback(partition, `future-${partition}`, FUTURE.at + 50, `future-${partition}`),
    ])
      .flat()
      .map((record) => ({ ...record, timestamp }));
  }

  #later(at: number, record: Appended): void {
    this.#delayed.push({ at, record: { ...record, timestamp: Math.max(record.timestamp, START + at) } });
    this.#delayed.sort((a, b) => a.at - b.at);
  }

  #impression(partition: number, requestId: string, at: number): Appended {
    const first = this.#below(3);
    const event = {
      requestId,
      ts: START + at,
      ...(this.#below(8) === 0 ? {} : { userId: `u${at % USERS}` }),
      variant: this.#below(2) === 0 ? 'A' : 'B',
      cohorts: { country: COUNTRIES[this.#below(COUNTRIES.length)] },
      items: ITEMS.slice(first, first + 4),
    };
    return { topic: 0, partition, value: Buffer.from(JSON.stringify(event)), timestamp: START + at };
  }

  #feedback(partition: number, requestId: string, at: number, eventId: string): Appended {
    const action = this.#below(4) === 0 ? 'purchase' : 'click';
    const event = { requestId, itemId: ITEMS[this.#below(ITEMS.length)], ts: START + at, action, eventId };
    return { topic: 1, partition, value: Buffer.from(JSON.stringify(event)), timestamp: START + at };
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

/** The same event, of a bot: it is left out. */
function ofBot(record: Appended, changes: object): Appended {
  const event: unknown = JSON.parse(String(record.value));
  return { ...record, value: Buffer.from(JSON.stringify({ ...Object(event), ...changes, bot: true })) };
}
