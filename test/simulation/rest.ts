/** How a history ends: all is well again, everything is read, everything closes, and all of it is compared. */

import { unitKey } from '../../src/accumulators/store/layout.ts';
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';
import { allEvents } from '../reference/logs.ts';
import { Broken } from './broken.ts';
import { noteDisorders } from './disorders-met.ts';
import type { Lineage } from './lineage.ts';
import { sinceBegin } from './trace.ts';
import { CLOCK_ERROR_MS, NAMESPACE } from './worker-settings.ts';
import type { World } from './world.ts';

const LOOK_EVERY_MS: DurationMs = 10_000;
const MOST_LOOKS = 60;

/**
 * Traffic and faults are over: everybody is well again, and one of them at least runs. Who replays comes to its end though
 * transactions stay open; then they end as well. Calls `ended` after the verdict.
 */
export function comeToRest(world: World, ended: () => void): void {
  const running = world.processes.filter((process) => process !== undefined);
  world.brokersAwayUntil = Number.NEGATIVE_INFINITY;
  world.redis.heal(running);
  for (const process of running) {
    process.frozenUntil = Number.NEGATIVE_INFINITY;
    process.clock.error = 0;
    process.lookAtClock();
    if (!world.group.has(process)) world.group.join(process);
  }
  world.clockErrors.fill(0);
  world.deaths.fill(undefined);
  for (let slot = 0; slot < world.processes.length; slot++) world.bootLater(slot, 1000);
  world.group.rebalance();
  world.say(() => 'all is well from here on');
  const read = (): void =>
    look(
      world,
      MOST_LOOKS,
      (partition) => isRead(world, partition),
      () => sleep(world, ended),
    );
  if (!isOpen(world)) {
    read();
    return;
  }
  look(
    world,
    MOST_LOOKS,
    (partition) => isReplayed(world, partition),
    () => {
      for (const [partition, topic] of places(world)) while (world.endTransaction(partition, topic));
      read();
    },
  );
}

function places({ scenario }: World): readonly (readonly [partition: number, topic: number])[] {
  const { partitions, join } = scenario.settings;
  return Array.from({ length: partitions }, (_, partition) =>
    join.topics.map((_, topic) => [partition, topic] as const),
  ).flat();
}

function isOpen(world: World): boolean {
  return places(world).some(([partition, topic]) => world.log.bounds(partition, topic).openFrom !== undefined);
}

/** Somebody owns the unit and has read again what it must. */
function isReplayed({ processes }: World, wanted: number): boolean {
  return processes.some((process) =>
    process?.worker
      .status()
      .units.some(({ partition, replaying, stopped }) => partition === wanted && !replaying && stopped === undefined),
  );
}

/** Everything was read; then nothing comes for so long that all that is open closes. */
function sleep(world: World, ended: () => void): void {
  const { scheduler, scenario } = world;
  const { join, idleAfter } = scenario.settings;
  const { horizons, backward, outOfOrderness } = join;
  const times = scenario.traffic.flatMap(({ decoded }) =>
    'events' in decoded ? allEvents(decoded).map(({ ts }) => ts) : [],
  );
  const closed: EpochMs = Math.max(scheduler.now, ...times) + horizons[horizons.length - 1] + backward;
  scheduler.leap(closed + idleAfter + outOfOrderness + CLOCK_ERROR_MS - scheduler.now);
  world.say(() => 'nothing comes for a long time');
  const isDone = (partition: number): boolean =>
    isRead(world, partition) && (lineageOf(world, partition)?.watermark ?? 0) >= closed;
  look(world, MOST_LOOKS, isDone, () => judge(world, ended));
}

/** Looks every now and then whether it is done for all partitions; then continues. */
function look(world: World, left: number, isDone: (partition: number) => boolean, then: () => void): void {
  const { scenario, scheduler } = world;
  const partitions = Array.from({ length: scenario.settings.partitions }, (_, partition) => partition);
  const hasTraffic = (partition: number): boolean => scenario.traffic.some((append) => append.partition === partition);
  if (partitions.every((partition) => isDone(partition) || !hasTraffic(partition))) {
    then();
    return;
  }
  if (left === 0) {
    const stands = partitions.map((partition) => standOf(world, partition)).join('; ');
    throw new Broken('progress', `nothing goes wrong any more, but not everything was read and closed: ${stands}`);
  }
  scheduler.in(LOOK_EVERY_MS, () => look(world, left - 1, isDone, then));
}

function lineageOf({ redis }: World, partition: number): Lineage | undefined {
  return redis.primary.lineages.get(unitKey(NAMESPACE, partition));
}

function isRead(world: World, partition: number): boolean {
  const lineage = lineageOf(world, partition);
  return lineage?.committed.every((offset, topic) => offset >= world.log.bounds(partition, topic).end) === true;
}

function standOf(world: World, partition: number): string {
  const lineage = lineageOf(world, partition);
  const ends = world.scenario.settings.join.topics.map((_, topic) => world.log.bounds(partition, topic).end);
  const watermark = sinceBegin(lineage?.watermark ?? Number.NEGATIVE_INFINITY);
  return `partition ${partition} ends at ${ends}, is committed up to ${lineage?.committed}, W is ${watermark}`;
}

function judge(world: World, ended: () => void): void {
  const { primary } = world.redis;
  const { settings, traffic } = world.scenario;
  const stored = primary.stored;
  for (const [key, lineage] of primary.lineages) {
    const expected = world.books.auditor.compare(key, lineage, stored);
    if (expected.join.openImpressions > 0 || expected.join.waitingFeedback > 0) {
      throw new Broken('progress', 'something is open that could have closed');
    }
    if (expected.beforeRun > 0) world.happened.add('a run that began in mid-history');
    noteDisorders(world.happened, settings, expected, lineage, stored.get(key));
  }
  for (const { disorders } of traffic) for (const disorder of disorders) world.happened.add(disorder);
  ended();
}
