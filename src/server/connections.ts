import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { DurationMs } from '../vocabulary/events.ts';
import { TurnTaking } from './turns.ts';

interface ConnectionLimits {
  /** With more connections than this, one is closed to make room. */
  readonly crowded: number;
  readonly answerTimeout: DurationMs;
  readonly requestsPerConnection: number;
  /** The most bytes of all bodies that readers have not taken yet; a body with many readers counts once. The last four always fit. */
  readonly heldBytes: number;
}

const LAST_BODIES = 4;
/** A connection that has been silent for less time may be about to send a request. */
const SILENT_MS: DurationMs = 1000;

/**
 * Number of connections that get their next turn in one round of the event loop. Node accepts one connection per round, so rounds must be
 * short while many connections send requests without end.
 */
const TURNS_IN_A_ROUND = 4;

/** The response that is being sent to a connection. */
interface Answering {
  readonly deadline: NodeJS.Timeout;
  body: Buffer | undefined;
}

/**
 * Bounds the resources that clients can take. A connection sends one request at a time (turns.ts), so it holds one response and two reads
 * of 64 KiB. New connections always find room: from `crowded` on, the connection that has been silent longest is closed, or the oldest
 * one if none has been silent for a second. A connection is also closed if it has not taken its response within `answerTimeout`, or if it
 * holds one of the oldest pages while all held pages take more than `heldBytes`.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** Number of requests of each connection, the oldest connection first. */
  readonly #open = new Map<TurnTaking, number>();
  /** When each silent connection became silent, the longest silent first. */
  readonly #waiting = new Map<TurnTaking, number>();
  readonly #answering = new Map<TurnTaking, Answering>();
  /** The readers of each body, the oldest body first. */
  readonly #readers = new Map<Buffer, Set<TurnTaking>>();
  #held = 0;
  /** Connections whose responses were taken, in the order of their next turns. */
  readonly #turns = new Set<TurnTaking>();
  #isRoundNear = false;

  /** Makes each new connection of the server take turns. */
  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    const handlers = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const connection = new TurnTaking(socket);
      this.#opened(connection);
      // Node's server accepts any stream as a connection.
      for (const handler of handlers) Reflect.apply(handler, server, [connection]);
    });
  }

  isAnswering(connection: Duplex): boolean {
    return connection instanceof TurnTaking && this.#answering.has(connection);
  }

  /**
   * Called when a request has arrived; `answered` must follow. Returns whether it is the last one of its connection, by itself (it has a
   * body, or says so) or because there have been enough; what follows it is discarded.
   */
  asked(connection: Duplex, isLastItself: boolean): boolean {
    if (!(connection instanceof TurnTaking) || connection.destroyed) return true;
    const requests = (this.#open.get(connection) ?? 0) + 1;
    this.#open.set(connection, requests);
    this.#waiting.delete(connection);
    connection.asked();
    const deadline = setTimeout(() => connection.destroy(), this.#limits.answerTimeout);
    this.#answering.set(connection, { deadline, body: undefined });
    const isLast = isLastItself || requests >= this.#limits.requestsPerConnection;
    if (isLast) connection.deafen();
    return isLast;
  }

  /** Called when what arrived is no request, or arrived too slowly. Nothing after it is read. */
  refused(connection: Duplex): void {
    if (connection instanceof TurnTaking && !connection.destroyed) connection.deafen();
  }

  /** Records the body that is being sent to a connection. */
  holds(connection: Duplex, body: Buffer): void {
    const answering = connection instanceof TurnTaking ? this.#answering.get(connection) : undefined;
    if (answering === undefined || !(connection instanceof TurnTaking)) return;
    const readers = this.#readers.get(body) ?? this.#newBody(body);
    readers.add(connection);
    answering.body = body;
  }

  /** Called when the response was taken, or the connection has ended. */
  answered(connection: Duplex): void {
    if (!(connection instanceof TurnTaking)) return;
    const answering = this.#answering.get(connection);
    if (answering === undefined) return;
    this.#answering.delete(connection);
    clearTimeout(answering.deadline);
    this.#release(connection, answering);
    if (connection.destroyed) return;
    this.#waiting.set(connection, performance.now());
    this.#turns.add(connection);
    this.#nextRound();
  }

  /** Closes all open connections. */
  cut(): void {
    for (const connection of this.#open.keys()) connection.destroy();
  }

  #nextRound(): void {
    if (this.#isRoundNear || this.#turns.size === 0) return;
    this.#isRoundNear = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#isRoundNear = false;
    for (const connection of [...this.#turns].slice(0, TURNS_IN_A_ROUND)) {
      this.#turns.delete(connection);
      connection.answered();
    }
    this.#nextRound();
  }

  #opened(connection: TurnTaking): void {
    this.#open.set(connection, 0);
    this.#waiting.set(connection, performance.now());
    connection.once('close', () => {
      this.#forget(connection);
      this.answered(connection);
    });
    if (this.#open.size <= this.#limits.crowded) return;
    const victim = this.#longestSilent() ?? this.#open.keys().next().value;
    if (victim !== undefined) this.#cut(victim);
  }

  #longestSilent(): TurnTaking | undefined {
    for (const [connection, since] of this.#waiting) {
      return performance.now() - since < SILENT_MS ? undefined : connection;
    }
    return undefined;
  }

  #cut(connection: TurnTaking): void {
    this.#forget(connection);
    connection.destroy();
  }

  #forget(connection: TurnTaking): void {
    this.#open.delete(connection);
    this.#waiting.delete(connection);
    this.#turns.delete(connection);
  }

  #newBody(body: Buffer): Set<TurnTaking> {
    const most = Math.max(this.#limits.heldBytes, LAST_BODIES * body.length);
    for (const [old, readers] of this.#readers) {
      if (this.#held + body.length <= most) break;
      for (const reader of readers) this.#cut(reader);
      this.#readers.delete(old);
      this.#held -= old.length;
    }
    const readers = new Set<TurnTaking>();
    this.#readers.set(body, readers);
    this.#held += body.length;
    return readers;
  }

  #release(connection: TurnTaking, { body }: Answering): void {
    const readers = body === undefined ? undefined : this.#readers.get(body);
    if (body === undefined || readers === undefined) return;
    readers.delete(connection);
    if (readers.size > 0) return;
    this.#readers.delete(body);
    this.#held -= body.length;
  }
}
