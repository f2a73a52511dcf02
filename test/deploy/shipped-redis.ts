import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Outcome, run } from '../services/commands.ts';
import { startRedis } from '../services/redis.ts';
import { ROOT, readRoot } from './compose-file.ts';

/** Runs a script of deploy/redis. */
export function redisScript(name: string, ...args: readonly string[]): Promise<Outcome> {
  return run('sh', [join(ROOT, 'deploy/redis', name), ...args]);
}

export interface Secrets {
  /** Where they stand, each in a file `url`. */
  readonly folders: { readonly worker: string; readonly exporter: string };
  /** The addresses in them. */
  read(): { readonly worker: string; readonly exporter: string };
  /** What acl.sh makes of them. */
  acl(): Promise<Outcome>;
  remove(): void;
}

/** The passwords as the service `secrets` makes them. */
export async function makeSecrets(): Promise<Secrets> {
  const top = mkdtempSync(join(tmpdir(), 'receval-secrets-'));
  const folders = { worker: join(top, 'worker'), exporter: join(top, 'exporter') };
  mkdirSync(folders.worker);
  mkdirSync(folders.exporter);
  const made = await redisScript('secrets.sh', folders.worker, folders.exporter);
  if (made.code !== 0) throw new Error(made.stderr);
  const url = (folder: string): string => readFileSync(join(folder, 'url'), 'utf8').trim();
  return {
    folders,
    read: () => ({ worker: url(folders.worker), exporter: url(folders.exporter) }),
    acl: () => redisScript('acl.sh', join(folders.worker, 'url'), join(folders.exporter, 'url')),
    remove: () => rmSync(top, { recursive: true }),
  };
}

/** The settings of the file by name. */
export function redisSettings(): Readonly<Record<string, string>> {
  const lines = readRoot('deploy/redis/redis.conf').split('\n');
  return Object.fromEntries(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [name, ...value] = line.split(' ');
        return [name, value.join(' ').replace('""', '')];
      }),
  );
}

export interface ShippedRedis {
  readonly port: number;
  readonly workerUrl: string;
  readonly exporterUrl: string;
  /** Of a user that is for tests alone. */
  readonly adminUrl: string;
  /** Ends it at once, as a power cut would. */
  kill9(): Promise<void>;
  /** Ends it in order if it still runs, and starts it again over its files. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A server with the shipped settings and users; where it listens and keeps its data is ours. `users`: another file of users,
 * beside which there is that of the tests. @throws ServiceMissing
 */
export async function startShippedRedis(secrets: Secrets, users?: string): Promise<ShippedRedis> {
  const { bind: _bind, port: _port, dir: _dir, ...config } = redisSettings();
  const folder = mkdtempSync(join(tmpdir(), 'receval-users-'));
  const password = randomUUID();
  const file = join(folder, 'users.acl');
  writeFileSync(file, `${users ?? (await secrets.acl()).stdout}user admin on >${password} ~* &* +@all\n`);
  const server = await startRedis({ config: { ...config, aclfile: file } });
  const here = (url: string): string => url.replace('redis:6379', `127.0.0.1:${server.port}`);
  const { worker, exporter } = secrets.read();
  return {
    port: server.port,
    workerUrl: here(worker),
    exporterUrl: here(exporter),
    adminUrl: `redis://admin:${password}@127.0.0.1:${server.port}`,
    kill9: () => server.kill9(),
    restart: () => server.restart(),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
