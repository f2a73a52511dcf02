/**
 * One history: processes with the product's worker in them, a log with its group, and a Redis, under one virtual clock.
 * Each step is one thing that happens: a record is written, a chunk is fetched, a request or a reply arrives, a timer is
 * due, something goes wrong. When traffic and faults have ended, all must come to rest in what the reference says.
 */
import type { Commit, CommitAnswer } from '../../src/accumulators/store/store-port.ts';
import type { EpochMs, Offset } from '../../src/vocabulary/events.ts';
import type { FaultLabel } from '../../src/vocabulary/fault-point.ts';
import { LOST_ROWS } from '../../src/worker/status.ts';
import { Auditor } from './auditor.ts';
import { Books } from './books.ts';
import { Broken } from './broken.ts';
import { rampedTo, WEIGHTS } from './experiment.ts';
import { SESSION_MS } from './faults.ts';
import { applyFault } from './faults-applied.ts';
import { Group } from './group.ts';
import type { Happened } from './happened.ts';
import type { Sent } from './lineage.ts';
import { SimulatedLog } from './log.ts';
import { type Remedy, SimulatedProcess, stopCauseOf } from './process.ts';
import type { Product } from './product.ts';
import { Random } from './random.ts';
import { type RedisNode, SimulatedRedis } from './redis.ts';
import { comeToRest } from './rest.ts';
import type { Fault, Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';
import type { Trace } from './trace.ts';
import { CLOCK_ERROR_MS, workerSettings } from './worker-settings.ts';

const UNLIMITED = { openLimit: Number.POSITIVE_INFINITY, stateLimit: Number.POSITIVE_INFINITY };
/** A process may hold so many times its limit, and rows that a commit has just counted. */
const HEADROOM = 1.25;
const UNCOUNTED_BYTES = 40_000;
const MOST_STEPS = 6000;
const STEPS_PER_TURN = 64;

export class World {
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  readonly log: SimulatedLog;
  readonly group: Group;
  readonly redis: SimulatedRedis;
  readonly books: Books;
  readonly happened: Happened;
  readonly random: Random;
  /** By slot; undefined: none runs there now. */
  readonly processes: (SimulatedProcess | undefined)[];
  /** By slot: how wrong the clock of its machine is. */
  readonly clockErrors: number[];
  /** By slot: where the next one dies that comes by. */
  readonly deaths: (Extract<Fault, { readonly kind: 'crash at' }> | undefined)[];
  brokersAwayUntil: EpochMs = Number.NEGATIVE_INFINITY;
  /** Of the last variant, for processes that start from now on. */
  weight: number = WEIGHTS[0];
  readonly #product: Product;
  readonly #trace: Trace;
  /** How often a commit is compared with the reference as a whole. */
  readonly #sample: number;
  readonly #sampling: Random;
  /** By slot: a unit there has once needed more than the limit. */
  readonly #unlimited = new Set<number>();
  /** A unit has stopped at a batch that cannot be decoded: whoever starts from then on is told to skip them. */
  #skipsUndecodable = false;
  #failure: Broken | undefined;
  #steps = 0;
  #processes = 0;
  #ids = 0;
  #calm = false;
  #ended = false;

  constructor(product: Product, scenario: Scenario, happened: Happened, trace: Trace, sample: number) {
    const { settings, seed, begin } = scenario;
    const topics = settings.join.topics.length;
    const random = new Random(seed, 'world');
    this.scenario = scenario;
    this.happened = happened;
    this.random = random;
    this.scheduler = new Scheduler(begin);
    this.log = new SimulatedLog(settings);
    this.group = new Group(this.scheduler, random.stream('group'), settings.partitions, topics);
    this.processes = new Array(settings.slots).fill(undefined);
    this.clockErrors = new Array(settings.slots).fill(0);
    this.deaths = new Array(settings.slots).fill(undefined);
    this.#product = product;
    this.#trace = trace;
    this.#sample = sample;
    this.#sampling = random.stream('sampling');
    const each = WEIGHTS.map((weight) => workerSettings(rampedTo(settings, weight), settings));
    this.books = new Books({
      auditor: new Auditor(
        { log: this.log, partitions: settings.partitions, sampleCapacity: product.SAMPLE_CAPACITY },
        (partition) => each.map(({ unit }) => unit(partition)),
      ),
      begin: settings.begin,
      topics,
      futureSkew: settings.join.futureSkew,
      outOfOrderness: settings.join.outOfOrderness,
      idleAfter: settings.idleAfter,
      clockSteps: scenario.faults.some(({ kind }) => kind === 'clock') ? 2 * CLOCK_ERROR_MS : 0,
      log: this.log,
      now: () => this.scheduler.now,
      fail: (broken) => this.#fail(broken),
      say: (text) => this.say(text),
    });
    this.redis = new SimulatedRedis({
      scheduler: this.scheduler,
      random: random.stream('redis'),
      product,
      happened,
      fates: scenario.fates,
      keepsSnapshots: scenario.faults.some(
        ({ kind }) => kind === 'failover' || kind === 'restore' || kind === 'forget',
      ),
      committed: (...commit) => this.#committed(...commit),
      claimed: (...claim) => this.books.claimed(...claim),
      sent: (...commit) => this.books.sent(...commit),
      say: (text) => this.say(text),
    });
  }

  get steps(): number {
    return this.#steps;
  }

  say(text: () => string): void {
    if (this.#trace.on) this.#trace.say(this.scheduler.now, this.#steps, text());
  }

  /** Runs to the end; answers what was broken first, or nothing. */
  async run(): Promise<Broken | undefined> {
    const { traffic, faults, end } = this.scenario;
    for (let slot = 0; slot < this.processes.length; slot++) {
      this.scheduler.in(this.random.whole(0, 20_000), () => this.boot(slot));
    }
    for (const append of traffic) this.scheduler.at(append.at, () => this.#append(append));
    for (const fault of faults) this.scheduler.at(fault.at, () => applyFault(this, fault));
    this.scheduler.at(end, () => {
      this.#calm = true;
      comeToRest(this, () => {
        this.#ended = true;
      });
    });
    const onRejection = (error: unknown): void =>
      this.#fail(new Broken('process', `an error that nobody caught: ${error}`));
    this.#product.watch.observer = this.books.inputs;
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', onRejection);
    try {
      while (this.#failure === undefined && !this.#ended) {
        const event = this.scheduler.next();
        if (event === undefined) break;
        if (++this.#steps > MOST_STEPS) throw new Broken('progress', `no rest after ${MOST_STEPS} steps`);
        event.run();
        await everythingReady(this.#steps);
        this.#weigh();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      await everythingReady(0);
      process.removeListener('unhandledRejection', onRejection);
      for (const other of others) process.on('unhandledRejection', other);
    }
    return this.#failure;
  }

  /** No process holds more in memory than it may. */
  #weigh(): void {
    const { stateLimit } = this.scenario.settings;
    if (stateLimit === Number.POSITIVE_INFINITY) return;
    for (const process of this.processes) {
      if (process === undefined || process.stateLimit !== stateLimit) continue;
      const held = process.worker.status().units.reduce((sum, { stateBytes }) => sum + stateBytes, 0);
      if (held <= HEADROOM * stateLimit + UNCOUNTED_BYTES) continue;
      this.#fail(new Broken('memory', `${process.name} holds ${held} bytes of at most ${stateLimit}`));
    }
  }

  #fail(error: unknown): void {
    const broken =
      error instanceof Broken
        ? error
        : new Broken('process', error instanceof Error ? (error.stack ?? error.message) : String(error));
    this.#failure ??= broken;
  }

  #append(append: Scenario['traffic'][number]): void {
    this.log.append(append, this.scheduler.now);
    this.say(() => `topic ${append.topic} partition ${append.partition}: ${describe(append)}`);
    for (const process of this.processes) process?.source.wake();
  }

  /** One of them, if any is open. Returns whether there was one. */
  endTransaction(partition: number, topic: number): boolean {
    if (this.log.bounds(partition, topic).openFrom === undefined) return false;
    this.log.endTransaction(partition, topic);
    this.say(() => `a transaction in topic ${topic} of partition ${partition} ends`);
    for (const process of this.processes) process?.source.wake();
    return true;
  }

  /** Starts a process in a slot where none runs. */
  boot(slot: number, { rebuild }: Pick<Remedy, 'rebuild'> = { rebuild: false }): void {
    if (this.processes[slot] !== undefined) return;
    const { settings, onUndecodable } = this.scenario;
    const usual = onUndecodable === 'mixed' ? (this.#processes % 2 === 0 ? 'stop' : 'skip') : onUndecodable;
    const process = new SimulatedProcess(
      `w${this.#processes++}`,
      slot,
      { rebuild, onUndecodable: this.#skipsUndecodable ? 'skip' : usual },
      workerSettings(rampedTo(settings, this.weight), this.#unlimited.has(slot) ? UNLIMITED : settings),
      {
        product: this.#product,
        scheduler: this.scheduler,
        redis: this.redis,
        group: this.group,
        source: {
          log: this.log,
          random: this.random.stream(`fetch ${this.#processes}`),
          chunk: settings.chunk,
          topics: settings.join.topics.length,
          brokersAwayUntil: () => this.brokersAwayUntil,
        },
        partitions: settings.partitions,
        newId: () => `id${this.#ids++}`,
        startOffset: (...where) => this.#startOffset(...where),
        passes: (who, label) => this.#passes(who, label),
        told: (...what) => this.#told(...what),
        ended: (...how) => this.#processEnded(...how),
      },
    );
    this.books.owns(process, process.store);
    process.clock.error = this.clockErrors[slot];
    this.processes[slot] = process;
    this.say(() => `${process.name} starts in slot ${slot}${rebuild ? ' to rebuild' : ''}`);
    void process.run();
  }

  /** It is gone at once; the group finds out when its session has ended. */
  kill(process: SimulatedProcess): void {
    process.alive = false;
    if (this.processes[process.slot] === process) this.processes[process.slot] = undefined;
    this.scheduler.in(SESSION_MS, () => this.group.leave(process));
    this.say(() => `${process.name} is killed`);
  }

  bootLater(slot: number, delay: number, remedy?: Pick<Remedy, 'rebuild'>): void {
    this.scheduler.in(this.#calm ? Math.min(delay, 5000) : delay, () => this.boot(slot, remedy));
  }

  #passes(process: SimulatedProcess, label: FaultLabel): void {
    const death = this.deaths[process.slot];
    if (death?.label !== label || !process.alive) return;
    this.deaths[process.slot] = undefined;
    this.happened.add(death.kind);
    this.happened.add(`died at: ${label}`);
    this.say(() => `${process.name} dies at: ${label}`);
    this.kill(process);
    this.bootLater(process.slot, death.back);
  }

  #told(process: SimulatedProcess, message: string, details: object): void {
    if (!process.alive) return;
    this.happened.add(message);
    this.say(() => `${process.name}: ${message} ${JSON.stringify(details)}`);
    if (message === LOST_ROWS) this.#fail(new Broken('lost rows', JSON.stringify(details)));
    const cause = stopCauseOf(message, details);
    if (cause === undefined) return;
    const isTooMuch = cause === 'limit' || cause === 'memory';
    if (!isTooMuch && cause !== 'state_lost' && cause !== 'codec')
      this.#fail(new Broken('process', `a unit stopped: ${cause}`));
    if (isTooMuch) this.#unlimited.add(process.slot);
    if (cause === 'codec') this.#skipsUndecodable = true;
    this.happened.add(`stopped: ${cause}`);
    const mend = (): void => {
      if (
        cause === 'memory' &&
        process.alive &&
        !process.worker.status().units.some(({ stopped }) => stopped === cause)
      ) {
        this.happened.add('resumed with room');
        return;
      }
      if (process.alive) this.kill(process);
      this.bootLater(process.slot, 1000, { rebuild: cause === 'state_lost' });
    };
    // Where units wait for room they are given the time to find it.
    this.scheduler.in(cause === 'memory' ? 3 * SESSION_MS : 20_000, mend);
  }

  #processEnded(process: SimulatedProcess, error: unknown): void {
    if (!process.alive) return;
    process.alive = false;
    this.processes[process.slot] = undefined;
    this.group.leave(process);
    this.say(() => `${process.name} has ended${error === undefined ? '' : `: ${error}`}`);
    if (error === undefined) {
      this.happened.add('orderly end');
      this.bootLater(process.slot, process.backAfterStop);
      return;
    }
    const isLost = error instanceof Error && error.name === 'StartRefused';
    if (isLost) this.happened.add('start refused');
    else if (!(error instanceof this.#product.StoreUnavailable)) this.#fail(error);
    // A start that is to rebuild what another has rebuilt meanwhile is refused, too.
    this.bootLater(process.slot, 10_000, { rebuild: isLost && !process.rebuild });
  }

  /** A unit begins of which nothing is stored: never silently when the group remembers that it was read before. */
  #startOffset(process: SimulatedProcess, partition: number, topic: number): Offset | 'state_lost' {
    const { committed } = this.group;
    if (!process.rebuild && this.#product.wasRead(committed, partition)) return 'state_lost';
    if (!process.rebuild && committed.some((offsets) => offsets[partition] !== -1)) {
      this.#fail(
        new Broken('lost state', `${process.name} begins unit ${partition} again, and nobody has asked for it`),
      );
    }
    const { start } = this.log.bounds(partition, topic);
    this.books.begins(process, partition, topic, start);
    return start;
  }

  #committed(
    node: RedisNode,
    client: { readonly name: string },
    commit: Commit,
    answer: CommitAnswer,
    sent: Sent,
  ): void {
    this.happened.add(answer);
    this.say(() => `${node.name} answers ${answer} to ${commit.cid} of ${client.name}`);
    try {
      if (answer === 'OK') this.books.applied(node, commit, sent, this.#sampling.chance(this.#sample));
      // What was refused has changed nothing.
      else if (this.#sampling.chance(10 * this.#sample)) this.books.compare(node, commit.unit);
    } catch (error) {
      this.#fail(error);
    }
  }
}

/**
 * All promises that can continue have done so: nothing else runs between two steps. A tick is due when they have, and costs a
 * tenth of a turn of the event loop; without a turn now and then nobody is told of rejections, and no terminal is written to.
 */
function everythingReady(step: number): Promise<void> {
  return new Promise((resolve) => {
    if (step % STEPS_PER_TURN === 0) setImmediate(resolve);
    else process.nextTick(resolve);
  });
}

function describe({ decoded, timestamp }: Scenario['traffic'][number]): string {
  if ('refused' in decoded) return decoded.refused;
  const events = decoded.events.map((event) =>
    event.kind === 'impression'
      ? `impression ${event.requestId}/${event.pageOffset} [${event.items}] of ${event.ts}`
      : `${event.action} on ${event.itemId} of ${event.requestId} at ${event.ts}`,
  );
  return `${events.join(', ')}${timestamp === undefined ? '' : `, written ${timestamp}`}`;
}
