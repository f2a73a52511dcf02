import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { responses } from '../codecs/responses.ts';

/** The parts of kafkajs' connection to one broker that are used. */
interface Connection {
  socket?: Socket;
  /** What has arrived of the next response. */
  chunks: Buffer[];
  bytesBuffered: number;
  /** Whoever logs in, until the response to that has come; and whether it precedes it with its length. */
  readonly authHandlers: object | null;
  readonly authExpectResponse: boolean;
  /** By correlation id, in the order in which they were sent: the requests that wait for a response. */
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown> };
  isConnected(): boolean;
  connect(): Promise<unknown>;
  send(request: object): Promise<unknown>;
  /** Takes what has arrived, and keeps it. */
  processData(bytes: Buffer): void;
}

/** Of the length that precedes each response. */
const LENGTH_BYTES = 4;
/** A response begins with the number of its request. */
const LEAST_BYTES = 4;
/** A fetch asks for a few MiB. */
const MOST_BYTES = 2 ** 27;

/**
 * kafkajs' connection, except that nothing of a socket is left when it connects again, and that it is closed when a request
 * times out.
 *
 * kafkajs itself keeps the beginning of a response during which the socket broke, and takes the first bytes of the next socket
 * for its end. From then on it takes any bytes for lengths: it waits for gigabytes, or fails with a RangeError that ends the
 * process. The same happens where somebody else answers than a broker: here that is an error of the connection.
 *
 * And it goes on with a socket whose packets get lost: all requests time out until TCP, which asks ever less often, finds the
 * broker again or gives up.
 *
 * A response is put together in one piece of memory as it arrives. kafkajs itself keeps every piece that arrives and copies all of them
 * at the end; each is memory of its own, whose garbage is collected with all of the heap.
 */
export function reconnecting(Plain: new (options: object) => Connection): new (options: object) => Connection {
  return class extends Plain {
    #connecting: Promise<unknown> | undefined;
    /** Of the response that arrives: its length, then all of it. */
    readonly #length = Buffer.alloc(LENGTH_BYTES);
    #response: Buffer | undefined;
    /** Bytes of it that are there. */
    #arrived = 0;

    override connect(): Promise<unknown> {
      if (this.isConnected()) return Promise.resolve(true);
      // Of two sockets kafkajs would write to one and read both.
      this.#connecting ??= this.#connect().finally(() => {
        this.#connecting = undefined;
      });
      return this.#connecting;
    }

    #connect(): Promise<unknown> {
      // A late response to what has timed out would arrive among those of the new socket.
      this.socket?.destroy();
      this.#response = undefined;
      this.#arrived = 0;
      return super.connect();
    }

    /** `bytes` are valid until this returns. */
    override processData(bytes: Buffer): void {
      if (this.authHandlers !== null && !this.authExpectResponse) {
        super.processData(Buffer.from(bytes));
        return;
      }
      for (let at = 0; at < bytes.length; ) {
        const into = this.#response ?? this.#length;
        const copied = bytes.copy(into, this.#arrived, at);
        at += copied;
        this.#arrived += copied;
        if (this.#arrived < into.length) return;
        if (this.#response === undefined) {
          const size = this.#length.readInt32BE(0);
          if (size < LEAST_BYTES || size > MOST_BYTES) {
            this.socket?.destroy(new Error(`what arrives is not Kafka's protocol: a response of ${size} bytes`));
            return;
          }
          this.#response = responses.take(LENGTH_BYTES + size);
          this.#length.copy(this.#response);
        } else {
          this.#take(this.#response);
        }
      }
    }

    #take(response: Buffer): void {
      this.#response = undefined;
      this.#arrived = 0;
      // Beside what kafkajs has left of the last one, which is nothing, it would copy this one.
      this.chunks = [];
      this.bytesBuffered = 0;
      super.processData(response);
    }

    override async send(request: object): Promise<unknown> {
      const { socket } = this;
      try {
        return await super.send(request);
      } catch (error) {
        if (this.#isSilent(error)) {
          // An error of the socket, so that kafkajs rejects all other requests too: callers try them again.
          socket?.destroy(new Error('a request timed out'));
          // It is emitted before that; whoever is told now finds the connection closed.
          await turn();
        }
        throw error;
      }
    }

    /**
     * A broker responds in order, and holds a JoinGroup back until all members have joined: what times out behind one that still
     * has time says nothing about the connection.
     */
    #isSilent(error: unknown): boolean {
      if (!isTimeout(error)) return false;
      const [oldest] = this.requestQueue.inflight.keys();
      return oldest === undefined || oldest > error.correlationId;
    }
  };
}

function isTimeout(error: unknown): error is { readonly correlationId: number } {
  return error instanceof Error && error.name === 'KafkaJSRequestTimeoutError';
}
