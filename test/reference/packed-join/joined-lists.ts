import type { Joined } from '../../../src/vocabulary/events.ts';
import type { FeedbackRecords } from './feedback.ts';
import type { ImpressionRecords } from './impressions.ts';

/** Unpacks a list with the feedback that counts at one horizon, always into the same buffers. */
export class JoinedLists {
  readonly list: Joined = {
    length: 0,
    pageOffset: 0,
    ranks: undefined,
    firstSlot: undefined,
    events: 0,
    slot: new Int32Array(64),
    action: new Int32Array(64),
    value: new Float64Array(64),
    ts: new Float64Array(64),
    known: undefined,
    scores: undefined,
    items: undefined,
    categories: undefined,
  };
  readonly #impressions: ImpressionRecords;
  readonly #attributed: FeedbackRecords;
  readonly #feedbackTopics: readonly number[];
  #ranks = new Int32Array(64);
  #firstSlot = new Int32Array(64);
  #scores = new Float64Array(64);
  readonly #namesItems: boolean;
  readonly #items: string[] = [];
  readonly #categories: string[] = [];

  constructor(
    impressions: ImpressionRecords,
    attributed: FeedbackRecords,
    feedbackTopics: readonly number[],
    namesItems: boolean,
  ) {
    this.#namesItems = namesItems;
    this.#impressions = impressions;
    this.#attributed = attributed;
    this.#feedbackTopics = feedbackTopics;
  }

  fill(body: number, horizon: number): void {
    const { list } = this;
    const slots = this.#impressions.slots(body);
    if (slots > this.#ranks.length) {
      this.#ranks = new Int32Array(2 * slots);
      this.#firstSlot = new Int32Array(2 * slots);
      this.#scores = new Float64Array(2 * slots);
    }
    this.#impressions.fill(body, list, this.#ranks, this.#firstSlot, this.#scores);
    if (this.#namesItems) {
      list.items = this.#items;
      list.categories = this.#impressions.readTexts(body, this.#items, this.#categories) ? this.#categories : undefined;
    }
    list.events = 0;
    const first = this.#impressions.firstFeedback(body);
    if (first === 0) return;
    // The chain is in the order of attribution; within a topic that is the order of its log.
    if (this.#feedbackTopics.length === 1) this.#addFeedback(first, -1, horizon);
    else for (const topic of this.#feedbackTopics) this.#addFeedback(first, topic, horizon);
  }

  /** Adds the events of one topic (-1: all) that count at the horizon. */
  #addFeedback(first: number, topic: number, horizon: number): void {
    const { list } = this;
    const attributed = this.#attributed;
    for (let at = first; at !== 0; at = attributed.next(at)) {
      if (topic >= 0 && attributed.topic(at) !== topic) continue;
      if ((attributed.missed(at) & (1 << horizon)) !== 0) continue;
      const n = list.events++;
      if (n === list.slot.length) widen(list);
      list.slot[n] = attributed.slot(at);
      list.action[n] = attributed.action(at);
      list.value[n] = attributed.value(at);
      list.ts[n] = attributed.ts(at);
    }
  }
}

function widen(list: Joined): void {
  const size = 2 * list.slot.length;
  const { slot, action, value, ts } = list;
  list.slot = new Int32Array(size);
  list.slot.set(slot);
  list.action = new Int32Array(size);
  list.action.set(action);
  list.value = new Float64Array(size);
  list.value.set(value);
  list.ts = new Float64Array(size);
  list.ts.set(ts);
}
