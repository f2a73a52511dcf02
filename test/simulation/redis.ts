/**
 * A simulated Redis: what it answers is the logic of the product's memory store, which a differential test holds to the
 * real scripts. Between it and a process lies a network that loses, repeats and delays requests and replies; behind it a
 * failover or a restored backup takes it back, or everything is forgotten.
 */
import type { Commit, CommitAnswer, Store } from '../../src/accumulators/store/store-port.ts';
import type { DurationMs, EpochMs } from '../../src/vocabulary/events.ts';
import { copyOf, type StoreSnapshot } from '../restorable-store.ts';
import type { Happened } from './happened.ts';
import type { Lineage, Sent } from './lineage.ts';
import type { Product } from './product.ts';
import type { Random } from './random.ts';
import type { Fate } from './scenario.ts';
import type { Actor, Scheduled, Scheduler } from './scheduler.ts';

interface Snapshot {
  readonly store: StoreSnapshot;
  readonly lineages: ReadonlyMap<string, Lineage>;
}

/** One server, or one that has become another one's successor. */
export class RedisNode {
  readonly store: Store;
  /** Where the store keeps everything. */
  readonly #hashes: Map<string, Map<string, string>>;
  /** By key of the unit. */
  readonly lineages: Map<string, Lineage>;
  readonly name: string;
  /** Oldest first; the first is of an empty store. */
  readonly snapshots: Snapshot[];
  /** Nobody reaches it any more. */
  gone = false;

  constructor(product: Product, name: string, snapshots: readonly Snapshot[]) {
    this.name = name;
    this.snapshots = [...snapshots];
    const { store, lineages } = snapshots[snapshots.length - 1];
    this.#hashes = copyOf(store);
    this.store = new product.MemoryStore(this.#hashes);
    this.lineages = new Map(lineages);
  }

  /** A copy of everything that it holds. */
  get stored(): StoreSnapshot {
    return copyOf(this.#hashes);
  }
}

export interface Client extends Actor {
  readonly name: string;
  /** Which server it is connected to. */
  endpoint: RedisNode;
}

export interface RedisDeps {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly product: Product;
  readonly happened: Happened;
  readonly fates: readonly Fate[];
  /** There is something in the plan that goes back. */
  readonly keepsSnapshots: boolean;
  /** Right after a commit was answered, in the same instant. */
  readonly committed: (node: RedisNode, client: Client, commit: Commit, answer: CommitAnswer, sent: Sent) => void;
  /** A claim's answer has arrived, given when the unit was in this state. */
  readonly claimed: (client: Client, unit: string, lineage: Lineage | undefined) => void;
  /** What a commit says beside its content; asked when it is sent for the first time. */
  readonly sent: (client: Client, commit: Commit) => Sent;
  readonly say: (text: () => string) => void;
}

interface Request<T> {
  readonly client: Client;
  readonly node: RedisNode;
  readonly apply: (node: RedisNode) => Promise<T>;
  readonly resolve: (reply: T) => void;
  readonly reject: (error: unknown) => void;
  readonly timeout: Scheduled;
}

/** The client gives up waiting. */
const TIMEOUT_MS: DurationMs = 2500;
const MOST_SNAPSHOTS = 12;
/** So long the server before a failover answers some. */
const SLOWEST_SWITCH_MS: DurationMs = 40_000;
const EMPTY: Snapshot = { store: new Map(), lineages: new Map() };

export class SimulatedRedis {
  readonly #deps: RedisDeps;
  readonly #fates: ReadonlyMap<number, Fate>;
  readonly #sentBefore = new WeakMap<Commit, Sent>();
  #requests = 0;
  #nodes = 0;
  #primary: RedisNode;
  #awayUntil: EpochMs = Number.NEGATIVE_INFINITY;
  #calm = false;

  constructor(deps: RedisDeps) {
    this.#deps = deps;
    this.#fates = new Map(deps.fates.map((fate) => [fate.request, fate]));
    this.#primary = this.#node([EMPTY]);
  }

  get primary(): RedisNode {
    return this.#primary;
  }

  /** The store as one process sees it. */
  storeOf(client: Client): Store {
    const { committed, claimed, random } = this.#deps;
    return {
      claim: async (unit, token) => {
        const { reply, lineage } = await this.#call(client, `claim with ${token}`, async (node) => {
          const before = node.lineages.get(unit);
          const answer = await node.store.claim(unit, token);
          if (random.chance(0.15)) this.#snapshot(node);
          return { reply: answer, lineage: before };
        });
        claimed(client, unit, lineage);
        return reply;
      },
      commit: (commit) => {
        const sent = this.#sentBefore.get(commit) ?? this.#deps.sent(client, commit);
        this.#sentBefore.set(commit, sent);
        return this.#call(client, `commit ${commit.seq} (${commit.cid})`, async (node) => {
          const answer = await node.store.commit(commit);
          committed(node, client, commit, answer, sent);
          if (answer === 'OK' && random.chance(0.3)) this.#snapshot(node);
          return answer;
        });
      },
      read: (keys) => this.#call(client, `read ${keys.length} keys`, (node) => node.store.read(keys)),
    };
  }

  #call<T>(client: Client, what: string, apply: (node: RedisNode) => Promise<T>): Promise<T> {
    const { scheduler, happened, say } = this.#deps;
    const number = this.#requests++;
    const fate = this.#calm ? undefined : this.#fates.get(number);
    const node = client.endpoint;
    if (fate !== undefined) happened.add(fate.kind);
    say(
      () => `${client.name} -> ${node.name} request ${number}: ${what}${fate === undefined ? '' : ` [${fate.kind}]`}`,
    );
    return new Promise((resolve, reject) => {
      if (fate?.kind === 'refused') {
        scheduler.in(1, () => reject(this.#unavailable('OOM', 'refused')), client);
        return;
      }
      const timeout = scheduler.in(TIMEOUT_MS, () => reject(this.#unavailable('TIMEOUT', 'unknown')), client);
      this.#send({ client, node, apply, resolve, reject, timeout }, fate);
    });
  }

  /** The way there. */
  #send<T>(request: Request<T>, fate: Fate | undefined): void {
    const { scheduler, random } = this.#deps;
    if (fate?.kind === 'request lost') return;
    const late = fate?.kind === 'applied late' ? TIMEOUT_MS + fate.delay : 0;
    scheduler.in(random.whole(0, 3) + late, () => this.#arrive(request, fate));
    if (fate?.kind === 'repeated') scheduler.in(3 + fate.delay, () => this.#arrive(request, fate));
  }

  #arrive<T>(request: Request<T>, fate: Fate | undefined): void {
    const { scheduler, random } = this.#deps;
    const { node, apply, reject } = request;
    if (node.gone) return;
    if (this.#awayUntil > scheduler.now && node === this.#primary) {
      // A stopped server applies later what has reached it; of one that is down nothing comes back.
      if (random.chance(0.5)) scheduler.at(this.#awayUntil, () => this.#arrive(request, fate));
      return;
    }
    apply(node).then((reply) => this.#answer(request, fate, reply), reject);
  }

  /** The way back. */
  #answer<T>({ client, resolve, timeout }: Request<T>, fate: Fate | undefined, reply: T): void {
    const { scheduler, random } = this.#deps;
    if (fate?.kind === 'reply lost' || timeout.cancelled) return;
    const late = fate?.kind === 'reply late' ? TIMEOUT_MS + fate.delay : 0;
    scheduler.in(
      random.whole(0, 3) + late,
      () => {
        timeout.cancelled = true;
        resolve(reply);
      },
      client,
    );
  }

  #unavailable(code: string, outcome: 'refused' | 'unknown'): Error {
    const { StoreUnavailable } = this.#deps.product;
    return new StoreUnavailable(code, 'the simulated Redis did not answer', { retriable: true, outcome });
  }

  #snapshot(node: RedisNode): void {
    if (!this.#deps.keepsSnapshots) return;
    node.snapshots.push({ store: node.stored, lineages: new Map(node.lineages) });
    if (node.snapshots.length > MOST_SNAPSHOTS) node.snapshots.splice(1, 1);
  }

  #node(snapshots: readonly Snapshot[]): RedisNode {
    return new RedisNode(this.#deps.product, `redis${this.#nodes++}`, snapshots);
  }

  /** The state of some snapshots ago is the newest one that is left. `split`: the server before it still answers. */
  goBack(snapshots: number, split: boolean, clients: readonly Client[]): void {
    const { scheduler, random } = this.#deps;
    const old = this.#primary;
    const left = Math.max(1, old.snapshots.length - snapshots);
    this.#primary = this.#node(old.snapshots.slice(0, left));
    for (const client of clients) {
      const connect = (): void => {
        client.endpoint = this.#primary;
      };
      if (split) scheduler.in(random.whole(0, SLOWEST_SWITCH_MS), connect, client);
      else connect();
    }
    const end = (): void => {
      old.gone = true;
    };
    if (split) scheduler.in(SLOWEST_SWITCH_MS + 1, end);
    else end();
  }

  forget(clients: readonly Client[]): void {
    this.goBack(Number.POSITIVE_INFINITY, false, clients);
  }

  away(length: DurationMs): void {
    this.#awayUntil = this.#deps.scheduler.now + length;
  }

  /** From now on nothing goes wrong, and everybody is connected to the one that is primary. */
  heal(clients: readonly Client[]): void {
    this.#calm = true;
    this.#awayUntil = Number.NEGATIVE_INFINITY;
    for (const client of clients) client.endpoint = this.#primary;
  }

  /** Lineages of everything that could come back. */
  get allLineages(): readonly ReadonlyMap<string, Lineage>[] {
    return [this.#primary.lineages, ...this.#primary.snapshots.map(({ lineages }) => lineages)];
  }
}
