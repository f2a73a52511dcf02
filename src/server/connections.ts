import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { DurationMs } from '../events.ts';

/**
 * Keeps room for new connections: from `crowded` on the one that has been silent longest is cut, and so is one that has not
 * taken an answer within `answerTimeout`.
 */
export class Connections {
  readonly #crowded: number;
  readonly #answerTimeout: DurationMs;
  readonly #open = new Set<Socket>();
  /** The longest silent first. */
  readonly #waiting = new Set<Socket>();
  /** Those with answers on their way: how many, and when the first of them must be taken. */
  readonly #answering = new Map<Duplex, { answers: number; timer: NodeJS.Timeout }>();

  constructor(server: Server, crowded: number, answerTimeout: DurationMs) {
    this.#crowded = crowded;
    this.#answerTimeout = answerTimeout;
    server.on('connection', (socket: Socket) => this.#opened(socket));
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#asked(socket);
      response.once('close', () => this.#answered(socket));
    });
  }

  isAnswering(socket: Duplex): boolean {
    return this.#answering.has(socket);
  }

  /** Cuts all that is still open. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #opened(socket: Socket): void {
    this.#open.add(socket);
    this.#waiting.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#waiting.delete(socket);
      clearTimeout(this.#answering.get(socket)?.timer);
      this.#answering.delete(socket);
    });
    if (this.#open.size <= this.#crowded) return;
    for (const silent of this.#waiting) {
      this.#open.delete(silent);
      this.#waiting.delete(silent);
      silent.destroy();
      break;
    }
  }

  #asked(socket: Socket): void {
    this.#waiting.delete(socket);
    const state = this.#answering.get(socket);
    if (state === undefined) this.#answering.set(socket, { answers: 1, timer: this.#deadline(socket) });
    else state.answers++;
  }

  #answered(socket: Socket): void {
    const state = this.#answering.get(socket);
    if (state === undefined) return;
    clearTimeout(state.timer);
    state.answers--;
    if (state.answers > 0) {
      state.timer = this.#deadline(socket);
      return;
    }
    this.#answering.delete(socket);
    if (!socket.destroyed) this.#waiting.add(socket);
  }

  #deadline(socket: Socket): NodeJS.Timeout {
    return setTimeout(() => socket.destroy(), this.#answerTimeout);
  }
}
