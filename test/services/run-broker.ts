/**
 * One broker for all files of a run that need nothing in particular: each would take as long to start as most of them take to
 * run. The process that runs the tests starts it when the first asks for it at a socket, and ends it.
 * Leaves its process as it was: only that one, which runs no test, is given the path of the socket.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RunningKafka, startKafka } from './kafka.ts';

/** Where the socket is, for the processes of the tests. */
const SOCKET = 'TEST_BROKER_SOCKET';

export interface RunBroker {
  readonly brokers: readonly string[];
  readonly controller: string;
}

/** From now on files of this run may ask. Returns what ends the broker, too. */
export async function offerRunBroker(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-broker-'));
  const path = join(folder, 'socket');
  let started: Promise<RunningKafka> | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    started ??= startKafka();
    started.then(
      ({ brokers, listener }) => socket.end(JSON.stringify({ brokers, controller: listener('CONTROLLER') })),
      () => socket.end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  process.env[SOCKET] = path;
  return async () => {
    server.close();
    await (await started?.catch(() => undefined))?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The broker of this run; undefined: the run offers none, or it could not be started, and a test that starts one learns why. */
export async function askForRunBroker(): Promise<RunBroker | undefined> {
  const path = process.env[SOCKET];
  if (path === undefined) return undefined;
  const answer = await text(connect(path)).catch(() => '');
  return answer === '' ? undefined : JSON.parse(answer);
}
