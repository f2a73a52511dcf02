import { CheckpointError } from '../accumulators/store/json.ts';
import { clockKey, type RowOwner } from '../accumulators/store/layout.ts';
import type { Fields } from '../accumulators/store/store-port.ts';
import { CLOCK_BLOCK, type ClockBlocks, type JoinCheckpoint } from '../vocabulary/checkpoint.ts';

/** The number of fields that one commit removes at most. */
const MOST_REMOVED = 2000;

const FIELD = /^(\d{1,3}):(\d{1,13})$/;
const BITS = new RegExp(`^[0-9a-f]{${CLOCK_BLOCK / 4}}$`);

/**
 * Blocks of wall-clock verdicts, stored as fields of one hash of the unit: `<topic>:<block>` maps to its bits. A block is
 * written once, by the first commit whose checkpoint counts it, and removed after the last one that does.
 */
export class StoredClockBlocks {
  /** The stored blocks of each topic, ascending. */
  readonly #stored: ClockBlocks[];

  /** Throws a CheckpointError for a field that is not a block. @param fields the fields of the hash */
  constructor(topics: number, fields: Fields) {
    const stored = Array.from({ length: topics }, (): (readonly [number, string])[] => []);
    for (const [field, bits] of fields) {
      const [, topic, block] = FIELD.exec(field) ?? [];
      if (!(Number(topic) < topics) || !BITS.test(bits)) {
        throw new CheckpointError(
          `the stored clock verdicts are damaged: ${field.slice(0, 60)}: expected ${CLOCK_BLOCK / 4} hexadecimal digits of a ` +
            'block of a topic. Restore the store from a backup, or rebuild the unit from the log',
        );
      }
      stored[Number(topic)].push([Number(block), bits]);
    }
    this.#stored = stored.map((blocks) => blocks.sort(([a], [b]) => a - b));
  }

  /** Adds its blocks to a checkpoint. undefined: the store holds other blocks than the checkpoint counts. */
  complete(join: JoinCheckpoint): JoinCheckpoint | undefined {
    const clockBlocks = join.topics.map(({ replay }, topic) => {
      const first = Math.floor(replay / CLOCK_BLOCK);
      return this.#stored[topic].filter(([block]) => block >= first);
    });
    const isWhole = join.topics.every((topic, t) => (topic.clockBlocks ?? 0) === clockBlocks[t].length);
    return isWhole ? { ...join, clockBlocks } : undefined;
  }

  /** Puts the blocks that changed since the last checkpoint into `rows`, and the fields to remove into `removes`. */
  takeChanges(
    { clockBlocks = [] }: JoinCheckpoint,
    owner: RowOwner,
    rows: Map<string, Map<string, string>>,
    removes: Map<string, readonly string[]>,
  ): void {
    const set = new Map<string, string>();
    const gone: string[] = [];
    for (const [topic, blocks] of clockBlocks.entries()) {
      const stored = this.#stored[topic];
      const newest = stored.at(-1)?.[0] ?? -1;
      const added = blocks.filter(([block]) => block > newest);
      for (const [block, bits] of added) set.set(`${topic}:${block}`, bits);
      const first = blocks[0]?.[0] ?? Number.POSITIVE_INFINITY;
      let old = 0;
      while (old < stored.length && stored[old][0] < first && gone.length < MOST_REMOVED) {
        gone.push(`${topic}:${stored[old++][0]}`);
      }
      if (added.length > 0 || old > 0) this.#stored[topic] = [...stored.slice(old), ...added];
    }
    if (set.size > 0) rows.set(clockKey(owner), set);
    if (gone.length > 0) removes.set(clockKey(owner), gone);
  }
}
