import type { Settings } from '../config/settings.ts';
import type { LogClock } from '../consumers/decode/clock-order.ts';
import { type Decoded, type Decoder, decoderBy } from '../consumers/decode/decoder.ts';
import type { LogRecord } from '../consumers/source/source-port.ts';
import { DroppedSample, EventSample } from '../findings/event-sample.ts';
import type { Finding } from '../findings/finding.ts';
import { InvalidReasons } from '../findings/invalid-reasons.ts';
import type { RunFacts, UnmappedByInput } from '../findings/run-facts.ts';
import { isEmpty, runFindings } from '../findings/run-findings.ts';
import type { InvalidRecord, UnitDeps } from '../unit/unit-contract.ts';
import type { TopicCounts } from '../vocabulary/checkpoint.ts';
import type { EpochMs, Event, Side, TopicRole } from '../vocabulary/events.ts';
import { sumOfUnmapped } from '../vocabulary/unmapped.ts';
import type { Dropped } from './drop-watch.ts';

/** Observes the events of files while they are decoded, to report afterwards what looks wrong. No result depends on it. */
export class Watch {
  readonly sample = new EventSample();
  readonly #dropped = new DroppedSample();
  /** Clocks that read times without a zone. */
  readonly #clocks: Readonly<Record<Side, Set<LogClock>>> = { impressions: new Set(), feedback: new Set() };
  readonly #invalid = new InvalidReasons();
  readonly #valid: Readonly<Record<Side, Map<string, number>>> = { impressions: new Map(), feedback: new Map() };
  readonly #settings: Settings;
  readonly #input: RunFacts['input'];
  readonly #latest: EpochMs;

  /** @param latest later events are `future` */
  constructor(settings: Settings, input: RunFacts['input'], latest: EpochMs) {
    this.#settings = settings;
    this.#input = input;
    this.#latest = latest;
  }

  /**
   * A decoder for the file at this path that is observed.
   * @param clock reads its times
   */
  watching(decoder: Decoder, path: string, side: Side, clock: LogClock | undefined): Decoder {
    if (clock !== undefined) this.#clocks[side].add(clock);
    const valid = this.#valid[side];
    valid.set(path, valid.get(path) ?? 0);
    const decode = (value: Uint8Array | null, source: string, offset: number): Decoded => {
      clock?.next();
      const decoded = decoder.decode(value, source, offset);
      if ('events' in decoded || decoded.refused === 'unmapped') valid.set(path, (valid.get(path) ?? 0) + 1);
      if ('events' in decoded && this.#settings.join.by === 'requestId') this.#take(decoded.events, path, offset);
      return decoded;
    };
    return decoderBy(decoder, decode);
  }

  /** Called for records whose events have been given request ids after they were decoded. */
  sees({ decoded, place }: LogRecord): void {
    if (decoded !== undefined && 'events' in decoded && place !== undefined)
      this.#take(decoded.events, place.file, place.row);
  }

  #take(events: readonly Event[], file: string, row: number): void {
    for (const event of events) this.sample.take(event, file, row, this.#latest);
  }

  dropped({ side, reason, event, record }: Dropped): void {
    if (side === undefined || event === undefined || reason === 'unmapped') return;
    const { requestId, itemId, ts } = event;
    this.#dropped.take({ side, reason, ts, requestId, itemId, place: record?.place });
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

  /**
   * Records without a map, by input.
   * @param counts by topic
   */
  unmapped(counts: readonly TopicCounts[]): UnmappedByInput {
    const inputs = this.#input === 'one log' ? (['events'] as const) : (['impressions', 'feedback'] as const);
    return Object.fromEntries(
      inputs.flatMap((input, topic) => {
        const unmapped = sumOfUnmapped([counts[topic].unmapped ?? []]);
        return unmapped.length === 0 ? [] : [[input, unmapped]];
      }),
    );
  }

  /** What looks wrong with the counted events, and whether the result is empty. */
  conclude(counts: Pick<RunFacts, 'impressions' | 'feedback' | 'unmapped' | 'longest' | 'end' | 'touched'>): {
    readonly findings: readonly Finding[];
    readonly isEmpty: boolean;
  } {
    const facts: RunFacts = {
      ...counts,
      input: this.#input,
      invalid: this.#invalid,
      valid: this.#valid,
      sample: this.sample,
      dropped: this.#dropped,
      clocks: this.#clocks,
      settings: this.#settings,
    };
    return { findings: runFindings(facts), isEmpty: isEmpty(facts) };
  }
}
