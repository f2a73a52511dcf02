import { unitKey } from '../../src/accumulators/store/layout.ts';
import type { Commit, Store } from '../../src/accumulators/store/store-port.ts';
import type { Offset } from '../../src/vocabulary/events.ts';
import type { Auditor } from './auditor.ts';
import { Broken } from './broken.ts';
import { type InputsSettings, type Owner, RecordedInputs } from './inputs.ts';
import type { Lineage, Sent } from './lineage.ts';
import type { RedisNode } from './redis.ts';
import { NAMESPACE } from './worker-settings.ts';

type Given = Omit<InputsSettings, 'ownerOf' | 'claimedBy'> & {
  readonly begin: readonly Offset[];
  readonly auditor: Auditor;
};

/** Who has claimed what in which state, and where every unit began: what the auditor must be told beside the commits. */
export class Books {
  readonly auditor: Auditor;
  readonly inputs: RecordedInputs;
  readonly #begin: readonly Offset[];
  /** By process and key of the unit. */
  readonly #begins = new Map<string, Offset[]>();
  readonly #claims = new Map<string, Lineage | undefined>();
  readonly #owners = new Map<Store, Owner>();

  constructor({ begin, auditor, ...given }: Given) {
    this.auditor = auditor;
    this.#begin = begin;
    this.inputs = new RecordedInputs({
      ...given,
      ownerOf: (store) => this.#ownerOf(store),
      claimedBy: ({ name }, partition) => this.#claims.get(`${name} ${unitKey(NAMESPACE, partition)}`),
    });
  }

  /** This is the store of that process. */
  owns(owner: Owner, store: Store): void {
    this.#owners.set(store, owner);
  }

  claimed({ name }: { readonly name: string }, unit: string, lineage: Lineage | undefined): void {
    this.#claims.set(`${name} ${unit}`, lineage);
  }

  /** A process begins a unit of which nothing is stored. */
  begins({ name }: Owner, partition: number, topic: number, offset: Offset): void {
    const key = `${name} ${unitKey(NAMESPACE, partition)}`;
    const begins = this.#begins.get(key) ?? [];
    this.#begins.set(key, begins);
    begins[topic] = offset;
  }

  sent({ name }: { readonly name: string }, commit: Commit): Sent {
    return { begin: this.#begins.get(`${name} ${commit.unit}`) ?? this.#begin, ...this.inputs.sent() };
  }

  /** A server has applied a commit. Throws what that breaks. `compares`: all that is stored now, with the reference. */
  applied(node: RedisNode, commit: Commit, sent: Sent, compares: boolean): void {
    const lineage = this.auditor.continued(node.lineages.get(commit.unit), commit, sent);
    node.lineages.set(commit.unit, lineage);
    if (compares) this.compare(node, commit.unit);
  }

  /** All that a server holds of a unit, with the reference. Throws how they differ. */
  compare(node: RedisNode, unit: string): void {
    const lineage = node.lineages.get(unit);
    if (lineage !== undefined) this.auditor.compare(unit, lineage, node.stored);
  }

  #ownerOf(store: Store): Owner {
    const owner = this.#owners.get(store);
    if (owner === undefined) throw new Broken('process', 'a unit with a store of nobody');
    return owner;
  }
}
