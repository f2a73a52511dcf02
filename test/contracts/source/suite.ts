import { describe, expect, it } from 'vitest';
import type { Batch, LogSource } from '../../../src/consumers/source/source-port.ts';

/** One partition with two topics of this many records each, with offsets from 0. */
export const RECORDS = 500;

export interface SourceCase {
  readonly source: LogSource;
  readonly cleanUp: () => Promise<void>;
}

/**
 * What every LogSource must do. `make` answers a fresh source over RECORDS records in each of two topics. `check` defines
 * one test; sources that need something from outside give their own, which may skip.
 */
export function sourceContract(
  name: string,
  make: () => Promise<SourceCase>,
  check: (name: string, test: () => Promise<void>) => void = it,
): void {
  async function run(
    handle: (batch: Batch, source: LogSource) => Promise<void>,
    assigned: (source: LogSource) => void = () => {},
  ): Promise<Batch[]> {
    const { source, cleanUp } = await make();
    const batches: Batch[] = [];
    let taken = 0;
    try {
      await source.run({
        assigned: async () => assigned(source),
        batch: async (batch) => {
          batches.push(batch);
          taken += batch.records.length;
          await handle(batch, source);
          // Logs without an end are stopped once everything came.
          const ends = batches.filter((b) => b.next === RECORDS).map((b) => b.topic);
          if (new Set(ends).size === 2) void source.stop();
        },
      });
      expect(taken).toBeGreaterThan(0);
      return batches;
    } finally {
      await cleanUp();
    }
  }
  const offsets = (batches: readonly Batch[], topic: number): number[] =>
    batches.filter((b) => b.topic === topic).flatMap((b) => b.records.map((r) => r.offset));

  describe(`${name} as a log source`, () => {
    check('delivers every record of every topic once, in the order of offsets', async () => {
      const batches = await run(async () => {});
      const all = Array.from({ length: RECORDS }, (_, i) => i);
      expect(offsets(batches, 0)).toEqual(all);
      expect(offsets(batches, 1)).toEqual(all);
    });

    check('says where each batch ends', async () => {
      for (const { records, next } of await run(async () => {}))
        expect(next).toBe(records[records.length - 1].offset + 1);
    });

    check('begins at the offset that was sought during the assignment', async () => {
      const batches = await run(
        async () => {},
        (source) => {
          source.seek(0, 0, 123);
          source.seek(0, 1, RECORDS - 1);
        },
      );
      expect(offsets(batches, 0)[0]).toBe(123);
      expect(offsets(batches, 0)).toHaveLength(RECORDS - 123);
      expect(offsets(batches, 1)).toEqual([RECORDS - 1]);
    });

    check('waits for the handler before it delivers more', async () => {
      let running = 0;
      await run(async () => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      });
    });

    check('delivers in batches of a bounded size', async () => {
      for (const { records } of await run(async () => {})) expect(records.length).toBeLessThan(RECORDS);
    });

    check('holds a paused topic back until it is resumed', async () => {
      let other = 0;
      const batches = await run(
        async ({ topic, next }, source) => {
          if (topic === 0) return;
          other = next;
          if (next === RECORDS) source.resume(0, 0);
        },
        (source) => source.pause(0, 0),
      );
      expect(other).toBe(RECORDS);
      expect(offsets(batches, 0)).toHaveLength(RECORDS);
      const first = batches.findIndex((b) => b.topic === 0);
      expect(batches.slice(0, first).every((b) => b.topic === 1)).toBe(true);
      expect(batches[first - 1].next).toBe(RECORDS);
    });

    check('rejects with the error of a handler', async () => {
      await expect(
        run(async () => {
          throw new Error('handler failed');
        }),
      ).rejects.toThrow('handler failed');
    });

    check('delivers nothing after stop', async () => {
      let after = 0;
      const batches = await run(async (_, source) => {
        if (after++ === 0) void source.stop();
      });
      expect(batches).toHaveLength(1);
    });
  });
}
