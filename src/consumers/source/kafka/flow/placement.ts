/*
 * The reading of one topic of one unit, a `Position`, is in one of these phases:
 *
 * | phase      | meaning                                              | set by                                                     | left by                                                |
 * |------------|------------------------------------------------------|------------------------------------------------------------|--------------------------------------------------------|
 * | `claiming` | the handler claims the unit; seeks are only recorded | the flow, at a join and when a fetch has failed            | the flow, when `assigned` has ended: to `placing`      |
 * | `placing`  | its offset is compared with what the log holds       | the flow, at each seek and when the client reads elsewhere | `place`: to `open`, or to `stopped`                    |
 * | `open`     | records flow, unless the worker has paused it        | `place`, when the log holds the offset                     | a join, a failed fetch, a seek; `refuse`: to `stopped` |
 * | `stopped`  | nothing flows                                        | `place` at a gap or a lost log; `refuse`                   | a join, a failed fetch, a seek                         |
 *
 * `seeks` counts the seeks, so that work which began before one ends without effect.
 */
import { messageOf } from '../../../../vocabulary/error-text.ts';
import type { DurationMs, Offset } from '../../../../vocabulary/events.ts';
import type { Bounds, UndecodableBatch } from '../../source-port.ts';
import type { KafkaEvents, KafkaLog } from '../access/kafka-settings.ts';
import { ChunkSize } from './chunks.ts';

interface PartitionList {
  readonly topic: string;
  readonly partitions: number[];
}

/** The running consumer. Each call may throw once it has stopped. */
export interface FlowClient {
  pause(lists: PartitionList[]): void;
  resume(lists: PartitionList[]): void;
  seek(place: { topic: string; partition: number; offset: string }): void;
}

export interface PlacementDeps {
  readonly topics: readonly string[];
  readonly events: KafkaEvents;
  readonly log: KafkaLog;
  readonly client: () => FlowClient | undefined;
  readonly bounds: (partition: number, topic: number) => Promise<Bounds>;
  readonly sleep: (duration: DurationMs) => Promise<void>;
}

const FIRST_DELAY: DurationMs = 300;
const LONGEST_DELAY: DurationMs = 30_000;
/** Number of attempts at an end of the log that is too low: a new leader may not know its own end for a moment. */
const LOOKS_BEYOND_END = 4;

/** Moves positions to where they are to be read, once it is known that the log holds that offset. */
export class Placement {
  readonly #deps: PlacementDeps;

  constructor(deps: PlacementDeps) {
    this.#deps = deps;
  }

  /** Seeks and resumes the position, or stops it and reports why. Ends early when `isWanted` returns false. */
  async place(position: Position, isWanted: () => boolean): Promise<void> {
    const { partition, topic, seeks } = position;
    const { events } = this.#deps;
    position.phase = 'placing';
    const isStillWanted = (): boolean => isWanted() && seeks === position.seeks && position.phase === 'placing';
    for (let looks = 1; ; looks++) {
      const bounds = await this.#look(position, isStillWanted);
      if (bounds === undefined || !isStillWanted()) return;
      const asked = position.expected;
      if (position.heldUpTo > bounds.end) {
        if (looks < LOOKS_BEYOND_END) {
          await this.#deps.sleep(FIRST_DELAY * looks);
          if (!isStillWanted()) return;
          continue;
        }
        const held = position.heldUpTo;
        this.#warn(position, 'the log ends before an offset that it has reached before', { held, end: bounds.end });
        position.phase = 'stopped';
        events.onLostLog({ partition, topic, held, end: bounds.end });
        return;
      }
      if (asked === undefined) {
        position.moveTo(bounds.start);
      } else if (asked < bounds.start) {
        const verdict = events.onGap({ partition, topic, asked, start: bounds.start });
        if (verdict !== 'not needed') {
          this.#warn(position, 'records that were to be read next are gone', { asked, start: bounds.start });
        }
        if (!isStillWanted()) return;
        if (verdict === 'stop') {
          position.phase = 'stopped';
          return;
        }
        position.moveTo(bounds.start);
      }
      this.#open(position, position.expected ?? bounds.start);
      return;
    }
  }

  /** Handles a batch that cannot be decoded. `stop`: nothing more is delivered until a seek past it. */
  refuse(position: Position, { from, to, reason }: UndecodableBatch): 'skip' | 'stop' {
    const { partition, topic, seeks } = position;
    const verdict = this.#deps.events.onRefused({ partition, topic, from, to, reason });
    this.#warn(position, 'a record batch cannot be decoded', { from, to, reason, verdict });
    if (verdict === 'stop' && seeks === position.seeks) {
      position.phase = 'stopped';
      this.pause(position);
    }
    return verdict;
  }

  pause(position: Position): void {
    this.#order((client) => client.pause([this.#list(position)]));
  }

  resume(position: Position): void {
    if (position.flows && position.fetching) this.#order((client) => client.resume([this.#list(position)]));
  }

  #open(position: Position, offset: Offset): void {
    const { partition, topic } = position;
    position.phase = 'open';
    this.#order((client) => client.seek({ topic: this.#deps.topics[topic], partition, offset: String(offset) }));
    this.resume(position);
  }

  /** The bounds of the log, however long the brokers take to respond. undefined: no longer wanted. */
  async #look(position: Position, isStillWanted: () => boolean): Promise<Bounds | undefined> {
    const { partition, topic } = position;
    for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      try {
        return await this.#deps.bounds(partition, topic);
      } catch (error) {
        if (!isStillWanted()) return undefined;
        const reason = messageOf(error);
        this.#warn(position, 'the brokers do not report the bounds of the log; asking again', { reason });
        await this.#deps.sleep(delay);
        if (!isStillWanted()) return undefined;
      }
    }
  }

  #list({ partition, topic }: Position): PartitionList {
    return { topic: this.#deps.topics[topic], partitions: [partition] };
  }

  #warn({ partition, topic }: Position, message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#deps.log('warn', message, { topic: this.#deps.topics[topic], partition, ...fields });
  }

  /** Passes an order to the client. A consumer that has stopped throws; the next one gets the orders after its join. */
  #order(order: (client: FlowClient) => void): void {
    const client = this.#deps.client();
    if (client === undefined) return;
    try {
      order(client);
    } catch (error) {
      this.#deps.log('info', 'the consumer has stopped', { reason: error instanceof Error ? error.message : '' });
    }
  }
}

type Phase = 'claiming' | 'placing' | 'open' | 'stopped';

export class Position {
  readonly partition: number;
  /** Index in the configuration's order. */
  readonly topic: number;
  phase: Phase = 'claiming';
  /** Whether the worker has paused it. */
  isPaused = false;
  /** Whether more of it is fetched. What has been fetched is delivered in any case. */
  fetching = true;
  /** The next offset to deliver; undefined: wherever the log starts. */
  expected: Offset | undefined;
  /** The log has held all records below this offset, so a log that ends earlier is another log. */
  heldUpTo: Offset = 0;
  /** One size per topic: records of a topic take about the same time each, while those of another may take ten times as long. */
  readonly chunkSize = new ChunkSize();
  /** Number of seeks, from which work detects a seek since it started. */
  seeks = 0;
  /** The last filtered batch that did not start at `expected`. Only another fetch shows whether it was an old one. */
  #jumped: { readonly first: Offset; readonly end: Offset } | undefined;

  constructor(partition: number, topic: number) {
    this.partition = partition;
    this.topic = topic;
  }

  get flows(): boolean {
    return this.phase === 'open' && !this.isPaused;
  }

  /** Moves the position: offsets below are done or given up, those from here on are next. */
  moveTo(offset: Offset | undefined): void {
    this.expected = offset;
    if (offset !== undefined && offset > this.heldUpTo) this.heldUpTo = offset;
    this.#jumped = undefined;
  }

  seek(offset: Offset, heldUpTo: Offset): void {
    this.seeks++;
    this.heldUpTo = heldUpTo;
    this.moveTo(offset);
  }

  /** Whether a batch that was fetched from this offset continues what was delivered. */
  takes(fetched: Offset): boolean {
    if (fetched === this.expected) return true;
    if (fetched !== this.#jumped?.end) return false;
    this.moveTo(fetched);
    return true;
  }

  /**
   * Handles a fetched batch that had records with the offsets [first, end), none of which is delivered (control records, aborted
   * transactions, compaction). Returns whether the position moved. A batch that starts after the expected offset may follow a hole, or
   * have been fetched before a seek: `look again`, from the expected offset. If it comes a second time, it follows a hole, since the
   * client would have fetched from its end otherwise. At the end of a log nothing else would ever show this.
   */
  pass(first: Offset, end: Offset): 'moved' | 'look again' | 'old' {
    if (this.expected === undefined || end <= this.expected) return 'old';
    if (first > this.expected && (this.#jumped?.first !== first || this.#jumped.end !== end)) {
      this.#jumped = { first, end };
      return 'look again';
    }
    this.moveTo(end);
    return 'moved';
  }
}

/** The positions of all topics of one partition. */
export class PartitionPositions {
  readonly positions: readonly Position[];
  /** Settles when the last piece of work that was queued is done. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(partition: number, topics: number) {
    this.positions = Array.from({ length: topics }, (_, topic) => new Position(partition, topic));
  }

  /** Runs one piece of work at a time, in the order of the calls. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
