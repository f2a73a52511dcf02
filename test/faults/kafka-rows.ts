import { SESSION_MS } from '../proof/parameters.ts';
import type { ServiceProcess } from '../proof/process.ts';
import { startPrometheus } from '../services/prometheus.ts';
import type { Machine } from './network.ts';
import type { Row } from './rows.ts';
import type { Manner } from './wire.ts';
import { BLOCK_MS, type World } from './world.ts';

const SESSION_S = SESSION_MS / 1000;
/** Section 8 of the targets: a worker that is gone is missed after its session. */
const TAKEOVER_S = SESSION_S + 15;
const BROKER_S = 30;
const NETWORK_S = 30;
const PROMETHEUS_S = 10;
const BROKERS = ['broker-1', 'broker-2', 'broker-3'];
const SERVERS = [...BROKERS, 'redis'];
/** Fewer would not be again and again. */
const FEW_RESETS = 5;

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

export const PROCESS_ROWS: readonly Row[] = [
  {
    id: 'F05',
    fault: `the event loop of a worker is blocked for ${BLOCK_MS / 1000} s, two sessions: nothing is read, sent or timed, then all at once`,
    promise: NETWORK_S,
    strike: async (world) => {
      const worker = owner(world);
      const before = world.fenced;
      worker.block();
      await world.until(`${worker.name} answers nobody`, async () => !(await worker.isReady()));
      await world.until('it learns that it has lost its units', async () => world.fenced > before);
    },
  },
  {
    id: 'F16',
    fault: 'all workers are stopped for 3 sessions (SIGSTOP), and their group is deleted meanwhile',
    promise: NETWORK_S,
    strike: async (world) => {
      const until = performance.now() + 3 * SESSION_MS;
      for (const worker of world.workers) worker.freeze(3 * SESSION_MS);
      await world.until('the group is empty and is deleted', () => world.deleteGroup());
      if (performance.now() > until) throw new Error('the group was deleted when workers were running again');
      await world.seconds((until - performance.now()) / 1000);
    },
  },
  {
    id: 'F41',
    fault: 'a Prometheus that reads all workers is ended, and a new one is there after 2 min',
    promise: PROMETHEUS_S,
    strike: async (world, length) => {
      const before = await scraped(world, 1);
      await length(120, 10);
      // What counts up did not begin again.
      await scraped(world, before + 1);
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
        for (const name of SERVERS) await world.network.lose(world.machine(name), 5);
        await length(40, 15);
      }),
  },
  wireRow(
    'F14b',
    'for 40 s every packet between workers and anybody else takes 300 ms, 600 ms there and back; every partition goes on meanwhile',
    { seed: 1, delay: 300 },
    machinesOfWorkers,
    ['from', 'to'],
  ),
  wireRow(
    'F14c',
    'for 40 s workers have lines on which 5 % of packets are lost, 2 % come twice, and 20 % are overtaken, both ways; every partition goes on meanwhile',
    { seed: 2, delay: 10, loss: 5, twice: 2, late: 20, behind: 40 },
    machinesOfWorkers,
    ['from', 'to'],
  ),
  wireRow(
    'F14d',
    'for 40 s what a worker sends takes 300 ms, 5 % of it is lost and 20 % overtaken; what it is sent arrives as ever; every partition goes on meanwhile',
    { seed: 3, delay: 300, loss: 5, late: 20, behind: 100 },
    (world) => [machineOf(world, owner(world))],
    ['from'],
  ),
  resetRow('F15', 'brokers', BROKERS),
  resetRow('F15a', 'Redis', ['redis']),
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
        await world.network.cut(machinesOfWorkers(world), [world.machine('redis')]);
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

/**
 * Starts a Prometheus, which reads all workers, and ends it when it shows that they have read so many events. Returns how many.
 */
async function scraped(world: World, least: number): Promise<number> {
  const targets = world.workers.map(({ place, port }) => `${place.address}:${port}`);
  const configYaml = JSON.stringify({
    global: { scrape_interval: '2s', scrape_timeout: '2s' },
    scrape_configs: [{ job_name: 'receval', static_configs: [{ targets }] }],
  });
  const prometheus = await startPrometheus({ configYaml });
  try {
    let read = 0;
    await world.until('Prometheus shows all workers and what they have read', async () => {
      const [up] = await prometheus.query('sum(up)');
      const [events] = await prometheus.query('sum(receval_events_total)');
      read = events?.value ?? 0;
      return up?.value === targets.length && read >= least;
    });
    return read;
  } finally {
    await prometheus.stop();
  }
}

/** Packets of some machines pass a wire; unless said everything goes on for all that. */
function wireRow(
  id: string,
  fault: string,
  manner: Manner,
  machines: (world: World) => readonly Machine[],
  ways: readonly ('from' | 'to')[],
): Row {
  return {
    id,
    fault,
    promise: NETWORK_S,
    strike: (world, length) =>
      world.cutting(async () => {
        await world.network.layWire(machines(world), ways, manner);
        await length(40, 10);
        await world.goesOn();
        const passed = await world.network.takeWire();
        world.say(`the wire: ${JSON.stringify(passed)}`);
        const met: readonly (readonly [number | undefined, number])[] = [
          [manner.delay, passed.passed],
          [manner.loss, passed.lost],
          [manner.twice, passed.twice],
          [manner.late, passed.late],
        ];
        if (met.some(([share, count]) => share !== undefined && count === 0))
          throw new Error('the wire did too little');
      }),
  };
}

/** Connections of workers break again and again, each by one packet that is answered by a reset. */
function resetRow(id: string, name: string, servers: readonly string[]): Row {
  return {
    id,
    fault: `for 40 s one of a hundred packets between workers and ${name} is answered by a reset: connections break again and again`,
    promise: NETWORK_S,
    strike: (world, length) =>
      world.cutting(async () => {
        await world.network.reset(
          machinesOfWorkers(world),
          servers.map((server) => world.machine(server)),
          10,
        );
        await length(40, 15);
        const broken = await world.network.broken();
        world.say(`${broken} connections were reset`);
        if (broken < FEW_RESETS) throw new Error(`only ${broken} connections were reset`);
      }),
  };
}

/** A worker that owns units. */
export function owner(world: World): ServiceProcess {
  const [first] = world.owners;
  if (first === undefined) throw new Error('no worker owns a unit');
  return first;
}

function machineOf(world: World, worker: ServiceProcess): Machine {
  return world.machine(worker.name);
}

function machinesOfWorkers(world: World): readonly Machine[] {
  return world.workers.map((worker) => machineOf(world, worker));
}
