/**
 * A container engine with Compose: the one that `docker` on the PATH reaches, else one of our own on Debian 12 as root. Ours is
 * unpacked from packages and runs in namespaces of its own: its networks, rules, mounts and processes are not those of the
 * machine, nor are the ports that its containers publish, and all of them end with it. `slirp4netns` gives it a way out.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import type { NetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, onPath, run } from '../services/commands.ts';
import { MachineCannot } from '../services/debian.ts';
import type { Service } from '../services/it-with.ts';
import { fetched } from './fetched.ts';

export interface Engine {
  /** Ours: its images, networks and ports are nobody else's. */
  readonly isOwn: boolean;
  /** With it `docker` on the PATH is that of the engine. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs `docker` with these words. Never throws for its exit code. */
  docker(args: readonly string[], options?: { readonly timeoutMs: number }): Promise<Outcome>;
  /** How a port that containers publish on its loopback address is reached, after `reach` of it. */
  to(port: number): NetConnectOpts;
  reach(ports: readonly number[]): Promise<void>;
  /** Ends ours and removes all that it made; leaves another one alone. */
  stop(): Promise<void>;
}

const MACHINE = join(import.meta.dirname, 'machine');
const PATIENCE_MS = 180_000;

export const ENGINE: Service<Engine> = {
  name: 'container engine',
  get: async () => (await engineThatIsThere()) ?? (await startEngine()),
};

async function engineThatIsThere(): Promise<Engine | undefined> {
  if (onPath('docker', process.env['PATH'] ?? '') === undefined) return undefined;
  const docker: Engine['docker'] = (args, options) => run('docker', args, options);
  const [server, compose] = await Promise.all([
    docker(['version', '--format', '{{.Server.Version}}'], { timeoutMs: 20_000 }),
    docker(['compose', 'version', '--short'], { timeoutMs: 20_000 }),
  ]);
  if (server.code !== 0 || compose.code !== 0) return undefined;
  return {
    isOwn: false,
    env: process.env,
    docker,
    to: (port) => ({ host: '127.0.0.1', port }),
    reach: async () => {},
    stop: async () => {},
  };
}

/** @throws MachineCannot where the engine may not run, ServiceMissing where it cannot be fetched */
async function startEngine(): Promise<Engine> {
  const lacks = await whatIsLacking();
  if (lacks !== undefined) {
    throw new MachineCannot(`no engine with Compose answers (docker compose version), and ours ${lacks}`);
  }
  removeLeft();
  const engine = new OwnEngine(await fetched('engine', 'fetch-engine.sh', []));
  try {
    await engine.start();
    return engine;
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function whatIsLacking(): Promise<string | undefined> {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID=debian$/m.test(release) || !/^VERSION_ID="12"$/m.test(release)) return 'is made for Debian 12';
  if (process.getuid?.() !== 0) return 'needs root';
  if (!existsSync('/dev/net/tun')) return 'needs /dev/net/tun';
  const tried = await run('unshare', [...NAMESPACES, 'mount', '-t', 'tmpfs', 'tmpfs', '/run']);
  return tried.code === 0 ? undefined : `may not make namespaces (${tried.stderr.trim()})`;
}

/** How folders and control groups begin that hold an engine; the id of the process that it belongs to follows. */
const OURS = 'receval-engine-';
/** They end with the process that made them, and that ends with the one that started it. */
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const ENDS_WITH_US = ['--pdeathsig', 'KILL'];

class OwnEngine implements Engine {
  readonly isOwn = true;
  readonly env: NodeJS.ProcessEnv;
  readonly #root: string;
  readonly #folder = mkdtempSync(join(tmpdir(), `${OURS}${process.pid}-`));
  readonly #cgroup = `${OURS}${process.pid}-${Date.now()}`;
  readonly #children: ChildProcess[] = [];
  #printed = '';

  constructor(unpacked: string) {
    this.#root = join(unpacked, 'root');
    const config = join(this.#folder, 'config');
    const plugins = join(this.#root, 'usr/libexec/docker/cli-plugins');
    mkdirSync(join(config, 'cli-plugins'), { recursive: true });
    for (const name of readdirSync(plugins)) symlinkSync(join(plugins, name), join(config, 'cli-plugins', name));
    this.env = {
      ...process.env,
      PATH: `${join(this.#root, 'usr/bin')}:${process.env['PATH']}`,
      DOCKER_HOST: `unix://${this.#folder}/docker.sock`,
      DOCKER_CONFIG: config,
    };
    delete this.env['DOCKER_CONTEXT'];
    process.once('exit', this.#lastResort);
    process.once('disconnect', this.#lastResort);
  }

  readonly #lastResort = (): void => {
    for (const child of this.#children) child.kill('SIGKILL');
  };

  async start(): Promise<void> {
    const words = [join(MACHINE, 'run-engine.sh'), join(this.#root, '..'), this.#folder, `/${this.#cgroup}`];
    const engine = this.#spawn('unshare', [...NAMESPACES, 'sh', ...words]);
    const network = `/proc/${engine.pid}/ns/net`;
    const own = readlinkSync('/proc/self/ns/net');
    await this.#until('its network', () => existsSync(network) && readlinkSync(network) !== own);
    const libraries = readdirSync(join(this.#root, 'usr/lib')).find((name) => name.endsWith('-linux-gnu')) ?? '';
    this.#spawn(
      join(this.#root, 'usr/bin/slirp4netns'),
      ['--configure', '--mtu=1500', '--disable-host-loopback', '--netns-type=path', network, 'tap0'],
      { ...process.env, LD_LIBRARY_PATH: join(this.#root, 'usr/lib', libraries) },
    );
    await this.#until('its answer', async () => (await this.docker(['version'], { timeoutMs: 10_000 })).code === 0);
  }

  docker: Engine['docker'] = (args, options) =>
    run(join(this.#root, 'usr/bin/docker'), args, { ...options, env: this.env });

  to(port: number): NetConnectOpts {
    return { path: join(this.#folder, `${port}.sock`) };
  }

  async reach(ports: readonly number[]): Promise<void> {
    const network = `--net=/proc/${this.#children[0]?.pid}/ns/net`;
    const relay = [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'relay.ts'), this.#folder];
    this.#spawn('nsenter', [network, ...relay, ...ports.map(String)]);
    await this.#until('its ports', () => ports.every((port) => existsSync(join(this.#folder, `${port}.sock`))));
  }

  async stop(): Promise<void> {
    const gone = this.#children.map(
      (child) => child.exitCode ?? child.signalCode ?? new Promise((resolve) => child.once('close', resolve)),
    );
    this.#lastResort();
    await Promise.all(gone);
    process.off('exit', this.#lastResort);
    process.off('disconnect', this.#lastResort);
    // What ran in the namespaces is ended by the kernel, a moment later.
    await this.#until('its end', () => removeCgroups(this.#cgroup), false);
    // The images are many files: a program of its own removes them several times faster.
    await run('rm', ['-rf', this.#folder]);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }

  #spawn(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const child = spawn('setpriv', [...ENDS_WITH_US, program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        this.#printed = `${this.#printed}${chunk}`.slice(-20_000);
      });
    }
    child.once('error', (error) => {
      this.#printed += String(error);
    });
    this.#children.push(child);
    return child;
  }

  async #until(what: string, isSo: () => boolean | Promise<boolean>, runs = true): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!(await isSo())) {
      const ended = runs && this.#children.find((child) => child.exitCode !== null || child.signalCode !== null);
      if (ended || Date.now() > end) throw new Error(`the container engine: ${what} did not come:\n${this.#printed}`);
      await sleep(100);
    }
  }
}

/** Removes what is left of engines whose process was killed; they ended with it. */
function removeLeft(): void {
  const isLeft = (name: string): boolean => {
    const pid = new RegExp(`^${OURS}(\\d+)-`).exec(name)?.[1];
    return pid !== undefined && !existsSync(`/proc/${pid}`);
  };
  for (const name of readdirSync(tmpdir()).filter(isLeft)) rmSync(join(tmpdir(), name), { recursive: true });
  const hierarchies = ['', ...readdirSync('/sys/fs/cgroup')].map((one) => join('/sys/fs/cgroup', one));
  const groups = hierarchies.filter((one) => statSync(one).isDirectory()).flatMap((one) => readdirSync(one));
  for (const name of new Set(groups.filter(isLeft))) removeCgroups(name);
}

/** Removes the control groups that the engine left empty, of every hierarchy. Returns whether none is left. */
function removeCgroups(name: string): boolean {
  const top = '/sys/fs/cgroup';
  const groups = [top, ...readdirSync(top).map((one) => join(top, one))].map((one) => join(one, name));
  return groups.filter(existsSync).every(removeGroup);
}

function removeGroup(folder: string): boolean {
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const isEmpty = inner.map((entry) => removeGroup(join(folder, entry.name))).every(Boolean);
  try {
    if (isEmpty) rmdirSync(folder);
    return isEmpty;
  } catch {
    return false;
  }
}
