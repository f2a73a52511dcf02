import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Secret } from '../connections/secret.ts';
import type { SecretSource } from '../connections/security-settings.ts';

/** Shortest time between two reads of the file. */
const READ_EVERY_MS = 1000;
/** Lifetime of the cookie. */
const SESSION_SECONDS = 7 * 86_400;

/** A browser sends the cookies of a host to all of its ports, so each port has a cookie of its own. */
export function sessionCookie(session: string, port: number): string {
  return `receval-${port}=${session}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict`;
}

/** Among the cookies of a request; undefined: there is none of this port. */
export function cookiedSession(cookies: string | undefined, port: number): string | undefined {
  return new RegExp(`(?:^|;) *receval-${port}=([0-9a-f]{64}) *(?:;|$)`).exec(cookies ?? '')?.[1];
}

/** Checks the token, as in RFC 6750. A file that holds it may change while we run. */
export class TokenGuard {
  readonly #secret: Secret;
  #digest: Buffer;
  #readAt = performance.now();

  /** @throws AccessFileError if the token cannot be read. */
  constructor(source: SecretSource) {
    this.#secret = new Secret(source);
    this.#digest = digestOf(this.#secret.read());
  }

  /** Accepts the Authorization header, or the session that a cookie holds. Takes the same time for all tokens of one length. */
  accepts(authorization: string | undefined, session?: string): boolean {
    this.#lookAtFile();
    const shown = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (shown !== undefined) return timingSafeEqual(digestOf(shown), this.#digest);
    return session !== undefined && timingSafeEqual(digestOf(session), digestOf(this.session));
  }

  /**
   * What a browser keeps instead of the token: derived from the token, so that it is invalid when the token changes, and the
   * token cannot be recovered from it.
   */
  get session(): string {
    return createHmac('sha256', this.#digest).update('receval page').digest('hex');
  }

  #lookAtFile(): void {
    if (performance.now() - this.#readAt > READ_EVERY_MS) {
      this.#readAt = performance.now();
      this.#digest = digestOf(this.#secret.read());
    }
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
