/**
 * Sees what the wall clock does to a unit, in the unit's own join: which records it judges to be of the future, and when
 * it lets time pass in a silent topic. These are the recorded inputs that the reference is given; what a checkpoint keeps
 * of them is not looked at. And what it looks at, of which stored looks must tell.
 */
import type { Store } from '../../src/accumulators/store/store-port.ts';
import type { Batch } from '../../src/consumers/source/source-port.ts';
import type { Unit } from '../../src/unit/unit.ts';
import type { EpochMs } from '../../src/vocabulary/events.ts';

type LookedAt = Parameters<Unit['look']>[1];

export interface Observer {
  claimed(unit: Unit, partition: number, store: Store): void;
  /** Before the unit takes it. */
  fed(unit: Unit, batch: Batch): void;
  /** The watermark of a topic was raised by the wall clock. */
  idled(unit: Unit, topic: number, watermark: EpochMs): void;
  /** It looks at its experiment. */
  looked(unit: Unit, totals: LookedAt): void;
  /** What is sent to the store until it returns is a commit of this unit. */
  committing(unit: Unit | undefined): void;
}

export interface Watch {
  observer: Observer | undefined;
}

/** Lets an observer see every unit of this class. */
export function watch(units: typeof Unit): Watch {
  const watched: Watch = { observer: undefined };
  const { claim } = units;
  const { feed, idle, look, commit } = units.prototype;
  units.claim = async (settings, deps) => {
    const unit = await claim.call(units, settings, deps);
    watched.observer?.claimed(unit, settings.partition, deps.store);
    return unit;
  };
  units.prototype.feed = function (batch) {
    watched.observer?.fed(this, batch);
    return feed.call(this, batch);
  };
  units.prototype.idle = function (topic, watermark) {
    const before = this.join.topicWatermark(topic);
    idle.call(this, topic, watermark);
    if (this.join.topicWatermark(topic) > before) watched.observer?.idled(this, topic, watermark);
  };
  units.prototype.look = function (run, totals) {
    watched.observer?.looked(this, totals);
    look.call(this, run, totals);
  };
  units.prototype.commit = function () {
    watched.observer?.committing(this);
    try {
      return commit.call(this);
    } finally {
      watched.observer?.committing(undefined);
    }
  };
  return watched;
}
