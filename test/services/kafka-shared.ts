import { afterAll } from 'vitest';
import type { Service } from './it-with.ts';
import { type KafkaOptions, type RunningKafka, runTool, startKafka } from './kafka.ts';
import { kafkaJars } from './kafka-jars.ts';

export interface SharedKafkaOptions extends KafkaOptions {
  /** The tests end or freeze brokers, so they need some of their own even if KAFKA_BROKERS names others. */
  readonly own?: boolean;
}

/**
 * Brokers for all tests of a file, started by the first that needs them. If KAFKA_BROKERS is set (host:port,host:port) and
 * nothing in particular is asked for, those are used.
 */
export function sharedKafka(options: SharedKafkaOptions = {}): Service<RunningKafka> {
  let started: Promise<RunningKafka> | undefined;
  afterAll(async () => {
    await (await started?.catch(() => undefined))?.stop();
  });
  const named = process.env['KAFKA_BROKERS'];
  const isParticular = options.own === true || options.version !== undefined || options.brokers !== undefined;
  return {
    name: `Kafka ${options.version ?? '4.3.1'}`,
    get: () => {
      started ??= named === undefined || isParticular ? startKafka(options) : foreignKafka(named.split(','));
      return started;
    },
  };
}

/** Brokers that somebody else runs. */
async function foreignKafka(brokers: readonly string[]): Promise<RunningKafka> {
  const refuse = (): never => {
    throw new Error('these brokers are not ours to end: the test must ask for its own');
  };
  return {
    version: '4.3.1',
    brokers,
    listener: refuse,
    kill9: refuse,
    restart: refuse,
    isRunning: refuse,
    shutDown: refuse,
    controller: refuse,
    freeze: refuse,
    thaw: refuse,
    tool: async (className, args, input) => runTool(await kafkaJars('4.3.1'), className, args, input),
    stop: async () => {},
  };
}
