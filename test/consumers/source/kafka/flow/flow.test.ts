import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FetchedBatch } from '../../../../../src/consumers/source/kafka/flow/chunks.ts';
import { Flow } from '../../../../../src/consumers/source/kafka/flow/flow.ts';
import type { FlowClient } from '../../../../../src/consumers/source/kafka/flow/placement.ts';
import type {
  Batch,
  Bounds,
  SourceHandler,
  UndecodableBatch,
} from '../../../../../src/consumers/source/source-port.ts';
import { settle } from '../../../../manual-clock.ts';
import { Told } from '../told.ts';

class Rebalancing extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS';
}

/** A client that only notes its calls, like `seek 0/1 500`. */
class NotedClient implements FlowClient {
  readonly orders: string[] = [];
  readonly paused = new Set<string>();
  isStopped = false;

  pause(lists: { topic: string; partitions: number[] }[]): void {
    for (const { topic, partitions } of lists) for (const p of partitions) this.#note('pause', `${topic}/${p}`);
  }

  resume(lists: { topic: string; partitions: number[] }[]): void {
    for (const { topic, partitions } of lists) for (const p of partitions) this.#note('resume', `${topic}/${p}`);
  }

  seek({ topic, partition, offset }: { topic: string; partition: number; offset: string }): void {
    this.#note('seek', `${topic}/${partition} ${offset}`);
  }

  #note(order: string, what: string): void {
    if (this.isStopped) throw new Error('Consumer group was not initialized');
    this.orders.push(`${order} ${what}`);
    if (order === 'pause') this.paused.add(what);
    if (order === 'resume') this.paused.delete(what);
  }
}

interface Case {
  readonly flow: Flow;
  readonly client: NotedClient;
  readonly told: Told;
  readonly batches: Batch[];
  readonly failures: unknown[];
  readonly bounds: { value: Bounds };
  /** A fetch of offsets from `fetched` on; resolved offsets are noted in it. */
  readonly fetch: (offsets: readonly number[], more?: Partial<FetchedBatch>) => FetchedBatch & { resolved: string[] };
}

const refusal: UndecodableBatch = { from: 3, to: 6, records: 2, reason: 'a bomb', bytes: new Uint8Array(0) };

function start(handler: Partial<SourceHandler> = {}): Case {
  const told = new Told();
  const client = new NotedClient();
  const batches: Batch[] = [];
  const failures: unknown[] = [];
  const bounds = { value: { start: 0, end: 10_000 } };
  const flow = new Flow({
    topics: ['a', 'b'],
    events: told,
    log: (_, message) => told.warnings.push(message),
    bounds: async () => bounds.value,
    sleep: settle,
    fail: (error) => failures.push(error),
    handler: {
      assigned: async () => {},
      ...handler,
      batch: async (batch) => {
        batches.push(batch);
        await handler.batch?.(batch);
      },
    },
  });
  const fetch = (offsets: readonly number[], more: Partial<FetchedBatch> = {}) => {
    const resolved: string[] = [];
    return {
      partition: 0,
      topic: 0,
      fetched: offsets[0],
      messages: offsets.map((offset) => ({ offset: String(offset), timestamp: '5', key: null, value: null })),
      end: (offsets.at(-1) ?? 0) + 1,
      logEnd: 1000,
      resolveOffset: (offset: string) => void resolved.push(offset),
      heartbeat: async () => {},
      isRunning: () => true,
      isStale: () => false,
      ...more,
      resolved,
    };
  };
  return { flow, client, told, batches, failures, bounds, fetch };
}

const BOTH = { a: [0], b: [0] };
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const offsets = (batches: readonly Batch[]): number[] => batches.flatMap(({ records }) => records.map((r) => r.offset));

/** Until nothing continues by itself, whatever the machine is busy with: several looks at the log, too. */
async function rest(): Promise<void> {
  for (let i = 0; i < 20; i++) await settle();
}

async function joined(handler: Partial<SourceHandler> = {}): Promise<Case> {
  const made = start(handler);
  made.flow.joined(made.client, BOTH);
  await rest();
  return made;
}

describe('after a join', () => {
  it('everything is paused before anything else can happen, and resumed only after claim and seek', async () => {
    let claim = (): void => {};
    const { flow, client, batches, fetch } = start({
      assigned: () =>
        new Promise((resolve) => {
          claim = resolve;
        }),
    });
    flow.joined(client, BOTH);
    expect(client.orders).toEqual(['pause a/0', 'pause b/0']);
    await flow.batch(fetch(range(0, 3)));
    expect(batches).toEqual([]);
    flow.seek(0, 0, 7);
    expect(client.orders).toHaveLength(2);
    claim();
    await rest();
    expect(client.orders.slice(2)).toEqual(['seek a/0 7', 'resume a/0', 'seek b/0 0', 'resume b/0']);
  });

  it('what is fetched already is delivered when no more is to be fetched, and a pause is another thing', async () => {
    const { flow, client, batches, fetch } = await joined();
    const [first, second] = [fetch(range(0, 3)), fetch(range(3, 6))];
    flow.setFetching(0, 0, false);
    expect([...client.paused]).toEqual(['a/0']);
    await flow.batch(first);
    expect(offsets(batches)).toEqual(range(0, 3));
    flow.pause(0, 0);
    await flow.batch(second);
    expect(offsets(batches)).toEqual(range(0, 3));
    flow.resume(0, 0);
    expect([...client.paused]).toEqual(['a/0']);
    flow.joined(client, BOTH);
    await rest();
    expect([...client.paused]).toEqual(['a/0']);
    flow.setFetching(0, 0, true);
    expect([...client.paused]).toEqual([]);
    await flow.batch(fetch(range(3, 6)));
    expect(offsets(batches)).toEqual(range(0, 6));
  });

  it('a unit that stays goes on where it was, whatever Kafka has committed', async () => {
    const { flow, client, batches, fetch } = await joined();
    await flow.batch(fetch(range(0, 5)));
    flow.joined(client, { a: [0, 1], b: [0, 1] });
    await rest();
    expect(client.orders.slice(-8)).toContain('seek a/0 5');
    expect(client.orders.slice(-8)).toContain('seek a/1 0');
    await flow.batch(fetch(range(5, 7)));
    expect(offsets(batches)).toEqual(range(0, 7));
  });

  it('batches of a unit that is not ours any more are dropped', async () => {
    const { flow, client, batches, fetch } = await joined();
    flow.joined(client, {});
    await flow.batch(fetch(range(0, 3)));
    expect(batches).toEqual([]);
    expect(flow.owned()).toEqual([]);
  });

  it('a partition without its pair is paused, reported and not claimed', async () => {
    const claims: (readonly number[])[] = [];
    const { flow, client, told } = start({ assigned: async (partitions) => void claims.push(partitions) });
    flow.joined(client, { a: [0, 1], b: [1, 2] });
    await rest();
    expect(claims).toEqual([[1]]);
    expect(told.unpaired).toEqual([[0, 2]]);
    expect([...client.paused].sort()).toEqual(['a/0', 'b/2']);
  });

  it('joins that come while a claim runs are claimed after it, the last one only', async () => {
    const claims: (readonly number[])[] = [];
    let settle = (): void => {};
    const { flow, client } = start({
      assigned: (partitions) => {
        claims.push(partitions);
        return new Promise((resolve) => {
          settle = resolve;
        });
      },
    });
    for (const partitions of [[0], [0, 1], [1]]) flow.joined(client, { a: partitions, b: partitions });
    expect(claims).toEqual([[0]]);
    settle();
    await rest();
    expect(claims).toEqual([[0], [1]]);
    expect(client.orders.filter((order) => order.startsWith('seek'))).toEqual([]);
    settle();
    await rest();
    expect(client.orders.filter((order) => order.startsWith('seek'))).toEqual(['seek a/1 0', 'seek b/1 0']);
  });

  it('a claim that fails after the end, as the connections are closed then, is no failure of the run', async () => {
    let fail = (_: Error): void => {};
    const { flow, client, failures } = start({
      assigned: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    });
    flow.joined(client, BOTH);
    await flow.end();
    fail(new Error('kafka: the connections are closed'));
    await rest();
    expect(failures).toEqual([]);
  });

  it('a claim that fails ends the run', async () => {
    const { failures } = await joined({
      assigned: async () => {
        throw new Error('no store');
      },
    });
    expect(failures).toEqual([new Error('no store')]);
  });

  it('a handler that still works on a chunk is waited for before its unit is placed', async () => {
    let finish = (): void => {};
    const made = await joined({
      batch: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    });
    const { flow, client, fetch } = made;
    const lost = new Rebalancing();
    const first = flow.batch(
      fetch(range(0, 3), {
        heartbeat: async () => {
          throw lost;
        },
      }),
    );
    first.catch(() => {});
    await sleep(1100);
    await expect(first).rejects.toBe(lost);
    client.orders.length = 0;
    flow.joined(client, BOTH);
    await rest();
    expect(client.orders).toEqual(['pause a/0', 'pause b/0']);
    finish();
    await rest();
    expect(client.orders).toContain('seek a/0 3');
    await flow.end();
  });
});

describe('a fetched batch', () => {
  it('comes in chunks, each resolved when it is done, the last over trailing holes', async () => {
    const { flow, batches, fetch } = await joined();
    const batch = fetch(range(0, 450), { end: 460 });
    await flow.batch(batch);
    // A process that has to wait for its turn takes what it has by then.
    expect(batches[0].records.length).toBeLessThanOrEqual(200);
    expect(batches.length).toBeGreaterThan(1);
    expect(offsets(batches)).toEqual(range(0, 450));
    expect(batches.at(-1)?.next).toBe(460);
    expect(batch.resolved).toEqual([...batches.slice(0, -1).map(({ next }) => `${next - 1}`), '449']);
    expect(flow.position(0, 0)?.expected).toBe(460);
  });

  it('comes in larger chunks while a handler takes little time, up to 2,048', async () => {
    const { flow, batches, fetch } = await joined();
    await flow.batch(fetch(range(0, 30_000)));
    const sizes = batches.map(({ records }) => records.length);
    expect(sizes[0]).toBeLessThanOrEqual(200);
    expect(Math.max(...sizes)).toBeGreaterThan(200);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2048);
    expect(offsets(batches)).toEqual(range(0, 30_000));
  });

  it('comes in smaller chunks when a handler blocks for long', async () => {
    const { flow, batches, fetch } = await joined({
      batch: async ({ records }) => {
        const until = performance.now() + records.length;
        while (performance.now() < until);
      },
    });
    await flow.batch(fetch(range(0, 400)));
    expect(batches[0].records).toHaveLength(200);
    for (const { records } of batches.slice(1)) expect(records.length).toBeLessThan(40);
    expect(offsets(batches)).toEqual(range(0, 400));
  });

  it('is dropped when it was fetched before a seek', async () => {
    const { flow, client, batches, fetch } = await joined();
    await flow.batch(fetch(range(0, 5)));
    flow.seek(0, 0, 2);
    await rest();
    await flow.batch(fetch(range(5, 9), { isStale: () => true }));
    await flow.batch(fetch(range(2, 4)));
    expect(offsets(batches)).toEqual([0, 1, 2, 3, 4, 2, 3]);
    expect(client.orders).toContain('seek a/0 2');
  });

  it('is dropped when it was fetched elsewhere than asked, and the place is sought again', async () => {
    for (const jump of [range(0, 5), range(50, 55)]) {
      const { flow, client, batches, fetch } = await joined();
      flow.seek(0, 0, 20);
      await rest();
      client.orders.length = 0;
      await flow.batch(fetch(jump));
      await rest();
      expect(batches).toEqual([]);
      expect(client.orders).toEqual(['pause a/0', 'seek a/0 20', 'resume a/0']);
    }
  });

  it('may begin behind the offset asked for: that is a hole', async () => {
    const { flow, batches, fetch, told } = await joined();
    await flow.batch(fetch(range(5, 8), { fetched: 0 }));
    expect(offsets(batches)).toEqual([5, 6, 7]);
    expect(told.gaps).toEqual([]);
  });

  it('is let go of at the next chunk when its topic is paused, sought, or the source ends', async () => {
    for (const act of ['pause', 'seek', 'end'] as const) {
      const { flow, batches, fetch } = await joined({
        batch: async () => {
          if (act === 'pause') flow.pause(0, 0);
          if (act === 'seek') flow.seek(0, 0, 100);
          if (act === 'end') void flow.end();
        },
      });
      const batch = fetch(range(0, 500));
      await flow.batch(batch);
      expect(batches).toHaveLength(1);
      const [{ next }] = batches;
      expect(next).toBeLessThanOrEqual(200);
      expect(batch.resolved).toEqual(act === 'seek' ? [] : [`${next - 1}`]);
      expect(flow.position(0, 0)?.expected).toBe(act === 'seek' ? 100 : next);
    }
  });

  it('and all others are let go of when one heartbeat says that the group rebalances', async () => {
    const lost = new Rebalancing();
    const { flow, batches, fetch } = await joined({ batch: () => sleep(5) });
    let beats = 0;
    const heartbeat = async (): Promise<void> => {
      if (++beats === 3) throw lost;
    };
    const both = [fetch(range(0, 2000), { heartbeat }), fetch(range(0, 2000), { heartbeat, topic: 1 })];
    const ends = await Promise.allSettled(both.map((batch) => flow.batch(batch)));
    expect(ends).toEqual([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ]);
    expect(batches.length).toBeLessThanOrEqual(4);
  });

  it('lets connections, timers and requests be served between its chunks', async () => {
    const { flow, batches, fetch } = await joined({
      batch: async () => {
        const until = performance.now() + 20;
        while (performance.now() < until);
      },
    });
    const both = [fetch(range(0, 2000)), fetch(range(0, 2000), { topic: 1 })].map((batch) => flow.batch(batch));
    const before: number[] = [];
    const look = (): void => {
      before.push(batches.length);
      if (batches.length < 20) setImmediate(look);
    };
    setImmediate(look);
    await Promise.all(both);
    // A turn of its own for each delivery would be one after twice as many chunks.
    expect(Math.max(...before.slice(1).map((n, i) => n - before[i]))).toBeLessThan(6);
    expect(before.filter((n) => n > 0 && n < 20).length).toBeGreaterThan(3);
  });

  it('waits for its unit: topics of one partition take turns', async () => {
    let running = 0;
    const { flow, fetch } = await joined({
      batch: async () => {
        expect(++running).toBe(1);
        await sleep(1);
        running--;
      },
    });
    await Promise.all([flow.batch(fetch(range(0, 900))), flow.batch(fetch(range(0, 900), { topic: 1 }))]);
    expect(flow.position(0, 1)?.expected).toBe(900);
  });

  it('that a handler refuses ends the run, and kafkajs hears nothing of it', async () => {
    const { flow, failures, fetch } = await joined({
      batch: async () => {
        throw new RangeError('ours');
      },
    });
    await flow.batch(fetch([0]));
    expect(failures).toEqual([new RangeError('ours')]);
    expect(flow.position(0, 0)?.expected).toBe(0);
  });

  it('has no time where Kafka has none', async () => {
    const { flow, batches, fetch } = await joined();
    const messages = ['-1', '0', '7'].map((timestamp, i) => ({ offset: `${i}`, timestamp, key: null, value: null }));
    await flow.batch(fetch(range(0, 3), { messages }));
    expect(batches[0].records.map((r) => r.timestamp)).toEqual([undefined, 0, 7]);
  });
});

describe('a batch without records', () => {
  it('moves the position and calls the handler', async () => {
    const { flow, batches, fetch } = await joined();
    flow.filtered(0, 0, 0, 4);
    await flow.batch(fetch([4]));
    expect(batches.map(({ next, records }) => [next, records.length])).toEqual([
      [4, 0],
      [5, 1],
    ]);
  });

  it('behind a hole is fetched again, and counts when it comes again: at the end of a log nothing else comes', async () => {
    const { flow, client, batches } = await joined();
    flow.filtered(0, 0, 6, 9);
    expect(flow.position(0, 0)?.expected).toBe(0);
    await rest();
    expect(client.orders.slice(-3)).toEqual(['pause a/0', 'seek a/0 0', 'resume a/0']);
    flow.filtered(0, 0, 6, 9);
    await rest();
    expect(flow.position(0, 0)?.expected).toBe(9);
    expect(batches.map(({ next, records }) => [next, records.length])).toEqual([[9, 0]]);
  });

  it('behind a hole counts as well when the client went on at its end by itself', async () => {
    const { flow, batches, fetch } = await joined();
    flow.filtered(0, 0, 6, 9);
    await rest();
    await flow.batch(fetch([9]));
    expect(offsets(batches)).toEqual([9]);
  });

  it('that was fetched before a seek changes nothing', async () => {
    const { flow, batches, fetch } = await joined();
    await flow.batch(fetch(range(0, 9)));
    flow.seek(0, 0, 2);
    await rest();
    flow.filtered(0, 0, 9, 12);
    await rest();
    expect(flow.position(0, 0)?.expected).toBe(2);
    await flow.batch(fetch(range(2, 5)));
    expect(offsets(batches.slice(1))).toEqual([2, 3, 4]);
    flow.filtered(0, 0, 0, 3);
    expect(flow.position(0, 0)?.expected).toBe(5);
  });
});

describe('a batch that cannot be decoded', () => {
  const mixed = (fetch: Case['fetch']) =>
    fetch([0, 1, 2, 5, 7], {
      messages: [0, 1, 2, 5, 7].map((offset) => ({
        offset: String(offset),
        timestamp: '1',
        key: null,
        value: null,
        ...(offset === 5 ? { stand: { kind: 'refused', refusal } as const } : {}),
      })),
    });

  it('stops its topic of its unit, after the records before it; the rest goes on', async () => {
    const { flow, client, told, batches, fetch } = await joined();
    const batch = mixed(fetch);
    await flow.batch(batch);
    expect(offsets(batches)).toEqual([0, 1, 2]);
    expect(batch.resolved).toEqual(['2']);
    expect(told.refused).toEqual([{ partition: 0, topic: 0, from: 3, to: 6, reason: 'a bomb' }]);
    expect([...client.paused]).toEqual(['a/0']);
    flow.resume(0, 0);
    expect([...client.paused]).toEqual(['a/0']);
    await flow.batch(fetch([0], { topic: 1 }));
    expect(batches).toHaveLength(2);
  });

  it('is given to the handler at its place when it is to be skipped, and what is behind it is fetched anew', async () => {
    const { flow, client, told, batches, fetch } = await joined();
    told.undecodable = 'skip';
    const before = client.orders.length;
    await flow.batch(mixed(fetch));
    await rest();
    expect(batches.map(({ records, next, undecodable }) => [records.length, next, undecodable])).toEqual([
      [3, 3, undefined],
      [0, 6, refusal],
    ]);
    expect(client.orders.slice(before)).toEqual(['pause a/0', 'seek a/0 6', 'resume a/0']);
    await flow.batch(fetch([7], { fetched: 6 }));
    expect(offsets(batches)).toEqual([0, 1, 2, 7]);
  });

  it('is not skipped twice when it was sought meanwhile, nor is a seek overruled', async () => {
    const made = await joined({
      batch: async ({ undecodable }) => {
        if (undecodable !== undefined) made.flow.seek(0, 0, 1);
      },
    });
    made.told.undecodable = 'skip';
    await made.flow.batch(mixed(made.fetch));
    await rest();
    expect(made.flow.position(0, 0)?.expected).toBe(1);
    expect(made.client.orders.at(-2)).toBe('seek a/0 1');
  });

  it('can be skipped by a seek', async () => {
    const { flow, client, batches, fetch } = await joined();
    await flow.batch(mixed(fetch));
    flow.seek(0, 0, 6);
    await rest();
    expect([...client.paused]).toEqual([]);
    await flow.batch(fetch([7], { fetched: 6 }));
    expect(offsets(batches)).toEqual([0, 1, 2, 7]);
  });
});

describe('after a fetch that failed', () => {
  it('everything is paused, the handler is called before anything else can happen, and its seeks hold', async () => {
    const told: (readonly number[])[] = [];
    let assignments = 0;
    const made = await joined({
      assigned: async () => {
        assignments++;
      },
      doubted: (partitions) => {
        told.push(partitions);
        made.flow.seek(0, 0, 9, 10);
      },
    });
    const { flow, client, batches, fetch } = made;
    await flow.batch(fetch(range(0, 10)));
    client.orders.length = 0;
    flow.doubted();
    expect(client.orders).toEqual(['pause a/0', 'pause b/0']);
    // What the client fetched in the meantime is of the old position.
    await flow.batch(fetch(range(10, 12)));
    await rest();
    expect([told, assignments]).toEqual([[[0]], 1]);
    expect(client.orders.slice(2)).toEqual(['seek a/0 9', 'resume a/0', 'seek b/0 0', 'resume b/0']);
    await flow.batch(fetch(range(9, 12)));
    expect(offsets(batches)).toEqual([...range(0, 10), ...range(9, 12)]);
  });

  it('a handler that does not care goes on where it was', async () => {
    const { flow, batches, fetch } = await joined();
    await flow.batch(fetch(range(0, 5)));
    flow.doubted();
    await rest();
    await flow.batch(fetch(range(5, 7)));
    expect(offsets(batches)).toEqual(range(0, 7));
  });

  it('a join counts for more than a doubt, whichever comes first', async () => {
    for (const isFirst of [true, false]) {
      const calls: string[] = [];
      const { flow, client } = await joined({
        assigned: async () => void calls.push('assigned'),
        doubted: () => void calls.push('doubted'),
      });
      calls.length = 0;
      if (isFirst) flow.doubted();
      flow.joined(client, BOTH);
      if (!isFirst) flow.doubted();
      await rest();
      expect(calls.at(-1)).toBe(isFirst ? 'assigned' : 'doubted');
      expect(calls).toContain('assigned');
    }
  });

  it('is nothing before a join, and after the end', async () => {
    const { flow, client, told } = start();
    flow.doubted();
    expect(client.orders).toEqual([]);
    flow.joined(client, BOTH);
    await flow.end();
    client.orders.length = 0;
    flow.doubted();
    expect(client.orders).toEqual([]);
    expect(told.warnings).toEqual([]);
  });
});

describe('where the log begins and ends', () => {
  async function sought(offset: number, verdict: Told['verdict'], heldUpTo = offset): Promise<Case> {
    const made = start({ assigned: async () => made.flow.seek(0, 0, offset, heldUpTo) });
    made.told.verdict = verdict;
    made.bounds.value = { start: 100, end: 200 };
    made.flow.joined(made.client, BOTH);
    await rest();
    return made;
  }

  it('decides what is a gap: below the start it is, at the start it is not', async () => {
    for (const [offset, gaps] of [
      [99, [{ partition: 0, topic: 0, asked: 99, start: 100 }]],
      [100, []],
      [101, []],
    ] as const) {
      const { told, client } = await sought(offset, 'skip');
      expect(told.gaps).toEqual(gaps);
      expect(client.orders).toContain(`seek a/0 ${Math.max(offset, 100)}`);
    }
  });

  it('a gap stops the topic if it is not to be skipped', async () => {
    const { client, flow } = await sought(99, 'stop');
    expect([...client.paused]).toEqual(['a/0']);
    flow.seek(0, 0, 100);
    await rest();
    expect([...client.paused]).toEqual([]);
  });

  it('decides what is lost: behind the end it is, at the end it is not', async () => {
    for (const [offset, lost] of [
      [199, []],
      [200, []],
      [201, [{ partition: 0, topic: 0, held: 201, end: 200 }]],
    ] as const) {
      const { told, client } = await sought(offset, 'skip');
      expect(told.lost).toEqual(lost);
      expect(client.paused.has('a/0')).toBe(lost.length > 0);
    }
  });

  it('decides what is lost by what the log has held, wherever reading begins', async () => {
    for (const [heldUpTo, lost] of [
      [199, []],
      [200, []],
      [201, [{ partition: 0, topic: 0, held: 201, end: 200 }]],
    ] as const) {
      for (const offset of [50, 150]) {
        const { told, client, flow } = await sought(offset, 'skip', heldUpTo);
        expect(told.lost).toEqual(lost);
        expect(told.gaps.length).toBe(lost.length === 0 && offset === 50 ? 1 : 0);
        expect(client.paused.has('a/0')).toBe(lost.length > 0);
        if (lost.length > 0) flow.seek(0, 0, 150);
        await rest();
        expect(client.paused.has('a/0')).toBe(false);
      }
    }
  });

  it('goes on at the start without a warning when nothing is missing', async () => {
    const { told, client } = await sought(99, 'not needed');
    expect(client.orders).toContain('seek a/0 100');
    expect(told.warnings).toEqual([]);
    expect((await sought(99, 'skip')).told.warnings).toEqual(['records that were to be read next are gone']);
  });

  it('a log that is shorter after a join than what was delivered from it is lost', async () => {
    const { flow, client, told, bounds, fetch } = await joined();
    await flow.batch(fetch(range(0, 60)));
    bounds.value = { start: 0, end: 59 };
    flow.joined(client, BOTH);
    await rest();
    expect(told.lost).toEqual([{ partition: 0, topic: 0, held: 60, end: 59 }]);
  });

  it('is no gap for a partition that nobody sought', async () => {
    const { told, client } = await sought(150, 'stop');
    expect(told.gaps).toEqual([]);
    expect(client.orders).toContain('seek b/0 100');
  });

  it('is looked up again when the client jumped there by itself', async () => {
    const { flow, told, bounds, client, fetch } = await joined();
    told.verdict = 'skip';
    await flow.batch(fetch(range(0, 10)));
    bounds.value = { start: 40, end: 200 };
    await flow.batch(fetch(range(40, 50)));
    await rest();
    expect(told.gaps).toEqual([{ partition: 0, topic: 0, asked: 10, start: 40 }]);
    expect(client.orders).toContain('seek a/0 40');
  });
});

describe('a consumer that has stopped', () => {
  it('may refuse orders without harm', async () => {
    const { flow, client, failures } = await joined();
    client.isStopped = true;
    flow.seek(0, 0, 5);
    flow.pause(0, 0);
    flow.resume(0, 0);
    await rest();
    expect(failures).toEqual([]);
    flow.joined(new NotedClient(), BOTH);
    await rest();
    expect(flow.position(0, 0)).toMatchObject({ expected: 5, flows: true });
  });
});
