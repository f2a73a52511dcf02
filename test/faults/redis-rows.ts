import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { owner } from './kafka-rows.ts';
import type { Row } from './rows.ts';
import { slowSyncs } from './slow-syncs.ts';
import type { World } from './world.ts';

const PROCESS_S = 10;
const FAILOVER_S = 30;
/** Far less than a clock steps. */
const CLOCK_SLACK_MS = 60_000;

export const SERVER_ROWS: readonly Row[] = [
  {
    id: 'F23',
    fault: 'Redis is killed (`kill -9`) and comes back after 2 s',
    promise: PROCESS_S,
    strike: async (world) => {
      await world.redis.kill9();
      await world.seconds(2);
      await world.redis.restart();
    },
  },
  {
    id: 'F44',
    fault: 'Redis is away for 2 min',
    promise: FAILOVER_S,
    strike: async (world, length) => {
      const crashes = world.crashes.length;
      await world.redis.kill9();
      await length(120, 15);
      await world.redis.restart();
      if (world.crashes.length > crashes) throw new Error(`workers ended: ${world.crashes.slice(crashes)}`);
    },
  },
  {
    id: 'F29',
    fault: 'Redis is stopped for 10 s (SIGSTOP): what was sent is applied after it was given up',
    promise: PROCESS_S,
    strike: async (world) => {
      world.redis.pause();
      try {
        await world.seconds(10);
      } finally {
        world.redis.resume();
      }
    },
  },
  {
    id: 'F28',
    fault: 'Redis is made a replica for 10 s: it refuses writes (READONLY)',
    promise: PROCESS_S,
    strike: (world) =>
      world.admin(async (redis) => {
        await redis.replicaof('127.0.0.1', 1);
        await world.seconds(10);
        await redis.replicaof('NO', 'ONE');
      }),
  },
  {
    id: 'F31',
    fault: 'Redis forgets its scripts (SCRIPT FLUSH)',
    promise: PROCESS_S,
    strike: (world) => world.admin(async (redis) => void (await redis.script('FLUSH'))),
  },
  {
    id: 'F32',
    fault: 'a foreign script keeps Redis busy for 8 s (BUSY)',
    promise: PROCESS_S,
    strike: (world) =>
      world.admin(async (redis) => {
        await redis.config('SET', 'busy-reply-threshold', '500');
        const running = redis.eval('while true do end', 0).catch((error: unknown) => String(error));
        await world.seconds(8);
        await world.admin((other) => other.script('KILL'));
        const said = await running;
        if (!String(said).includes('kill')) throw new Error(`the script was not killed: ${said}`);
      }),
  },
  {
    id: 'F33',
    fault: 'Redis has reached `maxmemory` for 20 s: it refuses writes (OOM)',
    promise: PROCESS_S,
    strike: (world) =>
      world.admin(async (redis) => {
        await redis.config('SET', 'maxmemory', '1mb');
        await world.seconds(20);
        await redis.config('SET', 'maxmemory', '0');
      }),
  },
];

export const NAME_ROWS: readonly Row[] = [
  {
    id: 'F53',
    fault: 'the name of Redis shows another address, and the first one is silent: connections to it are half open',
    promise: FAILOVER_S,
    strike: (world) => world.moveRedis(),
    mend: (world) => world.network.heal(),
  },
];

export const FILE_ROWS: readonly Row[] = [
  {
    id: 'F34',
    fault: 'the disk of Redis is full for 20 s (`appendfsync everysec`): it refuses writes (MISCONF)',
    promise: PROCESS_S,
    strike: async (world) => {
      world.disk.fill();
      await world.until('Redis cannot write', async () =>
        (await world.admin((redis) => redis.info('persistence'))).includes('aof_last_write_status:err'),
      );
      await world.seconds(20);
      world.disk.empty();
    },
  },
  {
    id: 'F54',
    fault: 'Redis is killed, and the end of its append-only file is cut off',
    promise: FAILOVER_S,
    strike: async (world) => {
      const before = await world.rewinds();
      await world.redis.kill9();
      const folder = join(world.disk.folder, 'appendonlydir');
      const file = readdirSync(folder)
        .filter((name) => name.endsWith('.incr.aof'))
        .map((name) => join(folder, name))
        .at(-1);
      if (file === undefined) throw new Error(`no append-only file in ${folder}`);
      const { size } = statSync(file);
      truncateSync(file, Math.max(0, size - Math.min(200_000, Math.floor(size / 2))));
      await world.redis.restart();
      return rewound(world, before);
    },
  },
  {
    id: 'F25',
    fault: 'Redis is set back to a backup that was made 20 s before',
    promise: FAILOVER_S,
    strike: async (world) => {
      const before = await world.rewinds();
      const folder = join(world.disk.folder, 'appendonlydir');
      const backup = join(world.disk.folder, 'backup');
      cpSync(folder, backup, { recursive: true });
      await world.seconds(20);
      await world.redis.kill9();
      rmSync(folder, { recursive: true });
      cpSync(backup, folder, { recursive: true });
      rmSync(backup, { recursive: true });
      await world.redis.restart();
      return rewound(world, before);
    },
  },
];

/** With `appendfsync always`. */
export const SYNCED_ROWS: readonly Row[] = [
  {
    id: 'F34b',
    fault: 'the disk of Redis is full (`appendfsync always`): it ends; then there is room again and it is started',
    promise: PROCESS_S,
    strike: async (world) => {
      world.disk.fill();
      await world.until('Redis has ended', async () => !world.redis.isRunning);
      await world.seconds(5);
      world.disk.empty();
      await world.redis.restart();
    },
  },
  {
    id: 'F56',
    fault:
      'the disk of Redis is slow for 40 s: each fsync takes 300 ms (`appendfsync always`); every partition goes on meanwhile',
    promise: PROCESS_S,
    strike: async (world, length) => {
      const slow = await slowSyncs(world.redis.pid, 300);
      try {
        await length(40, 10);
        await world.goesOn();
      } finally {
        world.say(`${await slow.end()} slow fsyncs`);
      }
    },
  },
];

export const SNAPSHOT_ROWS: readonly Row[] = [
  {
    id: 'F55',
    fault: 'Redis keeps snapshots alone (RDB, none for 10 s), is killed and comes back with the last one',
    promise: FAILOVER_S,
    strike: async (world) => {
      const before = await world.rewinds();
      await world.admin((redis) => redis.call('SAVE'));
      await world.seconds(10);
      await world.redis.kill9();
      await world.redis.restart();
      return rewound(world, before);
    },
  },
];

export const SENTINEL_ROWS: readonly Row[] = [
  {
    id: 'F27',
    fault: 'the primary is killed (`kill -9`); three sentinels promote its replica',
    promise: FAILOVER_S,
    strike: async (world) => {
      await world.watched.servers[await world.watched.primary()].kill9();
    },
    mend: bringBack,
  },
  {
    id: 'F27a',
    fault: 'the machine of the primary loses its power: no reset, half-open connections; its replica is promoted',
    promise: FAILOVER_S,
    strike: async (world) => {
      const primary = await world.watched.primary();
      await world.network.cutOff(world.machine(`redis-${primary + 1}`));
      await world.watched.servers[primary].kill9();
    },
    mend: async (world) => {
      await world.network.heal();
      await bringBack(world);
    },
  },
  {
    id: 'F26',
    fault: 'fail-over with lost writes: the replica hears nothing for 8 s, then the primary is killed',
    promise: FAILOVER_S,
    strike: async (world) => {
      const before = await world.rewinds();
      const primary = await world.watched.primary();
      await world.network.cut([world.machine(`redis-${primary + 1}`)], [world.machine(`redis-${2 - primary}`)]);
      await world.seconds(8);
      await world.watched.servers[primary].kill9();
      await world.network.heal();
      return rewound(world, before);
    },
    mend: bringBack,
  },
  {
    id: 'F26a',
    fault:
      'partition: the old primary is cut off from sentinels and replica, and the workers go on writing to it; healed after 40 s',
    promise: FAILOVER_S,
    strike: async (world) => {
      const before = await world.rewinds();
      await world.cutting(async () => {
        const primary = await world.watched.primary();
        const others = ['sentinel-1', 'sentinel-2', 'sentinel-3', `redis-${2 - primary}`];
        await world.network.cut(
          [world.machine(`redis-${primary + 1}`)],
          others.map((name) => world.machine(name)),
        );
        await world.seconds(40);
        await world.watched.promoted(primary === 0 ? 1 : 0);
      });
      return rewound(world, before);
    },
    mend: (world) => world.watched.settled(),
  },
  {
    id: 'F26b',
    fault:
      'partition: the old primary and one worker are on one side, replica, sentinels and the other worker on the other; healed after 40 s',
    promise: FAILOVER_S,
    strike: async (world) => {
      const before = await world.rewinds();
      await world.cutting(async () => {
        const primary = await world.watched.primary();
        const worker = owner(world);
        const others = [
          'sentinel-1',
          'sentinel-2',
          'sentinel-3',
          `redis-${2 - primary}`,
          ...world.workers.filter((other) => other !== worker).map(({ name }) => name),
        ];
        await world.network.cut(
          [world.machine(`redis-${primary + 1}`), world.machine(worker.name)],
          others.map((name) => world.machine(name)),
        );
        await world.seconds(40);
        await world.watched.promoted(primary === 0 ? 1 : 0);
      });
      return rewound(world, before);
    },
    mend: (world) => world.watched.settled(),
  },
];

export const REDIS_CLUSTER_ROWS: readonly Row[] = [
  {
    id: 'F51',
    fault: 'one of three primaries of a Redis Cluster is killed; its replica is promoted',
    promise: FAILOVER_S,
    strike: async (world) => {
      await world.cluster.primaries[1].server.kill9();
    },
    mend: async (world) => {
      await world.cluster.primaries[1].server.restart();
    },
  },
  {
    id: 'F32a',
    fault:
      'two of three primaries of a Redis Cluster are killed (CLUSTERDOWN: nobody can be promoted), and back after 15 s',
    promise: FAILOVER_S,
    strike: async (world) => {
      const { primaries } = world.cluster;
      await Promise.all([primaries[0], primaries[2]].map(({ server }) => server.kill9()));
      await world.seconds(15);
      await Promise.all([primaries[0], primaries[2]].map(({ server }) => server.restart()));
    },
  },
];

export const CLOCK_ROWS: readonly Row[] = [
  stepRow('F40', 600),
  stepRow('F40a', -3600),
  {
    id: 'F40b',
    fault: 'a worker is started while its clock is 10 min ahead, which is corrected after 40 s',
    promise: FAILOVER_S,
    strike: async (world, length) => {
      const [worker] = world.workers;
      const before = world.clockDoubts;
      world.setClock(600);
      try {
        worker.kill9(0);
        await world.until('the worker says that its clock is wrong', async () => world.clockDoubts > before);
        await length(40, 10);
      } finally {
        world.setClock(0);
      }
      await world.allReady();
    },
  },
];

/** The worker's own time continues as before: nothing is judged by what nobody has compared. */
function stepRow(id: string, seconds: number): Row {
  return {
    id,
    fault: `the clock of a worker's machine steps ${Math.abs(seconds) / 60} min ${seconds > 0 ? 'ahead' : 'back'}, and is right again after 40 s`,
    promise: FAILOVER_S,
    strike: async (world, length) => {
      const [worker] = world.workers;
      const isOff = async (): Promise<boolean> => {
        const time = await worker.clock();
        return time !== undefined && Math.abs(time - Date.now() - 1000 * seconds) < CLOCK_SLACK_MS;
      };
      world.setClock(seconds);
      try {
        await world.until('the worker sees another time', isOff);
        await length(40, 10);
      } finally {
        world.setClock(0);
      }
    },
  };
}

async function bringBack(world: World): Promise<void> {
  for (const server of world.watched.servers) if (!server.isRunning) await server.restart();
  await world.watched.settled();
}

/** A worker must have met the state that went back: else nothing was lost that could be missed. */
function rewound(world: World, before: number): () => Promise<void> {
  return () => world.until('a worker counts that Redis went back', async () => (await world.rewinds()) > before);
}
