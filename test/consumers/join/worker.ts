/**
 * A worker in miniature: reads the logs of one unit into an engine, commits, dies and begins again as the steps say. It
 * notes the two recorded inputs by itself, and forgets with a crash what was not committed.
 */
import assert from 'node:assert/strict';
import type { JoinSettings, JoinSink, UnitJoin } from '../../../src/consumers/join/api.ts';
import type { IdleAdvance, JoinCheckpoint } from '../../../src/vocabulary/checkpoint.ts';
import type { EpochMs, Offset } from '../../../src/vocabulary/events.ts';
import { allEvents, type LogRecord, type TopicLog } from '../../reference/logs.ts';
import { Collector, type SeenClosing } from './closings.ts';
import type { History, Step } from './history.ts';

export type CreateJoin = (settings: JoinSettings, sink: JoinSink, from?: JoinCheckpoint) => UnitJoin;

/** What is durable: all that a crash leaves. */
interface Durable {
  /** The checkpoint as the store keeps it. */
  readonly text: string | undefined;
  readonly closings: readonly SeenClosing[];
  readonly inputs: readonly Inputs[];
  readonly positions: readonly Offset[];
}

interface Inputs {
  readonly idleAdvances: readonly IdleAdvance[];
  readonly clockDrops: readonly Offset[];
}

export class Worker {
  engine: UnitJoin;
  readonly #create: CreateJoin;
  readonly #history: History;
  #sink: Collector;
  #durable: Durable;
  /** Position of each topic where this engine began to be the first that reads. */
  #fresh: readonly Offset[];
  #inputs: { readonly idleAdvances: IdleAdvance[]; readonly clockDrops: Offset[] }[] = [];
  readonly #taken: { readonly checkpoint: JoinCheckpoint; readonly text: string }[] = [];

  constructor(create: CreateJoin, history: History) {
    this.#create = create;
    this.#history = history;
    const none = history.topics.map(() => ({ idleAdvances: [], clockDrops: [] }));
    this.#durable = { text: undefined, closings: [], inputs: none, positions: none.map(() => 0) };
    this.#fresh = this.#durable.positions;
    this.#sink = new Collector(history.settings);
    this.engine = this.#begin();
  }

  /** Every closing that is durable or came since. */
  get closings(): readonly SeenClosing[] {
    return [...this.#durable.closings, ...this.#sink.seen];
  }

  get held(): number {
    return this.#sink.held;
  }

  /** The logs as read so far, and the inputs that were recorded. */
  get logs(): readonly TopicLog[] {
    return this.#history.topics.map(({ records }, topic) => ({
      records: records.filter(({ offset }) => offset < this.engine.position(topic)),
      ...this.#inputs[topic],
    }));
  }

  /** Returns whether a commit happened. */
  step(step: Step): boolean {
    switch (step.do) {
      case 'read':
        for (let n = 0; n < step.records; n++)
          this.#read(step.topic % this.#history.topics.length, step.hole, step.now);
        return false;
      case 'advance':
        this.engine.advance();
        return false;
      case 'commit':
        return this.commit();
      case 'crash':
        this.engine = this.#begin();
        return false;
      case 'rejoin':
        this.engine.advance();
        this.#checkpoint();
        return false;
      case 'idle':
        this.#idle(step.topic % this.#history.topics.length, step.steps);
        return false;
    }
  }

  /** Reads all that is left. */
  finish(): void {
    for (let left = true; left; ) {
      left = false;
      for (const [topic, { end }] of this.#history.topics.entries()) {
        if (this.engine.position(topic) >= end) continue;
        this.#read(topic, 'skip', undefined);
        left = true;
      }
    }
    assert.equal(this.engine.replaying, false, 'every topic is read to its end, but the engine still replays');
    this.engine.advance();
  }

  /** Everything of now is durable, unless the engine replays. */
  commit(): boolean {
    if (this.engine.replaying) return false;
    this.engine.advance();
    const text = this.#checkpoint();
    this.#durable = {
      text,
      closings: this.closings,
      inputs: this.#inputs.map(({ idleAdvances, clockDrops }) => ({
        idleAdvances: [...idleAdvances],
        clockDrops: [...clockDrops],
      })),
      positions: this.#history.topics.map((_, topic) => this.engine.position(topic)),
    };
    this.#sink.seen.length = 0;
    return true;
  }

  /** Advances every topic to `watermark` by the wall clock. */
  idleAll(watermark: EpochMs): void {
    for (const topic of this.#history.topics.keys()) this.#idleTo(topic, watermark);
  }

  /** What was once handed out stays as it was. */
  checkCheckpoints(): void {
    for (const { checkpoint, text } of this.#taken)
      assert.equal(encoded(checkpoint), text, 'a checkpoint changed later');
  }

  #begin(): UnitJoin {
    const { text, inputs, positions } = this.#durable;
    this.#fresh = positions;
    this.#inputs = inputs.map(({ idleAdvances, clockDrops }) => ({
      idleAdvances: [...idleAdvances],
      clockDrops: [...clockDrops],
    }));
    this.#sink = new Collector(this.#history.settings);
    const from = text === undefined ? undefined : frozen(decoded(text));
    const engine = this.#create(this.#history.settings, this.#sink, from);
    for (const [topic, { replay, committed }] of (from?.topics ?? []).entries()) {
      assert.equal(committed, positions[topic]);
      assert.ok(replay <= committed);
      assert.equal(engine.position(topic), replay);
    }
    return engine;
  }

  #checkpoint(): string {
    const checkpoint = this.engine.checkpoint();
    this.#checkReplay(checkpoint);
    const text = encoded(checkpoint);
    this.#taken.push({ checkpoint, text });
    return text;
  }

  /**
   * What a replay begins with is still needed: by event time it lies above W - 3H - b (impressions, for they may be
   * predecessors) or W - H - b (feedback), but for the slices in which an engine may keep it.
   */
  #checkReplay({ topics, watermark }: JoinCheckpoint): void {
    const { horizons, backward } = this.#history.settings;
    const H = Math.max(...horizons);
    const slack = 1 + H / 64;
    for (const [topic, { replay, committed }] of topics.entries()) {
      const first = this.#history.topics[topic].records.find(({ offset }) => offset >= replay);
      if (replay === committed || first === undefined || first.kind !== 'read') continue;
      const needed = first.events.some(
        ({ kind, ts }) => ts > watermark - (kind === 'impression' ? 3 : 1) * H - backward - slack,
      );
      assert.ok(needed, `topic ${topic} would be replayed from ${replay}, which nothing needs at ${watermark}`);
    }
  }

  #read(topic: number, hole: 'skip' | 'part' | 'jump', now: EpochMs | undefined): void {
    const { records, end } = this.#history.topics[topic];
    const position = this.engine.position(topic);
    const next = records.find(({ offset }) => offset >= position);
    const until = next === undefined ? end : next.offset;
    if (position < until && (hole !== 'jump' || next === undefined)) {
      const to = hole === 'part' ? position + 1 : until;
      this.engine.seek(topic, to);
      assert.equal(this.engine.position(topic), to);
      return;
    }
    if (next === undefined) return;
    this.#hand(topic, next, now);
    assert.equal(this.engine.position(topic), next.offset + 1);
  }

  #hand(topic: number, record: LogRecord, now: EpochMs | undefined): void {
    if (record.kind === 'refused') {
      if (record.reason === 'undecodable') throw new Error('these logs hold nothing that cannot be decoded');
      this.engine.refused(topic, record.offset, record.side, record.reason);
      return;
    }
    if (record.kind === 'passed') {
      this.engine.passedOver(topic, record.offset, record.condition);
      return;
    }
    const { offset, timestamp, events, excluded } = record;
    const time = timestamp ?? Math.max(...allEvents(record).map(({ ts }) => ts));
    const judged = now !== undefined && offset >= this.#fresh[topic];
    if (judged && time > now + this.#history.settings.futureSkew) this.#inputs[topic].clockDrops.push(offset);
    this.engine.record(topic, offset, timestamp, events, now, excluded);
  }

  #idle(topic: number, steps: number): void {
    if (this.engine.replaying) return;
    const { frame } = this.#history;
    const watermark = this.engine.topicWatermark(topic);
    this.#idleTo(topic, (watermark === -Infinity ? frame.origin : watermark) + steps * frame.step);
  }

  #idleTo(topic: number, watermark: EpochMs): void {
    const before = this.engine.topicWatermark(topic);
    assert.equal(this.engine.idle(topic, watermark), watermark > before, 'an idle advance moves iff it is above');
    assert.equal(this.engine.topicWatermark(topic), Math.max(before, watermark));
    if (watermark > before) this.#inputs[topic].idleAdvances.push({ before: this.engine.position(topic), watermark });
  }
}

function encoded(checkpoint: JoinCheckpoint): string {
  return JSON.stringify(checkpoint, (_, value: unknown) => (value === -Infinity ? null : value));
}

function decoded(text: string): JoinCheckpoint {
  return JSON.parse(text, (_, value: unknown) => (value === null ? -Infinity : value));
}

/** An engine that writes into the checkpoint it began from would throw. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}
