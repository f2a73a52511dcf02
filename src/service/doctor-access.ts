import { constants, statSync } from 'node:fs';
import { parseRedisUrl } from '../accumulators/store/redis-url.ts';
import type { Settings } from '../config/settings.ts';
import { isEnding } from '../connections/access-files.ts';
import { AccessFileError, Secret } from '../connections/secret.ts';
import type { SecretSource, TlsSettings } from '../connections/security-settings.ts';
import { TlsContext, type Validity } from '../connections/tls-context.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { accessOf } from './access-watch.ts';
import { type Finding, finding } from './doctor-finding.ts';

const DAY_MS = 86_400_000;
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
export function checkAccess(settings: Settings, now: EpochMs, more: readonly SecretFile[] = []): readonly Finding[] {
  const { sasl, tls: kafkaTls } = settings.kafka;
  const { tls, secrets } = accessOf(settings);
  const findings = tls.flatMap((one) => checkTls(one, now));
  if (sasl !== undefined && kafkaTls === undefined && !sasl.mechanism.startsWith('scram')) {
    const what = sasl.mechanism === 'plain' ? 'the password' : 'the token';
    findings.push(
      finding('security', 'warning', `${what} of kafka.sasl goes over the network in plain text: set kafka.tls`),
    );
  }
  findings.push(...checkRedisLogin(settings));
  for (const secret of secrets) findings.push(...checkFile(() => isReadable(secret)));
  const files = new Map([...more, ...secretFilesOf(tls, secrets)].map(({ name, path }) => [path, name]));
  for (const [path, name] of files) {
    if (!mayAllRead(path)) continue;
    const advice = 'let its user, or its group, alone read it (chmod o= and the path)';
    findings.push(finding('security', 'warning', `${name}: every user of this machine may read ${path}: ${advice}`));
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

/** false also if it cannot be determined: reading the file reports that. */
function mayAllRead(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & constants.S_IROTH) !== 0;
}

/** Traffic to these does not leave the machine. */
const LOOPBACK = /^(?:localhost|127\.[0-9.]+|::1)$/;

function checkRedisLogin({ redis }: Settings): readonly Finding[] {
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
    finding(
      'security',
      'warning',
      `the password of ${setting} goes over the network in plain text: set ${setting}.tls`,
    ),
  );
}

function checkTls(tls: TlsSettings, now: EpochMs): readonly Finding[] {
  const { setting } = tls;
  const findings = checkFile(() => {
    const { validity } = new TlsContext(tls);
    return validity === undefined ? [] : [checkEnd(`${setting}.cert`, validity, now)];
  });
  if (tls.rejectUnauthorized) return findings;
  const risk = `${setting}.rejectUnauthorized is false: anybody on the way may read and change all, passwords too`;
  return [...findings, finding('security', 'warning', `${risk}. Name the authority in ${setting}.ca instead`)];
}

function checkEnd(setting: string, validity: Validity, now: EpochMs): Finding {
  const { ends } = validity;
  const days = Math.floor((ends.getTime() - now) / DAY_MS);
  const day = ends.toISOString().slice(0, 10);
  if (days < 0) return finding('security', 'error', `${setting}: the certificate ended on ${day}: renew it`, ALERT);
  const found = `${setting}: the certificate ends on ${day}, in ${days} days`;
  if (!isEnding(validity, now)) return finding('security', 'ok', found);
  return finding('security', 'warning', `${found}, less than a tenth of its life: renew it`, ALERT);
}

function isReadable(secret: SecretSource): readonly Finding[] {
  new Secret(secret).read();
  return [];
}

/** The finding of a file that cannot be used. */
function checkFile(use: () => readonly Finding[]): readonly Finding[] {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof AccessFileError)) throw error;
    return [finding('security', 'error', error.message, ALERT)];
  }
}
