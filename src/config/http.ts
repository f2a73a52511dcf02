/** Who may ask what this process shows. */
import type { z } from 'zod';
import { file, secret } from './access.ts';
import type { Report } from './report.ts';
import { secretOf } from './security.ts';
import type { Settings } from './settings.ts';
import { group, list, textOf, whole } from './values.ts';

const host = textOf(
  'a host name without port, such as receval.example.com, or .example.com for all below it',
  /^\.?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/,
);

/** A name, or an IPv4 or IPv6 address. */
const ADDRESS = /^(?:[A-Za-z0-9_.-]+|(?=(?:[^:]*:){2})[0-9A-Fa-f:.]+(?:%\w+)?)$/;

export const httpSchema = group({
  host: textOf('an address to listen on, without port, such as 127.0.0.1', ADDRESS)
    .prefault('127.0.0.1')
    .meta({ description: 'address to listen on; 0.0.0.0 in a container' }),
  port: whole(0, 65_535)
    .prefault(9464)
    .meta({ description: 'port of /metrics, /healthz and /readyz; 0: any that is free' }),
  token: secret.optional().meta({
    description:
      'what a reader must show as Authorization: Bearer …, but for /healthz and /readyz. None: everybody may read',
  }),
  tokenFile: file.optional().meta({ description: 'file that holds it; may change while receval runs' }),
  allowedHosts: list(host, 'host names, such as [receval.example.com]', 1).optional().meta({
    description:
      'names by which receval may be asked; .example.com stands for all below it. Default: any, and only this machine on a loopback address',
  }),
});

export function httpOf(document: z.output<typeof httpSchema>, report: Report): Settings['http'] {
  const { host: name, port, allowedHosts } = document;
  return { host: name, port, token: secretOf(document, 'token', ['http'], report), allowedHosts };
}
