import type { Settings } from '../config/settings.ts';
import type { Decoded, Decoder } from '../consumers/decode/decoder.ts';
import { EventSample } from '../findings/event-sample.ts';
import type { Finding } from '../findings/finding.ts';
import { InvalidReasons } from '../findings/invalid.ts';
import { isEmpty, type RunFacts, runFindings } from '../findings/run-findings.ts';
import { isListOnly } from '../measures/needs.ts';
import type { InvalidRecord, UnitDeps } from '../unit/unit-contract.ts';
import type { EpochMs, TopicRole } from '../vocabulary/events.ts';

/** Observes the events of files while they are decoded, to report what looks wrong afterwards. No result depends on it. */
export class Watch {
  readonly sample = new EventSample();
  readonly #invalid = new InvalidReasons();
  readonly #settings: Settings;
  readonly #input: RunFacts['input'];
  readonly #latest: EpochMs;

  /** @param latest later events are `future` */
  constructor(settings: Settings, input: RunFacts['input'], latest: EpochMs) {
    this.#settings = settings;
    this.#input = input;
    this.#latest = latest;
  }

  /** The same decoder for the file at this path, observed. */
  watching(decoder: Decoder, path: string): Decoder {
    const decode = (value: Uint8Array | null, source: string, offset: number): Decoded => {
      const decoded = decoder.decode(value, source, offset);
      if ('events' in decoded) for (const event of decoded.events) this.sample.take(event, path, offset, this.#latest);
      return decoded;
    };
    return {
      decode,
      scan: decode,
      get ignoredCohortKeys() {
        return decoder.ignoredCohortKeys;
      },
    };
  }

  /** A callback for invalid records, which also calls `next`. @param roles of the topics */
  invalid(roles: readonly TopicRole[], next: UnitDeps['onInvalid']): (invalid: InvalidRecord) => void {
    return (invalid) => {
      const { topic, record, code, field } = invalid;
      const side = roles[topic].impressions ? 'impressions' : 'feedback';
      this.#invalid.take(side, { code, field }, record.value, record.place);
      next?.(invalid);
    };
  }

  /** What looks wrong with the counted events, and whether the result is empty. */
  conclude(counts: Pick<RunFacts, 'impressions' | 'feedback'>): {
    readonly findings: readonly Finding[];
    readonly isEmpty: boolean;
  } {
    const { attribution, grading, measures } = this.#settings;
    const { horizons, backward, outOfOrderness, futureSkew } = attribution;
    const facts: RunFacts = {
      ...counts,
      input: this.#input,
      invalid: this.#invalid,
      sample: this.sample,
      needsFeedback: measures.some((measure) => !isListOnly(measure)),
      shape: {
        horizon: horizons[horizons.length - 1],
        backward,
        outOfOrderness,
        futureSkew,
        actions: grading.actions.map(({ name }) => name),
      },
    };
    return { findings: runFindings(facts), isEmpty: isEmpty(facts) };
  }
}
