import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK, type Place } from '../services/place.ts';
import { freePort } from '../services/ports.ts';
import { RECEVAL } from '../tested.ts';

/** What the log of a worker says when it has lost a unit. */
export const TAKEN_OVER = 'another worker has claimed the unit';
export const WENT_BACK = 'the stored state of the unit is gone, went back or was edited: the unit is claimed again';

const RESTART_MS = 500;

export interface Around {
  /** This machine unless said. */
  readonly place?: Place;
  readonly env?: Readonly<Record<string, string>>;
}

/** A `receval run` that is started again whenever it ends, as a supervisor would. */
export class ServiceProcess {
  readonly name: string;
  readonly port: number;
  readonly place: Place;
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #starts = 0;
  #stopping = false;
  #restartAfter = RESTART_MS;
  #isAsked = false;
  /** Ends that nobody asked for. */
  readonly crashes: string[] = [];

  static async start(
    folder: string,
    config: string,
    role: 'worker' | 'exporter',
    n: number,
    around: Around = {},
  ): Promise<ServiceProcess> {
    const started = new ServiceProcess(folder, config, role, n, await freePort(), around);
    started.#spawn();
    return started;
  }

  private constructor(
    folder: string,
    config: string,
    role: string,
    n: number,
    port: number,
    { place = LOOPBACK, env = {} }: Around,
  ) {
    this.place = place;
    this.#env = env;
    this.name = `${role}-${n}`;
    this.port = port;
    this.#folder = folder;
    this.#args = [RECEVAL, 'run', '--role', role, '--config', config];
    process.once('exit', this.#lastResort);
  }

  readonly #lastResort = (): void => {
    this.#child?.kill('SIGKILL');
  };

  #spawn(): void {
    this.#starts++;
    const log = openSync(this.#logFile, 'a');
    const [file, args] = this.place.command(process.execPath, this.#args);
    const http = { RECEVAL_HTTP_HOST: this.place.address, RECEVAL_HTTP_PORT: String(this.port) };
    const child = spawn(file, args, {
      env: { ...process.env, ...http, ...this.#env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    this.#isAsked = false;
    child.once('exit', (code, signal) => {
      this.#child = undefined;
      if (this.#stopping) return;
      if (signal !== 'SIGKILL' && !this.#isAsked)
        this.crashes.push(`${this.name}: exit code ${code}: ${this.#log.slice(-500)}`);
      setTimeout(() => {
        if (!this.#stopping) this.#spawn();
      }, this.#restartAfter);
    });
  }

  /** A file for each start. */
  get #logFile(): string {
    return join(this.#folder, `${this.name}.${this.#starts}.log`);
  }

  get #log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  /** What it said last. */
  get tail(): string {
    return `${this.name}: ${this.#log.slice(-1500)}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Units that it has claimed since its start. */
  get claims(): number {
    return this.isRunning ? this.#log.split('"unit claimed"').length - 1 : 0;
  }

  /** How often it said this in all its lives. */
  said(message: string): number {
    let count = 0;
    for (let n = 1; n <= this.#starts; n++) {
      const log = readFileSync(join(this.#folder, `${this.name}.${n}.log`), 'utf8');
      count += log.split(message).length - 1;
    }
    return count;
  }

  kill9(restartAfter: number): void {
    this.#restartAfter = restartAfter;
    this.#child?.kill('SIGKILL');
  }

  /** Ends it by a signal; it is started again after so many milliseconds. */
  end(signal: NodeJS.Signals, restartAfter: number): void {
    this.#restartAfter = restartAfter;
    this.#isAsked = true;
    this.#child?.kill(signal);
  }

  /** Stops it as a machine that hangs would, and lets it continue after so many milliseconds. */
  freeze(duration: number): void {
    const child = this.#child;
    child?.kill('SIGSTOP');
    setTimeout(() => child?.kill('SIGCONT'), duration);
  }

  /** Blocks its event loop, if it was started with what does that. */
  block(): void {
    this.#child?.kill('SIGUSR2');
  }

  async isReady(): Promise<boolean> {
    return (await this.#get('/readyz'))?.ok === true;
  }

  /** '': it does not answer. */
  async metrics(): Promise<string> {
    const response = await this.#get('/metrics');
    return (await response?.text().catch(() => '')) ?? '';
  }

  /** What its clock shows, to the second; undefined: it does not answer. */
  async clock(): Promise<number | undefined> {
    const date = (await this.#get('/healthz'))?.headers.get('date');
    return date === null || date === undefined ? undefined : Date.parse(date);
  }

  #get(path: string): Promise<Response | undefined> {
    return fetch(`http://${this.place.address}:${this.port}${path}`, { signal: AbortSignal.timeout(5000) }).catch(
      () => undefined,
    );
  }

  /** Asks it to end and returns its exit code; null: it had to be killed. */
  async stop(): Promise<number | null> {
    this.#stopping = true;
    process.off('exit', this.#lastResort);
    const child = this.#child;
    if (child === undefined) return 0;
    const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    child.kill('SIGTERM');
    const impatient = sleep(60_000, undefined, { ref: false }).then(() => {
      child.kill('SIGKILL');
      return null;
    });
    return Promise.race([ended, impatient]);
  }
}
