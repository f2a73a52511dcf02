import type { GroupState } from '../consumers/source/kafka/access/admin.ts';
import {
  type ApiVersions,
  CLIENT_APIS,
  overlaps,
  type VersionRange,
} from '../consumers/source/kafka/access/versions.ts';
import { assignerName } from '../consumers/source/kafka/flow/assigner.ts';
import { type Finding, finding } from './doctor-finding.ts';

/** One broker's response to a request for its versions. */
export interface BrokerAnswer {
  /** host:port */
  readonly broker: string;
  readonly answer: ApiVersions | Error;
  /** Why it refuses us, and what to do; undefined: it does not, or nothing is known. */
  readonly said?: string | undefined;
}

/** Checks the brokers that the configuration names, and then those that the cluster advertises. */
export function checkReach(answers: readonly BrokerAnswer[], named: 'configured' | 'advertised'): readonly Finding[] {
  const silent = answers.filter(({ answer, said }) => answer instanceof Error || said !== undefined);
  const reached = answers.filter((answer) => !silent.includes(answer)).map(({ broker }) => broker);
  const who = named === 'configured' ? 'kafka.brokers' : 'the cluster';
  const advice =
    named === 'configured'
      ? 'check kafka.brokers and the network'
      : 'it is how that broker advertises itself: make the name reachable from here, or correct advertised.listeners';
  const enough = named === 'configured' && reached.length > 0;
  return [
    ...(reached.length === 0 ? [] : [finding('brokers', 'ok', `${reached.join(', ')} of ${who} answer`)]),
    ...silent.map(({ broker, answer, said }) =>
      finding(
        'brokers',
        enough ? 'warning' : 'error',
        said === undefined
          ? `${broker} of ${who} does not answer (${answer instanceof Error ? reasonOf(answer) : ''}): ${advice}`
          : `${broker} of ${who} does not let us in: ${said}`,
        enough ? undefined : 'RecevalNoProgress',
      ),
    ),
  ];
}

/** Node's error for a name with several addresses has no message, only a code. */
function reasonOf(error: Error): string {
  return error.message !== '' ? error.message : 'code' in error ? String(error.code) : error.name;
}

/** Compares the versions that each broker offers with those of the client. Brokers that offer the same are reported together. */
export function checkVersions(answers: readonly BrokerAnswer[]): readonly Finding[] {
  const brokers = new Map<string, { readonly names: string[]; readonly versions: ApiVersions }>();
  for (const { broker, answer } of answers) {
    if (answer instanceof Error) continue;
    const text = CLIENT_APIS.map(({ key }) => JSON.stringify(answer.get(key))).join();
    const same = brokers.get(text) ?? { names: [], versions: answer };
    brokers.set(text, same);
    same.names.push(broker);
  }
  return [...brokers.values()].map(({ names, versions }) => {
    const apart = CLIENT_APIS.filter(({ key, client }) => {
      const offered = versions.get(key);
      return offered === undefined || !overlaps(offered, client);
    });
    const shown = CLIENT_APIS.filter(
      (api) => ['Produce', 'Fetch', 'JoinGroup'].includes(api.name) || apart.includes(api),
    ).map(({ name, key, client }) => `${name} ${range(versions.get(key))} (client ${range(client)})`);
    const found = `${names.join(', ')} offer ${shown.join(', ')}`;
    return apart.length === 0
      ? finding('versions', 'ok', found)
      : finding(
          'versions',
          'error',
          `${found}: no common version of ${apart.map(({ name }) => name).join(', ')}. Use a broker of Kafka 3.9 to 4.x`,
        );
  });
}

function range(versions: VersionRange | undefined): string {
  return versions === undefined ? 'none' : `${versions.least}-${versions.most}`;
}

/** Checks the members of the consumer group. */
export function checkGroup(
  groupId: string,
  topics: readonly string[],
  { state, protocol, members }: GroupState,
): Finding {
  if (state === 'Dead') return finding('group', 'ok', `there is no group ${groupId} yet: no worker has run`);
  if (members === 0) return finding('group', 'ok', `nobody is in the group ${groupId} (${state}): no worker runs`);
  const are = `${members} ${members === 1 ? 'member is' : 'members are'} in the group ${groupId} (${state})`;
  if (protocol !== '' && protocol !== assignerName(topics)) {
    return finding(
      'group',
      'error',
      `${are}, with the assigner "${protocol}": they are other consumers, or workers that read other topics, and a worker ` +
        'cannot join them. Use the same kafka.topics in all workers, or another kafka.groupId',
    );
  }
  return finding('group', 'ok', are);
}
