import type { z } from 'zod';
import { file, secret, tlsSchema } from './access.ts';
import { anyText, group, textOf } from './values.ts';

const HOST = /^(?:\[[0-9a-fA-F:]+\]|[^\s:,/?@[\]]+)(?::([0-9]{1,5}))?$/;

const EXPECTED =
  'redis://host:port, rediss://host:port, redis+sentinel://host:port,host:port/master or redis+cluster://host:port,host:port';

export const redisSchema = group({
  url: textOf(EXPECTED, /^[a-z+]+:\/\/\S+$/, isRedisUrl)
    .prefault('redis://localhost:6379')
    .meta({ description: 'where Redis is; may hold user:password@ before the host' }),
  username: anyText.optional().meta({ description: 'user, unless it stands in the address' }),
  password: secret.optional().meta({ description: 'of that user; better in passwordFile' }),
  passwordFile: file.optional().meta({ description: 'file that holds it, read at each connection' }),
  tls: tlsSchema.optional().meta({
    description:
      'connections under TLS, for all forms of the address; a group for the settings below. Default: true for rediss://, else false',
  }),
  sentinel: group({
    username: anyText.optional().meta({ description: 'user of the sentinels; they have their own' }),
    password: secret.optional().meta({ description: 'of that user; better in passwordFile' }),
    passwordFile: file.optional().meta({ description: 'file that holds it, read at each connection' }),
    tls: tlsSchema
      .optional()
      .meta({ description: 'TLS to the sentinels; a group for the settings below. Default: as redis.tls' }),
  })
    .optional()
    .meta({ description: 'how to log in to the sentinels of redis+sentinel://. Default: without a user' }),
});

export type RedisDocument = z.output<typeof redisSchema>;

/** A password may hold any sign, so the hosts begin behind the last @. */
function isRedisUrl(url: string): boolean {
  const [scheme] = url.split('://', 1);
  const rest = url.slice(scheme.length + 3);
  const [hosts, ...path] = rest.slice(rest.lastIndexOf('@') + 1).split('/');
  const tail = path.join('/');
  const list = hosts.split(',');
  if (!list.every(isHost)) return false;
  switch (scheme) {
    case 'redis':
    case 'rediss':
      return list.length === 1 && /^[0-9]*$/.test(tail);
    case 'redis+sentinel':
      return /^[^\s/?{}]+$/.test(tail);
    case 'redis+cluster':
      return tail === '';
    default:
      return false;
  }
}

function isHost(text: string): boolean {
  const match = HOST.exec(text);
  return match !== null && (match[1] === undefined || (Number(match[1]) >= 1 && Number(match[1]) <= 65_535));
}
