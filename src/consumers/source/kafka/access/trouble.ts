import { type Protocol, protocolAt, versionsRequest } from '../../../../connections/port-protocol.ts';
import { explainedTls, ourCertificate } from '../../../../connections/refused-certificate.ts';
import { AccessFileError } from '../../../../connections/secret.ts';
import { plainText, speaksTls, TlsContext } from '../../../../connections/tls.ts';
import type { DurationMs } from '../../../../vocabulary/events.ts';
import { addressOf, exchange, NotKafka } from './connection.ts';
import { accessAdvice, adviceFor, certificateRefused, KafkaFailure } from './faults.ts';
import type { KafkaConnection } from './kafka-settings.ts';
import { mechanismOf } from './login.ts';
import { apiVersions, isBroker, rangesOf } from './versions.ts';

/** The meaning of an error of the client. */
interface KafkaTrouble {
  /** What happened and, if known, what to do. Contains no secret. */
  readonly message: string;
  /**
   * access: authentication or authorisation failed, until somebody changes the settings on either side. hopeless: a retry would
   * fail in the same way. passing: the fault may be temporary.
   */
  readonly kind: 'access' | 'hopeless' | 'passing';
}

/**
 * Never rejects.
 * @param probe query the brokers directly if the error itself says too little, which may take some seconds
 */
export async function troubleOf(
  error: unknown,
  connection: KafkaConnection,
  { probe = true }: { readonly probe?: boolean } = {},
): Promise<KafkaTrouble> {
  const reason = error instanceof Error ? plainText(error.message) : String(error);
  const access = accessAdvice(error);
  if (access !== undefined) {
    const more = await certificateOf(error, connection, probe);
    return { kind: 'access', message: `${reason}; ${more ?? access}` };
  }
  const advice = adviceFor(error);
  if (advice !== undefined) return { kind: 'hopeless', message: `${reason}; ${advice}` };
  const refused = probe ? await explainBrokers(connection) : undefined;
  if (refused === undefined) return { kind: 'passing', message: reason };
  // Those of several brokers that do not refuse us may be away for a while.
  return { kind: refused.byAll ? 'access' : 'passing', message: `${reason}; ${refused.first}` };
}

/**
 * Names the refused certificate and since when, which the error does not. undefined: the error is a different one, or that is not known.
 */
async function certificateOf(error: unknown, connection: KafkaConnection, probe: boolean): Promise<string | undefined> {
  const whose = certificateRefused(error);
  if (whose === 'theirs') return probe ? (await explainBrokers(connection))?.first : undefined;
  if (whose === undefined || connection.tls === undefined) return undefined;
  try {
    return ourCertificate(new TlsContext(connection.tls));
  } catch {
    // Its files cannot be used now, as the log says; the last good ones are in use.
    return undefined;
  }
}

/**
 * Checks the addresses before the client is used, which tries for over a minute. Rejects with a KafkaFailure if none of the configured
 * addresses can be that of a broker that accepts us. Resolves as soon as one may be, or does not respond. Sends no secret.
 */
export async function mustBeBrokers(connection: KafkaConnection): Promise<void> {
  const { brokers } = connection;
  const refusals = brokers.map(async (broker) => {
    const said = await explainBroker(broker, connection);
    if (said === undefined) throw new MayBeBroker();
    return `${broker}: ${said}`;
  });
  try {
    const [first] = await Promise.all(refusals);
    throw new KafkaFailure(`kafka (${brokers.join(', ')}): ${first}`);
  } catch (error) {
    if (!(error instanceof MayBeBroker)) throw error;
  }
}

class MayBeBroker extends Error {}

interface Refused {
  /** The first of the configured addresses that refuses us, and why. */
  readonly first: string;
  readonly byAll: boolean;
}

/** Queries all brokers. undefined: none refuses us, or those that do not respond may accept us. */
async function explainBrokers(connection: KafkaConnection): Promise<Refused | undefined> {
  const { brokers } = connection;
  const said = await Promise.all(brokers.map((broker) => explainBroker(broker, connection)));
  const refusals = said.flatMap((text, at) => (text === undefined ? [] : [`${brokers[at]}: ${text}`]));
  return refusals.length === 0 ? undefined : { first: refusals[0], byAll: refusals.length === brokers.length };
}

/** Hints by kafkajs' message: no broker was reached at all, or what was reached does not respond even to the first request. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:Connection (?:error|timeout)|No broker available)/, 'check kafka.brokers and the network'],
  [
    /^Request ApiVersions.* timed out/,
    'something takes the connection and does not answer: check that kafka.brokers names the listeners of brokers, and that they do not hang',
  ],
];

/** The message, with a hint at what to check if the fault lasts. */
export function hinted({ message, kind }: KafkaTrouble): string {
  const hint = kind === 'passing' ? HINTS.find(([text]) => text.test(message))?.[1] : undefined;
  return hint === undefined ? message : `${message}; ${hint}`;
}

/**
 * Runs a query, and turns errors of kafkajs into a KafkaFailure that says where it happened and what to do. Other errors are
 * passed on.
 */
export async function explained<T>(connection: KafkaConnection, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Error) || !/^Kafka(?:JS|LoginError)/.test(error.name)) throw error;
    const { message, kind } = await troubleOf(error, connection);
    throw new KafkaFailure(`kafka (${connection.brokers.join(', ')}): ${hinted({ message, kind })}`, {
      cause: error,
      passing: kind === 'passing',
    });
  }
}

const SASL_HANDSHAKE = 17;

/** Error code of a listener without login: ILLEGAL_SASL_STATE. */
const NO_LOGIN = 34;

const TIMEOUT: DurationMs = 3000;

/**
 * Why one broker refuses us, and what to do. The broker is queried directly, because the client only reports that a connection broke.
 * undefined: nothing is wrong, or it does not respond at all. Sends no secret. Never rejects.
 */
export async function explainBroker(broker: string, connection: KafkaConnection): Promise<string | undefined> {
  const { tls, sasl } = connection;
  try {
    const { isController, mechanisms } = await offered(broker, connection);
    if (isController) return CONTROLLER;
    return loginProblem(mechanisms, sasl === undefined ? undefined : mechanismOf(sasl));
  } catch (error) {
    if (!(error instanceof Error)) return undefined;
    const { host, port } = addressOf(broker);
    if (tls === undefined) {
      const [isTls, protocol] = await Promise.all([
        speaksTls(host, port, TIMEOUT),
        protocolAt(host, port, undefined, TIMEOUT),
      ]);
      return isTls ? 'this port speaks TLS: set kafka.tls: true' : noBroker(error, protocol);
    }
    const isPlain = await apiVersions(broker, {}, TIMEOUT).then(
      () => true,
      () => false,
    );
    if (isPlain) return 'this port speaks Kafka without TLS: leave kafka.tls out, or name the port with TLS';
    if (error instanceof AccessFileError) return undefined;
    const context = new TlsContext(tls);
    const said = await explainedTls(error, { host, port }, context, TIMEOUT);
    return said === undefined
      ? noBroker(error, await protocolAt(host, port, context, TIMEOUT))
      : `${plainText(error.message)}: ${said}`;
  }
}

const LISTENERS = 'name the listeners of brokers in kafka.brokers, as in their advertised.listeners';
const CONTROLLER = `what answers there is not the listener of a broker, but that of a controller (KRaft): ${LISTENERS}`;

/**
 * The message for an address that is no broker's.
 * @param error why Kafka's request got no response there
 */
function noBroker(error: Error, protocol: Protocol | undefined): string | undefined {
  if (protocol === 'Redis' || protocol === 'HTTP') return `this port speaks ${protocol}, and not Kafka: ${LISTENERS}`;
  return error instanceof NotKafka ? `${error.message}: ${LISTENERS}` : undefined;
}

interface Offered {
  readonly isController: boolean;
  /** Mechanisms of the login; undefined: there is no login. */
  readonly mechanisms: readonly string[] | undefined;
}

async function offered(broker: string, connection: KafkaConnection): Promise<Offered> {
  const mechanism = connection.sasl === undefined ? 'PLAIN' : mechanismOf(connection.sasl);
  const [versions, answer] = await exchange(
    broker,
    connection,
    [versionsRequest(), handshakeRequest(mechanism)],
    TIMEOUT,
  );
  const isController = !isBroker(rangesOf(versions));
  if (answer.readInt16BE(8) === NO_LOGIN) return { isController, mechanisms: undefined };
  const names: string[] = [];
  for (let at = 14; names.length < answer.readInt32BE(10); ) {
    const length = answer.readInt16BE(at);
    names.push(answer.toString('utf8', at + 2, at + 2 + length));
    at += 2 + length;
  }
  return { isController, mechanisms: names };
}

function loginProblem(mechanisms: readonly string[] | undefined, ours: string | undefined): string | undefined {
  if (mechanisms === undefined) {
    if (ours === undefined) return undefined;
    return 'this port takes no login: leave kafka.sasl out, or name the port that does';
  }
  const names = mechanisms.map((name) => name.toLowerCase()).join(', ');
  if (ours === undefined) return `this port requires a login (${names}): set kafka.sasl, or use a port without one`;
  if (mechanisms.includes(ours)) return undefined;
  return `this port takes the mechanisms ${names}, and not ${ours.toLowerCase()}: correct kafka.sasl.mechanism`;
}

/** A SaslHandshake request, version 1. */
function handshakeRequest(mechanism: string): Buffer {
  const name = Buffer.from(mechanism);
  const bytes = Buffer.alloc(4 + 10 + 2 + name.length);
  bytes.writeInt32BE(bytes.length - 4, 0);
  bytes.writeInt16BE(SASL_HANDSHAKE, 4);
  bytes.writeInt16BE(1, 6);
  bytes.writeInt32BE(2, 8); // number of the request
  bytes.writeInt16BE(-1, 12); // no client id
  bytes.writeInt16BE(name.length, 14);
  name.copy(bytes, 16);
  return bytes;
}
