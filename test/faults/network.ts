/**
 * Machines of a network of our own, as network namespaces: one router, to which every machine and this process have a line.
 * All packets between two machines pass the router, where they are let through, dropped, or lost by chance. Needs root and
 * iproute2. What was made is taken away by `close`, and by a keeper when this process ends in any other way.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { onPath, run } from '../services/commands.ts';
import { debianProgram, MachineCannot } from '../services/debian.ts';
import type { Service } from '../services/it-with.ts';
import type { Place } from '../services/place.ts';
import { type Manner, type Passed, PYTHON, Wire } from './wire.ts';

export interface Machine extends Place {
  readonly name: string;
}

/** Of the networks that are kept for measurements among machines (RFC 2544): nobody is reached by them. */
const NETWORK = '198.18';
const HERE = 1;
const ROUTER = 254;
/** Of the router: where it sends what is to pass a wire. */
const WIRE_TABLE = '100';
/** Rules of lower numbers come first: what is cut is dropped, and what comes out of the wire goes on to its machine. */
const PRIORITY = { cut: '10', fromWire: '20', toWire: '30' } as const;

export const NAMESPACES: Service<string> = {
  name: 'network namespaces',
  get: async () => {
    const ip = onPath('ip', path());
    if (ip === undefined) throw new MachineCannot('there is no ip on the PATH; on Debian: apt-get install iproute2');
    if (process.getuid?.() !== 0) throw new MachineCannot('network namespaces are made by root alone');
    const name = `rv${randomBytes(4).toString('hex')}`;
    const made = await run(ip, ['netns', 'add', name]);
    if (made.code !== 0) throw new MachineCannot(`no network namespace can be made: ${made.stderr.trim()}`);
    await run(ip, ['netns', 'del', name]);
    return ip;
  },
};

/** For machines that a program in Python plays a part of. Returns the program that runs it. */
export const NAMESPACES_AND_PYTHON: Service<string> = {
  name: 'network namespaces and Python',
  get: async () => {
    await NAMESPACES.get();
    return PYTHON.get();
  },
};

/** The same machine with a file of names (as /etc/hosts) of its own, which may change; without it the name service is asked. */
export function withHosts(place: Place, hosts: string): Place {
  const mount = 'mount --bind "$0" /etc/hosts && exec "$@"';
  const command = (file: string, args: readonly string[]): readonly [string, readonly string[]] =>
    place.command('unshare', ['--mount', 'sh', '-c', mount, hosts, file, ...args]);
  return { ...place, command };
}

export class Network {
  readonly #ip: string;
  /** Begins the names of all namespaces and lines; so short that a line's name has room. */
  readonly #id = `rv${randomBytes(3).toString('hex')}`;
  readonly #net: number;
  readonly #machines: Machine[] = [];
  readonly #keeper: ChildProcess;
  #nft: string | undefined;
  #wire: Wire | undefined;

  /** @throws ServiceMissing */
  static async open(names: readonly string[]): Promise<Network> {
    const ip = await NAMESPACES.get();
    const network = new Network(ip, await unusedNet(ip));
    try {
      await network.#makeRouter();
      for (const name of names) await network.#add(name);
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  private constructor(ip: string, net: number) {
    this.#ip = ip;
    this.#net = net;
    // Ends with its input. Without the router's namespace the lines are gone, also the one to here.
    const keep = `while read n; do :; done; for n in $("$0" netns list | grep -o '^${this.#id}[a-z0-9]*'); do "$0" netns del $n; done`;
    this.#keeper = spawn('sh', ['-c', keep, ip], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#keeper.unref();
  }

  get machines(): readonly Machine[] {
    return this.#machines;
  }

  machine(name: string): Machine {
    const found = this.#machines.find((machine) => machine.name === name);
    if (found === undefined) throw new Error(`no machine ${name}; there are ${this.#machines.map((m) => m.name)}`);
    return found;
  }

  /** Drops what one machine sends to the other, without a word to either, until `heal`. */
  async cutOneWay(from: Place, to: Place): Promise<void> {
    await this.#onRouter('rule', 'add', 'from', from.address, 'to', to.address, 'priority', PRIORITY.cut, 'blackhole');
  }

  /** Drops everything between each of some machines and each of others. */
  async cut(some: readonly Place[], others: readonly Place[]): Promise<void> {
    for (const one of some) {
      for (const other of others) {
        await this.cutOneWay(one, other);
        await this.cutOneWay(other, one);
      }
    }
  }

  /** Cuts one machine off from all others. */
  async cutOff(machine: Place): Promise<void> {
    await this.#onRouter('rule', 'add', 'from', machine.address, 'priority', PRIORITY.cut, 'blackhole');
    await this.#onRouter('rule', 'add', 'to', machine.address, 'priority', PRIORITY.cut, 'blackhole');
  }

  /** Loses a share (percent) of the packets from and to a machine, by chance. */
  async lose(machine: Place, percent: number): Promise<void> {
    const rules = ['saddr', 'daddr'].map(
      (side) => `ip ${side} ${machine.address} numgen random mod 100 < ${percent} drop`,
    );
    await this.#filter('loss', rules);
  }

  /** Sends no more than so many kilobits a second to a machine; what is more waits. */
  async slow(machine: Machine, kilobits: number): Promise<void> {
    const rate = ['rate', `${kilobits}kbit`, 'burst', '16kb', 'latency', '2s'];
    await this.#must([
      'netns',
      'exec',
      this.#router,
      'tc',
      'qdisc',
      'add',
      'dev',
      this.#line(machine),
      'root',
      'tbf',
      ...rate,
    ]);
  }

  /** Breaks connections between each of some machines and each of others: so many of a thousand packets are answered by a reset. */
  async reset(some: readonly Place[], others: readonly Place[], perMille: number): Promise<void> {
    const rules = some.flatMap((one) =>
      others.flatMap((other) =>
        [
          [one, other],
          [other, one],
        ].map(
          ([from, to]) =>
            `ip saddr ${from.address} ip daddr ${to.address} tcp flags & (rst|syn) == 0 numgen random mod 1000 < ${perMille} counter reject with tcp reset`,
        ),
      ),
    );
    await this.#filter('resets', rules);
  }

  /** How many connections `reset` has broken. */
  async broken(): Promise<number> {
    const { stdout } = await run(this.#ip, this.#filtering('list chain ip receval resets'));
    return [...stdout.matchAll(/counter packets (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** Lets everything that some machines send, or are sent, or both, pass a wire of this manner, until `takeWire`. */
  async layWire(machines: readonly Place[], ways: readonly ('from' | 'to')[], manner: Manner): Promise<void> {
    const device = `${this.#id}w`;
    this.#wire = await Wire.make([this.#ip, 'netns', 'exec', this.#router], device, manner);
    // What comes out of the device has the addresses of machines that are elsewhere.
    const unfiltered = `echo 0 | tee /proc/sys/net/ipv4/conf/all/rp_filter > /proc/sys/net/ipv4/conf/${device}/rp_filter`;
    await this.#must(['netns', 'exec', this.#router, 'sh', '-c', unfiltered]);
    await this.#onRouter('route', 'add', 'default', 'dev', device, 'table', WIRE_TABLE);
    await this.#onRouter('rule', 'add', 'iif', device, 'priority', PRIORITY.fromWire, 'lookup', 'main');
    for (const { address } of machines) {
      for (const way of ways) {
        await this.#onRouter('rule', 'add', way, address, 'priority', PRIORITY.toWire, 'lookup', WIRE_TABLE);
      }
    }
  }

  /** Lets packets take the short way again. Returns what became of those that passed the wire. */
  async takeWire(): Promise<Passed> {
    const wire = this.#wire;
    if (wire === undefined) throw new Error('no wire is laid');
    this.#wire = undefined;
    await this.#removeRules(PRIORITY.toWire);
    const passed = await wire.end();
    await this.#removeRules(PRIORITY.fromWire);
    return passed;
  }

  /** A second address of a machine; `host` is the last of its four numbers, above those of the machines. */
  async addAddress(machine: Machine, host: number): Promise<Place> {
    const address = this.#address(host);
    await this.#must(['-n', this.#namespace(machine), 'address', 'add', `${address}/32`, 'dev', 'eth0']);
    await this.#onRouter('route', 'add', address, 'dev', this.#line(machine));
    return { ...machine, address };
  }

  /** Lets everything through again. */
  async heal(): Promise<void> {
    if (this.#wire !== undefined) await this.takeWire();
    await this.#removeRules(PRIORITY.cut);
    if (this.#nft !== undefined) await run(this.#ip, this.#filtering('delete table ip receval'));
    for (const machine of this.#machines) {
      await run(this.#ip, ['netns', 'exec', this.#router, 'tc', 'qdisc', 'del', 'dev', this.#line(machine), 'root']);
    }
  }

  async close(): Promise<void> {
    if (this.#wire !== undefined) await this.takeWire();
    const gone = new Promise((resolve) => this.#keeper.once('exit', resolve));
    // Until it has done its work this process must not end for want of other work.
    this.#keeper.ref();
    this.#keeper.stdin?.end();
    await gone;
  }

  get #router(): string {
    return `${this.#id}r`;
  }

  #address(host: number): string {
    return `${NETWORK}.${this.#net}.${host}`;
  }

  #namespace({ address }: Pick<Place, 'address'>): string {
    return `${this.#id}n${address.split('.').at(-1)}`;
  }

  /** The router's end of a machine's line. */
  #line({ address }: Place): string {
    return `${this.#id}h${address.split('.').at(-1)}`;
  }

  async #makeRouter(): Promise<void> {
    const [here, there] = [`${this.#id}a`, `${this.#id}b`];
    await this.#must(['netns', 'add', this.#router]);
    await this.#must(['link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', this.#router]);
    await this.#must(['address', 'add', `${this.#address(HERE)}/32`, 'dev', here]);
    await this.#must(['link', 'set', here, 'up']);
    await this.#onRouter('link', 'set', 'lo', 'up');
    await this.#onRouter('link', 'set', there, 'up');
    await this.#onRouter('address', 'add', `${this.#address(ROUTER)}/32`, 'dev', there);
    await this.#onRouter('route', 'add', this.#address(HERE), 'dev', there);
    await this.#must(['route', 'add', `${this.#address(0)}/24`, 'via', this.#address(ROUTER), 'dev', here, 'onlink']);
    await this.#must(['netns', 'exec', this.#router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
  }

  async #add(name: string): Promise<void> {
    const host = HERE + 1 + this.#machines.length;
    const address = this.#address(host);
    const namespace = this.#namespace({ address });
    const machine: Machine = {
      name,
      address,
      command: (file, args) => ['nsenter', [`--net=/run/netns/${namespace}`, file, ...args]],
    };
    const line = this.#line(machine);
    const inside = (...args: readonly string[]): Promise<void> => this.#must(['-n', namespace, ...args]);
    await this.#must(['netns', 'add', namespace]);
    await this.#must([
      '-n',
      this.#router,
      'link',
      'add',
      line,
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      namespace,
    ]);
    await inside('link', 'set', 'lo', 'up');
    await inside('address', 'add', `${address}/32`, 'dev', 'eth0');
    await inside('link', 'set', 'eth0', 'up');
    await this.#onRouter('link', 'set', line, 'up');
    await this.#onRouter('route', 'add', address, 'dev', line);
    await inside('route', 'add', 'default', 'via', this.#address(ROUTER), 'dev', 'eth0', 'onlink');
    this.#machines.push(machine);
  }

  /** Adds rules to a chain that sees everything that passes the router. */
  async #filter(chain: string, rules: readonly string[]): Promise<void> {
    this.#nft ??= await nft();
    const table = [
      'add table ip receval',
      `add chain ip receval ${chain} { type filter hook forward priority 0; }`,
      ...rules.map((rule) => `add rule ip receval ${chain} ${rule}`),
    ].join('\n');
    await this.#must(this.#filtering(table));
  }

  #filtering(words: string): readonly string[] {
    if (this.#nft === undefined) throw new Error('nothing is filtered yet');
    return ['netns', 'exec', this.#router, this.#nft, words];
  }

  async #removeRules(priority: string): Promise<void> {
    while ((await run(this.#ip, ['-n', this.#router, 'rule', 'del', 'priority', priority])).code === 0);
  }

  #onRouter(...args: readonly string[]): Promise<void> {
    return this.#must(['-n', this.#router, ...args]);
  }

  async #must(args: readonly string[]): Promise<void> {
    const { code, stderr } = await run(this.#ip, args);
    if (code !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.trim()}`);
  }
}

/** The third number of a network that no route leads to. */
async function unusedNet(ip: string): Promise<number> {
  const { stdout } = await run(ip, ['route', 'show']);
  for (;;) {
    const net = randomBytes(1)[0];
    if (!stdout.includes(`${NETWORK}.${net}.`)) return net;
  }
}

function path(): string {
  return `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
}

async function nft(): Promise<string> {
  return (
    onPath('nft', path()) ?? (await debianProgram({ command: 'nft', debianPackage: 'nftables', file: 'usr/sbin/nft' }))
  );
}
