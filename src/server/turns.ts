import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

const LF = 10;
const CR = 13;

/**
 * A connection that passes one request at a time to the HTTP parser, and the next one only after `answered`. Node's parser creates
 * objects for all requests in one read, about a thousand, and keeps them until their responses are taken, so clients that send requests
 * and never read would fill the heap. Here requests stay bytes until their turn: at most those of two reads (128 KiB), after which
 * nothing is read from the network.
 *
 * A request ends with the first empty line (RFC 9112, section 2.1), so pieces end there. A body would be split into pieces as well, but
 * bodies are not read (see `deafen`).
 */
export class TurnTaking extends Duplex {
  readonly #socket: Socket;
  /** Bytes that were read and have not been passed on yet. */
  #held: Buffer | undefined;
  /** Whether the bytes before `#held` end a line, or there are none. */
  #isLineStart = true;
  #isBusy = false;
  #isDeaf = false;
  #isWanted = false;
  #hasEnded = false;

  constructor(socket: Socket) {
    // With 0, no piece is requested before the previous one was parsed.
    super({ readableHighWaterMark: 0 });
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.once('end', () => {
      this.#hasEnded = true;
      this.#hand();
    });
    socket.on('timeout', () => this.emit('timeout'));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  /** Called when a request has arrived. Nothing more is passed on. */
  asked(): void {
    this.#isBusy = true;
  }

  /** Called when the response was taken and it is this connection's turn again. The next request is passed on if it is there. */
  answered(): void {
    this.#isBusy = false;
    this.#hand();
  }

  /** Discards all further input. The socket is still read, because closing it with unread bytes would reset it and lose the response. */
  deafen(): void {
    this.#isDeaf = true;
    this.#held = undefined;
    this.#socket.resume();
  }

  /** Sets the timeout of the socket, by which Node's server closes idle connections. */
  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms);
    return this;
  }

  /** Ends the connection, as Node's server does with a socket once the last response is written. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#hand();
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.cork();
    for (const { chunk } of chunks.slice(0, -1)) this.#socket.write(chunk);
    this.#socket.write(chunks[chunks.length - 1].chunk, done);
    this.#socket.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#held = undefined;
    this.#socket.destroy();
    done(error);
  }

  #take(bytes: Buffer): void {
    if (this.#isDeaf) return;
    // The socket is paused while bytes are held.
    this.#held = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]);
    this.#socket.pause();
    this.#hand();
  }

  /** Passes on one piece, if it is requested and it is this connection's turn. */
  #hand(): void {
    if (!this.#isWanted || this.#isBusy || this.destroyed || this.readableEnded) return;
    const held = this.#held;
    if (held === undefined) {
      if (this.#hasEnded) {
        this.#isWanted = false;
        this.push(null);
      }
      return;
    }
    const length = this.#pieceOf(held);
    this.#isWanted = false;
    this.#held = length < held.length ? held.subarray(length) : undefined;
    if (this.#held === undefined && !this.#isDeaf) this.#socket.resume();
    this.push(held.subarray(0, length));
  }

  /** Number of bytes up to the end of the first empty lines, or of all bytes if there is none. */
  #pieceOf(bytes: Buffer): number {
    let hasEmptyLine = false;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === LF) {
        if (this.#isLineStart) hasEmptyLine = true;
        this.#isLineStart = true;
      } else if (byte !== CR) {
        if (hasEmptyLine) return at;
        this.#isLineStart = false;
      }
    }
    return bytes.length;
  }
}
