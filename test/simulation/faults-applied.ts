import { assertNever } from '../../src/vocabulary/events.ts';
import { SESSION_MS } from './faults.ts';
import type { SimulatedProcess } from './process.ts';
import type { Fault } from './scenario.ts';
import type { World } from './world.ts';

/** Lets one thing go wrong, and counts it if it found somebody to whom it could happen. */
export function applyFault(world: World, fault: Fault): void {
  const happened = (): void => {
    world.happened.add(fault.kind);
    world.say(() => `FAULT ${JSON.stringify(fault)}`);
  };
  const to = (slot: number, does: (process: SimulatedProcess) => void): void => {
    const process = world.processes[slot];
    if (process === undefined) return;
    happened();
    does(process);
  };
  const running = world.processes.filter((process) => process !== undefined);
  const { scheduler } = world;
  switch (fault.kind) {
    case 'crash':
      to(fault.slot, (process) => {
        world.kill(process);
        world.bootLater(fault.slot, fault.back);
      });
      return;
    case 'crash at':
      // Counted when it dies. Whoever runs there then may be another one.
      world.deaths[fault.slot] = fault;
      return;
    case 'stop':
      to(fault.slot, (process) => {
        process.backAfterStop = fault.back;
        void process.worker.stop();
      });
      return;
    case 'freeze':
      to(fault.slot, (process) => freeze(world, process, fault.length));
      return;
    case 'expel':
      to(fault.slot, (process) => {
        world.group.leave(process);
        scheduler.in(fault.toldAfter, () => world.group.join(process), process);
      });
      return;
    case 'clock':
      world.clockErrors[fault.slot] = fault.error;
      to(fault.slot, (process) => {
        const wrong = (): void => {
          process.clock.error = world.clockErrors[fault.slot];
          process.lookAtClock();
        };
        scheduler.in(0, wrong, process);
      });
      return;
    case 'slow fetch':
      to(fault.slot, (process) => process.source.slow(fault.topic, scheduler.now + fault.length));
      return;
    case 'rebalance':
      happened();
      world.group.rebalance();
      return;
    case 'brokers away':
      happened();
      world.brokersAwayUntil = scheduler.now + fault.length;
      return;
    case 'redis away':
      happened();
      world.redis.away(fault.length);
      return;
    case 'failover':
      happened();
      world.redis.goBack(fault.back, fault.split, running);
      return;
    case 'restore':
      happened();
      world.redis.goBack(fault.back, false, running);
      return;
    case 'forget':
      happened();
      world.redis.forget(running);
      return;
    case 'group deleted':
      happened();
      world.group.forget();
      return;
    case 'trim':
      trim(world, happened);
      return;
    case 'damage':
      happened();
      world.log.damage(fault.partition, fault.topic, { records: fault.records, until: scheduler.now + fault.length });
      return;
    case 'transaction':
      happened();
      world.log.begin(fault.partition, fault.topic);
      if (fault.length !== Number.POSITIVE_INFINITY) {
        scheduler.in(fault.length, () => world.endTransaction(fault.partition, fault.topic));
      }
      return;
    case 'ramp':
      if (fault.weight !== world.weight) happened();
      world.weight = fault.weight;
      for (const [i, process] of running.entries()) {
        scheduler.in(i * fault.every, () => {
          if (!process.alive) return;
          process.backAfterStop = 100;
          void process.worker.stop();
        });
      }
      return;
    default:
      assertNever(fault);
  }
}

/** A process that does nothing for so long. The group gives its partitions away when its session ends. */
function freeze({ scheduler, group }: World, process: SimulatedProcess, length: number): void {
  process.frozenUntil = Math.max(process.frozenUntil, scheduler.now + length);
  if (length <= SESSION_MS) return;
  scheduler.in(SESSION_MS, () => {
    group.leave(process);
    scheduler.in(1, () => group.join(process), process);
  });
}

/** Retention deletes what no state that could come back needs. */
function trim({ log, redis, scenario }: World, happened: () => void): void {
  let any = false;
  for (let partition = 0; partition < scenario.settings.partitions; partition++) {
    const known = redis.allLineages.flatMap((lineages) =>
      [...lineages].flatMap(([key, lineage]) => (key.includes(`:${partition}}`) ? [lineage.replay] : [])),
    );
    if (known.length === 0) continue;
    for (let topic = 0; topic < scenario.settings.join.topics.length; topic++) {
      any = log.trim(partition, topic, Math.min(...known.map((replay) => replay[topic]))) || any;
    }
  }
  if (any) happened();
}
