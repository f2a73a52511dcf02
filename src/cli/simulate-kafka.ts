import type { Settings } from '../config/settings.ts';
import { type Expectation, expectation, type Plan } from '../simulate/plan.ts';
import { FAULTS, OUT_OF_ORDERNESS, type SimulationSettings } from '../simulate/simulation-settings.ts';
import { Traffic } from '../simulate/traffic.ts';
import { WallClock } from '../vocabulary/clock.ts';
import type { DurationMs } from '../vocabulary/events.ts';
import { grouped, showProgress } from './progress.ts';
import { untilStopped } from './signals.ts';
import { KafkaTarget, prepareTopics, simulatedTopics } from './simulation-kafka.ts';

export interface KafkaSimulation {
  readonly settings: Settings;
  readonly simulation: SimulationSettings;
  /** undefined: 1, or with a number of events as fast as the brokers take them. */
  readonly speed: number | undefined;
  /** undefined: until the traffic ends, or a signal comes. */
  readonly duration: DurationMs | undefined;
  /** Partitions of topics that are missing; undefined: none may be missing. */
  readonly createTopics: number | undefined;
  /** The command that reads what was written. */
  readonly next: string;
}

/** Kafka's usual retention. */
const WEEK: DurationMs = 7 * 86_400_000;

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

/** How often each fault struck. */
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
