/** What the client of Redis does not tell, as it is served: that other addresses do not answer, and that anybody is served. */
import { RedisAccess } from '../accumulators/store/redis-clients.ts';
import type { StoreFinding } from '../accumulators/store/redis-findings.ts';
import { addressText, parseRedisUrl, type RedisTarget } from '../accumulators/store/redis-url.ts';
import type { Settings } from '../config/settings.ts';
import { answerToPing } from '../connections/spoken.ts';
import { TlsContext } from '../connections/tls.ts';
import { LOOPBACK } from './doctor-access.ts';
import { type Finding, finding } from './doctor-finding.ts';

const TIMEOUT_MS = 3000;

/** Asks each address of redis.url for itself, where one of them serves us. Sends no secret. */
export async function lookAtAddresses(redis: Settings['redis']): Promise<readonly Finding[]> {
  const target = parseRedisUrl(redis.url);
  const access = new RedisAccess(target, redis);
  return [
    ...(target.kind === 'server' ? [] : await checkEach(target, access)),
    ...(await checkPassword(target, access, redis)),
  ];
}

type SeveralAddresses = Exclude<RedisTarget, { readonly kind: 'server' }>;

async function checkEach(target: SeveralAddresses, access: RedisAccess): Promise<readonly Finding[]> {
  const tls = target.kind === 'sentinel' ? access.sentinelTls : access.tls;
  const answers = await Promise.all(
    target.addresses.map(async ({ host, port }) => (await answerToPing(host, port, tls, TIMEOUT_MS)) !== undefined),
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
      : [finding('redis', 'ok', `${name}${several ? 's' : ''} ${reached.join(', ')} answer${several ? '' : 's'}`)]),
    ...silent.map((address) =>
      finding('redis', 'warning', `${name} ${address} does not answer: ${without}. Start it, or correct redis.url`),
    ),
  ];
}

/** Where only this machine connects, there may be none. */
async function checkPassword(
  target: RedisTarget,
  access: RedisAccess,
  { password }: Settings['redis'],
): Promise<readonly Finding[]> {
  const addresses = target.kind === 'server' ? [target.address] : target.addresses;
  const others = addresses.filter(({ host }) => !LOOPBACK.test(host));
  const open: string[] = [];
  if (target.kind === 'sentinel') {
    const mayBeOpen = (target.password ?? password) === undefined && access.tls?.settings.cert === undefined;
    if (others.length > 0 && mayBeOpen) open.push(`the primary ${target.master}`);
  } else {
    const tls = asStranger(access.tls);
    for (const address of others) {
      const answer = await answerToPing(address.host, address.port, tls, TIMEOUT_MS);
      if (answer === '+PONG') open.push(`Redis at ${addressText(address)}`);
    }
  }
  return open.map((where) =>
    finding(
      'security',
      'warning',
      `${where} asks for no password: whoever can connect to it may read, change and delete all that is stored. ` +
        'Set one, and redis.username and redis.passwordFile',
    ),
  );
}

/** Without our certificate, which may be what the server knows us by. */
function asStranger(tls: TlsContext | undefined): TlsContext | undefined {
  if (tls === undefined) return undefined;
  return new TlsContext({ ...tls.settings, cert: undefined, key: undefined, passphrase: undefined });
}

/** Findings on each primary, and on the store as a whole; what is found alike is told once. */
export function ofPrimaries(findings: readonly StoreFinding[]): readonly Finding[] {
  const alike = new Map<string, StoreFinding[]>();
  for (const one of findings) {
    const key = JSON.stringify([one.check, one.level, one.message]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  return [...alike.values()].map((same) => {
    const { check, level, message, alert } = same[0];
    const asked = findings.filter((one) => one.check === check).length;
    const which = same.length === asked ? '' : `${same.length} of ${asked} primaries: `;
    return finding(`redis ${check}`, level, `${which}${message}`, alert);
  });
}
