import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onPath } from './commands.ts';
import { debianProgram } from './debian.ts';
import type { Service } from './it-with.ts';
import { LOOPBACK, type Place } from './place.ts';
import { freePort } from './ports.ts';
import { type RedisRelease, redisOf } from './redis-releases.ts';

/**
 * The Redis server. On Debian one program is the server and its checking tools, and acts by the name that it is called
 * by; redis-tools holds it, and unlike redis-server starts no service where it has to be installed.
 */
export const REDIS: Service<string> = {
  name: 'redis-server',
  get: async () =>
    onPath('redis-server', process.env['PATH'] ?? '') ??
    (await debianProgram({ command: 'redis-check-rdb', debianPackage: 'redis-tools' })),
};

export interface RunningRedis {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  readonly isRunning: boolean;
  /** Where its files lie. */
  readonly folder: string;
  /** Ends it at once, as a power cut would; what its files hold stays. */
  kill9(): Promise<void>;
  /** Starts it again on the same port, over the same files; ends it in order first if it still runs. */
  restart(): Promise<void>;
  /** Keeps it from running, connections and all, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /** Settings by name, over: no snapshots, no appendonly file, no replication delay. */
  readonly config?: Readonly<Record<string, string>>;
  readonly sentinel?: boolean;
  /** The one of this system unless said. */
  readonly release?: RedisRelease;
  /** This machine unless said. */
  readonly place?: Place;
}

const ATTEMPTS = 3;
const PATIENCE_MS = 300_000;

/** A server of our own on the loopback address, ready to be asked. @throws ServiceMissing, or an Error with its log. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RunningRedis> {
  const program = await (options.release === undefined ? REDIS.get() : redisOf(options.release));
  for (let attempt = 1; ; attempt++) {
    const server = new Server(program, await freePort(), options);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      // Somebody else may have taken the port in between.
      if (attempt === ATTEMPTS || !String(error).includes('Address already in use')) throw error;
    }
  }
}

/**
 * For tests that only need some server: the one that REDIS_URL names, which they must leave as they found it, else one of
 * our own. @throws ServiceMissing
 */
export async function anyRedis(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const url = process.env['REDIS_URL'];
  return url === undefined || url === '' ? startRedis() : { url, stop: async () => {} };
}

class Server implements RunningRedis {
  readonly port: number;
  readonly url: string;
  readonly #program: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'receval-redis-'));
  readonly #config: Readonly<Record<string, string>>;
  readonly #sentinel: boolean;
  readonly #place: Place;
  #child: ChildProcess | undefined;
  #printed = '';

  constructor(program: string, port: number, { config = {}, sentinel = false, place = LOOPBACK }: RedisServerOptions) {
    this.#program = program;
    this.port = port;
    this.url = `redis://${place.address}:${port}`;
    this.#place = place;
    this.#config = config;
    this.#sentinel = sentinel;
    process.once('exit', this.#lastResort);
    process.once('disconnect', this.#lastResort);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  readonly #lastResort = (): void => {
    this.#child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  };

  async start(): Promise<void> {
    const settings = {
      bind: this.#place.address,
      // Without a password it would answer loopback addresses alone.
      ...(this.#place === LOOPBACK ? {} : { 'protected-mode': 'no' }),
      port: String(this.port),
      dir: this.folder,
      ...(this.#sentinel ? {} : { save: '', appendonly: 'no', 'repl-diskless-sync-delay': '0' }),
      ...this.#config,
    };
    const text = Object.entries(settings).map(([name, value]) => `${name} ${value === '' ? '""' : value}\n`);
    const file = join(this.folder, 'redis.conf');
    // Sentinels write into their own files and those of the servers that they watch; that holds at the next start.
    if (!existsSync(file)) writeFileSync(file, text.join(''));
    this.#printed = '';
    const server = join(this.folder, 'redis-server');
    if (!existsSync(server)) symlinkSync(this.#program, server);
    const [program, args] = this.#place.command(server, [file, ...(this.#sentinel ? ['--sentinel'] : [])]);
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        this.#printed = `${this.#printed}${chunk}`.slice(-10_000);
      });
    }
    child.once('error', (error) => {
      this.#printed += String(error);
    });
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
        throw new Error(`redis-server ended at its start:\n${this.#printed}`);
      }
      if (await answers(this.#place.address, this.port)) return;
      if (Date.now() > until)
        throw new Error(`redis-server was not ready after ${PATIENCE_MS / 1000} s:\n${this.#printed}`);
      await sleep(20);
    }
  }

  kill9(): Promise<void> {
    return this.#end('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.#end('SIGTERM');
    await this.start();
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGKILL');
    process.off('exit', this.#lastResort);
    process.off('disconnect', this.#lastResort);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

/** Whether a server answers PING with anything but that it is still loading. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    const settle = (answer: boolean) => (): void => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(500, settle(false));
    socket.once('error', settle(false));
    socket.once('close', settle(false));
    socket.once('data', (data) => settle(!data.toString().startsWith('-LOADING'))());
    socket.write('PING\r\n');
  });
}
