/** The settings of TLS and of logins, the same for all that we connect to. */
import { z } from 'zod';
import { anyText, group, textOf, word } from './values.ts';

export const file = textOf('the path of a file', /^[^\0\n]+$/);
/** A secret may hold anything but a line break, which would be a mistake. */
export const secret = textOf('text on one line that is not empty', /^[^\0\r\n]+$/);

const tlsGroup = group({
  ca: file.optional(),
  cert: file.optional(),
  key: file.optional(),
  passphrase: secret.optional(),
  passphraseFile: file.optional(),
  serverName: textOf('a host name', /^[^\s:/@]+$/).optional(),
  rejectUnauthorized: z.boolean({ error: 'expected true or false' }).optional(),
});

export const tlsSchema = z.union([z.boolean(), tlsGroup], {
  error: 'expected true, false or {ca, cert, key, passphraseFile, serverName, rejectUnauthorized}',
});

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer', 'msk-iam'] as const;

export const saslSchema = group({
  mechanism: word(MECHANISMS),
  username: anyText.optional(),
  password: secret.optional(),
  passwordFile: file.optional(),
  token: secret.optional(),
  tokenFile: file.optional(),
  tokenEndpoint: textOf(
    'an address such as https://login.example.com/token (http only on this machine)',
    /^https?:\/\/\S+$/,
    isTokenEndpoint,
  ).optional(),
  clientId: anyText.optional(),
  clientSecret: secret.optional(),
  clientSecretFile: file.optional(),
  scope: anyText.optional(),
  region: textOf('a region such as eu-central-1', /^[a-z0-9-]+$/).optional(),
});

export type TlsDocument = z.output<typeof tlsSchema>;
export type SaslDocument = z.output<typeof saslSchema>;

/** A secret goes over it, so it is never sent in plain text through a network. */
function isTokenEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}
