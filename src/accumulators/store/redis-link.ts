import { setTimeout as sleep } from 'node:timers/promises';
import { faultCode, isRefusedSelect, troubleOf, unavailable } from './redis-faults.ts';
import type { StoreUnavailable } from './store-port.ts';

/** The part of the client library that we use, for a single server and for a cluster. */
interface RedisClient {
  readonly status: string;
  call(command: string, args: (string | number)[]): Promise<unknown>;
  pipeline(commands: (string | number)[][]): { exec(): Promise<[error: Error | null, reply: unknown][] | null> };
  disconnect(reconnect?: boolean): void;
  on(event: string, listener: (argument: unknown) => void): unknown;
  off(event: string, listener: (argument: unknown) => void): unknown;
}

const REVIVE_MS = 100;

/** Errors that waiting does not fix. NO_MASTER is missing: sentinels may learn a name later. */
const HOPELESS = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'NO_DATABASE', 'NO_SENTINEL', 'NO_CLUSTER', 'TLS']);

/** How long a call may take, in ms. */
export interface CallTimeout {
  /** Limit of the first call. A dead server is noticed within this time. */
  readonly least: number;
  /** Largest limit, for a long or narrow line. */
  readonly most: number;
}

/** Timeout of a call, as a multiple of the last call's time. */
const SPARE = 4;

/**
 * One connection. Every call ends within its time limit, and every rejection is a StoreUnavailable without secrets. After a call
 * that timed out, the next may take twice as long: on a long line a large commit takes longer than the limit for a server that
 * responds at once.
 */
export class RedisLink {
  readonly #client: RedisClient;
  readonly #timeouts: CallTimeout;
  /** Limit of the next call, in ms. */
  #limit: number;
  readonly #secrets: () => readonly string[];
  /** Why the connection broke; '': it has not broken since it was made, or the reason is unknown. */
  #trouble = '';
  /** A better explanation of the trouble `of`. */
  #more: { readonly of: string; readonly text: string } | undefined;
  #isAsking = false;
  #other: RedisLink | undefined;
  /** Whether the server last replied that it is a replica. Then the client connects again, to the present primary. */
  #isReplica = false;
  #closed = false;
  /** Why the last call failed; '' if it did not. */
  #failed = '';
  #refused = false;

  /** The client's own limit must not be less than `timeouts.most`. `explain` finds out more about why a connection broke. */
  constructor(
    client: RedisClient,
    timeouts: CallTimeout,
    secrets: () => readonly string[],
    explain: (error: unknown) => Promise<string | undefined>,
  ) {
    this.#client = client;
    this.#timeouts = timeouts;
    this.#limit = timeouts.least;
    this.#secrets = secrets;
    client.on('ready', () => {
      if (!this.#isReplica) this.#trouble = '';
    });
    client.on('error', (error) => {
      if (isEcho(error)) return;
      // The client would use the connection all the same, in database 0.
      if (isRefusedSelect(error)) client.disconnect(true);
      this.#trouble = troubleOf(error, secrets());
      this.#isReplica = false;
      void this.#askMore(() => explain(error));
    });
  }

  async #askMore(explain: () => Promise<string | undefined>): Promise<void> {
    if (this.#isAsking || this.#closed) return;
    const of = this.#trouble;
    this.#isAsking = true;
    const text = await explain().catch(() => undefined);
    this.#isAsking = false;
    this.#more = text === undefined ? undefined : { of, text };
  }

  /** Names another connection to the same server, which may know sooner why there is none. */
  beside(other: RedisLink): void {
    this.#other = other;
  }

  /** Why the connection broke, as precisely as is known; '': unknown. */
  get #told(): string {
    const other = this.#other;
    const who = other === undefined || other.connected ? [this] : [this, other];
    const of = who.map((link) => link.#trouble).find((text) => text !== '') ?? '';
    return who.map((link) => link.#more).find((more) => more?.of === of)?.text ?? of;
  }

  get connected(): boolean {
    return this.#client.status === 'ready';
  }

  /** Whether the server refused the last call. */
  get refused(): boolean {
    return this.connected && this.#refused;
  }

  /** What is wrong now, and what to do; '': nothing is known to be wrong. */
  get trouble(): string {
    if (this.#failed !== '') return this.#failed;
    const told = this.connected ? '' : this.#told;
    return told === '' ? '' : `Redis: ${told}`;
  }

  /** Resolves once commands can be sent. Rejects after `timeout` ms, or at once for wrong credentials. */
  async ready(place: string, timeout: number): Promise<void> {
    const giveUp = new AbortController();
    let onReady = (_: unknown): void => {};
    let onError = onReady;
    try {
      await new Promise<void>((resolve, reject) => {
        onReady = () => resolve();
        onError = (error) => {
          if (HOPELESS.has(faultCode(error)) && !isEcho(error)) reject(error);
        };
        this.#client.on('ready', onReady);
        this.#client.on('error', onError);
        if (this.connected) resolve();
        sleep(timeout, undefined, { signal: giveUp.signal }).then(
          () => reject(new Error(`unreachable for ${timeout} ms`)),
          () => {},
        );
      });
    } catch (error) {
      throw this.#wrap(`connect to ${place}`, error);
    } finally {
      giveUp.abort();
      this.#client.off('ready', onReady);
      this.#client.off('error', onError);
    }
  }

  /** Sends one command. `doing` names the purpose in messages. */
  call(doing: string, command: string, args: (string | number)[]): Promise<unknown> {
    return this.#inTime(doing, () => this.#client.call(command, args));
  }

  /** Sends commands together; in a cluster their keys must be in one slot. Rejects if one of them fails. */
  callAll(doing: string, commands: (string | number)[][]): Promise<readonly unknown[]> {
    return this.#inTime(doing, async () => {
      const answers = await this.#client.pipeline(commands.map((command) => ['call', ...command])).exec();
      return (answers ?? []).map(([error, reply]) => {
        if (error === null) return reply;
        if (faultCode(error) === 'WRONGTYPE') return null;
        throw error;
      });
    });
  }

  async #inTime<T>(doing: string, send: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Command timed out')), this.#limit);
    });
    const began = performance.now();
    try {
      const answer = await Promise.race([send(), limit]);
      this.#allow(SPARE * (performance.now() - began));
      this.#failed = '';
      this.#refused = false;
      if (this.#isReplica) this.#trouble = '';
      this.#isReplica = false;
      return answer;
    } catch (error) {
      const fault = this.#wrap(doing, error);
      this.#failed = fault.message;
      this.#refused = fault.outcome === 'refused';
      // Calls that fail while the client reconnects have the same reason.
      if (fault.code === 'READONLY') {
        this.#isReplica = true;
        this.#trouble = troubleOf(error, this.#secrets());
      }
      // A dead peer can go unnoticed for minutes, so make a new connection.
      if (fault.code === 'TIMEOUT') {
        this.#allow(2 * this.#limit);
        this.#client.disconnect(true);
      }
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  #allow(limit: number): void {
    this.#limit = Math.min(Math.max(limit, this.#timeouts.least), this.#timeouts.most);
  }

  /**
   * Restarts the client if it ended although nobody closed it: ioredis 6.0.0 ends permanently if a sentinel announces a fail-over
   * while it connects.
   */
  revive(connect: () => Promise<unknown>): void {
    this.#client.on('end', () => {
      setTimeout(() => {
        if (!this.#closed) connect().catch(() => {});
      }, REVIVE_MS);
    });
  }

  close(): void {
    this.#closed = true;
    this.#client.disconnect();
  }

  #wrap(doing: string, error: unknown): StoreUnavailable {
    // The client may be connected again by now. For a call that found no connection, the reason for that is reported.
    const wasConnected = this.connected && faultCode(error) !== 'NOT_CONNECTED';
    return unavailable(doing, error, this.#secrets(), wasConnected ? '' : this.#told);
  }
}

/**
 * Whether an error only follows from another one that has the reason: a SELECT that was sent together with a refused login, or
 * what the client still wanted to send on a connection that a refused SELECT has ended.
 */
function isEcho(error: unknown): boolean {
  if (isRefusedSelect(error)) return faultCode(error) === 'NOAUTH';
  return error instanceof Error && error.message.startsWith("Stream isn't writeable");
}
