import type { Settings } from '../config/settings.ts';
import { AccessFiles, type AccessState, isEnding } from '../connections/access-files.ts';
import type { SecretSource, TlsSettings } from '../connections/security-settings.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** A fault that persists is logged again after this time. */
const AGAIN_MS: DurationMs = 3_600_000;

/** The certificates and secrets of clients. */
interface Access {
  readonly tls: readonly TlsSettings[];
  readonly secrets: readonly SecretSource[];
}

/** All of them, each once, however many settings use it. */
export function accessOf({ http, kafka, redis }: Pick<Settings, 'http' | 'kafka' | 'redis'>): Access {
  const { sasl } = kafka;
  const tls = [kafka.tls, redis.tls, redis.sentinel.tls === redis.tls ? undefined : redis.sentinel.tls];
  const secrets: (SecretSource | undefined)[] = [http.token, redis.password, redis.sentinel.password];
  if (sasl !== undefined) {
    secrets.push('password' in sasl ? sasl.password : undefined, 'token' in sasl ? sasl.token : undefined);
    secrets.push('clientSecret' in sasl ? sasl.clientSecret : undefined);
  }
  return {
    tls: tls.filter((one) => one !== undefined),
    secrets: secrets.filter((one) => one !== undefined),
  };
}

/**
 * Watches the files with certificates and secrets. While one cannot be used, connections continue with its previous content, and
 * nobody would notice before a restart. So the fault is logged: at once, every hour, and when it is over.
 */
export class AccessWatch {
  readonly #files: AccessFiles;
  readonly #log: WorkerLog;
  /** For each setting the fault that was logged last, and when. */
  readonly #logged = new Map<string, { readonly message: string; readonly at: EpochMs }>();

  /** @throws AccessFileError */
  constructor({ tls, secrets }: Access, log: WorkerLog) {
    this.#files = new AccessFiles(tls, secrets);
    this.#log = log;
  }

  /** Never throws. */
  look(now: EpochMs): readonly AccessState[] {
    const states = this.#files.look();
    for (const state of states) this.#report(state, now);
    return states;
  }

  #report({ setting, problem, validity, caValidity }: AccessState, now: EpochMs): void {
    const ending = [
      { of: validity, message: 'our certificate ends soon, or has ended: renew it' },
      {
        of: caValidity,
        message:
          'the last certificate in our ca ends soon, or has ended, and then no server is known: put the next one into the file',
      },
    ].find(({ of }) => of !== undefined && isEnding(of, now));
    const ends = (ending?.of ?? validity)?.ends.toISOString();
    const logged = this.#logged.get(setting);
    const message =
      problem === undefined
        ? ending?.message
        : 'files that let us in cannot be used: their previous content stays in use until a restart';
    if (message === undefined) {
      if (logged !== undefined)
        this.#log.info({ setting, ends }, 'the files that let us in are as they should be again');
      this.#logged.delete(setting);
      return;
    }
    const said = `${message} ${problem}`;
    if (logged?.message === said && now - logged.at < AGAIN_MS) return;
    this.#logged.set(setting, { message: said, at: now });
    this.#log.warn({ setting, problem, ends }, message);
  }
}
