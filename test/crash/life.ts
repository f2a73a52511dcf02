import { MemorySource } from '../../src/consumers/source/memory-source.ts';
import type { SourceHandler } from '../../src/consumers/source/source-port.ts';
import type { Clock } from '../../src/vocabulary/clock.ts';
import type { FaultLabel } from '../../src/vocabulary/fault-point.ts';
import type { Worker } from '../../src/worker/worker.ts';
import type { WorkerDeps } from '../../src/worker/worker-contract.ts';
import type { StoreSnapshot } from '../restorable-store.ts';
import { LATENCY_MS, type World } from './world.ts';

type Given = Pick<WorkerDeps, 'source' | 'store' | 'clock' | 'newId' | 'startOffset' | 'faultPoint'>;
export type MakeWorker = (deps: Given) => Pick<Worker, 'run' | 'stop'>;

const FETCH_MS = 270;
const LOOK_MS = 1000;
const PATIENCE_MS = 60_000;

let lives = 0;

/**
 * Lets one worker live in a world until all that the log will ever hold is stored, and stops it. Returns what is stored
 * then. Rejects with what the worker fails of, or when it does not get there.
 */
export async function live(
  world: World,
  makeWorker: MakeWorker,
  passes: (label: FaultLabel) => void = () => {},
): Promise<StoreSnapshot> {
  const life = ++lives;
  let ids = 0;
  let isOver = false;
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  const worker = makeWorker({
    source: new FetchingSource(world),
    store: world.store(),
    clock: clockOf(world, failed),
    newId: () => `${life}-${ids++}`,
    startOffset: async (partition, topic) => {
      await world.clock.sleep(LATENCY_MS);
      return world.log.bounds(partition, topic).start;
    },
    faultPoint: passes,
  });
  worker.run().then(() => {
    isOver = true;
  }, failed);
  for (let patience = PATIENCE_MS, isStopping = false; !isOver; ) {
    await world.clock.advance(LOOK_MS);
    if (failures.length > 0) throw failures[0];
    if (!world.isDone) continue;
    if (!isStopping && world.isAllStored) {
      isStopping = true;
      worker.stop().catch(failed);
    }
    patience -= LOOK_MS;
    if (patience < 0) throw new Error('the worker did not come to its end');
  }
  return world.stored;
}

/** Chunks take their time to come, so that a replay is no single moment. */
class FetchingSource extends MemorySource {
  readonly #world: World;

  constructor(world: World) {
    super(world.log);
    this.#world = world;
  }

  override run(handler: SourceHandler): Promise<void> {
    return super.run({
      assigned: (partitions) => handler.assigned(partitions),
      batch: async (batch) => {
        await this.#world.clock.sleep(FETCH_MS);
        await handler.batch(batch);
      },
    });
  }
}

/** A clock whose calls may take their time, as those of a wall clock do. */
function clockOf({ clock }: World, failed: (error: unknown) => void): Clock {
  return {
    now: () => clock.now(),
    sleep: (duration, ending) => clock.sleep(duration, ending),
    every: (interval, call) => {
      let isRunning = false;
      return clock.every(interval, () => {
        if (isRunning) return;
        isRunning = true;
        Promise.resolve(call())
          .finally(() => {
            isRunning = false;
          })
          .catch(failed);
      });
    },
  };
}
