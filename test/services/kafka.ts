import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchOnce } from './fetch-once.ts';
import { type KafkaJars, type KafkaVersion, kafkaJars } from './kafka-jars.ts';
import { LOOPBACK, type Place } from './place.ts';
import { freePort } from './ports.ts';

export interface KafkaOptions {
  readonly version?: KafkaVersion;
  /** 1 or 3. */
  readonly brokers?: 1 | 3;
  /** Further properties of each broker. */
  readonly properties?: Readonly<Record<string, string | number>>;
  /** Further listeners of a single broker: by name the protocol, such as SASL_SSL. How they are set up stands in `properties`. */
  readonly listeners?: Readonly<Record<string, 'SSL' | 'SASL_SSL' | 'SASL_PLAINTEXT'>>;
  /** Users that exist from the start: SCRAM-SHA-512=[name=u,password=p]. */
  readonly scram?: readonly string[];
  /** Where each broker runs, in their order; all on this machine unless said. */
  readonly places?: readonly Place[];
  /** The folder of a broker's log; each has one below the folder of all unless said. */
  readonly logFolder?: (broker: number) => string | undefined;
}

/** Brokers of our own. They are numbered from 1. */
export interface RunningKafka {
  readonly version: KafkaVersion;
  /** host:port of each. */
  readonly brokers: readonly string[];
  /** host:port of a further listener, or of the first controller: CONTROLLER. */
  readonly listener: (name: string) => string;
  /** Ends one at once; its data stay. */
  readonly kill9: (broker: number) => Promise<void>;
  /**
   * Brings one back on its port with its data; ends it before if it runs. From then on it is of this version. Resolves when
   * it answers, and knows all that run.
   */
  readonly restart: (broker: number, version?: KafkaVersion) => Promise<void>;
  readonly isRunning: (broker: number) => boolean;
  /** Ends one in order: it hands its partitions over first. */
  readonly shutDown: (broker: number) => Promise<void>;
  /** The broker that is the active controller. */
  readonly controller: () => Promise<number>;
  /** Stops one as a frozen machine would: it keeps its connections and does not answer. */
  readonly freeze: (broker: number) => void;
  readonly thaw: (broker: number) => void;
  /** Runs a class of Kafka, such as a command-line tool, with lines on its standard input. Returns what it printed. */
  readonly tool: (className: string, args: readonly string[], input?: string) => Promise<string>;
  /** Ends all brokers and removes their data. */
  readonly stop: () => Promise<void>;
}

const JAVA = [
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Xshare:auto',
  // An archive that does not fit this Java is passed over, and nothing said on standard output.
  '-Xlog:disable',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];
const HEAP = '-Xmx320m';
/** Of a folder that `firstStart` makes: the classes that a broker loads, parsed; and what formatted storage begins with. */
const CLASSES = 'classes.jsa';
const CHECKPOINT = 'bootstrap.checkpoint';
const PATIENCE_MS = 300_000;
const ATTEMPTS = 3;
/** Of nearly all tests. */
const USUAL: KafkaVersion = '4.3.1';

/** Starts brokers (each its own controller too) and waits until they answer. @throws ServiceMissing */
export async function startKafka(options: KafkaOptions = {}): Promise<RunningKafka> {
  const version = options.version ?? USUAL;
  const jars = await kafkaJars(version);
  if (version === USUAL) await firstStart(jars);
  return (await started(() => new Cluster(version, jars, options))).running();
}

async function started(make: () => Cluster): Promise<Cluster> {
  for (let attempt = 1; ; attempt++) {
    const cluster = make();
    try {
      await cluster.start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      // Somebody else may have taken a port in between.
      if (attempt === ATTEMPTS || !String(error).includes('Address already in use')) throw error;
    }
  }
}

function startFolder({ folder }: KafkaJars): string {
  return `${folder}-start`;
}

/** Starts one broker, once for all runs, and keeps what each later start would make again: that is more than half of the work. */
async function firstStart(jars: KafkaJars): Promise<void> {
  const folder = startFolder(jars);
  await fetchOnce(
    `${folder}.lock`,
    () => existsSync(folder),
    async () => {
      const part = mkdtempSync(`${folder}-part-`);
      try {
        const cluster = await started(() => new Cluster(USUAL, jars, {}, join(part, CLASSES)));
        try {
          copyFileSync(cluster.checkpoint, join(part, CHECKPOINT));
          await cluster.running().shutDown(1);
        } finally {
          await cluster.stop();
        }
        renameSync(part, folder);
      } finally {
        rmSync(part, { recursive: true, force: true });
      }
    },
  );
}

class Cluster {
  readonly #version: KafkaVersion;
  readonly #jars: KafkaJars;
  readonly #options: KafkaOptions;
  readonly #size: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'receval-kafka-'));
  readonly #processes: (ChildProcess | undefined)[] = [];
  readonly #keeper: ChildProcess;
  /** Of those that have another version than they began with. */
  readonly #jarsOf = new Map<number, KafkaJars>();
  readonly #archive: string | undefined;
  /** Of the clients, then of the controllers. */
  #ports: readonly number[] = [];

  /** `archive`: where to write the classes that the broker has loaded when it is shut down; only of the first start. */
  constructor(version: KafkaVersion, jars: KafkaJars, options: KafkaOptions, archive?: string) {
    this.#version = version;
    this.#jars = jars;
    this.#options = options;
    this.#archive = archive;
    this.#size = options.brokers ?? 1;
    // Reads process ids; when this process is gone, however it ended, it ends them and removes the data.
    const keep =
      'while read p; do if [ "$p" = none ]; then l=""; else l="$l $p"; fi; done; kill -9 $l 2>/dev/null; sleep 0.1; rm -rf "$0"';
    this.#keeper = spawn('sh', ['-c', keep, this.#folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#keeper.unref();
  }

  async start(): Promise<void> {
    const ports = new Set<number>();
    const more = Object.keys(this.#options.listeners ?? {}).length;
    while (ports.size < 2 * this.#size + more) ports.add(await freePort());
    this.#ports = [...ports];
    const id = newId();
    for (let broker = 1; broker <= this.#size; broker++) {
      writeFileSync(this.#file(broker), this.#properties(broker));
      await this.#format(broker, id);
    }
    for (let broker = 1; broker <= this.#size; broker++) this.#spawn(broker);
    for (let broker = 1; broker <= this.#size; broker++) await this.#ready(broker);
  }

  /** What formatting has written for every broker alike. */
  get checkpoint(): string {
    return join(this.#logFolder(1), CHECKPOINT);
  }

  /** As Kafka's own tool does, which costs a Java of its own; it does so itself where users are added, and where there was no first start. */
  async #format(broker: number, cluster: string): Promise<void> {
    const { scram = [] } = this.#options;
    const checkpoint = join(startFolder(this.#jars), CHECKPOINT);
    if (scram.length > 0 || !existsSync(checkpoint)) {
      const users = scram.flatMap((user) => ['--add-scram', user]);
      const args = ['format', '-t', cluster, '-c', this.#file(broker), ...users];
      await runTool(this.#jars, 'kafka.tools.StorageTool', args);
      return;
    }
    const folder = this.#logFolder(broker);
    mkdirSync(folder, { recursive: true });
    copyFileSync(checkpoint, join(folder, CHECKPOINT));
    const meta = { version: 1, 'cluster.id': cluster, 'node.id': broker, 'directory.id': newId() };
    writeFileSync(join(folder, 'meta.properties'), propertiesText(meta));
  }

  #logFolder(broker: number): string {
    return this.#options.logFolder?.(broker) ?? join(this.#folder, String(broker));
  }

  running(): RunningKafka {
    return {
      version: this.#version,
      brokers: this.#ports.slice(0, this.#size).map((port, i) => `${this.#address(i + 1)}:${port}`),
      listener: (name) => {
        if (name === 'CONTROLLER') return this.#controllerAddress(1);
        const found = this.#listeners().find((listener) => listener.name === name);
        if (found === undefined) throw new Error(`no listener ${name}`);
        return found.address;
      },
      kill9: (broker) => this.#end(broker),
      shutDown: (broker) => this.#end(broker, 'SIGTERM'),
      controller: () => this.#controller(),
      restart: async (broker, version) => {
        await this.#end(broker);
        if (version !== undefined) this.#jarsOf.set(broker, await kafkaJars(version));
        this.#spawn(broker);
        await this.#ready(broker);
      },
      isRunning: (broker) => this.#runs(broker),
      freeze: (broker) => void this.#processes[broker]?.kill('SIGSTOP'),
      thaw: (broker) => void this.#processes[broker]?.kill('SIGCONT'),
      tool: (className, args, input) => runTool(this.#jars, className, args, input),
      stop: () => this.stop(),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((_, broker) => this.#end(broker)));
    this.#keeper.stdin?.end('none\n');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #place(broker: number): Place {
    return this.#options.places?.[broker - 1] ?? LOOPBACK;
  }

  #address(broker: number): string {
    return this.#place(broker).address;
  }

  #controllerAddress(broker: number): string {
    return `${this.#address(broker)}:${this.#ports[this.#size + broker - 1]}`;
  }

  /** As one of those that run says. */
  async #controller(): Promise<number> {
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      for (let broker = 1; broker <= this.#size; broker++) {
        if (this.#processes[broker] === undefined) continue;
        const leader = await quorumLeaderSeenBy(this.#address(broker), this.#ports[broker - 1]).catch(() => -1);
        if (leader > 0) return leader;
      }
      if (Date.now() > until) throw new Error('no broker knows a controller');
    }
  }

  #file(broker: number): string {
    return join(this.#folder, `${broker}.properties`);
  }

  #listeners(): readonly { readonly name: string; readonly address: string; readonly protocol: string }[] {
    return Object.entries(this.#options.listeners ?? {}).map(([name, protocol], i) => ({
      name,
      protocol,
      address: `127.0.0.1:${this.#ports[2 * this.#size + i]}`,
    }));
  }

  #properties(broker: number): string {
    const more = this.#listeners();
    const addresses = more.map(({ name, address }) => `,${name}://${address}`).join('');
    const protocols = more.map(({ name, protocol }) => `,${name}:${protocol}`).join('');
    const copies = this.#size;
    const inSync = Math.max(1, copies - 1);
    const brokers = Array.from({ length: this.#size }, (_, i) => i + 1);
    const port = this.#ports[broker - 1];
    const address = this.#address(broker);
    const properties: Record<string, string | number> = {
      'process.roles': 'broker,controller',
      'node.id': broker,
      'controller.quorum.voters': brokers.map((i) => `${i}@${this.#controllerAddress(i)}`).join(','),
      listeners: `PLAINTEXT://${address}:${port},CONTROLLER://${this.#controllerAddress(broker)}${addresses}`,
      'advertised.listeners': `PLAINTEXT://${address}:${port}${addresses}`,
      'controller.listener.names': 'CONTROLLER',
      'listener.security.protocol.map': `PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT${protocols}`,
      'log.dirs': this.#logFolder(broker),
      'auto.create.topics.enable': 'false',
      'default.replication.factor': copies,
      'min.insync.replicas': inSync,
      'offsets.topic.replication.factor': copies,
      'offsets.topic.num.partitions': 4,
      'transaction.state.log.replication.factor': copies,
      'transaction.state.log.min.isr': inSync,
      'transaction.state.log.num.partitions': 4,
      'share.coordinator.state.topic.replication.factor': copies,
      'share.coordinator.state.topic.min.isr': inSync,
      'group.initial.rebalance.delay.ms': 0,
      'group.min.session.timeout.ms': 1000,
      'broker.session.timeout.ms': 3000,
      'broker.heartbeat.interval.ms': 500,
      'num.network.threads': 2,
      'num.io.threads': 2,
      'background.threads': 2,
      // Tests write records of any time: after half a minute a broker would delete those of more than a week ago.
      'log.retention.ms': -1,
      'log.cleaner.threads': 1,
      'log.cleaner.dedupe.buffer.size': 8 * 2 ** 20,
      'log.cleaner.backoff.ms': 500,
      ...this.#options.properties,
    };
    return propertiesText(properties);
  }

  #spawn(broker: number): void {
    const log = openSync(this.#log(broker), 'a');
    const jars = this.#jarsOf.get(broker) ?? this.#jars;
    const archive = this.#archive === undefined ? fromArchive(jars) : [`-XX:ArchiveClassesAtExit=${this.#archive}`];
    const args = [...JAVA, ...archive, HEAP, '-cp', jars.classPath, 'kafka.Kafka', this.#file(broker)];
    const [file, all] = this.#place(broker).command(jars.java, args);
    const child = spawn(file, all, { stdio: ['ignore', log, log] });
    closeSync(log);
    this.#keeper.stdin?.write(`${child.pid}\n`);
    this.#processes[broker] = child;
  }

  #runs(broker: number): boolean {
    const child = this.#processes[broker];
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  #log(broker: number): string {
    return join(this.#folder, `${broker}.log`);
  }

  async #end(broker: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#processes[broker];
    const isGone = !this.#runs(broker);
    this.#processes[broker] = undefined;
    if (child === undefined || isGone) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Until the broker answers, knows as many brokers as run, and a controller. */
  async #ready(broker: number): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    const wanted = this.#processes.filter((_, i) => this.#runs(i)).length;
    for (;;) {
      if (!this.#runs(broker)) throw new Error(`broker ${broker} ended:\n${this.#printed(broker)}`);
      const seen = await clusterSeenBy(this.#address(broker), this.#ports[broker - 1]).catch(() => undefined);
      if (seen !== undefined && seen.brokers >= wanted && seen.controller > 0) return;
      if (Date.now() > until)
        throw new Error(`broker ${broker} is not ready after ${PATIENCE_MS / 1000} s:\n${this.#printed(broker)}`);
      await sleep(50);
    }
  }

  #printed(broker: number): string {
    return readFileSync(this.#log(broker), 'utf8').slice(-2000);
  }
}

/** A leading minus would be read as an option. */
function newId(): string {
  return `A${randomBytes(16).toString('base64url').slice(1)}`;
}

function propertiesText(properties: Readonly<Record<string, string | number>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Options of Java by which classes need not be parsed again. */
function fromArchive(jars: KafkaJars): readonly string[] {
  const archive = join(startFolder(jars), CLASSES);
  return existsSync(archive) ? [`-XX:SharedArchiveFile=${archive}`] : [];
}

export function runTool(jars: KafkaJars, className: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(jars.java, [...JAVA, ...fromArchive(jars), HEAP, '-cp', jars.classPath, className, ...args]);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`${className} ended with ${code}:\n${printed.slice(-2000)}`));
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** A broker's metadata (version 1, no topics): kafka.apache.org/protocol. */
async function clusterSeenBy(
  host: string,
  port: number,
): Promise<{ readonly brokers: number; readonly controller: number }> {
  const request = Buffer.alloc(14);
  request.writeInt16BE(3, 0); // metadata
  request.writeInt16BE(1, 2);
  request.writeInt32BE(1, 4);
  request.writeInt16BE(-1, 8); // no client id
  request.writeInt32BE(0, 10); // no topics
  const answer = await askBroker(host, port, request);
  const brokers = answer.readInt32BE(4);
  let at = 8;
  for (let i = 0; i < brokers; i++) {
    at += 4;
    at += 2 + answer.readInt16BE(at) + 4;
    at += 2 + Math.max(0, answer.readInt16BE(at));
  }
  return { brokers, controller: answer.readInt32BE(at) };
}

/** Who leads the controllers (DescribeQuorum, version 0). The controller that metadata name is any broker that lives. */
async function quorumLeaderSeenBy(host: string, port: number): Promise<number> {
  const topic = Buffer.from('__cluster_metadata');
  const answer = await askBroker(
    host,
    port,
    Buffer.concat([
      Buffer.from([0, 55, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0]), // no client id, no tags
      Buffer.from([2, topic.length + 1]),
      topic,
      Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), // its partition 0, and no tags
    ]),
  );
  if (answer.readInt16BE(5) !== 0) return -1;
  const partition = 8 + answer[8] + 1;
  return answer.readInt16BE(partition + 4) === 0 ? answer.readInt32BE(partition + 6) : -1;
}

/** Sends one request to a broker; the answer begins with the number of the request. */
function askBroker(host: string, port: number, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    let bytes = Buffer.alloc(0);
    socket.setTimeout(1000, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.once('connect', () => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(request.length);
      socket.write(Buffer.concat([length, request]));
    });
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < 4 || bytes.length < 4 + bytes.readInt32BE(0)) return;
      resolve(bytes.subarray(4));
      socket.destroy();
    });
  });
}
