import { constants, statSync } from 'node:fs';
import { RedisAccess } from '../accumulators/store/redis-clients.ts';
import { addressText, parseRedisUrl, type RedisAddress, type RedisTarget } from '../accumulators/store/redis-url.ts';
import type { Settings } from '../config/settings.ts';
import { isEnding } from '../connections/access-files.ts';
import { replyToPing } from '../connections/port-protocol.ts';
import { AccessFileError, Secret } from '../connections/secret.ts';
import type { SecretSource, TlsSettings } from '../connections/security-settings.ts';
import { TlsContext, type Validity } from '../connections/tls.ts';
import type { GroupState } from '../consumers/source/kafka/access/admin.ts';
import {
  type ApiVersions,
  CLIENT_APIS,
  isBroker,
  overlaps,
  type VersionRange,
} from '../consumers/source/kafka/access/versions.ts';
import { assignerName } from '../consumers/source/kafka/flow/assigner.ts';
import { type Asking, type Unreadable, unreadableText } from '../consumers/source/kafka/flow/brokers.ts';
import { codeOf } from '../vocabulary/error-text.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { type CheckResult, resultsOf } from './check-result.ts';
import { accessOf } from './start-watch.ts';

const SECURITY = resultsOf('security');
const BROKERS = resultsOf('brokers');
const VERSIONS = resultsOf('versions');
const RIGHTS = resultsOf('rights');
const GROUP = resultsOf('group');
const REDIS = resultsOf('redis');

const MINUTE_MS = 60_000;
const ALERT = 'RecevalAccessNotRenewed';

/** A file with a secret, and the setting that names it. */
export interface SecretFile {
  readonly name: string;
  readonly path: string;
}

/**
 * Checks files with secrets and certificates, and finds unsafe connections. `more`: files with secrets from environment
 * variables, which were read already.
 */
export function checkAccess(
  settings: Settings,
  now: EpochMs,
  more: readonly SecretFile[] = [],
): readonly CheckResult[] {
  const { sasl, tls: kafkaTls } = settings.kafka;
  const { tls, secrets } = accessOf(settings);
  const findings = tls.flatMap((one) => checkTls(one, now));
  if (sasl !== undefined && kafkaTls === undefined && !sasl.mechanism.startsWith('scram')) {
    const what = sasl.mechanism === 'plain' ? 'the password' : 'the token';
    findings.push(SECURITY.warning(`${what} of kafka.sasl goes over the network in plain text: set kafka.tls`));
  }
  findings.push(...checkRedisLogin(settings));
  for (const secret of secrets) findings.push(...checkFile(() => isReadable(secret)));
  const files = new Map([...more, ...secretFilesOf(tls, secrets)].map(({ name, path }) => [path, name]));
  for (const [path, name] of files) {
    if (!mayAllRead(path)) continue;
    const advice = 'let its user, or its group, alone read it (chmod o= and the path)';
    findings.push(SECURITY.warning(`${name}: every user of this machine may read ${path}: ${advice}`));
  }
  return findings;
}

function secretFilesOf(tls: readonly TlsSettings[], secrets: readonly SecretSource[]): readonly SecretFile[] {
  return [
    ...tls.flatMap(({ setting, key }) => (key === undefined ? [] : [{ name: `${setting}.key`, path: key }])),
    ...[...secrets, ...tls.flatMap(({ passphrase }) => passphrase ?? [])].flatMap((source) =>
      source.kind === 'text' ? [] : [{ name: source.setting, path: source.path }],
    ),
  ];
}

/** Returns false also if this cannot be determined: reading the file reports that. */
function mayAllRead(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & constants.S_IROTH) !== 0;
}

/** Hosts to which traffic does not leave the machine. */
const LOOPBACK = /^(?:localhost|127\.[0-9.]+|::1)$/;

function checkRedisLogin({ redis }: Settings): readonly CheckResult[] {
  const target = parseRedisUrl(redis.url);
  const { password, tls, sentinel } = redis;
  const isTls = tls !== undefined || (target.kind === 'server' && target.tls);
  const addresses = target.kind === 'server' ? [target.address] : target.addresses;
  if (addresses.every(({ host }) => LOOPBACK.test(host))) return [];
  const open = [
    ...(!isTls && (password ?? target.password) !== undefined ? ['redis'] : []),
    ...(sentinel.password !== undefined && sentinel.tls === undefined ? ['redis.sentinel'] : []),
  ];
  return open.map((setting) =>
    SECURITY.warning(`the password of ${setting} goes over the network in plain text: set ${setting}.tls`),
  );
}

function checkTls(tls: TlsSettings, now: EpochMs): readonly CheckResult[] {
  const { setting } = tls;
  const findings = checkFile(() => {
    const { validity, caValidity } = new TlsContext(tls);
    return [
      ...(validity === undefined ? [] : [checkEnd(`${setting}.cert`, validity, now)]),
      ...(caValidity === undefined || !tls.rejectUnauthorized || !isEnding(caValidity, now)
        ? []
        : [checkCa(`${setting}.ca`, caValidity, now)]),
    ];
  });
  if (tls.rejectUnauthorized) return findings;
  const risk = `${setting}.rejectUnauthorized is false: anybody on the way may read and change all, passwords too`;
  return [...findings, SECURITY.warning(`${risk}. Name the authority in ${setting}.ca instead`)];
}

function checkEnd(setting: string, validity: Validity, now: EpochMs): CheckResult {
  const { ends } = validity;
  const left = ends.getTime() - now;
  const day = ends.toISOString().slice(0, 10);
  if (left < 0) return SECURITY.error(`${setting}: the certificate ended on ${day}: renew it`, ALERT);
  const found = `${setting}: the certificate ends on ${day}, in ${inWords(left)}`;
  if (!isEnding(validity, now)) return SECURITY.ok(found);
  return SECURITY.warning(`${found}, less than a tenth of its life: renew it`, ALERT);
}

/** Servers get their next certificate from an authority's successor, so this must be known in time. */
function checkCa(setting: string, { ends }: Validity, now: EpochMs): CheckResult {
  const left = ends.getTime() - now;
  const day = ends.toISOString().slice(0, 10);
  const found = `${setting}: the last certificate in it ${left < 0 ? 'ended' : 'ends'} on ${day}`;
  const advice = 'put the next one into the file, beside it';
  return left < 0
    ? SECURITY.error(`${found}, so no server is known: ${advice}`, ALERT)
    : SECURITY.warning(`${found}, in ${inWords(left)}, and then no server is known: ${advice}`, ALERT);
}

/** The duration in the largest unit of which it has at least two. */
function inWords(ms: DurationMs): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days >= 2) return `${days} days`;
  if (hours >= 2) return `${hours} hours`;
  return `${minutes} minute${minutes === 1 ? '' : 's'}`;
}

function isReadable(secret: SecretSource): readonly CheckResult[] {
  new Secret(secret).read();
  return [];
}

/** The findings of `use`, or that of a file that cannot be used. */
function checkFile(use: () => readonly CheckResult[]): readonly CheckResult[] {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof AccessFileError)) throw error;
    return [SECURITY.error(error.message, ALERT)];
  }
}

/** One broker's response to a request for its versions. */
export interface BrokerAnswer {
  /** host:port */
  readonly broker: string;
  readonly answer: ApiVersions | Error;
  /** Why the broker refuses us, and what to do; undefined: it does not, or the reason is unknown. */
  readonly said?: string | undefined;
}

/** Checks the brokers that the configuration names, and then those that the cluster advertises. */
export function checkReach(
  answers: readonly BrokerAnswer[],
  named: 'configured' | 'advertised',
): readonly CheckResult[] {
  const silent = answers.filter(({ answer, said }) => answer instanceof Error || said !== undefined);
  const reached = answers.filter((answer) => !silent.includes(answer)).map(({ broker }) => broker);
  const who = named === 'configured' ? 'kafka.brokers' : 'the cluster';
  const advice =
    named === 'configured'
      ? 'check kafka.brokers and the network'
      : 'it is how that broker advertises itself: make the name reachable from here, or correct advertised.listeners';
  const enough = named === 'configured' && reached.length > 0;
  return [
    ...(reached.length === 0 ? [] : [BROKERS.ok(`${reached.join(', ')} of ${who} answer`)]),
    ...silent.map(({ broker, answer, said }) =>
      BROKERS[enough ? 'warning' : 'error'](
        said === undefined
          ? `${broker} of ${who} does not answer (${answer instanceof Error ? reasonOf(answer) : ''}): ${advice}`
          : `${broker} of ${who} cannot be used: ${said}`,
        enough ? undefined : 'RecevalNoProgress',
      ),
    ),
  ];
}

/** Node's error for a name with several addresses has no message, only a code. */
function reasonOf(error: Error): string {
  return error.message || codeOf(error) || error.name;
}

/** Compares the versions that each broker offers with those of the client. Brokers that offer the same are reported together. */
export function checkVersions(answers: readonly BrokerAnswer[]): readonly CheckResult[] {
  const brokers = new Map<string, { readonly names: string[]; readonly versions: ApiVersions }>();
  for (const { broker, answer } of answers) {
    // `checkReach` has reported the others.
    if (answer instanceof Error || !isBroker(answer)) continue;
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
      ? VERSIONS.ok(found)
      : VERSIONS.error(
          `${found}: no common version of ${apart.map(({ name }) => name).join(', ')}. Use a broker of Kafka 3.9 to 4.x`,
        );
  });
}

function range(versions: VersionRange | undefined): string {
  return versions === undefined ? 'none' : `${versions.least}-${versions.most}`;
}

/** Checks the rights that a worker needs; doctor itself needs few of them. */
export function checkRights(unreadable: readonly Unreadable[], connection: Asking): readonly CheckResult[] {
  if (unreadable.length === 0) return [RIGHTS.ok('this user may read all topics, and be in the group')];
  return unreadable.map((one) => RIGHTS.error(unreadableText(one, connection), 'RecevalNoProgress'));
}

/** Checks the members of the consumer group. */
export function checkGroup(
  groupId: string,
  topics: readonly string[],
  { state, protocol, members }: GroupState,
): CheckResult {
  if (state === 'Dead') return GROUP.ok(`there is no group ${groupId} yet: no worker has run`);
  if (members === 0) return GROUP.ok(`nobody is in the group ${groupId} (${state}): no worker runs`);
  const are = `${members} ${members === 1 ? 'member is' : 'members are'} in the group ${groupId} (${state})`;
  if (protocol !== '' && protocol !== assignerName(topics)) {
    return GROUP.error(
      `${are}, with the assigner "${protocol}": they are other consumers, or workers that read other topics, and a worker ` +
        'cannot join them. Use the same kafka.topics in all workers, or another kafka.groupId',
    );
  }
  return GROUP.ok(are);
}

const TIMEOUT_MS = 3000;

/** Checks each address of redis.url, if any one of them is enough for us, and whether the servers require a password. Sends no secret. */
export async function lookAtAddresses(
  redis: Settings['redis'],
  primaries: readonly RedisAddress[],
): Promise<readonly CheckResult[]> {
  const target = parseRedisUrl(redis.url);
  const access = new RedisAccess(target, redis);
  return [
    ...(target.kind === 'server' ? [] : await checkEach(target, access)),
    ...(await checkPassword(target, access, primaries)),
  ];
}

type SeveralAddresses = Exclude<RedisTarget, { readonly kind: 'server' }>;

async function checkEach(target: SeveralAddresses, access: RedisAccess): Promise<readonly CheckResult[]> {
  const tls = access.tlsTo(target);
  const answers = await Promise.all(
    target.addresses.map(async ({ host, port }) => (await replyToPing(host, port, tls, TIMEOUT_MS)) !== undefined),
  );
  const [name, without] =
    target.kind === 'sentinel'
      ? ['the sentinel', 'most of the sentinels must agree, or there is no fail-over']
      : ['the node', 'through it the others cannot be found'];
  const reached = target.addresses.filter((_, i) => answers[i]).map(addressText);
  const silent = target.addresses.filter((_, i) => !answers[i]).map(addressText);
  const several = reached.length > 1;
  return [
    ...(reached.length === 0
      ? []
      : [REDIS.ok(`${name}${several ? 's' : ''} ${reached.join(', ')} answer${several ? '' : 's'}`)]),
    ...silent.map((address) =>
      REDIS.warning(`${name} ${address} does not answer: ${without}. Start it, or correct redis.url`),
    ),
  ];
}

/** A server that only this machine can reach needs no password. */
async function checkPassword(
  target: RedisTarget,
  access: RedisAccess,
  primaries: readonly RedisAddress[],
): Promise<readonly CheckResult[]> {
  // In the other forms redis.url names servers that find the primaries.
  const asked = target.kind === 'server' ? [target.address] : primaries;
  const others = asked.filter(({ host }) => !LOOPBACK.test(host));
  const tls = asStranger(access.tls);
  const answers = await Promise.all(others.map(({ host, port }) => replyToPing(host, port, tls, TIMEOUT_MS)));
  const open = others.filter((_, i) => answers[i] === '+PONG').map(addressText);
  if (open.length === 0) return [];
  return [
    SECURITY.warning(
      `Redis at ${open.join(', ')} asks for no password: whoever can connect to it may read, change and delete all that is stored. ` +
        'Set one, and redis.username and redis.passwordFile',
    ),
  ];
}

/** TLS without our certificate, which may be how the server knows us. It accepts any server: a primary is reached by another name. */
function asStranger(tls: TlsContext | undefined): TlsContext | undefined {
  if (tls === undefined) return undefined;
  return new TlsContext({
    ...tls.settings,
    cert: undefined,
    key: undefined,
    passphrase: undefined,
    rejectUnauthorized: false,
  });
}
