import { createHash, timingSafeEqual } from 'node:crypto';
import { Secret } from '../connections/secret.ts';
import type { SecretSource } from '../connections/settings.ts';

/** A file is looked at this often at most. */
const READ_EVERY_MS = 1000;

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

  /** Takes the same time for all tokens of one length. */
  accepts(authorization: string | undefined): boolean {
    if (performance.now() - this.#readAt > READ_EVERY_MS) {
      this.#readAt = performance.now();
      this.#digest = digestOf(this.#secret.read());
    }
    const shown = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    return shown !== undefined && timingSafeEqual(digestOf(shown), this.#digest);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
