import type { DurationMs } from '../vocabulary/events.ts';
import { Secret } from './secret.ts';
import type { SecretSource, TlsSettings } from './security-settings.ts';
import { TlsContext, type Validity } from './tls.ts';

/** The state of the files of one setting. */
export interface AccessState {
  /** Path of the setting: `kafka.tls`, `redis.passwordFile`. */
  readonly setting: string;
  /** Why the files cannot be used, so that their last good content is in use; undefined: they can. Contains no secret. */
  readonly problem: string | undefined;
  /** Validity of our own certificate in use; undefined: we have none. */
  readonly validity: Validity | undefined;
  /** Validity of the last certificate of our `ca`; undefined: we have none, or any server is accepted. */
  readonly caValidity?: Validity | undefined;
}

/** The files with which clients authenticate. A client reads them again when it connects; `look` checks them in between. */
export class AccessFiles {
  readonly #contexts: readonly TlsContext[];
  readonly #secrets: readonly { readonly setting: string; readonly secret: Secret }[];

  /** Secrets that are not files are skipped. @throws AccessFileError */
  constructor(tls: readonly TlsSettings[], secrets: readonly SecretSource[]) {
    this.#contexts = tls
      .filter(({ ca, cert, key, passphrase }) => [ca, cert, key, passphrase].some((file) => file !== undefined))
      .map((settings) => new TlsContext(settings));
    this.#secrets = secrets.flatMap((source) =>
      source.kind === 'text' ? [] : [{ setting: source.setting, secret: new Secret(source) }],
    );
    for (const { secret } of this.#secrets) secret.read();
  }

  /** Reads all files. Never throws. */
  look(): readonly AccessState[] {
    return [
      ...this.#contexts.map((tls): AccessState => {
        void tls.context;
        const { setting, rejectUnauthorized } = tls.settings;
        const caValidity = rejectUnauthorized ? tls.caValidity : undefined;
        return { setting, problem: tls.problem, validity: tls.validity, caValidity };
      }),
      ...this.#secrets.map(({ setting, secret }): AccessState => {
        secret.read();
        return { setting, problem: secret.problem, validity: undefined };
      }),
    ];
  }
}

/**
 * Share of the lifetime before the end at which a certificate is reported. Certificates are renewed earlier: automatic renewal leaves a
 * third of their lifetime.
 */
export const LAST_SHARE = 0.1;

/** Upper limit of that time. An authority may live for ten years, and nobody renews it a year before its end. */
export const LONGEST_NOTICE_MS: DurationMs = 90 * 86_400_000;

/**
 * Whether less than a tenth of its lifetime is left, and less than 90 days, or none.
 * @param now ms since 1970
 */
export function isEnding({ begins, ends }: Validity, now: number): boolean {
  return ends.getTime() - now < Math.min(LONGEST_NOTICE_MS, LAST_SHARE * (ends.getTime() - begins.getTime()));
}
