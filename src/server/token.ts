import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Secret } from '../connections/secret.ts';
import type { SecretSource } from '../connections/security-settings.ts';

/** A file is looked at this often at most. */
const READ_EVERY_MS = 1000;
/** Among the cookies of a request. */
const SESSION = /(?:^|;) *receval=([0-9a-f]{64}) *(?:;|$)/;
/** A browser keeps it so long. */
const SESSION_SECONDS = 7 * 86_400;

export function sessionCookie(session: string): string {
  return `receval=${session}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict`;
}

/** Lets in who shows the token, as in RFC 6750. A file with it may change while we run. */
export class TokenGuard {
  readonly #secret: Secret;
  #digest: Buffer;
  #readAt = performance.now();

  /** @throws AccessFileError when there is none to begin with. */
  constructor(source: SecretSource) {
    this.#secret = new Secret(source);
    this.#digest = digestOf(this.#secret.read());
  }

  /** By the header Authorization, or by the cookie that `session` gave. Takes the same time for all tokens of one length. */
  accepts(authorization: string | undefined, cookies?: string): boolean {
    this.#lookAtFile();
    const shown = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (shown !== undefined) return timingSafeEqual(digestOf(shown), this.#digest);
    const session = SESSION.exec(cookies ?? '')?.[1];
    return session !== undefined && timingSafeEqual(digestOf(session), digestOf(this.session));
  }

  /** What a browser keeps in place of the token: made of it, so that it ends with it, and the token cannot be read from it. */
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
