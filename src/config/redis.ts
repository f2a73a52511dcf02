import type { z } from 'zod';
import { file, secret, tlsSchema } from './access.ts';
import { anyText, group, textOf } from './values.ts';

const HOST = /^(?:\[[0-9a-fA-F:]+\]|[^\s:,/?@[\]]+)(?::([0-9]{1,5}))?$/;

const EXPECTED =
  'redis://host:port, rediss://host:port, redis+sentinel://host:port,host:port/master or redis+cluster://host:port,host:port';

export const redisSchema = group({
  url: textOf(EXPECTED, /^[a-z+]+:\/\/\S+$/, isRedisUrl).prefault('redis://localhost:6379'),
  username: anyText.optional(),
  password: secret.optional(),
  passwordFile: file.optional(),
  tls: tlsSchema.optional(),
  sentinel: group({
    username: anyText.optional(),
    password: secret.optional(),
    passwordFile: file.optional(),
    tls: tlsSchema.optional(),
  }).optional(),
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
