import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** The parts of kafkajs' connection to one broker that are used. */
interface Connection {
  socket?: Socket;
  /** What has arrived of the next response. */
  chunks: Buffer[];
  bytesBuffered: number;
  /** How many bytes must have arrived before the next response is looked at. */
  bytesNeeded: number;
  /** By correlation id, in the order in which they were sent: the requests that wait for a response. */
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, unknown> };
  isConnected(): boolean;
  connect(): Promise<unknown>;
  send(request: object): Promise<unknown>;
}

/** Of the length that precedes each response. */
const LENGTH_BYTES = 4;

/**
 * kafkajs' connection, except that nothing of a socket is left when it connects again, and that it is closed when a request
 * times out.
 *
 * kafkajs itself keeps the beginning of a response during which the socket broke, and takes the first bytes of the next socket
 * for its end. From then on it takes any bytes for lengths: it waits for gigabytes, or fails with a RangeError that ends the
 * process.
 *
 * And it goes on with a socket whose packets get lost: all requests time out until TCP, which asks ever less often, finds the
 * broker again or gives up.
 */
export function reconnecting(Plain: new (options: object) => Connection): new (options: object) => Connection {
  return class extends Plain {
    #connecting: Promise<unknown> | undefined;

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
      this.chunks = [];
      this.bytesBuffered = 0;
      this.bytesNeeded = LENGTH_BYTES;
      return super.connect();
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
