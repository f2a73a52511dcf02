/** The settings of TLS and of logins, the same for all that we connect to. */
import { z } from 'zod';
import { anyText, group, textOf, word } from './values.ts';

export const file = textOf('the path of a file', /^[^\0\n]+$/);
/** A secret may hold anything but a line break, which would be a mistake. */
export const secret = textOf('text on one line that is not empty', /^[^\0\r\n]+$/);

const tlsGroup = group({
  ca: file.optional().meta({
    description:
      'file (PEM) with the certificates of the authorities that sign those of servers. Default: those of Node.js',
  }),
  cert: file.optional().meta({ description: 'file (PEM) with our own certificate; with key' }),
  key: file.optional().meta({ description: 'file (PEM) with its private key' }),
  passphrase: secret.optional().meta({ description: 'of an encrypted key' }),
  passphraseFile: file.optional().meta({ description: 'file that holds it, read at each connection' }),
  serverName: textOf('a host name', /^[^\s:/@]+$/)
    .optional()
    .meta({ description: 'name that the certificate of a server must hold. Default: the host that was asked' }),
  rejectUnauthorized: z
    .boolean({ error: 'expected true or false' })
    .optional()
    .meta({ description: 'false: any certificate will do, also that of somebody on the way. Default: true' }),
});

export const tlsSchema = z.union([z.boolean(), tlsGroup], {
  error: 'expected true, false or {ca, cert, key, passphraseFile, serverName, rejectUnauthorized}',
});

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer', 'msk-iam'] as const;

export const saslSchema = group({
  mechanism: word(MECHANISMS).meta({ description: 'how the brokers let clients in' }),
  username: anyText.optional().meta({ description: 'for plain and scram-sha-256, scram-sha-512' }),
  password: secret.optional().meta({ description: 'of that user; better in passwordFile' }),
  passwordFile: file.optional().meta({ description: 'file that holds it, read at each connection' }),
  token: secret.optional().meta({ description: 'for oauthbearer; better in tokenFile' }),
  tokenFile: file.optional().meta({ description: 'file that holds it, read at each connection' }),
  tokenEndpoint: textOf(
    'an address such as https://login.example.com/token (http only on this machine)',
    /^https?:\/\/\S+$/,
    isTokenEndpoint,
  )
    .optional()
    .meta({ description: 'for oauthbearer without a token: where to get one, by client credentials' }),
  clientId: anyText.optional().meta({ description: 'who asks the endpoint' }),
  clientSecret: secret.optional().meta({ description: 'its secret; better in clientSecretFile' }),
  clientSecretFile: file.optional().meta({ description: 'file that holds it, read for each token' }),
  scope: anyText.optional().meta({ description: 'what to ask the endpoint for' }),
  region: textOf('a region such as eu-central-1', /^[a-z0-9-]+$/)
    .optional()
    .meta({ description: 'of the cluster, for msk-iam' }),
});

export type TlsDocument = z.output<typeof tlsSchema>;
export type SaslDocument = z.output<typeof saslSchema>;

/** A secret goes over it, so it is never sent in plain text through a network. */
function isTokenEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}
