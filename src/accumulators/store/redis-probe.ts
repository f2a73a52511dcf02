import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { speaksTls } from '../../connections/speaks-tls.ts';
import type { TlsContext } from '../../connections/tls-context.ts';
import { plainText, tlsAdvice } from '../../connections/tls-faults.ts';
import type { RedisAccess } from './redis-access.ts';
import type { RedisAddress, RedisTarget } from './redis-url.ts';
import { StoreUnavailable } from './unavailable.ts';

const TIMEOUT_MS = 2000;
/** A server that does not take our certificate says so by then. */
const REFUSAL_MS = 500;

/**
 * The error of a client that could not connect, with what a look at the port by hand adds: the client says only that it
 * heard nothing. Sends no secret. Never rejects.
 */
export async function explainRedis(error: unknown, target: RedisTarget, access: RedisAccess): Promise<unknown> {
  if (!(error instanceof StoreUnavailable && error.isUnanswered)) return error;
  const tls = target.kind === 'sentinel' ? access.sentinelTls : access.tls;
  const said = await Promise.all(
    addressesOf(target).map(async ({ host, port }) => {
      if (tls !== undefined) {
        if (await speaksPlain(host, port)) return `${host}:${port} speaks without TLS: ${NO_TLS}`;
        const refused = await refusal(host, port, tls);
        return refused === undefined ? undefined : `${host}:${port}: ${refused}`;
      }
      return (await speaksTls(host, port, TIMEOUT_MS)) ? `${host}:${port} speaks TLS: ${TLS}` : undefined;
    }),
  );
  const first = said.find((text) => text !== undefined);
  return first === undefined ? error : new StoreUnavailable('TLS', `${error.message}. ${first}`, error);
}

const TLS = 'write rediss://, or set redis.tls: true';
const NO_TLS = 'write redis:// and leave redis.tls out, or name the port with TLS';

function addressesOf(target: RedisTarget): readonly RedisAddress[] {
  return target.kind === 'server' ? [target.address] : target.addresses;
}

/** Why both do not agree on TLS, and what to do: of the nodes of a cluster the client does not tell. undefined: they do. */
function refusal(host: string, port: number, tls: TlsContext): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connectTls({ host, port, ...tls.options(host) });
    let asking: NodeJS.Timeout | undefined;
    const end = (said: string | undefined): void => {
      clearTimeout(asking);
      socket.destroy();
      resolve(said);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(undefined));
    // Whether it wants a certificate of ours is told only after the handshake; what comes then is lost to who has written more.
    socket.once('secureConnect', () => {
      asking = setTimeout(() => void socket.write('PING\r\n'), REFUSAL_MS);
    });
    socket.once('data', () => end(undefined));
    socket.once('close', () => end(undefined));
    socket.on('error', (error) => {
      const advice = tlsAdvice(error, tls.settings.setting);
      end(advice === undefined ? undefined : `${plainText(error.message)}: ${advice}`);
    });
  });
}

/** Whether a PING is answered, be it by a refusal. */
function speaksPlain(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => void socket.write('PING\r\n'));
    const end = (speaks: boolean) => (): void => {
      socket.destroy();
      resolve(speaks);
    };
    socket.setTimeout(TIMEOUT_MS, end(false));
    socket.once('data', (answer) => end(/^[+-][A-Z]/.test(answer.toString('latin1')))());
    socket.once('error', end(false));
    socket.once('close', end(false));
  });
}
