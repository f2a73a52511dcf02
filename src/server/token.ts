import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../connections/secret.ts';
import type { SecretSource } from '../connections/security-settings.ts';

/** Shortest time between two reads of the file. */
const READ_EVERY_MS = 1000;
/** Lifetime of a session. */
const SESSION_SECONDS = 7 * 86_400;
/** A session: its end in seconds, an id, and a proof that we issued both. */
const SESSION = /^([0-9a-f]{8})-[0-9a-f]{32}-[0-9a-f]{64}$/;

/** The cookie of a session. A browser sends the cookies of a host to all of its ports, so each port has a cookie of its own. */
export function sessionCookie(session: string, port: number): string {
  return `receval-${port}=${session}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict`;
}

export function endedCookie(port: number): string {
  return `receval-${port}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`;
}

/** The session in the cookies of a request; undefined: there is none for this port. */
export function cookiedSession(cookies: string | undefined, port: number): string | undefined {
  return new RegExp(`(?:^|;) *receval-${port}=([0-9a-f-]{106}) *(?:;|$)`).exec(cookies ?? '')?.[1];
}

/** Checks the token, as in RFC 6750. A file that contains it may change while the process runs. */
export class TokenGuard {
  readonly #secret: Secret;
  #digest: Buffer;
  #readAt = performance.now();
  readonly #seconds: () => number;
  /** Sessions that were ended early, and when they would have ended. */
  readonly #ended = new Map<string, number>();

  /** @throws AccessFileError if the token cannot be read */
  constructor(source: SecretSource, now: () => number = Date.now) {
    this.#seconds = () => Math.floor(now() / 1000);
    this.#secret = new Secret(source);
    this.#digest = digestOf(this.#secret.read());
  }

  /** Whether the Authorization header, or the session from a cookie, is valid. Takes the same time for all tokens of one length. */
  accepts(authorization: string | undefined, session?: string): boolean {
    this.#lookAtFile();
    const shown = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (shown !== undefined) return timingSafeEqual(digestOf(shown), this.#digest);
    return session !== undefined && this.#goesOn(session);
  }

  /**
   * What a browser keeps instead of the token. It is signed with the token, so that it becomes invalid when the token changes, and the
   * token cannot be recovered from it. It ends after seven days, whatever the browser does.
   */
  newSession(): string {
    const until = (this.#seconds() + SESSION_SECONDS).toString(16).padStart(8, '0');
    const name = `${until}-${randomBytes(16).toString('hex')}`;
    return `${name}-${this.#proofOf(name)}`;
  }

  /** Ends a session that `accepts` would accept, for as long as this process runs. */
  end(session: string): void {
    const now = this.#seconds();
    for (const [known, until] of this.#ended) if (until <= now) this.#ended.delete(known);
    if (this.#goesOn(session)) this.#ended.set(session, untilOf(session));
  }

  #goesOn(session: string): boolean {
    const name = session.slice(0, session.lastIndexOf('-'));
    return (
      SESSION.test(session) &&
      timingSafeEqual(digestOf(session.slice(name.length + 1)), digestOf(this.#proofOf(name))) &&
      untilOf(session) > this.#seconds() &&
      !this.#ended.has(session)
    );
  }

  #proofOf(name: string): string {
    return createHmac('sha256', this.#digest).update(`receval page ${name}`).digest('hex');
  }

  #lookAtFile(): void {
    if (performance.now() - this.#readAt > READ_EVERY_MS) {
      this.#readAt = performance.now();
      this.#digest = digestOf(this.#secret.read());
    }
  }
}

function untilOf(session: string): number {
  return Number.parseInt(session.slice(0, 8), 16);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
