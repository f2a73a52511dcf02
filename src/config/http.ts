/** The settings of who may read what this process publishes. */
import { z } from 'zod';
import type { SecretForm } from '../connections/security-settings.ts';
import type { Report } from './problems.ts';
import { file, secretOf } from './security.ts';
import type { Settings } from './settings.ts';
import { group, list, textOf, whole, word } from './values.ts';

const host = textOf(
  'a host name without port, such as receval.example.com, or .example.com for all below it',
  /^\.?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/,
);

/** A host name, or an IPv4 or IPv6 address. */
const ADDRESS = /^(?:[A-Za-z0-9_.-]+|(?=(?:[^:]*:){2})[0-9A-Fa-f:.]+(?:%\w+)?)$/;

/**
 * Long enough that nobody can guess it, and valid in a header (RFC 6750, section 2.1, allows fewer characters; 4096 fit into the
 * headers that are read).
 */
export const TOKEN: SecretForm = {
  pattern: /^[\x21-\x7e]{16,4096}$/,
  what: 'a token of 16 to 4096 ASCII letters, digits and punctuation characters, such as openssl rand -hex 32 prints',
};

export const httpSchema = group({
  host: textOf('an address to listen on, without port, such as 127.0.0.1', ADDRESS)
    .prefault('127.0.0.1')
    .meta({ description: 'address to listen on; 0.0.0.0 in a container' }),
  port: whole(0, 65_535)
    .prefault(9464)
    .meta({ description: 'port of the page, /metrics, /healthz and /readyz; 0: any that is free' }),
  token: textOf(TOKEN.what, TOKEN.pattern).optional().meta({
    description:
      'what a reader must send as Authorization: Bearer …, except for /healthz and /readyz. None: anyone may read',
  }),
  tokenFile: file.optional().meta({
    description:
      'file that contains it; may change while receval runs. While it is missing, or does not contain such a token, the last one stays',
  }),
  page: z
    .boolean({ error: 'expected true or false' })
    .prefault(true)
    .meta({ description: 'the live page at /, with /api/v1/state; read-only, protected by the token if one is set' }),
  samples: whole(0, 200).optional().meta({
    description:
      'how many lists the page and /api/v1/lists show one by one, as they closed. Kept in memory, about 10 kB each. Default: none, 50 in the demo',
  }),
  samplesIds: word(['masked', 'shown']).optional().meta({
    description:
      'how they show ids of requests and items: as a hash that only this process can compute, or as they are. Default: masked, shown in the demo',
  }),
  allowedHosts: list(host, 'host names, such as [receval.example.com]', 1).optional().meta({
    description:
      'host names that requests may use; .example.com includes all names below it. Default: any, but only this machine on a loopback address',
  }),
});

export function httpOf(document: z.output<typeof httpSchema>, report: Report): Settings['http'] {
  const { host: name, port, page, samples, samplesIds, allowedHosts } = document;
  const token = secretOf(document, 'token', ['http'], report);
  const known = token?.kind === 'file' ? { ...token, form: TOKEN } : token;
  return { host: name, port, page, samples, samplesIds, token: known, allowedHosts };
}

/** The address of a process that listens as configured, from its own machine. */
export function urlOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
