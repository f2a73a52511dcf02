import type { FeedbackDrop, ImpressionDrop } from '../../src/vocabulary/drops.ts';
import type { EpochMs, Feedback, Impression, Offset } from '../../src/vocabulary/events.ts';

/** An event at its place: log order within a topic is offset, then place in the record. */
export interface Placed<E> {
  readonly topic: number;
  readonly offset: Offset;
  readonly place: number;
  readonly event: E;
  /** w(x): the watermark of the topic just before the record. */
  readonly watermark: EpochMs;
  readonly future: boolean;
  readonly excluded: boolean;
}

export type ImpressionVerdict =
  | { readonly kind: 'accepted'; readonly horizons: readonly number[]; readonly missed: readonly number[] }
  | {
      readonly kind: 'dropped';
      readonly reason: ImpressionDrop;
      /** The predecessor of a duplicate. */
      readonly of?: Placed<Impression>;
    };

/**
 * When a verdict on feedback is known: with its own record; as soon as it and an impression are both read; or only when
 * the combined watermark reaches its deadline.
 */
export type Known = 'record' | 'meeting' | 'deadline';

export type FeedbackVerdict =
  | {
      readonly kind: 'attributed';
      readonly known: 'meeting';
      readonly to: Placed<Impression>;
      readonly horizons: readonly number[];
      readonly missed: readonly number[];
    }
  | { readonly kind: 'dropped'; readonly known: 'record' | 'deadline'; readonly reason: FeedbackDrop }
  | {
      readonly kind: 'dropped';
      readonly known: 'meeting';
      readonly reason: FeedbackDrop;
      /** The impression that decides. */
      readonly to: Placed<Impression>;
    }
  | { readonly kind: 'waiting'; readonly known?: undefined };

export interface JudgedImpression extends Placed<Impression> {
  readonly verdict: ImpressionVerdict;
}

export interface JudgedFeedback extends Placed<Feedback> {
  readonly verdict: FeedbackVerdict;
}
