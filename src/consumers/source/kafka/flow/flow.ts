// Long because everything that comes from the client, or goes to it, depends on the joins of the group.
import { Turns } from '../../../../vocabulary/clock.ts';
import type { DurationMs, Offset } from '../../../../vocabulary/events.ts';
import { type Batch, countOf, RunBatch, type SourceHandler, type UndecodableBatch } from '../../source-port.ts';
import { isMembershipLost } from '../access/faults.ts';
import { pairing } from './assigner.ts';
import { ChunkReader, type FetchedBatch } from './chunks.ts';
import { type FlowClient, PartitionPositions, Placement, type PlacementDeps, type Position } from './placement.ts';

interface FlowDeps extends Omit<PlacementDeps, 'client'> {
  readonly handler: SourceHandler;
  /** Whether records are delivered with key and headers; default: without. */
  readonly envelopes?: boolean | undefined;
  /** Ends the source: `run` rejects with this error. */
  readonly fail: (error: unknown) => void;
}

/**
 * How often a heartbeat is attempted while handlers are slow. kafkajs sends it if the last one is at least an interval ago, and with a
 * pulse of the same length that is a little later than due.
 */
const PULSE: DurationMs = 500;
/**
 * How long chunks are delivered before connections, timers and requests are served. Each turn has a cost, and many more turns would be
 * noticeable.
 */
const TURN_TIME: DurationMs = 40;

/**
 * The flow from Kafka's client to the handler: assignments after joins, batches in chunks, seeks and pauses. It is independent of
 * kafkajs.
 *
 * No assignment is trusted here: a batch is accepted only if its fetch started at the expected offset of a unit that this member holds,
 * and that is checked again for every chunk. When the group rebalances, chunks in progress are abandoned, but awaited before their unit
 * is placed again.
 */
export class Flow {
  readonly #deps: FlowDeps;
  readonly #placement: Placement;
  readonly #units = new Map<number, PartitionPositions>();
  readonly #running = new Set<Promise<void>>();
  readonly #waiting = new Set<(error: unknown) => void>();
  readonly #turns = new Turns(TURN_TIME);
  /** Readers of the batches that are being delivered; at most one for each partition that is handled concurrently. */
  readonly #readers = new Set<ChunkReader>();
  readonly #pulse: NodeJS.Timeout;
  #client: FlowClient | undefined;
  #heartbeat: (() => Promise<void>) | undefined;
  /** Number of joins. Work that started before a join ends at the join. */
  #joins = 0;
  /** The claim that waits for the previous one to end. */
  #wanted: { readonly partitions: readonly number[]; readonly isNew: boolean } | undefined;
  #claiming = false;
  #interruption: { readonly error: unknown } | undefined;
  #ended = false;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
    this.#placement = new Placement({ ...deps, client: () => this.#client });
    this.#pulse = setInterval(() => this.#beat(), PULSE);
  }

  /** Partitions that this member holds, ascending. */
  owned(): readonly number[] {
    return [...this.#units.keys()].sort((a, b) => a - b);
  }

  position(partition: number, topic: number): Position | undefined {
    return this.#units.get(partition)?.positions[topic];
  }

  /** Called when the group has assigned partitions to this member. All of them are paused when this returns. Never throws. */
  joined(client: FlowClient, assigned: Readonly<Record<string, readonly number[]>>): void {
    const { topics } = this.#deps;
    this.#client = client;
    this.#joins++;
    this.#interruption = undefined;
    this.#heartbeat = undefined;
    this.#guarded(() => {
      // Pausing drops records even from fetches in flight, and heartbeats continue.
      client.pause(Object.entries(assigned).map(([topic, list]) => ({ topic, partitions: [...list] })));
      const { paired, unpaired } = pairing(topics, assigned);
      for (const partition of this.#units.keys()) if (!paired.includes(partition)) this.#units.delete(partition);
      for (const partition of paired) {
        const unit = this.#units.get(partition) ?? new PartitionPositions(partition, topics.length);
        this.#units.set(partition, unit);
        for (const position of unit.positions) {
          position.phase = 'claiming';
        }
      }
      this.#wanted = { partitions: paired, isNew: true };
      this.#deps.handler.mayKeep?.(paired);
      void this.#claim();
      if (unpaired.length > 0) this.#deps.events.onUnpaired(unpaired);
    });
  }

  /**
   * Called when a fetch failed and the client retries by itself. The topics may have been created again meanwhile, so everything is
   * placed again, as after a join. Never throws.
   */
  doubted(): void {
    if (this.#client === undefined || this.#ended || this.#units.size === 0) return;
    this.#joins++;
    this.#guarded(() => {
      for (const { positions } of this.#units.values()) {
        for (const position of positions) {
          this.#placement.pause(position);
          position.phase = 'claiming';
        }
      }
      this.#wanted ??= { partitions: this.owned(), isNew: false };
      void this.#claim();
    });
  }

  async #claim(): Promise<void> {
    if (this.#claiming) return;
    this.#claiming = true;
    try {
      while (this.#wanted !== undefined && !this.#ended) {
        const { partitions, isNew } = this.#wanted;
        this.#wanted = undefined;
        if (isNew) await this.#deps.handler.assigned(partitions);
        else this.#deps.handler.doubted?.(partitions);
        await Promise.allSettled(this.#running);
        if (this.#wanted !== undefined || this.#ended) continue;
        for (const unit of this.#units.values()) for (const position of unit.positions) this.#place(position);
      }
    } catch (error) {
      // Nothing would be read, and the end may be the reason, since it closes the connections.
      if (!this.#ended) this.#deps.fail(error);
    } finally {
      this.#claiming = false;
    }
  }

  #place(position: Position): void {
    const joins = this.#joins;
    this.#placement
      .place(position, () => !this.#ended && joins === this.#joins)
      .catch((error: unknown) => this.#deps.fail(error));
  }

  /** Delivers a fetched batch. Rejects only with an error of the heartbeat, which kafkajs must see. */
  async batch(batch: FetchedBatch): Promise<void> {
    const { partition, topic } = batch;
    const unit = this.#units.get(partition);
    const position = unit?.positions[topic];
    this.#heartbeat = batch.heartbeat;
    if (unit === undefined || position === undefined || !position.flows || batch.isStale()) return;
    if (!position.takes(batch.fetched)) {
      this.#displaced(position, batch.fetched);
      return;
    }
    const joins = this.#joins;
    const { seeks } = position;
    const isStillWanted = (): boolean =>
      !this.#ended && joins === this.#joins && seeks === position.seeks && position.flows && batch.isRunning();

    const reader = new ChunkReader(batch, this.#deps.envelopes);
    this.#readers.add(reader);
    try {
      await this.#deliver(reader, batch, unit, position, isStillWanted);
    } finally {
      this.#readers.delete(reader);
    }
  }

  async #deliver(
    reader: ChunkReader,
    batch: FetchedBatch,
    unit: PartitionPositions,
    position: Position,
    isStillWanted: () => boolean,
  ): Promise<void> {
    const { partition, topic } = batch;
    const joins = this.#joins;
    while (!reader.isDone && isStillWanted()) {
      if (this.#interruption !== undefined) throw this.#interruption.error;
      const { runs, refusal, last, next } = await reader.chunk(position.expected ?? 0, position.chunkSize.records);
      if (!isStillWanted()) break;
      if (refusal !== undefined) {
        if (this.#placement.refuse(position, refusal) === 'skip')
          await this.#pass(unit, position, refusal, isStillWanted);
        return;
      }
      // Even a chunk without records is delivered, so that the handler knows how far the log was read.
      await this.#hand(unit, position, new RunBatch(partition, topic, runs, next), isStillWanted);
      // The handler may still hold a chunk that was abandoned.
      if (joins !== this.#joins || position.expected !== next) return;
      reader.handled();
      batch.resolveOffset(last);
      await this.#beating(batch.heartbeat);
      await this.#turns.step();
    }
    // The last chunk was not delivered, and the earlier ones have been handled.
    reader.close();
  }

  /**
   * Delivers a batch that cannot be decoded, and fetches again after it: if it ended a transaction, only a new fetch shows which of the
   * next batches are aborted.
   */
  async #pass(
    unit: PartitionPositions,
    position: Position,
    undecodable: UndecodableBatch,
    isStillWanted: () => boolean,
  ): Promise<void> {
    const { partition, topic } = position;
    const joins = this.#joins;
    const { to: next } = undecodable;
    await this.#hand(unit, position, { partition, topic, records: [], next, undecodable }, isStillWanted);
    if (joins === this.#joins && position.expected === next && position.phase === 'open') this.#replace(position);
  }

  /** Bytes that were fetched and are being delivered, counting decompressed batches by their decompressed size. */
  get fetchedBytes(): number {
    let bytes = 0;
    for (const reader of this.#readers) bytes += reader.bytes;
    return bytes;
  }

  /** Called for a batch that had records with the offsets [first, end), but none to deliver. Never throws. */
  filtered(topic: number, partition: number, first: Offset, end: Offset): void {
    this.#guarded(() => {
      const unit = this.#units.get(partition);
      const position = unit?.positions[topic];
      if (unit === undefined || position?.phase !== 'open') return;
      const passed = position.pass(first, end);
      if (passed === 'look again') this.#replace(position);
      if (passed !== 'moved') return;
      const { seeks } = position;
      this.#track(
        unit.inTurn(async () => {
          if (!this.#ended && seeks === position.seeks)
            await this.#deps.handler.batch({ partition, topic, records: [], next: end });
        }),
      );
    });
  }

  /** Delivers a batch. Resolves when the handler has settled; rejects when the group rebalances meanwhile, while the handler continues. */
  #hand(unit: PartitionPositions, position: Position, batch: Batch, isStillWanted: () => boolean): Promise<void> {
    const { seeks } = position;
    const work = unit.inTurn(async () => {
      if (!isStillWanted()) return;
      const began = performance.now();
      const settled = this.#deps.handler.batch(batch);
      const records = countOf(batch);
      if (records > 0) position.chunkSize.took(performance.now() - began, records);
      await settled;
      if (seeks === position.seeks) position.moveTo(batch.next);
    });
    this.#track(work);
    return new Promise((resolve, reject) => {
      const interrupt = (error: unknown): void => reject(error);
      this.#waiting.add(interrupt);
      const settle = (): void => {
        this.#waiting.delete(interrupt);
        resolve();
      };
      work.then(settle, settle);
    });
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    work.then(
      () => this.#running.delete(work),
      (error: unknown) => {
        this.#running.delete(work);
        this.#deps.fail(error);
      },
    );
  }

  /** Sends heartbeats while handlers are slow. */
  #beat(): void {
    if (this.#waiting.size > 0 && this.#heartbeat !== undefined) this.#beating(this.#heartbeat).catch(() => {});
  }

  /** Sends a heartbeat. If it reports that the group rebalances, all handlers are abandoned. */
  async #beating(heartbeat: () => Promise<void>): Promise<void> {
    const joins = this.#joins;
    try {
      await heartbeat();
    } catch (error) {
      if (joins === this.#joins && isMembershipLost(error)) {
        this.#interruption = { error };
        for (const interrupt of this.#waiting) interrupt(error);
        this.#waiting.clear();
      }
      throw error;
    }
  }

  #displaced(position: Position, fetched: Offset): void {
    const { topics, log } = this.#deps;
    const { partition, topic, expected } = position;
    log('warn', 'the client reads elsewhere than asked: seeking again', {
      topic: topics[topic],
      partition,
      expected,
      fetched,
    });
    this.#replace(position);
  }

  #replace(position: Position): void {
    position.phase = 'placing';
    this.#placement.pause(position);
    this.#place(position);
  }

  seek(partition: number, topic: number, offset: Offset, heldUpTo: Offset = offset): void {
    const position = this.position(partition, topic);
    if (position === undefined) return;
    position.seek(offset, heldUpTo);
    if (position.phase !== 'claiming') this.#replace(position);
  }

  pause(partition: number, topic: number): void {
    const position = this.position(partition, topic);
    if (position === undefined) return;
    position.isPaused = true;
    this.#placement.pause(position);
  }

  setFetching(partition: number, topic: number, fetching: boolean): void {
    const position = this.position(partition, topic);
    if (position === undefined) return;
    position.fetching = fetching;
    if (fetching) this.#placement.resume(position);
    else this.#placement.pause(position);
  }

  resume(partition: number, topic: number): void {
    const position = this.position(partition, topic);
    if (position === undefined) return;
    position.isPaused = false;
    this.#placement.resume(position);
  }

  /** Stops delivery. Resolves when no handler runs. */
  async end(): Promise<void> {
    this.#ended = true;
    clearInterval(this.#pulse);
    await Promise.allSettled(this.#running);
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#deps.fail(error);
    }
  }
}
