/** Collects what an engine reports to its sink, and holds it to the contract of the sink. */
import assert from 'node:assert/strict';
import type { JoinSettings, JoinSink } from '../../../src/consumers/join/api.ts';
import type { Closing, EpochMs, Impression } from '../../../src/vocabulary/events.ts';
import { bucketOf } from '../../../src/vocabulary/user-words.ts';
import type { ReferenceClosing } from '../../reference/join.ts';

/** A closing, copied out of the engine's buffers, in a form that compares by value. */
export interface SeenClosing {
  readonly horizon: number;
  readonly at: EpochMs;
  readonly ts: EpochMs;
  readonly userless: boolean;
  readonly bucket: number;
  /** `offset.place` of the impression in its log. */
  readonly of: string;
  readonly page: number;
  readonly ranks: readonly number[];
  readonly firstSlots: readonly number[];
  readonly items: readonly string[];
  readonly scores: readonly number[] | undefined;
  readonly categories: readonly string[] | undefined;
  readonly feedback: readonly (readonly [slot: number, action: number, value: number, ts: EpochMs])[];
}

export class Collector implements JoinSink {
  readonly seen: SeenClosing[] = [];
  readonly #settings: JoinSettings;
  readonly #held = new Map<number, Impression>();
  readonly #free: number[] = [];
  #next = 2 ** 32 - 1;

  constructor(settings: JoinSettings) {
    this.#settings = settings;
  }

  /** Tags are given again as soon as they are free, and the first ones need all 32 bits. */
  accepted(impression: Impression): number {
    const tag = this.#free.pop() ?? this.#next--;
    this.#held.set(tag, impression);
    return tag;
  }

  /** Returns whose tag it was, as in `SeenClosing.of`. */
  unref(tag: number): string {
    const impression = this.#held.get(tag);
    assert.ok(impression !== undefined, `tag ${tag} is given back, but no impression holds it`);
    this.#held.delete(tag);
    this.#free.push(tag);
    return impression.dimensions.join();
  }

  closed(closing: Closing): void {
    const impression = this.#held.get(closing.tag);
    assert.ok(impression !== undefined, `an impression closes under tag ${closing.tag}, which it does not hold`);
    this.seen.push(copied(closing, impression));
    assert.equal(closing.at, closing.ts + this.#settings.horizons[closing.horizon]);
  }

  /** Impressions that the engine still holds. */
  get held(): number {
    return this.#held.size;
  }
}

function copied(closing: Closing, impression: Impression): SeenClosing {
  const { list } = closing;
  const slots = Array.from({ length: list.length }, (_, slot) => slot);
  return {
    horizon: closing.horizon,
    at: closing.at,
    ts: closing.ts,
    userless: closing.userless,
    bucket: closing.bucket,
    of: impression.dimensions.join(),
    page: list.pageOffset,
    ranks: slots.map((slot) => list.ranks?.[slot] ?? list.pageOffset + slot + 1),
    firstSlots: slots.map((slot) => list.firstSlot?.[slot] ?? slot),
    items: list.items?.slice(0, list.length) ?? [],
    scores: list.scores === undefined ? undefined : [...list.scores.subarray(0, list.length)],
    categories: list.categories?.slice(0, list.length),
    feedback: Array.from({ length: list.events }, (_, n) => [list.slot[n], list.action[n], list.value[n], list.ts[n]]),
  };
}

/** The same closing as the reference reports it. */
export function expectedClosing({ at, horizon, impression, feedback }: ReferenceClosing): SeenClosing {
  return {
    horizon,
    at,
    ts: impression.ts,
    userless: impression.userId === undefined,
    bucket: bucketOf(impression.userId ?? impression.requestId),
    of: impression.dimensions.join(),
    page: impression.pageOffset,
    ranks: impression.items.map((_, slot) => impression.ranks?.[slot] ?? impression.pageOffset + slot + 1),
    firstSlots: impression.items.map((item) => impression.items.indexOf(item)),
    items: impression.items,
    scores: impression.scores,
    categories: impression.categories,
    feedback: feedback.map(({ slot, action, value, ts }) => [slot, action, value ?? Number.NaN, ts]),
  };
}
