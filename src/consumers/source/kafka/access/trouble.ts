import { plainText } from '../../../../connections/tls-faults.ts';
import { accessAdvice, adviceFor, KafkaFailure } from './faults.ts';
import { explainBroker } from './probe.ts';
import type { KafkaConnection } from './settings.ts';

/** What an error of the client means here. */
export interface KafkaTrouble {
  /** What happened and, where that is known, what to do. No secret. */
  readonly message: string;
  /**
   * access: we are not let in, until somebody changes something here or there. hopeless: another try would end in the same
   * way. passing: it may be over soon.
   */
  readonly kind: 'access' | 'hopeless' | 'passing';
}

/**
 * `probe`: ask the brokers by hand where the error itself says too little, which may take some seconds. Never rejects.
 */
export async function troubleOf(
  error: unknown,
  connection: KafkaConnection,
  { probe = true }: { readonly probe?: boolean } = {},
): Promise<KafkaTrouble> {
  const reason = error instanceof Error ? plainText(error.message) : String(error);
  const access = accessAdvice(error);
  if (access !== undefined) return { kind: 'access', message: `${reason}; ${access}` };
  const advice = adviceFor(error);
  if (advice !== undefined) return { kind: 'hopeless', message: `${reason}; ${advice}` };
  const said = probe ? await explainBrokers(connection) : undefined;
  return said === undefined ? { kind: 'passing', message: reason } : { kind: 'access', message: `${reason}; ${said}` };
}

/** Why brokers do not let us in; undefined: they do, or do not answer, or only some of them differ. */
async function explainBrokers(connection: KafkaConnection): Promise<string | undefined> {
  const said = await Promise.all(connection.brokers.map((broker) => explainBroker(broker, connection)));
  const first = said.findIndex((text) => text !== undefined);
  return first < 0 ? undefined : `${connection.brokers[first]}: ${said[first]}`;
}

/** What kafkajs says where no broker was reached at all. */
const UNREACHED = /^Connection (?:error|timeout)/;

/**
 * Asks, and makes what kafkajs rejects with into a KafkaFailure that says where it happened and what to do. Other errors stay
 * what they are.
 */
export async function explained<T>(connection: KafkaConnection, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Error) || !/^Kafka(?:JS|LoginError)/.test(error.name)) throw error;
    const { message, kind } = await troubleOf(error, connection);
    const hint = kind === 'passing' && UNREACHED.test(message) ? '; check kafka.brokers and the network' : '';
    throw new KafkaFailure(`kafka (${connection.brokers.join(', ')}): ${message}${hint}`, {
      cause: error,
      passing: kind === 'passing',
    });
  }
}
