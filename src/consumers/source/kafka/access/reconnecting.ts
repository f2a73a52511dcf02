import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { responses } from '../codecs/reused-buffers.ts';

/** The used parts of kafkajs' connection to one broker. */
interface Connection {
  socket?: Socket;
  /** The part of the next response that has arrived. */
  chunks: Buffer[];
  bytesBuffered: number;
  /** The handlers of the current login, until its response has arrived; and whether the response is preceded by its length. */
  readonly authHandlers: object | null;
  readonly authExpectResponse: boolean;
  /** Requests that wait for a response, by correlation id, in the order in which they were sent. */
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown> };
  isConnected(): boolean;
  connect(): Promise<unknown>;
  send(request: object): Promise<unknown>;
  /** Receives bytes that have arrived, and keeps them. */
  processData(bytes: Buffer): void;
}

/** Size of the length that precedes each response. */
const LENGTH_BYTES = 4;
/** A response begins with the number of its request. */
const LEAST_BYTES = 4;
/** A fetch requests a few MiB. */
const MOST_BYTES = 2 ** 27;

/**
 * kafkajs' connection, except that nothing of a socket is kept when it connects again, and that it is closed when a request times out.
 *
 * kafkajs itself keeps the beginning of a response during which the socket broke, and takes the first bytes of the next socket for its
 * end. From then on it takes arbitrary bytes for lengths: it waits for gigabytes, or fails with a RangeError that ends the process. The
 * same happens if the peer is no broker; here that is an error of the connection.
 *
 * kafkajs also goes on with a socket whose packets get lost: all requests time out until TCP, which probes ever less often, finds the
 * broker again or gives up.
 *
 * Here a response is assembled in one piece of memory as it arrives. kafkajs keeps every piece that arrives and copies all of them at the
 * end; each is memory of its own, whose garbage is collected only with the whole heap.
 */
export function reconnecting(Plain: new (options: object) => Connection): new (options: object) => Connection {
  return class extends Plain {
    #connecting: Promise<unknown> | undefined;
    /** The response that is arriving: its length, then all of it. */
    readonly #length = Buffer.alloc(LENGTH_BYTES);
    #response: Buffer | undefined;
    /** Number of its bytes that have arrived. */
    #arrived = 0;

    override connect(): Promise<unknown> {
      if (this.isConnected()) return Promise.resolve(true);
      // Given two sockets, kafkajs would write to one and read both.
      this.#connecting ??= this.#connect().finally(() => {
        this.#connecting = undefined;
      });
      return this.#connecting;
    }

    #connect(): Promise<unknown> {
      // A late response to a request that timed out would arrive among those of the new socket.
      this.socket?.destroy();
      this.#response = undefined;
      this.#arrived = 0;
      return super.connect();
    }

    /** @param bytes valid until this returns */
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
      // kafkajs has nothing left of the last response; otherwise it would copy this one.
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
          // An error of the socket makes kafkajs reject all other requests too, and callers retry them.
          socket?.destroy(new Error('a request timed out'));
          // The timeout is emitted before that. After this turn, its receivers find the connection closed.
          await turn();
        }
        throw error;
      }
    }

    /**
     * Whether a timeout shows that the connection is dead. A broker responds in order, and holds a JoinGroup back until all members have
     * joined, so a timeout after a request that still has time shows nothing.
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
