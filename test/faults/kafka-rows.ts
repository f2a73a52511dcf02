import { SESSION_MS } from '../proof/parameters.ts';
import type { ServiceProcess } from '../proof/process.ts';
import type { Machine } from './network.ts';
import type { Row } from './rows.ts';
import type { World } from './world.ts';

const SESSION_S = SESSION_MS / 1000;
/** Section 8 of the targets: a worker that is gone is missed after its session. */
const TAKEOVER_S = SESSION_S + 15;
const BROKER_S = 30;
const NETWORK_S = 30;

export const WORKER_ROWS: readonly Row[] = [
  {
    id: 'F01',
    fault: 'a worker is killed (`kill -9`) and does not come back',
    promise: TAKEOVER_S,
    strike: async (world) => {
      const worker = owner(world);
      worker.kill9((TAKEOVER_S + 5) * 1000);
    },
    mend: (world) => world.allReady(),
  },
  {
    id: 'F03',
    fault: 'a worker is stopped in order (SIGTERM) under load',
    promise: 5 + 15,
    strike: async (world) => {
      const worker = owner(world);
      worker.end('SIGTERM', 25_000);
      await world.until(`${worker.name} has ended`, async () => !worker.isRunning);
    },
    mend: (world) => world.allReady(),
  },
  {
    id: 'F04',
    fault: `a worker is stopped (SIGSTOP) for ${2 * SESSION_S} s, two sessions, and goes on as a zombie`,
    promise: NETWORK_S,
    strike: async (world) => {
      const worker = owner(world);
      const before = world.fenced;
      worker.freeze(2 * SESSION_MS);
      await world.seconds(2 * SESSION_S + 1);
      await world.until('the zombie learns that it has lost its units', async () => world.fenced > before);
    },
  },
];

export const CLUSTER_ROWS: readonly Row[] = [
  {
    id: 'F10',
    fault: 'one of three brokers is killed (`kill -9`); it is not the controller',
    promise: BROKER_S,
    strike: async (world) => {
      const controller = await world.kafka.controller();
      await world.killBroker((controller % 3) + 1);
    },
    mend: (world) => world.restoreBrokers(),
  },
  {
    id: 'F10a',
    fault: 'the broker that is the active controller is killed (`kill -9`)',
    promise: BROKER_S,
    strike: async (world) => {
      await world.killBroker(await world.kafka.controller());
    },
    mend: (world) => world.restoreBrokers(),
  },
  {
    id: 'F11',
    fault: 'rolling restart: each of three brokers is shut down in order and started again, one after the other',
    promise: BROKER_S,
    strike: async (world) => {
      for (const broker of [1, 2, 3]) {
        await world.kafka.shutDown(broker);
        await world.kafka.restart(broker);
      }
    },
  },
  {
    id: 'F11a',
    fault: 'unclean rolling restart: each of three brokers is killed and started again, one after the other',
    promise: BROKER_S,
    strike: async (world) => {
      for (const broker of [1, 2, 3]) await world.kafka.restart(broker);
    },
  },
  {
    id: 'F12',
    fault: 'all brokers are killed at once, and away for 3 min',
    promise: TAKEOVER_S,
    strike: async (world, length) => {
      const crashes = world.crashes.length;
      await Promise.all([1, 2, 3].map((broker) => world.kafka.kill9(broker)));
      await length(180, 15);
      // None is ready before the others are there to elect a controller.
      await Promise.all([1, 2, 3].map((broker) => world.kafka.restart(broker)));
      if (world.crashes.length > crashes) throw new Error(`workers ended: ${world.crashes.slice(crashes)}`);
    },
  },
  {
    id: 'F48',
    fault: 'a broker is stopped for 30 s (SIGSTOP): it keeps its connections and answers nobody',
    promise: BROKER_S,
    strike: async (world, length) => {
      world.kafka.freeze(2);
      try {
        await length(30, 12);
      } finally {
        world.kafka.thaw(2);
      }
    },
  },
];

export const DISK_ROWS: readonly Row[] = [
  {
    id: 'F34a',
    fault: 'the disk of a broker is full: it ends; then there is room again and it is started',
    promise: BROKER_S,
    strike: async (world) => {
      world.disk.fill();
      await world.until('the broker has ended', async () => !world.kafka.isRunning(1));
      world.deadBrokers.add(1);
    },
    mend: async (world) => {
      world.disk.empty();
      await world.restoreBrokers();
    },
  },
];

export const UPGRADE_ROWS: readonly Row[] = [
  {
    id: 'F45a',
    fault: 'three brokers of Kafka 3.9 are upgraded to 4.3, one after the other',
    promise: BROKER_S,
    strike: async (world) => {
      for (const broker of [1, 2, 3]) {
        await world.kafka.shutDown(broker);
        await world.kafka.restart(broker, '4.3.1');
      }
    },
  },
];

export const NETWORK_ROWS: readonly Row[] = [
  {
    id: 'F13',
    fault: 'a broker is cut off from everybody for 90 s, without a reset',
    promise: 45,
    strike: (world, length) =>
      world.cutting(async () => {
        await world.network.cutOff(world.machine('broker-1'));
        await length(90, 15);
      }),
  },
  {
    id: 'F13a',
    fault: 'for 40 s a broker hears the others and the workers, and nothing that it sends arrives',
    promise: 45,
    strike: (world, length) =>
      world.cutting(async () => {
        const broker = world.machine('broker-2');
        for (const other of world.network.machines) {
          if (other !== broker) await world.network.cutOneWay(broker, other);
        }
        await length(40, 15);
      }),
  },
  {
    id: 'F14',
    fault: 'for 40 s a worker has a line of 1 Mbit/s that loses 20 % of all packets',
    promise: NETWORK_S,
    strike: (world, length) =>
      world.cutting(async () => {
        const worker = machineOf(world, owner(world));
        await world.network.lose(worker, 20);
        await world.network.slow(worker, 1000);
        await length(40, 15);
      }),
  },
  {
    id: 'F14a',
    fault: 'for 40 s every broker and Redis lose 5 % of all packets',
    promise: NETWORK_S,
    strike: (world, length) =>
      world.cutting(async () => {
        for (const name of ['broker-1', 'broker-2', 'broker-3', 'redis']) {
          await world.network.lose(world.machine(name), 5);
        }
        await length(40, 15);
      }),
  },
  {
    id: 'F47',
    fault: 'for 60 s one broker and the two others cannot reach each other; everybody else reaches all three',
    promise: 45,
    strike: (world, length) =>
      world.cutting(async () => {
        const others = [world.machine('broker-1'), world.machine('broker-2')];
        await world.network.cut([world.machine('broker-3')], others);
        await length(60, 20);
      }),
  },
  {
    id: 'F50',
    fault: 'a worker is cut off from everything for 40 s',
    promise: NETWORK_S,
    strike: (world, length) =>
      world.cutting(async () => {
        await world.network.cutOff(machineOf(world, owner(world)));
        await length(40, 15);
      }),
  },
  {
    id: 'F50a',
    fault: 'all workers are cut off from Redis alone for 40 s',
    promise: NETWORK_S,
    strike: (world, length) =>
      world.cutting(async () => {
        await world.network.cut(
          world.workers.map((worker) => machineOf(world, worker)),
          [world.machine('redis')],
        );
        await length(40, 15);
      }),
  },
  {
    id: 'F52',
    fault: 'the machine of a broker loses its power and is back after 15 s: its connections are half open',
    promise: BROKER_S,
    strike: (world) =>
      world.cutting(async () => {
        // Nobody hears that it is gone.
        await world.network.cutOff(world.machine('broker-1'));
        await world.kafka.kill9(1);
        await world.seconds(15);
        await world.network.heal();
        await world.kafka.restart(1);
      }),
  },
  {
    id: 'F52a',
    fault: 'the machine of Redis loses its power and is back after 15 s: its connections are half open',
    promise: NETWORK_S,
    strike: (world) =>
      world.cutting(async () => {
        await world.network.cutOff(world.machine('redis'));
        await world.redis.kill9();
        await world.seconds(15);
        await world.network.heal();
        await world.redis.restart();
      }),
  },
];

/** A worker that owns units. */
export function owner(world: World): ServiceProcess {
  const [first] = world.owners;
  if (first === undefined) throw new Error('no worker owns a unit');
  return first;
}

function machineOf(world: World, worker: ServiceProcess): Machine {
  return world.machine(worker.name);
}
