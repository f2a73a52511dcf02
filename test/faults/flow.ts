import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../proof/broker.ts';
import type { Feed, Sent } from '../proof/feed.ts';

const TICK_MS = 100;
/** What waits for less is sent together: a request for each partition costs more than its records. */
const LINGER_MS = 300;
const LARGEST_BATCH = 1000;

/** The moment from which fresh records count: by partition the offset by topic of the first that was sent after it. */
export interface Mark {
  readonly at: number;
  readonly first: (ReadonlyMap<number, number> | undefined)[];
}

/**
 * Sends the feed at a pace, every partition by itself and in order, whatever happens to the brokers: what cannot be sent
 * waits and is tried again. A record may so come to be in the log twice; what is right is what the log holds.
 */
export class Flow {
  readonly #broker: Broker;
  readonly #feed: Feed;
  readonly #pace: number;
  readonly #queues: Sent[][];
  #mark: Mark | undefined;
  #stopping = false;
  #isOver = false;
  #running: readonly Promise<void>[] = [];
  failures = 0;

  constructor(
    broker: Broker,
    feed: Feed,
    { partitions, pace }: { readonly partitions: number; readonly pace: number },
  ) {
    this.#broker = broker;
    this.#feed = feed;
    this.#pace = pace;
    this.#queues = Array.from({ length: partitions }, () => []);
  }

  get sent(): number {
    return this.#feed.sent - this.waiting;
  }

  /** Whether all that there is was sent, or waits to be. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get waiting(): number {
    return this.#queues.reduce((sum, queue) => sum + queue.length, 0);
  }

  start(): void {
    this.#running = [this.#fill(), ...this.#queues.map((_, partition) => this.#drain(partition))];
  }

  /** Sends what waits, and nothing more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  /** Sends nothing more, whatever waits. */
  abandon(): void {
    this.#stopping = true;
    for (const queue of this.#queues) queue.length = 0;
  }

  /** From now on records are fresh. There is one mark at a time. */
  mark(): Mark {
    this.#mark = { at: performance.now(), first: this.#queues.map(() => undefined) };
    return this.#mark;
  }

  async #fill(): Promise<void> {
    for (let due = performance.now(), owed = 0; !this.#stopping; await sleep(TICK_MS)) {
      const now = performance.now();
      owed += ((now - due) * this.#pace) / 1000;
      due = now;
      const records = this.#feed.take(Math.floor(owed));
      if (owed >= 1 && records.length === 0) this.#isOver = true;
      owed -= Math.floor(owed);
      for (const record of records) this.#queues[partitionOf(record.key, this.#queues.length)].push(record);
    }
  }

  async #drain(partition: number): Promise<void> {
    const queue = this.#queues[partition];
    while (!this.#stopping || queue.length > 0) {
      const began = performance.now();
      const batch = queue.slice(0, LARGEST_BATCH);
      if (batch.length > 0) {
        try {
          const offsets = await this.#broker.sendTo(partition, batch);
          queue.splice(0, batch.length);
          const mark = this.#mark;
          if (mark !== undefined && began >= mark.at) mark.first[partition] ??= offsets;
        } catch {
          this.failures++;
        }
      }
      await sleep(Math.max(0, LINGER_MS - (performance.now() - began)));
    }
  }
}

/** FNV-1a: any hash does, as long as what belongs together goes to one partition. */
function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % partitions;
}
