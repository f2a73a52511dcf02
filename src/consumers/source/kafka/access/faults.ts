import { refusedIn, tlsAdvice } from '../../../../connections/tls.ts';
import type { DurationMs } from '../../../../vocabulary/events.ts';

/** An error whose message says what happened and what to do; `run` rejects with it. */
export class KafkaFailure extends Error {
  override readonly name = 'KafkaFailure';
  /** Whether the fault may be temporary. */
  readonly passing: boolean;

  constructor(
    message: string,
    { cause, passing = false }: { readonly cause?: unknown; readonly passing?: boolean } = {},
  ) {
    super(message, { cause });
    this.passing = passing;
  }
}

/** A login that failed for a reason other than the broker's. Contains no secret. */
export class KafkaLoginError extends Error {
  override readonly name = 'KafkaLoginError';
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(problem);
    this.advice = advice;
  }
}

const MEMBERSHIP = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/** Whether an error of a heartbeat means that the member must join the group again. */
export function isMembershipLost(error: unknown): boolean {
  return chain(error).some(({ type }) => type !== undefined && MEMBERSHIP.has(type));
}

/** Errors that a new consumer would get again, with what to do about them, by protocol type or by name. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    'INCONSISTENT_GROUP_PROTOCOL',
    'other consumers are in this group, or workers that read other topics: use the same topics in all workers, or another kafka.groupId',
  ],
  [
    'UNKNOWN_TOPIC_OR_PARTITION',
    'a topic does not exist: create it, with as many partitions as the others, or correct kafka.topics',
  ],
  ['INVALID_TOPIC_EXCEPTION', 'a topic has a name that Kafka does not allow: correct kafka.topics'],
  [
    'INVALID_SESSION_TIMEOUT',
    'the broker does not allow this session timeout: correct kafka.sessionTimeout, or see group.min.session.timeout.ms and group.max.session.timeout.ms of the broker',
  ],
  ['KafkaJSNotImplemented', 'the broker asks for something that this client cannot do'],
  ['RangeError', 'a record batch cannot be decoded, and the client does not say in which partition'],
  ['TypeError', 'this is a defect; please report it'],
  ['ReferenceError', 'this is a defect; please report it'],
  ['SyntaxError', 'this is a defect; please report it'],
]);

/** Errors of a client that is not authenticated or authorised. */
const ACCESS: ReadonlyMap<string, string> = new Map([
  [
    'TOPIC_AUTHORIZATION_FAILED',
    'allow this user to read and describe the topics of kafka.topics: receval doctor names them, with the command',
  ],
  ['GROUP_AUTHORIZATION_FAILED', 'allow this user to read the group kafka.groupId: receval doctor prints the command'],
  ['CLUSTER_AUTHORIZATION_FAILED', 'allow this user to describe the cluster'],
  [
    'KafkaJSSASLAuthenticationError',
    'the broker refused the login: check the user, the password or token, and kafka.sasl.mechanism',
  ],
]);

/** The advice for an error that a new consumer would not fix; undefined: try again. */
export function adviceFor(error: unknown): string | undefined {
  const access = accessAdvice(error);
  if (access !== undefined) return access;
  for (const { type, name } of chain(error)) {
    const advice = ADVICE.get(type ?? '') ?? ADVICE.get(name);
    if (advice !== undefined) return advice;
  }
  return undefined;
}

/** Like `adviceFor`, for errors of authentication and authorisation only, which somebody may fix while we wait. */
export function accessAdvice(error: unknown): string | undefined {
  for (const { type, name, message, code, advice } of chain(error)) {
    const found = advice ?? ACCESS.get(type ?? '') ?? ACCESS.get(name) ?? tlsAdvice({ code, message }, 'kafka.tls');
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whose certificate was refused, the broker's or ours; undefined: none was. */
export function certificateRefused(error: unknown): 'theirs' | 'ours' | undefined {
  return chain(error)
    .map(refusedIn)
    .find((whose) => whose !== undefined);
}

/** Whether this user lacks a right on a topic. */
export function isTopicForbidden(error: unknown): boolean {
  return chain(error).some(({ type }) => type === 'TOPIC_AUTHORIZATION_FAILED');
}

/** Whether a log does not hold an offset that was requested. */
export function isOutOfRange(error: unknown): boolean {
  return chain(error).some(({ type }) => type === 'OFFSET_OUT_OF_RANGE');
}

export function isTopicMissing(error: unknown): boolean {
  return chain(error).some(({ type }) => type === 'UNKNOWN_TOPIC_OR_PARTITION');
}

const NO_COORDINATOR = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
]);

/** Whether a group has no coordinator at present: it is being chosen, or is loading the committed offsets. */
export function isCoordinatorMissing(error: unknown): boolean {
  return chain(error).some(({ type }) => type !== undefined && NO_COORDINATOR.has(type));
}

const REFUSED = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

/** Whether a broker rejects a record, and would reject it again. */
export function isRecordRefused(error: unknown): boolean {
  return chain(error).some(({ type }) => REFUSED.has(type ?? ''));
}

const UNREACHABLE =
  /^KafkaJS(?:Connection|ConnectionClosed|RequestTimeout|NoBrokerAvailable|BrokerNotFound|GroupCoordinatorNotFound)/;

/** Whether an error means that a broker did not respond. */
export function isUnreachable(error: unknown): boolean {
  return chain(error).some(({ name }) => UNREACHABLE.test(name));
}

interface Link {
  readonly name: string;
  readonly type: string | undefined;
  readonly message: string;
  readonly code: unknown;
  readonly advice: string | undefined;
}

/** An error, its cause, and so on. */
function chain(error: unknown): readonly Link[] {
  const links: Link[] = [];
  for (let at = error; at instanceof Error && links.length < 10; at = at.cause) {
    const type = 'type' in at && typeof at.type === 'string' ? at.type : undefined;
    const advice = at instanceof KafkaLoginError ? at.advice : undefined;
    links.push({ name: at.name, type, message: at.message, code: 'code' in at ? at.code : undefined, advice });
  }
  return links;
}

const PERIOD: DurationMs = 5 * 60_000;
const MOST_CRASHES = 3;
const FIRST_DELAY: DurationMs = 500;
const LONGEST_DELAY: DurationMs = 30_000;
/**
 * A short limit, because a broker that is back should be noticed soon and an attempt costs it little. The client's own attempts take 9 s
 * in addition.
 */
const LONGEST_UNREACHED: DurationMs = 5_000;
const CALM: DurationMs = 60_000;

/** Decides how long to wait before starting the next consumer, and when to give up. Times are from a monotonic clock. */
export class Restarts {
  #crashes: number[] = [];
  #row = 0;
  #last = Number.NEGATIVE_INFINITY;

  /**
   * Records a crash of the consumer. `healthy`: all brokers responded nevertheless; `unreached`: it crashed because one did not. Returns
   * the delay, or undefined after three crashes in five minutes with all brokers healthy, because then the fault is ours.
   */
  crashed(now: number, brokers: 'healthy' | 'unreached' | 'unknown'): DurationMs | undefined {
    this.#row = now - this.#last > CALM ? 0 : this.#row + 1;
    this.#last = now;
    if (brokers !== 'healthy') {
      this.#crashes = [];
    } else {
      this.#crashes = [...this.#crashes.filter((at) => now - at < PERIOD), now];
      if (this.#crashes.length >= MOST_CRASHES) return undefined;
    }
    const longest = brokers === 'unreached' ? LONGEST_UNREACHED : LONGEST_DELAY;
    return Math.min(longest, FIRST_DELAY * 2 ** Math.min(this.#row, 10));
  }
}
