import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { adminOf, kafkajs } from '../../../../../src/consumers/source/kafka/access/client.ts';
import { accessOptions } from '../../../../../src/consumers/source/kafka/access/connection.ts';
import { NAMESPACES_AND_PYTHON } from '../../../../faults/network.ts';
import { itWith } from '../../../../services/it-with.ts';

/** Numbers of Kafka's protocol: kafka.apache.org/protocol#protocol_api_keys. */
const METADATA = 3;
const API_VERSIONS = 18;

const require = createRequire(import.meta.url);
interface Connection {
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  send(request: object): Promise<unknown>;
  processData(bytes: Buffer): void;
  readonly requestQueue: {
    fulfillRequest(response: { correlationId: number; payload: Buffer }): void;
  };
}
const Connection: new (options: object) => Connection = require('kafkajs/src/network/connection.js');
const { ApiVersions } = require('kafkajs/src/protocol/requests/index.js').requests;

const {
  socketFactory = () => {
    throw new Error('kafkajs makes the sockets');
  },
} = accessOptions({ brokers: [], clientId: 'test' });

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Ends a connection at the first byte so that the other side hears nothing of it, which takes the rights of root over the network. */
const FORGETFUL = `import socket
TCP_REPAIR = 19
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
peer, _ = server.accept()
peer.recv(1)
peer.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
peer.close()`;
/** Far below the time limit of a JoinGroup. */
const SOON_MS = 30_000;
/** Of a request, and of one that may take longer. */
const LIMIT_MS = 500;
const LONG_MS = 20_000;

describe('a connection that broke', () => {
  it('in the middle of a response starts the next one with a clean slate', async () => {
    let asked = 0;
    const admin = await adminFor((socket, response) => {
      if (++asked > 1) socket.write(response);
      // What has arrived is read before the reset is.
      else
        socket.write(response.subarray(0, response.length / 2), () => setTimeout(() => socket.resetAndDestroy(), 50));
    });
    await expect(admin.listTopics()).rejects.toThrow('ECONNRESET');
    expect(await admin.listTopics()).toEqual(['clicks']);
    expect(await admin.listTopics()).toEqual(['clicks']);
  });

  it('and is made again reads nothing of what the old socket still brings', async () => {
    const sockets = new Set<Socket>();
    const admin = await adminFor((socket, response) => {
      const [old] = sockets.add(socket);
      if (old !== socket) old.write(response.subarray(0, response.length / 2));
      // What the old socket brings arrives before.
      setTimeout(() => socket.write(response), 50);
    });
    await admin.listTopics();
    await admin.disconnect();
    await admin.connect();
    expect(await admin.listTopics()).toEqual(['clicks']);
  });

  it('is made again by one socket, however many requests wait for it', async () => {
    const factory = vi.fn(socketFactory);
    const connection = connectionTo(await listen(() => {}), factory);
    await Promise.all([connection.connect(), connection.connect()]);
    await connection.connect();
    expect(factory).toHaveBeenCalledOnce();
  });

  itWith(
    NAMESPACES_AND_PYTHON,
    'is noticed although only the broker knows of it, and nothing is sent',
    async (python) => {
      const broker = spawn(python, ['-c', FORGETFUL], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [said] = await once(broker.stdout, 'data');
      const port = Number(said);
      const socket = socketFactory({ host: '127.0.0.1', port, ssl: {}, onConnect: () => socket.write('a request') });
      const [error] = await once(socket, 'error', { signal: AbortSignal.timeout(SOON_MS) });
      expect(error).toMatchObject({ code: 'ECONNRESET' });
    },
  );
});

describe('a request that times out', () => {
  it('closes the connection, and the next one is sent on a new one', async () => {
    const sockets = new Set<Socket>();
    const admin = await adminFor((socket, response) => {
      if (sockets.add(socket).size > 1) socket.write(response);
    });
    await expect(admin.listTopics()).rejects.toThrow('timed out');
    expect(await admin.listTopics()).toEqual(['clicks']);
  });

  it('ends those that were sent after it on the same connection', async () => {
    const connection = connectionTo(await listen(() => {}));
    await connection.connect();
    const [first, second] = await Promise.allSettled([send(connection, LIMIT_MS), send(connection, LONG_MS)]);
    expect(first).toMatchObject({ reason: { message: expect.stringContaining('timed out') } });
    expect(second).toMatchObject({ reason: { message: 'Connection error: a request timed out' } });
  });

  it('leaves the connection alone while the broker holds back an earlier one that may take longer', async () => {
    let broker: Socket | undefined;
    const port = await listen((socket) => {
      broker = socket;
    });
    const connection = connectionTo(port);
    await connection.connect();
    const held = send(connection, LONG_MS);
    await expect(send(connection, LIMIT_MS)).rejects.toThrow('timed out');
    broker?.write(framed(int32(0), apiVersions(0)));
    expect(await held).toMatchObject({ errorCode: 0 });
  });
});

describe('responses', () => {
  const numbers = fc.array(fc.record({ id: fc.nat(), size: fc.oneof(fc.nat(40), fc.nat(70_000)) }), { maxLength: 6 });

  it('are those that were sent, however they are cut, though each piece is read into the same memory', () => {
    fc.assert(
      fc.property(numbers, fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1 }), (sent, cuts) => {
        const connection = connectionTo(0);
        const arrived: [id: number, body: string][] = [];
        connection.requestQueue.fulfillRequest = ({ correlationId, payload }) => {
          arrived.push([correlationId, payload.toString('latin1')]);
        };
        const bodies = sent.map(({ id, size }) => [id, 'x'.repeat(size - (size % 7)) + id] as const);
        const bytes = Buffer.concat(bodies.map(([id, body]) => framed(int32(id), Buffer.from(body))));
        const memory = Buffer.alloc(90_000);
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = bytes.copy(memory, 0, at, at + cuts[turn % cuts.length]);
          connection.processData(memory.subarray(0, size));
          memory.fill(0xff);
          at += size;
        }
        expect(arrived).toEqual(bodies);
      }),
    );
  });

  it.each([
    ['a negative length', int32(-5)],
    ['what another protocol says', Buffer.from('HTTP/1.1 400 Bad Request')],
  ])('are not made of %s: the connection is closed', async (_, said) => {
    const port = await listen((socket) => void socket.on('data', () => socket.write(said)));
    const connection = connectionTo(port);
    await connection.connect();
    await expect(send(connection, LONG_MS)).rejects.toThrow("what arrives is not Kafka's protocol: a response of");
  });
});

function connectionTo(port: number, factory: typeof socketFactory = socketFactory): Connection {
  const logger = { namespace: () => logger, debug: () => {}, warn: () => {}, error: () => {} };
  const connection = new Connection({
    host: '127.0.0.1',
    port,
    logger,
    socketFactory: factory,
    requestTimeout: LIMIT_MS,
    connectionTimeout: 10_000,
  });
  ends.push(() => connection.disconnect());
  return connection;
}

function send(connection: Connection, requestTimeout: number): Promise<unknown> {
  return connection.send({ ...ApiVersions.protocol({ version: 0 })(), requestTimeout });
}

/** Returns the port. */
async function listen(connected: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('error', () => {}));
    connected(socket);
  });
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** An admin client of a broker that knows one topic; `answer` writes its metadata. */
async function adminFor(answer: (socket: Socket, response: Buffer) => void): Promise<ReturnType<typeof adminOf>> {
  const port = await listen((socket) => {
    // A request is short, and none is sent before the last was answered.
    socket.on('data', (request) => {
      const [api, version] = [request.readInt16BE(4), request.readInt16BE(6)];
      const number = request.subarray(8, 12);
      if (api === API_VERSIONS) socket.write(framed(number, apiVersions(version)));
      else answer(socket, framed(number, metadata(port)));
    });
  });
  const kafka = new kafkajs.Kafka({
    brokers: [`127.0.0.1:${port}`],
    requestTimeout: LIMIT_MS,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const admin = adminOf(kafka);
  await admin.connect();
  ends.push(() => admin.disconnect());
  return admin;
}

function framed(...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(body.length), body]);
}

/** Metadata in version 0, and this request itself. */
function apiVersions(version: number): Buffer {
  const ranges = Buffer.concat([METADATA, 0, 0, API_VERSIONS, 0, 2].map(int16));
  return Buffer.concat([int16(0), int32(2), ranges, ...(version === 0 ? [] : [int32(0)])]);
}

/** One broker, and one topic with one partition that it leads. */
function metadata(port: number): Buffer {
  const broker = Buffer.concat([int32(1), string('127.0.0.1'), int32(port)]);
  const partition = Buffer.concat([int16(0), ...[0, 1, 1, 1, 1, 1].map(int32)]);
  return Buffer.concat([int32(1), broker, int32(1), int16(0), string('clicks'), int32(1), partition]);
}

function string(text: string): Buffer {
  return Buffer.concat([int16(text.length), Buffer.from(text)]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
