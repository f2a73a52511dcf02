import { afterAll } from 'vitest';
import type { Service } from './it-with.ts';
import { type KafkaOptions, type RunningKafka, runTool, startKafka } from './kafka.ts';
import { kafkaJars } from './kafka-jars.ts';
import { askForRunBroker } from './run-broker.ts';

export interface SharedKafkaOptions extends Pick<KafkaOptions, 'version' | 'brokers'> {
  /** The tests end or freeze brokers, or look at all that they hold, so they need some of their own. */
  readonly own?: boolean;
}

/**
 * Brokers for all tests of a file, asked for by the first that needs them. If nothing in particular is wanted, they are those of
 * KAFKA_BROKERS (host:port,host:port), or the one of the whole run, or else are started for the file.
 */
export function sharedKafka(options: SharedKafkaOptions = {}): Service<RunningKafka> {
  let started: Promise<RunningKafka> | undefined;
  afterAll(async () => {
    await (await started?.catch(() => undefined))?.stop();
  });
  const isParticular = options.own === true || options.version !== undefined || options.brokers !== undefined;
  return {
    name: `Kafka ${options.version ?? '4.3.1'}`,
    get: () => {
      started ??= isParticular ? startKafka(options) : anyKafka();
      return started;
    },
  };
}

async function anyKafka(): Promise<RunningKafka> {
  const named = process.env['KAFKA_BROKERS'];
  if (named !== undefined) return foreignKafka(named.split(','));
  const ofRun = await askForRunBroker();
  return ofRun === undefined ? startKafka() : foreignKafka(ofRun.brokers, ofRun.controller);
}

/** Brokers that somebody else runs. */
async function foreignKafka(brokers: readonly string[], controller?: string): Promise<RunningKafka> {
  const refuse = (): never => {
    throw new Error('these brokers are not ours to end: the test must ask for its own');
  };
  return {
    version: '4.3.1',
    brokers,
    listener: (name) => (name === 'CONTROLLER' && controller !== undefined ? controller : refuse()),
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
