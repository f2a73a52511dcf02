import { Random } from '../../src/simulate/random.ts';
import { Traffic } from '../../src/simulate/traffic.ts';
import { type ProofParameters, simulation } from './parameters.ts';

export interface Sent {
  /** Index among TOPICS. */
  readonly topic: number;
  readonly key: string;
  readonly value: string | null;
  readonly timestamp: number;
}

const FUTURE_SKEW_MS = 300_000;
/** The record timestamp is ahead of the clock by so much more than is allowed: a replay some seconds later would let it pass. */
const BARELY_AHEAD_MS = 3000;

/** Longer than any horizon and what may come late; the traffic ended longer ago. */
const CLOSING_MS = 2_400_000;
/** Between them: records of one batch are closer. */
const CLOSING_STEP_MS = 40_000;

/** The simulated traffic on three topics, and beside it what the simulation does not plant: every reason of a drop occurs. */
export class Feed {
  readonly #traffic: Traffic;
  readonly #random: Random;
  #sent = 0;
  #newest = 0;

  constructor(parameters: ProofParameters, now: number) {
    this.#traffic = new Traffic(simulation(parameters, now));
    this.#random = new Random(parameters.seed, 'proof');
  }

  /** Records handed out. */
  get sent(): number {
    return this.#sent;
  }

  /** The next records, about so many; empty: all were handed out. */
  take(count: number): Sent[] {
    const records: Sent[] = [];
    while (records.length < count) {
      const next = this.#traffic.poll();
      if (next === undefined) break;
      this.#newest = next.at;
      const record = { topic: topicOf(next.topic, next.value), key: next.key, value: next.value, timestamp: next.at };
      records.push(
        this.#chance(0.0005) ? { ...record, timestamp: Date.now() + FUTURE_SKEW_MS + BARELY_AHEAD_MS } : record,
      );
      if (this.#chance(0.0005)) records.push({ ...record, value: null });
      if (this.#chance(0.002)) records.push(...this.#ofBots(record));
      if (record.topic === 1) records.push(...this.#beside(record));
      if (record.topic === 2 && this.#chance(0.02)) records.push({ ...record, value: record.value.slice(0, -1) });
    }
    this.#sent += records.length;
    return records;
  }

  /** The same event of a bot, which is left out. */
  #ofBots(record: Sent & { readonly value: string }): Sent[] {
    const name = `${record.key} bot ${this.#sent}`;
    const value = withChanges(record.value, {
      bot: true,
      ...(record.topic === 0 ? { requestId: name } : { eventId: name }),
    });
    return value === undefined ? [] : [{ ...record, value }];
  }

  /** Wrong clicks beside a right one: on an item that was not shown, from the future, and more than are allowed. */
  #beside(record: Sent & { readonly value: string }): Sent[] {
    const changed = (name: string, changes: object): Sent[] => {
      const value = withChanges(record.value, { eventId: `${record.key} ${name} ${this.#sent}`, ...changes });
      return value === undefined ? [] : [{ ...record, value }];
    };
    return [
      ...(this.#chance(0.002) ? changed('elsewhere', { itemId: 'nowhere' }) : []),
      ...(this.#chance(0.002) ? changed('future', { ts: record.timestamp + 2 * FUTURE_SKEW_MS }) : []),
      ...(this.#chance(0.002) ? [1, 2, 3].flatMap((n) => changed(`again ${n}`, {})) : []),
    ];
  }

  /** Lists and clicks from the middle of the traffic, to be sent when silence has let time pass: all of them are late. */
  stragglers(count: number): Sent[] {
    const at = this.#newest;
    const records = Array.from({ length: count }, (_, n) => {
      const key = `straggler ${n}`;
      const list = { requestId: key, ts: at, userId: 'u', variant: 'control', items: ['a', 'b'] };
      const click = { requestId: key, itemId: 'a', ts: at + 1, action: 'click', eventId: key };
      return [
        { topic: 0, key, value: JSON.stringify(list), timestamp: at + 50 },
        { topic: 1, key, value: JSON.stringify(click), timestamp: at + 51 },
        { topic: 2, key, value: JSON.stringify({ ...click, action: 'purchase' }), timestamp: at + 52 },
      ];
    }).flat();
    this.#sent += records.length;
    return records;
  }

  /**
   * Lists and feedback on them, of each topic, so long after all other traffic that whatever was open closes: for a partition that must
   * not wait for silence. There are as many as it takes to confirm that time has gone on (specification: join 2.3).
   */
  closing(partition: number): { readonly records: readonly Sent[]; readonly at: number } {
    const last = this.#newest + CLOSING_MS;
    const records = [3, 2, 1, 0].flatMap((n) => {
      const at = last - n * CLOSING_STEP_MS;
      const key = n === 0 ? `closing ${partition}` : `closing ${partition} in ${n}`;
      const list = { requestId: key, ts: at, userId: 'u', variant: 'control', items: ['a', 'b'] };
      const click = { requestId: key, itemId: 'a', ts: at, action: 'click', eventId: key };
      return [list, click, { ...click, action: 'purchase', eventId: `${key} too` }].map((event, topic) => ({
        topic,
        key,
        value: JSON.stringify(event),
        timestamp: at,
      }));
    });
    return { records, at: last };
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}

function topicOf(side: 'impressions' | 'feedback', value: string): number {
  if (side === 'impressions') return 0;
  return /"action":"(?:add_to_cart|purchase|rating)"/.test(value) ? 2 : 1;
}

function withChanges(value: string, changes: object): string | undefined {
  try {
    const event: unknown = JSON.parse(value);
    if (typeof event !== 'object' || event === null || Array.isArray(event)) return undefined;
    return JSON.stringify({ ...event, ...changes });
  } catch {
    return undefined;
  }
}
