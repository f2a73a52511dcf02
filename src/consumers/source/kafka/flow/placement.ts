import type { DurationMs, Offset } from '../../../../vocabulary/events.ts';
import type { Bounds, UndecodableBatch } from '../../source-port.ts';
import type { KafkaEvents, KafkaLog } from './events.ts';
import type { Position } from './positions.ts';

export interface PartitionList {
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
/** A new leader may not know its own end for a moment, so look this often. */
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

  /** A batch cannot be decoded. `stop`: nothing more is delivered until the position is sought past it. */
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
    this.#tell((client) => client.pause([this.#list(position)]));
  }

  resume(position: Position): void {
    if (position.flows && position.fetching) this.#tell((client) => client.resume([this.#list(position)]));
  }

  #open(position: Position, offset: Offset): void {
    const { partition, topic } = position;
    position.phase = 'open';
    this.#tell((client) => client.seek({ topic: this.#deps.topics[topic], partition, offset: String(offset) }));
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
        const reason = error instanceof Error ? error.message : String(error);
        this.#warn(position, 'the brokers do not say what the log holds; asking again', { reason });
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

  /** A consumer that has stopped throws; the next one gets the orders after its join. */
  #tell(order: (client: FlowClient) => void): void {
    const client = this.#deps.client();
    if (client === undefined) return;
    try {
      order(client);
    } catch (error) {
      this.#deps.log('info', 'the consumer has stopped', { reason: error instanceof Error ? error.message : '' });
    }
  }
}
