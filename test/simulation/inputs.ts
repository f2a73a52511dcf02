/** The recorded inputs of every unit in memory, and of every commit that it sends (specification: join 1.4). */

import type { Store } from '../../src/accumulators/store/store-port.ts';
import type { Batch } from '../../src/consumers/source/source-port.ts';
import type { Unit } from '../../src/unit/unit.ts';
import type { IdleAdvance } from '../../src/vocabulary/checkpoint.ts';
import type { DurationMs, EpochMs, Offset } from '../../src/vocabulary/events.ts';
import { allEvents } from '../reference/logs.ts';
import { Broken } from './broken.ts';
import type { Lineage, Sent } from './lineage.ts';
import type { SimulatedLog } from './log.ts';
import { forgottenAt } from './looks.ts';
import type { Observer } from './observer.ts';
import { sinceBegin } from './trace.ts';

/** Of one topic. */
export interface Inputs {
  readonly advances: readonly IdleAdvance[];
  readonly clockDrops: readonly Offset[];
  /** Of records that could not be decoded when they were to be judged. */
  readonly undecodable: readonly Offset[];
}

/** Who owns a unit in memory, and what its clock shows. */
export interface Owner {
  readonly name: string;
  readonly clock: { readonly error: DurationMs; now(): EpochMs };
}

interface Held {
  readonly owner: Owner;
  readonly partition: number;
  /** By topic: below, the verdicts were made before. */
  readonly judgedBelow: readonly Offset[];
  readonly inputs: { advances: IdleAdvance[]; clockDrops: Offset[]; undecodable: Offset[] }[];
  /** By topic: when it was given a record last. */
  readonly lastFed: EpochMs[];
  /** Variants of which a look has forgotten what was known, since the last commit. */
  readonly forgotten: Set<string>;
}

export interface InputsSettings {
  readonly topics: number;
  readonly futureSkew: DurationMs;
  readonly outOfOrderness: DurationMs;
  readonly idleAfter: DurationMs;
  /** Most by which a clock that judges may be put forward. */
  readonly clockSteps: DurationMs;
  readonly log: SimulatedLog;
  /** The true time. */
  readonly now: () => EpochMs;
  readonly ownerOf: (store: Store) => Owner;
  /** The state that the owner's last claim was answered with. */
  readonly claimedBy: (owner: Owner, partition: number) => Lineage | undefined;
  readonly fail: (broken: Broken) => void;
  readonly say: (text: () => string) => void;
}

/** A clock that is further off judges nothing (specification: faults 5.3). */
const LARGEST_ERROR_MS: DurationMs = 30_000;

export class RecordedInputs implements Observer {
  readonly #settings: InputsSettings;
  readonly #units = new Map<Unit, Held>();
  #committing: Unit | undefined;

  constructor(settings: InputsSettings) {
    this.#settings = settings;
  }

  claimed(unit: Unit, partition: number, store: Store): void {
    const { topics, ownerOf, claimedBy } = this.#settings;
    const owner = ownerOf(store);
    const lineage = claimedBy(owner, partition);
    const each = Array.from({ length: topics }, (_, topic) => topic);
    this.#units.set(unit, {
      owner,
      partition,
      judgedBelow: each.map((topic) => lineage?.committed[topic] ?? 0),
      inputs: each.map((topic) => ({
        advances: [...(lineage?.inputs[topic].advances ?? [])],
        clockDrops: [...(lineage?.inputs[topic].clockDrops ?? [])],
        undecodable: [...(lineage?.inputs[topic].undecodable ?? [])],
      })),
      lastFed: each.map(() => Number.NEGATIVE_INFINITY),
      forgotten: new Set(),
    });
  }

  looked(unit: Unit, totals: Parameters<Observer['looked']>[1]): void {
    const { forgotten } = this.#held(unit);
    for (const variant of forgottenAt(totals)) forgotten.add(variant);
  }

  fed(unit: Unit, { topic, records, undecodable }: Batch): void {
    const { futureSkew, now } = this.#settings;
    const held = this.#held(unit);
    const { owner, judgedBelow, inputs, lastFed } = held;
    this.#mustBeSure(held);
    const position = unit.join.position(topic);
    lastFed[topic] = now();
    const unjudged = Math.max(position, judgedBelow[topic]);
    if (undecodable !== undefined && undecodable.from >= unjudged) inputs[topic].undecodable.push(undecodable.from);
    const latest = owner.clock.now() + futureSkew;
    for (const { offset, timestamp, decoded } of records) {
      // What is below its position is read again only to see whether it is still the same.
      if (offset < unjudged || decoded === undefined || !('events' in decoded)) continue;
      const time = timestamp ?? Math.max(...allEvents(decoded).map(({ ts }) => ts));
      if (time > latest) inputs[topic].clockDrops.push(offset);
    }
  }

  idled(unit: Unit, topic: number, watermark: EpochMs): void {
    const { idleAfter, outOfOrderness, clockSteps, log, now, say } = this.#settings;
    const held = this.#held(unit);
    const { owner, partition, inputs, lastFed } = held;
    const before = unit.join.position(topic);
    this.#mustBeSure(held);
    inputs[topic].advances.push({ before, watermark });
    say(() => `${owner.name}: topic ${topic} is silent, its watermark goes to ${sinceBegin(watermark)}`);
    const [next] = log.written(partition, topic, before, Number.POSITIVE_INFINITY);
    const checked = watermark + idleAfter + outOfOrderness - owner.clock.error;
    const isTooFar = checked > now() + clockSteps;
    const isUnread = next !== undefined && next.writtenAt < checked - clockSteps;
    const isTooSoon = checked - lastFed[topic] < idleAfter - clockSteps;
    if (!isTooFar && !isUnread && !isTooSoon) return;
    const why = isTooFar
      ? 'the time is not yet'
      : isUnread
        ? `the record at ${before} was there`
        : 'it has just been read';
    this.#settings.fail(new Broken('silence', `${owner.name} took topic ${topic} for silent, but ${why}`));
  }

  committing(unit: Unit | undefined): void {
    this.#committing = unit;
  }

  /** What the state holds that is being sent now. Whoever sends it again sends the same state. */
  sent(): Pick<Sent, 'inputs' | 'forgotten'> {
    const held = this.#committing === undefined ? undefined : this.#units.get(this.#committing);
    if (held === undefined) throw new Broken('process', 'a commit that no unit has sent');
    const forgotten = new Set(held.forgotten);
    held.forgotten.clear();
    const inputs = held.inputs.map(({ advances, clockDrops, undecodable }) => ({
      advances: [...advances],
      clockDrops: [...clockDrops],
      undecodable: [...undecodable],
    }));
    return { inputs, forgotten };
  }

  #held(unit: Unit): Held {
    const held = this.#units.get(unit);
    if (held === undefined) throw new Broken('process', 'a unit that was never claimed');
    return held;
  }

  #mustBeSure({ owner }: Held): void {
    if (Math.abs(owner.clock.error) <= LARGEST_ERROR_MS) return;
    this.#settings.fail(new Broken('clock', `${owner.name} goes on although its clock is ${owner.clock.error} ms off`));
  }
}
