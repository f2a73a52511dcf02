import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';

const PAUSE_MS = 500;
const LISTS = 10;

interface Feedback {
  readonly requestId: string;
  readonly ts: number;
  readonly itemId: string;
  readonly action: 'click';
}

/**
 * A shop that continues whatever becomes of Kafka: what was not taken is sent again as of then, so that lists may come twice, but
 * none is missing. It draws nothing: the n-th list has always the same items and clicks.
 */
export class Shop {
  readonly #producer: kafkajs.Producer;
  /** Of each list that was taken when it was sent first and last. */
  readonly #sent: { readonly first: number; readonly last: number }[] = [];
  #due: readonly Feedback[] = [];
  #isOpen = true;
  readonly #closed: Promise<void>;

  constructor(kafka: kafkajs.Kafka) {
    this.#producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    this.#closed = this.#run();
  }

  /** How many lists have an event time before this one: at least, and at most if one was sent more than once around it. */
  before(end: number): { readonly least: number; readonly most: number } {
    return {
      least: this.#sent.filter(({ last }) => last < end).length,
      most: this.#sent.filter(({ first }) => first < end).length,
    };
  }

  /** Resolves when the last batch was taken. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#closed;
    await this.#producer.disconnect();
  }

  async #run(): Promise<void> {
    while (this.#isOpen) {
      const numbers = Array.from({ length: LISTS }, (_, i) => this.#sent.length + i);
      const { first, last } = await this.#send('impressions', (now) => numbers.map((n) => list(n, now)));
      this.#sent.push(...numbers.map(() => ({ first, last })));
      const all = [...this.#due, ...numbers.flatMap((n) => clicks(n, last))];
      const now = Date.now();
      await this.#send('feedback', () => all.filter(({ ts }) => ts <= now));
      this.#due = all.filter(({ ts }) => ts > now);
      await sleep(PAUSE_MS);
    }
  }

  /** Returns the event times of the first and of the last try. */
  async #send(
    topic: string,
    events: (now: number) => readonly { readonly requestId: string; readonly ts: number }[],
  ): Promise<{ readonly first: number; readonly last: number }> {
    const first = Date.now();
    for (;;) {
      const last = Date.now();
      const messages = events(last).map((event) => ({
        key: event.requestId,
        value: JSON.stringify(event),
        timestamp: String(last),
      }));
      try {
        await this.#producer.connect();
        if (messages.length > 0) await this.#producer.send({ topic, messages });
        return { first, last };
      } catch {
        // Whether it was taken or not: it is sent again.
        await this.#producer.disconnect().catch(() => {});
        await sleep(PAUSE_MS);
      }
    }
  }
}

function list(n: number, ts: number) {
  const items = Array.from({ length: 10 }, (_, i) => `i${(n * 7 + i * 13) % 200}`);
  return { requestId: `shop-${n}`, ts, userId: `u${n % 500}`, variant: n % 500 < 250 ? 'control' : 'treatment', items };
}

/** Two of three lists are clicked, at a rank and after a while that follow from their number. */
function clicks(n: number, ts: number): readonly Feedback[] {
  if (n % 3 === 0) return [];
  const itemId = `i${(n * 7 + ((n * n) % 10) * 13) % 200}`;
  return [{ requestId: `shop-${n}`, ts: ts + 1000 + (n % 20) * 1000, itemId, action: 'click' }];
}
