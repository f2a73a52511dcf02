/** Checks for what goes unnoticed while one address of Redis responds: other addresses may not, and there may be no password. */
import { RedisAccess } from '../accumulators/store/redis-clients.ts';
import { addressText, parseRedisUrl, type RedisAddress, type RedisTarget } from '../accumulators/store/redis-url.ts';
import type { Settings } from '../config/settings.ts';
import { replyToPing } from '../connections/port-protocol.ts';
import { TlsContext } from '../connections/tls.ts';
import { type CheckResult, resultsOf } from './check-result.ts';
import { LOOPBACK } from './doctor-access.ts';

const REDIS = resultsOf('redis');
const SECURITY = resultsOf('security');

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
