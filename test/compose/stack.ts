import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { ROOT, readCompose, readRoot } from '../deploy/compose-file.ts';
import { run } from '../services/commands.ts';
import { ServiceMissing } from '../services/debian.ts';
import type { Service } from '../services/it-with.ts';
import { ENGINE, type Engine } from './engine.ts';
import { provideImages } from './images.ts';

/** Longer than anything takes on a machine that is several times slower. */
const PATIENCE_MS = 600_000;
/** Where exporters are published: that of the stack, and one of a second namespace that it is compared with. */
interface Exporters {
  readonly exporter: number;
  readonly second: number;
}

const SHIPPED: Exporters = { exporter: 9464, second: 9465 };
/** Of the stack beside it, which publishes nothing else. */
const BESIDE: Exporters = { exporter: 9466, second: 9467 };

const PAGE = readRoot('docs/operations.md');
const PUBLISHED = Object.values(readCompose().services).flatMap(({ ports }) =>
  ports.map((port) => Number(port.split(':')[1])),
);
const PORTS = [...new Set([...PUBLISHED, ...[SHIPPED, BESIDE].flatMap(({ exporter, second }) => [exporter, second])])];

/**
 * Two stacks of docker-compose.yml on one engine, not started yet: one under its own name and ports, and one beside it. Both have
 * it as it is but for how long they wait: each file below overrides what it is called after.
 */
export interface Stacks {
  readonly shipped: Stack;
  readonly beside: Stack;
  /** Removes all of both, and an engine of our own. */
  stop(): Promise<void>;
}

export const STACKS: Service<Stacks> = {
  name: 'docker-compose.yml',
  get: async () => {
    const engine = await ENGINE.get();
    try {
      // On an engine of others a stack of theirs has its own name, and the ports if it runs.
      if (!engine.isOwn) await expectFree(PORTS);
      const own = readCompose().services['worker'].image;
      const hadOwn = (await engine.docker(['image', 'inspect', own])).code === 0;
      const made = await provideImages(engine);
      await engine.reach(PORTS);
      return stacksOn(engine, hadOwn ? made : [...made, own]);
    } catch (error) {
      await engine.stop();
      throw error;
    }
  },
};

function stacksOn(engine: Engine, images: readonly string[]): Stacks {
  const folder = mkdtempSync(join(tmpdir(), 'receval-compose-'));
  const services = Object.entries(readCompose().services);
  const write = (name: string, lines: readonly string[]): string => {
    const file = join(folder, name);
    writeFileSync(file, `services:\n${lines.join('')}`);
    return file;
  };
  // What is ready is seen to be ready at once, not up to ten seconds later.
  const checked = services.filter(([, { healthcheck }]) => healthcheck !== undefined);
  const looks = checked.map(([name]) => `  ${name}: {healthcheck: {start_interval: 1s}}\n`);
  // What notices faults does so sooner: each cut lasts at least twice as long as a session.
  const rules = join(folder, 'receval.yml');
  writeFileSync(rules, rulesThatFireAfter('1m'));
  const sooner = [
    '  worker: {environment: {RECEVAL_KAFKA_SESSION_TIMEOUT: 10s}}\n',
    `  prometheus: {volumes: ["${rules}:/etc/prometheus/rules/receval.yml:ro"]}\n`,
  ];
  // So that no more than this passes until feedback is judged whose list can come no more.
  const judged = '  worker: {environment: {RECEVAL_ATTRIBUTION_IDLE_AFTER: 10s}}\n';
  const published = services.filter(([, { ports }]) => ports.length > 0);
  const ports = published.map(([name]) => {
    const own = name === 'exporter' ? `!override ["127.0.0.1:${BESIDE.exporter}:9464"]` : '!reset []';
    return `  ${name}: {ports: ${own}}\n`;
  });
  const files = `docker-compose.yml:${write('looks.yml', looks)}`;
  const project = engine.isOwn ? readCompose().name : `receval-test-${process.pid}`;
  const shipped = new Stack(engine, project, `${files}:${write('sooner.yml', sooner)}`, SHIPPED);
  const beside = new Stack(
    engine,
    `${project}-beside`,
    `${files}:${write('judged.yml', [judged])}:${write('ports.yml', ports)}`,
    BESIDE,
  );
  const stop = async (): Promise<void> => {
    if (!engine.isOwn) {
      await Promise.all([shipped.remove(), beside.remove()]);
      await engine.docker(['image', 'rm', ...images]);
    }
    rmSync(folder, { recursive: true });
    await engine.stop();
  };
  return { shipped, beside, stop };
}

/** The shipped rules, except that a worker that is gone is reported after another wait. */
function rulesThatFireAfter(wait: string): string {
  const shipped = readRoot('deploy/prometheus/rules/receval.yml');
  const rules = shipped.replace(/(?<=- alert: RecevalWorkerDown\n(?: +(?!- )[^\n]*\n)*? +for: )2m\b/, wait);
  if (rules === shipped) throw new Error('deploy/prometheus/rules/receval.yml: RecevalWorkerDown is not for 2m');
  return rules;
}

async function expectFree(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const isFree = await new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree !== true) throw new ServiceMissing(`somebody listens on 127.0.0.1:${port}, where the stack wants to`);
  }
}

export interface Answer {
  /** 0: none. */
  readonly status: number;
  readonly text: string;
}

export class Stack {
  readonly engine: Engine;
  readonly project: string;
  readonly ports: Exporters;
  readonly #env: NodeJS.ProcessEnv;

  /** `files` are named, so that a developer's own file beside docker-compose.yml is left out. */
  constructor(engine: Engine, project: string, files: string, ports: Exporters) {
    this.engine = engine;
    this.project = project;
    this.ports = ports;
    this.#env = {
      ...engine.env,
      COMPOSE_PROJECT_NAME: project,
      COMPOSE_FILE: files,
      COMPOSE_ANSI: 'never',
    };
  }

  /** Runs a command line in the checkout. Returns what it printed. @throws Error if it fails */
  async sh(command: string): Promise<string> {
    const { code, stdout, stderr } = await run('sh', ['-c', command], { cwd: ROOT, env: this.#env });
    if (code !== 0) {
      const logs = await run('docker', ['compose', 'logs', '--tail', '8'], { cwd: ROOT, env: this.#env });
      throw new Error(`${command} ended with ${code}: ${(stdout + stderr).slice(-3000)}\n${logs.stdout.slice(-8000)}`);
    }
    return stdout;
  }

  /** The same for a command that docs/operations.md gives its reader, on the volumes of this stack, in a folder if one is named. */
  async told(command: string, folder = '.'): Promise<string> {
    if (!PAGE.includes(command)) throw new Error(`docs/operations.md does not tell: ${command}`);
    const { name } = readCompose();
    return this.sh(`cd ${folder} && ${command.replaceAll(` ${name}_`, ` ${this.project}_`)}`);
  }

  /** Starts what is to run. On a machine so slow that the health checks lose their patience the command is repeated, as a user would. */
  async up(command: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        await this.sh(command);
        return;
      } catch (error) {
        if (Date.now() > end || !/unhealthy|failed to start/.test(String(error))) throw error;
        process.stderr.write(`tests: not all is healthy in time: ${command}, once more\n`);
      }
    }
  }

  /** Ids of the containers of a service that run, by their number; of all without a service. */
  async containers(service = ''): Promise<readonly string[]> {
    const ids = (await this.sh(`docker compose ps --quiet ${service}`)).split('\n').filter((id) => id !== '');
    if (ids.length < 2) return ids;
    const named = await this.sh(`docker inspect --format '{{.Name}} {{.Id}}' ${ids.join(' ')}`);
    return named
      .trim()
      .split('\n')
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .map((line) => line.split(' ')[1]);
  }

  /** The address of a container in the network of the stack. */
  async address(container: string): Promise<string> {
    const format = `{{(index .NetworkSettings.Networks "${this.project}_default").IPAddress}}`;
    return (await this.sh(`docker inspect --format '${format}' ${container}`)).trim();
  }

  /**
   * Takes a container off the network of the stack, for so long and until all is done that is to be done meanwhile; others find
   * it by the name of its service afterwards.
   */
  async cut(service: string, container: string, ms: number, meanwhile: () => Promise<void>): Promise<void> {
    const network = `${this.project}_default`;
    await this.sh(`docker network disconnect ${network} ${container}`);
    await Promise.all([sleep(ms), meanwhile()]);
    await this.sh(`docker network connect --alias ${service} ${network} ${container}`);
  }

  /** Asks a published port. Never throws. */
  get(port: number, path: string, token?: string): Promise<Answer> {
    return new Promise((resolve) => {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      // Without an agent: with one the connection would not be ours to make.
      const asked = request({ path, headers, createConnection: () => connect(this.engine.to(port)) });
      const silent = (): void => resolve({ status: 0, text: '' });
      asked.setTimeout(10_000, () => asked.destroy());
      asked.once('error', silent);
      asked.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.once('error', silent);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      asked.end();
    });
  }

  async token(): Promise<string> {
    return (await this.sh('docker compose exec -T exporter cat /run/secrets/http/token')).trim();
  }

  /**
   * What an exporter shows that follows from the records alone, value by series: all windows, and the ends of their panes. Not
   * standard errors, which settle later than values, nor experiments, which are looked at once a minute as long as a worker
   * runs (docs/statistics.md). None: it does not answer.
   */
  async quality(port: number, token: string): Promise<ReadonlyMap<string, string>> {
    const { status, text } = await this.get(port, '/metrics', token);
    const lines = status === 200 ? text.matchAll(/^(receval_\w+\{[^\n]*horizon="[^\n]*\}) (\S+)$/gm) : [];
    const series = [...lines].map(([, name, value]): readonly [string, string] => [name, value]);
    return new Map(
      series.filter(
        ([name]) =>
          name.startsWith('receval_result_timestamp_seconds{') ||
          (name.includes('{window="') && !name.includes('_stderr{')),
      ),
    );
  }

  /** A client of the published Kafka, for programs of this machine. */
  kafka(): kafkajs.Kafka {
    return new kafkajs.Kafka({
      brokers: ['127.0.0.1:9092'],
      logLevel: kafkajs.logLevel.NOTHING,
      connectionTimeout: 3000,
      requestTimeout: 10_000,
      retry: { retries: 0 },
      socketFactory: ({ port, onConnect }) => {
        const socket = connect(this.engine.to(port));
        socket.setKeepAlive(true, 60_000);
        if (onConnect !== undefined) socket.on('connect', onConnect);
        return socket;
      },
    });
  }

  async remove(): Promise<void> {
    const ours = `$(docker ps --all --quiet --filter label=com.docker.compose.project=${this.project})`;
    await this.sh(`docker rm --force --volumes ${ours} > /dev/null; docker compose --profile '*' down --volumes`);
  }
}

/** Waits until it is so. @throws Error with what was seen last */
export async function until<T>(what: string, see: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await see();
    if (isSo(seen)) return seen;
    if (Date.now() > end) throw new Error(`gave up waiting: ${what}: ${JSON.stringify(seen).slice(0, 4000)}`);
    await sleep(500);
  }
}
