import { request as plain } from 'node:http';
import { request as encrypted } from 'node:https';
import { Secret } from '../../../../connections/secret.ts';
import type { SaslSettings } from '../../../../connections/security-settings.ts';
import { codeOf } from '../../../../vocabulary/error-text.ts';
import { kafkajs } from './client.ts';
import { KafkaLoginError } from './faults.ts';

const { KafkaJSConnectionError } = kafkajs;

const TIMEOUT_MS = 10_000;
/** Share of its lifetime after which a token is no longer used for new connections. */
const FRESH = 0.8;

type ClientCredentials = Extract<SaslSettings, { readonly tokenEndpoint: string }>;

/** A source of tokens. */
export interface Tokens {
  /** A token for one connection. */
  token(): Promise<string>;
  /** Reports that the broker has refused the last token: it may have been revoked, or the signing keys have changed. */
  refused(): void;
}

interface FormPost {
  /** An http or https address. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: URLSearchParams;
  readonly timeoutMs: number;
}

export interface FormAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Tokens by the client credentials grant (RFC 6749, section 4.4; the client logs in by HTTP Basic). A token is used for several
 * connections while it is fresh and not refused. The secret is read again for each request. Rejects with a KafkaLoginError if the
 * endpoint refuses, and with a connection error of kafkajs, which is retried, if it does not respond.
 */
export function clientCredentials({ tokenEndpoint, clientId, clientSecret, scope }: ClientCredentials): Tokens {
  const secret = new Secret(clientSecret);
  secret.read();
  let held: { readonly token: string; readonly until: number } | undefined;
  return {
    async token() {
      if (held !== undefined && performance.now() < held.until) return held.token;
      const asked = performance.now();
      const { token, life } = await request(tokenEndpoint, clientId, secret.read(), scope);
      held = { token, until: asked + FRESH * life };
      return token;
    },
    refused() {
      held = undefined;
    },
  };
}

async function request(
  endpoint: string,
  id: string,
  secret: string,
  scope: string | undefined,
): Promise<{ readonly token: string; readonly life: number }> {
  const login = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  const where = `kafka.sasl.tokenEndpoint (${new URL(endpoint).host})`;
  const { status, body } = await postForm({
    url: new URL(endpoint),
    headers: { authorization: `Basic ${login}`, accept: 'application/json' },
    form: new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) }),
    timeoutMs: TIMEOUT_MS,
  }).catch((error: unknown) => {
    throw new KafkaJSConnectionError(`${where} does not answer: ${causeOf(error)}`);
  });
  const answer = parsed(body);
  if (status >= 500 || status === 429) throw new KafkaJSConnectionError(`${where} answered ${status}`);
  const token = field(answer, 'access_token');
  if (status !== 200 || typeof token !== 'string') {
    const code = field(answer, 'error');
    // The rest of the response is not shown, because it may repeat what was sent.
    const said = typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? ` (${code})` : '';
    throw new KafkaLoginError(
      `${where} answered ${status}${said}${status === 200 ? ' without a token' : ''}`,
      'check tokenEndpoint, clientId, clientSecret and scope of kafka.sasl',
    );
  }
  const seconds = Number(field(answer, 'expires_in') ?? 60);
  return { token, life: 1000 * (Number.isFinite(seconds) ? seconds : 60) };
}

function field(answer: unknown, name: string): unknown {
  return typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'AbortError') return `nothing within ${TIMEOUT_MS / 1000} s`;
  return codeOf(error) || error.message;
}

const LONGEST = 2 ** 16;

/**
 * Sends a form and reads the response, of at most 64 KiB; redirects are not followed. It does not use `fetch`, which detaches an
 * ArrayBuffer and so slows down every typed array of the process from then on (docs/decisions/0012). Rejects with the error of the
 * connection, or after the timeout.
 */
export function postForm({ url, headers, form, timeoutMs }: FormPost): Promise<FormAnswer> {
  const body = form.toString();
  const send = url.protocol === 'https:' ? encrypted : plain;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      },
      // The connection is not kept, since the next token is needed minutes later.
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > LONGEST) request.destroy(new Error(`more than ${LONGEST} bytes came`));
        else parts.push(part);
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    request.end(body);
  });
}
