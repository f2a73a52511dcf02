import { describe, expect, it } from 'vitest';
import type { Commit, CommitAnswer } from '../../src/accumulators/store/store-port.ts';
import { MemoryLog, MemorySource } from '../../src/consumers/source/memory-source.ts';
import { RunBatch, type SourceHandler } from '../../src/consumers/source/source-port.ts';
import { Worker } from '../../src/worker/worker.ts';
import { runOf } from '../consumers/source/run-of.ts';
import { ManualClock, settle } from '../manual-clock.ts';
import { RestorableStore } from '../restorable-store.ts';
import { quietDeps, settingsFor, TOPICS } from './settings.ts';

const START = 1_760_000_040_000;

/** Gives what the test says, in place of what its logs hold. */
class HandedSource extends MemorySource {
  handler: SourceHandler | undefined;
  #end = (): void => {};

  override run(handler: SourceHandler): Promise<void> {
    this.handler = handler;
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  override async stop(): Promise<void> {
    this.#end();
  }
}

class CountingStore extends RestorableStore {
  commits = 0;
  /** Somebody else claims the unit before this commit. */
  stolenAt = Number.POSITIVE_INFINITY;

  override async commit(commit: Commit): Promise<CommitAnswer> {
    this.commits++;
    if (this.commits === this.stolenAt) await this.claim(commit.unit, 'somebody else');
    return super.commit(commit);
  }
}

/** A worker of one unit, whose lists close as impressions come: feedback is far ahead. */
async function started() {
  const clock = new ManualClock(START + 2 * 3_600_000);
  const store = new CountingStore();
  const source = new HandedSource(new MemoryLog(TOPICS.length, 1));
  const worker = new Worker({ ...settingsFor(1), commitBytes: 20_000 }, { ...quietDeps(), source, store, clock });
  const ended = worker.run();
  await settle();
  const { handler } = source;
  if (handler === undefined) throw new Error('the worker does not read');
  const assigned = handler.assigned([0]);
  for (let n = 0; n < 20; n++) await settle();
  await assigned;
  let next = 0;
  const click = { requestId: 'none', itemId: 'a', ts: START + 3_600_000, action: 'click' };
  const feedback = { offset: 0, timestamp: click.ts, value: Buffer.from(JSON.stringify(click)) };
  await handler.batch(new RunBatch(0, 1, [runOf([feedback])], 1));
  return {
    store,
    worker,
    /** So many lists, a second apart, of so many countries. */
    show: async (lists: number, countries: number): Promise<void> => {
      const records = Array.from({ length: lists }, () => {
        const ts = START + 1000 * next;
        const event = {
          requestId: `r${next}`,
          ts,
          items: ['a'],
          variant: 'A',
          cohorts: { country: `C${next % countries}` },
        };
        return { offset: next++, timestamp: ts, value: Buffer.from(JSON.stringify(event)) };
      });
      await handler.batch(new RunBatch(0, 0, [runOf(records)], next));
    },
    read: () => worker.status().units[0]?.counts[0].impressions.read ?? 0,
    end: async () => {
      await worker.stop();
      await ended;
    },
  };
}

describe('a batch of lists of many cohorts', () => {
  it('is fed in parts, between which what has changed is stored; one of few cohorts at once', async () => {
    const commitsOf = async (countries: number): Promise<number> => {
      const { store, show, read, end } = await started();
      await show(300, countries);
      const before = store.commits;
      await show(2000, countries);
      const commits = store.commits - before;
      expect(read()).toBe(2300);
      await end();
      return commits;
    };
    expect(await commitsOf(300)).toBeGreaterThan(4);
    expect(await commitsOf(3)).toBeLessThanOrEqual(2);
  });

  it('is not fed on once the unit has another owner', async () => {
    const { store, worker, show, read, end } = await started();
    await show(300, 300);
    store.stolenAt = store.commits + 2;
    await show(2000, 300);
    expect(store.commits).toBeGreaterThanOrEqual(store.stolenAt);
    expect(read()).toBeLessThan(2300);
    expect(worker.status().commits.fenced).toBeGreaterThan(0);
    await end();
  });
});
