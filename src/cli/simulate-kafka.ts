import type { Settings } from '../config/settings.ts';
import { KafkaAdmin } from '../consumers/source/kafka/access/admin.ts';
import { KafkaProducer, type NewRecord } from '../consumers/source/kafka/access/producer.ts';
import { explained, mustBeBrokers } from '../consumers/source/kafka/access/trouble.ts';
import { kafkaConnection } from '../service/service-settings.ts';
import type { TrafficRecord } from '../simulate/delivery.ts';
import { type Expectation, expectation, type Plan } from '../simulate/expectation.ts';
import { FAULTS, OUT_OF_ORDERNESS, type SimulationSettings } from '../simulate/simulation-settings.ts';
import { Traffic } from '../simulate/traffic.ts';
import { WallClock } from '../vocabulary/clock.ts';
import { DAY } from '../vocabulary/durations.ts';
import type { DurationMs, EpochMs, Side } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { UsageError } from './failure.ts';
import { untilStopped } from './process.ts';
import { showProgress } from './progress.ts';

interface KafkaSimulation {
  readonly settings: Settings;
  readonly simulation: SimulationSettings;
  /** undefined: 1; or, if the number of events is given, as fast as the brokers take them. */
  readonly speed: number | undefined;
  /** undefined: until the traffic ends or a signal arrives. */
  readonly duration: DurationMs | undefined;
  /** Partitions for missing topics, which are created; undefined: none may be missing. */
  readonly createTopics: number | undefined;
  /** The command that reads what was written. */
  readonly next: string;
}

/** Kafka's default retention. */
const WEEK: DurationMs = 7 * DAY;

/** Writes the traffic, with progress on stderr. Returns a summary. */
export async function simulateToKafka(options: KafkaSimulation): Promise<string> {
  const { settings, simulation, speed, duration, createTopics } = options;
  const topics = simulatedTopics(settings);
  const made = await prepareTopics(settings, createTopics);
  const note = (text: string): void => void process.stderr.write(`note: ${text}\n`);
  if (made.length > 0) note(`made ${made.join(', ')} with ${createTopics} partitions`);
  if (Date.now() - simulation.start > WEEK) {
    note('--start is more than a week ago: a topic whose retention is shorter than that loses the records at once');
  }
  if (settings.attribution.outOfOrderness > OUT_OF_ORDERNESS) {
    note(
      `some records are late for an outOfOrderness of ${OUT_OF_ORDERNESS / 1000}s; yours is longer, so fewer will be`,
    );
  }
  const bounded = Number.isFinite(simulation.events);
  const progress = showProgress(process.stderr, bounded ? simulation.events : undefined);
  const traffic = new Traffic(simulation);
  const target = await KafkaTarget.open(settings, (records) => progress.update(records, records));
  const stopped = new AbortController();
  void untilStopped(duration).then(() => stopped.abort());
  try {
    if (bounded && speed === undefined) await target.writeAll(traffic, stopped.signal);
    else {
      const clock = new WallClock(speed ?? 1, simulation.start);
      const ends = (): boolean => {
        const { impressions, feedback } = traffic.plan.records;
        return impressions + feedback >= simulation.events;
      };
      await target.writeOnTime(traffic, () => Math.min(clock.now(), Date.now()), stopped.signal, ends);
    }
  } finally {
    progress.stop();
    await target.close();
  }
  return summary(traffic.plan, topics, options);
}

/** How often each fault was planted. */
export function plantedText(planted: Plan['planted']): string {
  return FAULTS.map((fault) => `${fault} ${grouped(planted[fault].impressions + planted[fault].feedback)}`).join(', ');
}

function summary(plan: Plan, topics: ReturnType<typeof simulatedTopics>, options: KafkaSimulation): string {
  const { settings, next } = options;
  const { start, lastArrival, records, planted } = plan;
  const expected = expectation(plan);
  return [
    `${grouped(records.impressions).padStart(12)} impressions  ${topics.impressions}`,
    `${grouped(records.feedback).padStart(12)} feedback     ${topics.feedback}`,
    `              on ${settings.kafka.brokers.join(', ')}`,
    '',
    `from        ${new Date(start).toISOString()} to ${new Date(lastArrival ?? start).toISOString()}`,
    `planted     ${plantedText(planted)}`,
    `to count    impressions: ${side(expected.impressions, 'accepted')}; feedback: ${side(expected.feedback, 'attributed')}`,
    '',
    'Next:',
    `  ${next}`,
    '',
  ].join('\n');
}

function side(counted: Expectation['impressions'] | Expectation['feedback'], name: 'accepted' | 'attributed'): string {
  const taken = 'accepted' in counted ? counted.accepted : counted.attributed;
  const drops = Object.entries(counted.drops).map(([reason, n]) => `${reason} ${grouped(n)}`);
  return [`${name} ${grouped(taken)}`, ...drops].join(', ');
}

const CLIENT = 'receval-simulate';

/** Names of the topics that the traffic goes to. @throws UsageError if they do not take canonical events */
function simulatedTopics({ kafka }: Settings): Readonly<Record<Side, string>> {
  const of = (side: Side): string => {
    const topic = kafka.topics.find(({ role }) => role[side]);
    if (topic === undefined) throw new UsageError(`kafka.topics has none for ${side}`);
    const problem =
      topic.adapter !== 'canonical'
        ? 'adapter must be canonical'
        : topic.tsUnit !== 'auto' && topic.tsUnit !== 'ms'
          ? 'tsUnit must be auto or ms'
          : undefined;
    if (problem !== undefined)
      throw new UsageError(`the simulated events do not fit the topic ${topic.name}: its ${problem}`);
    return topic.name;
  };
  return { impressions: of('impressions'), feedback: of('feedback') };
}

/**
 * Creates the missing topics of the configuration with this many partitions, and returns those created; undefined: none may be
 * missing. @throws UsageError that names the missing topics
 */
async function prepareTopics(settings: Settings, partitions: number | undefined): Promise<readonly string[]> {
  const { brokers } = settings.kafka;
  const topics = settings.kafka.topics.map(({ name }) => name);
  const connection = kafkaConnection(settings, CLIENT);
  const admin = new KafkaAdmin({ ...connection, topics });
  try {
    await mustBeBrokers(connection);
    if (partitions !== undefined) return await explained(connection, () => admin.createMissing(partitions));
    const counts = await explained(connection, () => admin.questions.partitionCounts());
    const missing = topics.filter((_, i) => counts[i] === 0);
    if (missing.length === 0) return [];
    throw new UsageError(
      `there is no topic ${missing.join(', ')} on ${brokers.join(', ')}: add --create-topics 4 to make it with 4 partitions`,
    );
  } finally {
    await admin.close().catch(() => {});
  }
}

/** Below a broker's default limit of a batch (1 MiB), even if all records go to one partition. */
const BATCH_BYTES = 400_000;
const BATCH_RECORDS = 2000;
const POLL_MS = 100;

/** Writes traffic to Kafka in its order of arrival; arrival is the record's timestamp, the request id its key. */
class KafkaTarget {
  readonly #producer: KafkaProducer;
  readonly #topics: Readonly<Record<Side, string>>;
  readonly #progress: (records: number) => void;
  #batch: NewRecord[] = [];
  #bytes = 0;
  #written = 0;

  /** @param progress called with the number of records written */
  static async open(settings: Settings, progress: (records: number) => void): Promise<KafkaTarget> {
    const target = new KafkaTarget(settings, progress);
    await explained(kafkaConnection(settings, CLIENT), () => target.#producer.connect());
    return target;
  }

  private constructor(settings: Settings, progress: (records: number) => void) {
    this.#producer = new KafkaProducer(kafkaConnection(settings, CLIENT));
    this.#topics = simulatedTopics(settings);
    this.#progress = progress;
  }

  /** Writes everything as fast as the brokers take it, until the signal is raised. */
  async writeAll(traffic: Traffic, stop: AbortSignal): Promise<void> {
    for (const record of traffic) {
      await this.#add(record);
      if (stop.aborted) break;
    }
    await this.#flush();
  }

  /** Writes each record at its time by this clock, until the traffic ends or the signal is raised. */
  async writeOnTime(traffic: Traffic, now: () => EpochMs, stop: AbortSignal, ends: () => boolean): Promise<void> {
    while (!stop.aborted && !ends()) {
      const until = now();
      for (let record = traffic.poll(until); record !== undefined && !stop.aborted; record = traffic.poll(until)) {
        await this.#add(record);
      }
      await this.#flush();
      await pause(POLL_MS, stop);
    }
  }

  async #add({ topic, at, key, value }: TrafficRecord): Promise<void> {
    this.#batch.push({ topic: this.#topics[topic], at, key, value });
    this.#bytes += value.length + key.length;
    if (this.#bytes >= BATCH_BYTES || this.#batch.length >= BATCH_RECORDS) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    await this.#producer.write(batch);
    this.#written += batch.length;
    this.#progress(this.#written);
  }

  close(): Promise<void> {
    return this.#producer.close();
  }
}

function pause(duration: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, duration);
    stop.addEventListener('abort', done);
    if (stop.aborted) done();
  });
}
