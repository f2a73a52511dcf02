import type { DurationMs, EpochMs, Side } from '../vocabulary/events.ts';
import { MARKS, type Marked } from './expectation.ts';
import { Random } from './random.ts';
import { attractionAt, type ShopItems } from './shop-items.ts';
import { type Fault, OUT_OF_ORDERNESS, type SimulationSettings, type VariantSettings } from './simulation-settings.ts';

/** One record of a topic, as a producer would write it. */
export interface TrafficRecord {
  readonly topic: Side;
  /** Arrival: the record's timestamp. */
  readonly at: EpochMs;
  /** The request id, on both topics. */
  readonly key: string;
  /** A canonical event as JSON, perhaps damaged by a fault. */
  readonly value: string;
}

export interface Scheduled extends TrafficRecord, Marked {}

/** Time from an event to its arrival if nothing delays it. */
const LATENCY: DurationMs = 50;
const JITTER: DurationMs = 5_000;
const REPEAT: DurationMs = 60_000;
const AHEAD: DurationMs = 240_000;

/**
 * Delivers events to their topics, with faults. An event is at most one of late, duplicate and orphan, so that the pipeline's
 * reason for a drop is known. Each fault draws one number per event from its own stream.
 */
export class Delivery {
  readonly #rates: SimulationSettings['faults'];
  readonly #streams: Readonly<Record<Fault, Random>>;
  readonly #send: (record: Scheduled) => void;
  readonly #window: DurationMs;
  readonly #lateBy: DurationMs;
  /** Late records arrive before these times, so that the watermark passes them while records still arrive. */
  readonly #lateBefore: Readonly<Record<Side, EpochMs>>;

  constructor(settings: SimulationSettings, streams: string, send: (record: Scheduled) => void) {
    const stream = (fault: Fault): Random => new Random(settings.seed, `${streams}${fault}`);
    this.#rates = settings.faults;
    this.#streams = {
      late: stream('late'),
      duplicate: stream('duplicate'),
      orphan: stream('orphan'),
      malformed: stream('malformed'),
      outOfOrder: stream('outOfOrder'),
      clockAhead: stream('clockAhead'),
    };
    this.#send = send;
    this.#window = settings.window;
    this.#lateBy = settings.window + OUT_OF_ORDERNESS + Math.max(60_000, Math.ceil(40_000 / settings.rate));
    const span = (1000 * settings.events) / settings.rate;
    this.#lateBefore = { impressions: settings.start + 0.9 * span, feedback: settings.start + span };
  }

  /** Whether the impressions of the next request are lost. */
  losesRequest(): boolean {
    return this.#strike('orphan') >= 0;
  }

  /**
   * @param lost whether the record never arrives
   *
   * @param mayBeLate false: it must not be late
   *
   * @returns whether the impression arrives in time
   */
  impression(ts: EpochMs, key: string, value: string, lost: boolean, mayBeLate: boolean): boolean {
    const deadline = ts + this.#window;
    return this.#bring({ topic: 'impressions', ts, eventTs: ts, deadline, key, value, lost, orphan: false, mayBeLate });
  }

  /**
   * @param shownAt event time of the impression
   *
   * @param orphan whether its impression does not arrive, or not in time
   *
   * @param encode returns the record's value for an event time, which a device clock may have put ahead
   */
  feedback(ts: EpochMs, shownAt: EpochMs, key: string, orphan: boolean, encode: (ts: EpochMs) => string): void {
    const deadline = shownAt + this.#window;
    const ahead = this.#strike('clockAhead');
    const stamped = ahead < 0 || orphan ? ts : ts + 1 + Math.floor(ahead * AHEAD);
    const eventTs = stamped < deadline ? stamped : ts;
    const value = encode(eventTs);
    this.#bring({ topic: 'feedback', ts, eventTs, deadline, key, value, lost: false, orphan, mayBeLate: !orphan });
  }

  #bring(event: {
    readonly topic: Side;
    /** The true time. */
    readonly ts: EpochMs;
    /** The time in the event. */
    readonly eventTs: EpochMs;
    readonly deadline: EpochMs;
    readonly key: string;
    readonly value: string;
    readonly lost: boolean;
    readonly orphan: boolean;
    readonly mayBeLate: boolean;
  }): boolean {
    const jitter = this.#strike('outOfOrder');
    const late = this.#strike('late');
    const repeat = this.#strike('duplicate');
    const damage = this.#strike('malformed');
    if (event.lost) return false;
    const { topic, key, value, deadline, eventTs } = event;
    let marks = (event.orphan ? MARKS.orphan : 0) | (eventTs > event.ts ? MARKS.clockAhead : 0);
    let at = event.ts + LATENCY;
    const lateAt = at + this.#lateBy + Math.floor((late * this.#window) / 2);
    const isLate = late >= 0 && event.mayBeLate && marks === 0 && lateAt < this.#lateBefore[topic];
    if (isLate) {
      marks = MARKS.late;
      at = lateAt;
    } else if (jitter >= 0) {
      marks |= MARKS.outOfOrder;
      at += 1 + Math.floor(jitter * JITTER);
    }
    this.#send({ topic, at, key, value, ts: eventTs, deadline, marks });
    if (repeat >= 0 && !isLate && !event.orphan) {
      const again = at + Math.floor(repeat * Math.max(0, Math.min(REPEAT, deadline - at)));
      this.#send({ topic, at: again, key, value, ts: eventTs, deadline, marks: MARKS.duplicate });
    }
    if (damage >= 0) {
      this.#send({ topic, at, key, value: spoil(value, damage), ts: eventTs, deadline, marks: MARKS.malformed });
    }
    return !isLate;
  }

  /** Draws whether the fault occurs. Below 0: no; otherwise uniform in [0, 1), to choose how. */
  #strike(fault: Fault): number {
    const chance = this.#streams[fault].next();
    const rate = this.#rates[fault];
    return chance < rate ? chance / rate : -1;
  }
}

/** Writes canonical events as JSON (specification: events 1), by concatenating precomputed parts. */
export class Encoder {
  readonly #ids: readonly string[];
  readonly #slots: readonly string[];
  readonly #variants: readonly string[];
  readonly #plainItems: boolean;

  constructor(shopItems: ShopItems, variants: readonly VariantSettings[], plainItems: boolean) {
    this.#ids = shopItems.ids.map((id) => JSON.stringify(id));
    this.#slots = plainItems ? this.#ids : this.#ids.map((id) => `{"id":${id},"score":`);
    this.#variants = variants.map(({ name }) => JSON.stringify(name));
    this.#plainItems = plainItems;
  }

  impression(list: {
    readonly requestId: string;
    readonly ts: EpochMs;
    readonly user: number;
    readonly surface: string;
    readonly variant: number;
    readonly cohorts: string;
    readonly pageOffset: number;
    /** Items and scores of the whole ranking; the page has the ranks [pageOffset, end). */
    readonly items: Int32Array;
    readonly scores: Float64Array;
    readonly end: number;
    /** The ranker's quality: the correlation of its scores with the utility. */
    readonly quality: number;
  }): string {
    let text = `{"requestId":"${list.requestId}","ts":${list.ts},"userId":"u${list.user + 1}","surface":"${list.surface}","variant":${this.#variants[list.variant]},"cohorts":${list.cohorts}`;
    text += list.pageOffset > 0 ? `,"offset":${list.pageOffset},"items":[` : ',"items":[';
    for (let place = list.pageOffset; place < list.end; place++) {
      if (place > list.pageOffset) text += ',';
      text += this.#slots[list.items[place]];
      if (!this.#plainItems) text += SCORES[Math.round(1e4 * attractionAt(list.quality * list.scores[place]))];
    }
    return `${text}]}`;
  }

  /** @param value NaN: the event has none */
  feedback(requestId: string, eventId: string, item: number, ts: EpochMs, action: string, value: number): string {
    const tail = Number.isNaN(value) ? '}' : `,"value":${value}}`;
    return `{"requestId":"${requestId}","itemId":${this.#ids[item]},"ts":${ts},"action":"${action}","eventId":"${eventId}"${tail}`;
  }
}

/** The end of a slot's JSON, by its score in units of 1e-4. */
const SCORES: readonly string[] = Array.from({ length: 10_001 }, (_, n) => `${n / 1e4}}`);

/** Eight hexadecimal digits of a 32-bit number. */
export function hex(value: number): string {
  return (value + 0x1_0000_0000).toString(16).slice(1);
}

/** The ways in which a record can be malformed; none of them decodes. */
export const DAMAGES = ['cut', 'wrong_time', 'wrong_id', 'no_time', 'no_id', 'not_an_object'] as const;

/** A malformed copy of a record. @param choice uniform in [0, 1): which damage, and where a text is cut */
export function spoil(value: string, choice: number): string {
  const kind = Math.floor(choice * DAMAGES.length);
  const damage = DAMAGES[kind];
  if (damage === 'cut') {
    const where = choice * DAMAGES.length - kind;
    return value.slice(0, 1 + Math.floor(where * (value.length - 2)));
  }
  const event: Record<string, unknown> = JSON.parse(value);
  const { requestId, ts, ...rest } = event;
  if (damage === 'wrong_time') return JSON.stringify({ ...event, ts: 'yesterday' });
  if (damage === 'wrong_id') return JSON.stringify({ ...event, requestId: [requestId] });
  if (damage === 'no_time') return JSON.stringify({ requestId, ...rest });
  if (damage === 'no_id') return JSON.stringify({ ts, ...rest });
  return JSON.stringify([event]);
}
