import { Secret } from '../../../../connections/secret.ts';
import type { SaslSettings } from '../../../../connections/security-settings.ts';
import { type AuthenticationProvider, builtInProvider } from './client.ts';
import { KafkaLoginError } from './faults.ts';
import { clientCredentials, type Tokens } from './oauth.ts';

const ADVICE = 'look where the token comes from: issuer, audience and end must be what the broker expects';

/** How a client logs in, in kafkajs' form. Secrets are read or requested again at each connection. */
interface Login {
  /** Kafka's name of the mechanism. */
  readonly mechanism: string;
  readonly authenticationProvider: AuthenticationProvider;
}

/** @throws AccessFileError if a file with a secret cannot be read */
export function loginOf(sasl: SaslSettings): Login {
  switch (sasl.mechanism) {
    case 'plain':
      return passwordLogin('PLAIN', builtInProvider('plain'), sasl);
    case 'scram-sha-256':
      return passwordLogin('SCRAM-SHA-256', builtInProvider('scram256'), sasl);
    case 'scram-sha-512':
      return passwordLogin('SCRAM-SHA-512', builtInProvider('scram512'), sasl);
    case 'oauthbearer': {
      if (!('token' in sasl)) return tokenLogin(clientCredentials(sasl));
      const token = new Secret(sasl.token);
      token.read();
      return tokenLogin(unheld(async () => token.read().trim()));
    }
    case 'msk-iam':
      return tokenLogin(unheld(mskToken(sasl.region)));
  }
}

/** The name of the mechanism on the wire. */
export function mechanismOf(sasl: SaslSettings): string {
  return sasl.mechanism === 'msk-iam' ? 'OAUTHBEARER' : sasl.mechanism.toUpperCase();
}

function passwordLogin(
  mechanism: string,
  provider: (login: { readonly username: string; readonly password: string }) => AuthenticationProvider,
  { username, password }: Extract<SaslSettings, { readonly username: string }>,
): Login {
  const secret = new Secret(password);
  secret.read();
  return {
    mechanism,
    authenticationProvider: (args) => {
      let broken: { readonly error: unknown } | undefined;
      const saslAuthenticate: typeof args.saslAuthenticate = async (request) => {
        try {
          return await args.saslAuthenticate(request);
        } catch (error) {
          if (!isRefusal(error)) broken = { error };
          throw error;
        }
      };
      return {
        authenticate: async () => {
          try {
            await provider({ username, password: secret.read() })({ ...args, saslAuthenticate }).authenticate();
          } catch (error) {
            // kafkajs would report a connection that breaks meanwhile as a refusal.
            throw broken === undefined ? error : broken.error;
          }
        },
      };
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'SASL_AUTHENTICATION_FAILED';
}

/**
 * The login with a token (RFC 7628). kafkajs has this mechanism too, but ignores the response: a refused token would look like a broken
 * connection.
 */
function tokenLogin(tokens: Tokens): Login {
  return {
    mechanism: 'OAUTHBEARER',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const value = await tokens.token();
        if (!/^[\x21-\x7e]+$/.test(value)) {
          throw new KafkaLoginError(
            'the token contains blanks or characters that are not allowed',
            'look where it comes from',
          );
        }
        const request = { encode: () => sized(`n,,\u0001auth=Bearer ${value}\u0001\u0001`) };
        const refused = await asked(() =>
          saslAuthenticate({ request, response: { decode: (raw) => Buffer.from(raw.subarray(4)), parse: statusOf } }),
        );
        if (refused === undefined) return;
        tokens.refused();
        // The broker waits for this before it closes the connection (RFC 7628, section 3.2.3).
        await asked(() => saslAuthenticate({ request: { encode: () => sized('\u0001') } }));
        throw new KafkaLoginError(refused, ADVICE);
      },
    }),
  };
}

/** Tokens that are not kept: a new one for each connection. */
function unheld(token: () => Promise<string>): Tokens {
  return { token, refused: () => {} };
}

/** Performs a login step. Returns why the token was refused; undefined: it was not. */
async function asked(ask: () => Promise<unknown>): Promise<string | undefined> {
  try {
    const refused = await ask();
    return typeof refused === 'string' ? refused : undefined;
  } catch (error) {
    if (isRefusal(error)) return error instanceof Error ? error.message : 'refused';
    throw error;
  }
}

/** The status in the broker's response to a token that it refuses: {"status": "invalid_token"}. */
function statusOf(answer: Buffer): string | undefined {
  if (answer.length === 0) return undefined;
  const status = /"status"\s*:\s*"([\w .-]{1,80})"/.exec(answer.toString('utf8'))?.[1];
  return `the broker refused the token (${status ?? 'without a reason'})`;
}

function sized(text: string): Buffer {
  const bytes = Buffer.alloc(4 + Buffer.byteLength(text));
  bytes.writeInt32BE(bytes.length - 4, 0);
  bytes.write(text, 4);
  return bytes;
}

const SIGNER = 'aws-msk-iam-sasl-signer-js';

/**
 * Tokens of Amazon MSK for the AWS identity of this process. One is created for each connection because they expire after 15 minutes.
 * Amazon's library that signs them is loaded on demand, as few users need it.
 * @param load imports a package by name
 */
export function mskToken(
  region: string,
  load: (name: string) => Promise<unknown> = (name) => import(name),
): () => Promise<string> {
  return async () => {
    let generate: unknown;
    try {
      const signer = await load(SIGNER);
      generate = typeof signer === 'object' && signer !== null ? Reflect.get(signer, 'generateAuthToken') : undefined;
    } catch {
      generate = undefined;
    }
    if (typeof generate !== 'function') {
      throw new KafkaLoginError(
        `the mechanism msk-iam needs the package ${SIGNER}, which cannot be loaded`,
        `install it beside receval: npm install ${SIGNER}`,
      );
    }
    let made: unknown;
    try {
      made = await Reflect.apply(generate, undefined, [{ region }]);
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown';
      throw new KafkaLoginError(
        `AWS gives no credentials for msk-iam (${reason})`,
        'give this process a role (IRSA, instance or task role), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      );
    }
    const token: unknown = typeof made === 'object' && made !== null ? Reflect.get(made, 'token') : undefined;
    if (typeof token === 'string') return token;
    throw new KafkaLoginError(`${SIGNER} gave no token`, 'use version 1 of it');
  };
}
