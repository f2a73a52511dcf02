/** What goes unnoticed as long as one address of Redis responds: that others do not, and that no password is required. */
import { RedisAccess } from '../accumulators/store/redis-clients.ts';
import { addressText, parseRedisUrl, type RedisTarget } from '../accumulators/store/redis-url.ts';
import type { Settings } from '../config/settings.ts';
import { replyToPing } from '../connections/port-protocol.ts';
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
  if (target.kind === 'sentinel') {
    const mayBeOpen = (target.password ?? password) === undefined && access.tls?.settings.cert === undefined;
    return others.length > 0 && mayBeOpen ? [noPassword(`the primary ${target.master}`)] : [];
  }
  const tls = asStranger(access.tls);
  const answers = await Promise.all(others.map(({ host, port }) => replyToPing(host, port, tls, TIMEOUT_MS)));
  const open = others.filter((_, i) => answers[i] === '+PONG').map(addressText);
  return open.length === 0 ? [] : [noPassword(`Redis at ${open.join(', ')}`)];
}

function noPassword(where: string): Finding {
  return finding(
    'security',
    'warning',
    `${where} asks for no password: whoever can connect to it may read, change and delete all that is stored. ` +
      'Set one, and redis.username and redis.passwordFile',
  );
}

/** Without our certificate, which may be what the server knows us by. */
function asStranger(tls: TlsContext | undefined): TlsContext | undefined {
  if (tls === undefined) return undefined;
  return new TlsContext({ ...tls.settings, cert: undefined, key: undefined, passphrase: undefined });
}
