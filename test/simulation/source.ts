import type {
  Batch,
  Bounds,
  LogSource,
  SourceHandler,
  UndecodableBatch,
} from '../../src/consumers/source/source-port.ts';
import type { DurationMs, EpochMs, Offset } from '../../src/vocabulary/events.ts';
import type { Group, Member } from './group.ts';
import type { SimulatedLog } from './log.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export interface SourceDeps {
  readonly scheduler: Scheduler;
  readonly log: SimulatedLog;
  readonly group: Group;
  /** Latencies and sizes of fetches. */
  readonly random: Random;
  readonly member: Member;
  readonly chunk: number;
  readonly topics: number;
  readonly brokersAwayUntil: () => EpochMs;
  /** A batch cannot be decoded: as that of KafkaEvents. */
  readonly refused: (partition: number, topic: number, batch: UndecodableBatch) => 'skip' | 'stop';
}

interface Position {
  next: Offset;
  paused: boolean;
  /** No more is fetched; what is on its way is delivered. */
  held: boolean;
  fetching: boolean;
  slowUntil: EpochMs;
}

const SLOWEST_FETCH_MS: DurationMs = 1500;

/** What one process sees of the logs and of its group: the contract of the port, with slow fetches and late news. */
export class SimulatedSource implements LogSource {
  readonly #deps: SourceDeps;
  readonly #positions = new Map<number, readonly Position[]>();
  #handler: SourceHandler | undefined;
  /** Partitions that are ours and are delivered. */
  #flowing: readonly number[] = [];
  #wanted: readonly number[] | undefined;
  #claiming = false;
  #stopped = false;
  #running = 0;
  #end: (error?: unknown) => void = () => {};

  constructor(deps: SourceDeps) {
    this.#deps = deps;
  }

  run(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error));
      this.#deps.group.join(this.#deps.member);
    });
  }

  /** The group has given us partitions. While one claim runs, a later one waits, and nothing is delivered. */
  assigned(partitions: readonly number[]): void {
    this.#wanted = partitions;
    this.#handler?.mayKeep?.(partitions);
    this.#flowing = [];
    if (!this.#claiming) void this.#claim();
  }

  async #claim(): Promise<void> {
    this.#claiming = true;
    try {
      while (this.#wanted !== undefined && !this.#stopped) {
        const partitions = this.#wanted;
        this.#wanted = undefined;
        await this.#handler?.assigned(partitions);
        if (this.#wanted === undefined) this.#flowing = partitions;
      }
      this.wake();
    } catch (error) {
      this.#end(error);
    } finally {
      this.#claiming = false;
    }
  }

  /** There may be something to fetch. */
  wake(): void {
    for (const partition of this.#flowing) {
      for (let topic = 0; topic < this.#deps.topics; topic++) this.#fetchSoon(partition, topic);
    }
  }

  slow(topic: number, until: EpochMs): void {
    for (let partition = 0; partition < this.#deps.group.partitions; partition++) {
      this.#position(partition, topic).slowUntil = until;
    }
  }

  #fetchSoon(partition: number, topic: number): void {
    const { scheduler, log, random, member, brokersAwayUntil } = this.#deps;
    const position = this.#position(partition, topic);
    if (this.#stopped || position.fetching || position.paused || position.held) return;
    const { end, openFrom = end } = log.bounds(partition, topic);
    if (position.next >= openFrom) return;
    position.fetching = true;
    const earliest = Math.max(position.slowUntil, brokersAwayUntil()) - scheduler.now;
    const delay = Math.max(0, earliest) + random.whole(1, random.chance(0.2) ? SLOWEST_FETCH_MS : 50);
    scheduler.in(delay, () => this.#fetch(partition, topic, position), member);
  }

  #fetch(partition: number, topic: number, position: Position): void {
    const { log, random, chunk, scheduler, refused } = this.#deps;
    position.fetching = false;
    if (this.#stopped || position.paused || !this.#flowing.includes(partition)) return;
    const asked = { from: position.next, limit: random.whole(1, chunk), now: scheduler.now };
    const { records, next, undecodable } = log.read(partition, topic, asked);
    if (next <= position.next) return;
    if (undecodable !== undefined && refused(partition, topic, undecodable) === 'stop') return;
    position.next = next;
    this.#deliver({ partition, topic, records, next, undecodable });
  }

  #deliver(batch: Batch): void {
    this.#running++;
    this.#handler?.batch(batch).then(
      () => {
        this.#running--;
        if (this.#stopped) this.#settle();
        else if (this.#flowing.includes(batch.partition)) this.#fetchSoon(batch.partition, batch.topic);
      },
      (error: unknown) => this.#end(error),
    );
  }

  seek(partition: number, topic: number, offset: Offset): void {
    this.#position(partition, topic).next = offset;
    this.#wakeFor(partition, topic);
  }

  pause(partition: number, topic: number): void {
    this.#position(partition, topic).paused = true;
  }

  resume(partition: number, topic: number): void {
    this.#position(partition, topic).paused = false;
    this.#wakeFor(partition, topic);
  }

  setFetching(partition: number, topic: number, fetching: boolean): void {
    this.#position(partition, topic).held = !fetching;
    if (fetching) this.#wakeFor(partition, topic);
  }

  #wakeFor(partition: number, topic: number): void {
    if (this.#flowing.includes(partition)) this.#fetchSoon(partition, topic);
  }

  bounds(partition: number, topic: number): Promise<Bounds> {
    const { scheduler, log, random, member, brokersAwayUntil } = this.#deps;
    if (brokersAwayUntil() > scheduler.now) return Promise.reject(new Error('no broker answers'));
    const bounds = log.bounds(partition, topic);
    if (random.chance(0.9)) return Promise.resolve(bounds);
    return new Promise((resolve) => {
      scheduler.in(random.whole(1, 3000), () => resolve(bounds), member);
    });
  }

  /** At best effort: some never arrive. */
  sendOffsets(partition: number, offsets: readonly Offset[]): void {
    const { scheduler, group, random } = this.#deps;
    if (random.chance(0.1)) return;
    scheduler.in(random.whole(1, 500), () => group.sendOffsets(partition, offsets));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#deps.group.leave(this.#deps.member);
    this.#settle();
  }

  #settle(): void {
    if (this.#running === 0) this.#end();
  }

  #position(partition: number, topic: number): Position {
    let positions = this.#positions.get(partition);
    if (positions === undefined) {
      positions = Array.from({ length: this.#deps.topics }, () => ({
        next: 0,
        paused: false,
        held: false,
        fetching: false,
        slowUntil: Number.NEGATIVE_INFINITY,
      }));
      this.#positions.set(partition, positions);
    }
    return positions[topic];
  }
}
