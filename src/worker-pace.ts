import type { Clock } from './clock.ts';
import type { LogSource } from './consumers/source/port.ts';
import type { DurationMs } from './events.ts';
import type { Block, Owned } from './worker-owned.ts';

export interface PaceSettings {
  readonly topics: readonly string[];
  readonly idleAfter: DurationMs;
  readonly outOfOrderness: DurationMs;
  readonly maxSkew: DurationMs;
  readonly openLimit: number;
}

/** Above the limit by so much the topic that holds the others back must not go on either. */
const HEADROOM = 1.25;

/** How fast the topics of a unit may be read against each other, and when silence counts as time (semantics.md section 2). */
export class Pace {
  readonly #settings: PaceSettings;
  readonly #source: LogSource;
  readonly #clock: Clock;

  constructor(settings: PaceSettings, { source, clock }: { readonly source: LogSource; readonly clock: Clock }) {
    this.#settings = settings;
    this.#source = source;
    this.#clock = clock;
  }

  block(owned: Owned, topic: number, reason: Block, holds: boolean): void {
    const blocks = owned.blocks[topic];
    if (blocks.has(reason) === holds) return;
    if (holds) blocks.add(reason);
    else blocks.delete(reason);
    if (holds && blocks.size === 1) this.#source.pause(owned.partition, topic);
    if (!holds && blocks.size === 0) this.#source.resume(owned.partition, topic);
  }

  blockAll(owned: Owned, reason: Block, holds: boolean): void {
    for (let topic = 0; topic < this.#settings.topics.length; topic++) this.block(owned, topic, reason, holds);
  }

  /**
   * Holds back a topic that leads the unit's slowest too far while too much is open in all units, and lets it go on when
   * either ends. Only leaders are held back. `too much`: even the slowest must not go on.
   */
  holdLeaders(owned: Owned, units: Iterable<Owned>): 'fine' | 'too much' {
    const { openLimit, maxSkew, topics } = this.#settings;
    let open = 0;
    for (const { unit } of units) open += unit.join.openImpressions + unit.join.waitingFeedback;
    const { join } = owned.unit;
    for (let topic = 0; topic < topics.length; topic++) {
      const leads = join.topicWatermark(topic) - join.watermark > maxSkew;
      this.block(owned, topic, 'leads', leads && open > openLimit);
    }
    return open > HEADROOM * openLimit ? 'too much' : 'fine';
  }

  /** Lets time pass in topics that have been read to their end for `idleAfter`. */
  async lookForSilence(units: Iterable<Owned>): Promise<void> {
    for (const owned of units) {
      for (let topic = 0; topic < this.#settings.topics.length; topic++) await this.#look(owned, topic);
    }
  }

  async #look(owned: Owned, topic: number): Promise<void> {
    const { idleAfter, outOfOrderness } = this.#settings;
    const { unit, lag, quietSince, blocks } = owned;
    const checked = this.#clock.now();
    // While nobody can tell whether there is something new, nothing is taken for silence.
    const bounds = await this.#source.bounds(owned.partition, topic).catch(() => undefined);
    const position = unit.join.position(topic);
    lag[topic] = bounds === undefined ? undefined : Math.max(0, bounds.end - position);
    if (lag[topic] !== 0 || unit.join.replaying || blocks[topic].size > 0) {
      quietSince[topic] = undefined;
      return;
    }
    const since = quietSince[topic] ?? checked;
    quietSince[topic] = since;
    if (checked - since >= idleAfter) unit.idle(topic, checked - idleAfter - outOfOrderness);
  }
}
