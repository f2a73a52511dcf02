/** Watches what was checked at the start and may change afterwards: certificates and secrets, the policy of Redis, the configuration. */
import type { Settings } from '../config/settings.ts';
import { AccessFiles, type AccessState, isEnding } from '../connections/access-files.ts';
import type { SecretSource, TlsSettings } from '../connections/security-settings.ts';
import { HOUR } from '../vocabulary/durations.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { RepeatedWarning } from '../worker/repeated-warning.ts';
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

const ADVICE = 'rows may vanish silently when memory is short: set it to noeviction, also in its file';

/**
 * Reports that Redis may evict keys. A start is refused then, but the policy can change later, and shows no effect until memory
 * is short.
 */
export class EvictionWatch {
  readonly #evicting: RepeatedWarning<'redis'>;

  constructor(log: WorkerLog) {
    const message = 'maxmemory-policy of Redis is not noeviction any more';
    this.#evicting = new RepeatedWarning(log, message, 'maxmemory-policy of Redis is noeviction again', HOUR);
  }

  /** @param policy maxmemory-policy of a primary that evicts; undefined: none does */
  look(policy: string | undefined, now: EpochMs): void {
    if (policy === undefined) this.#evicting.worked('redis');
    else this.#evicting.failed('redis', '', { policy, advice: ADVICE }, now);
  }
}

const HELD = 'this process goes on with the settings of its start';
const CHANGED = `the configuration has changed: ${HELD}. Restart it to use the new ones; receval doctor shows beforehand what they change`;
const UNUSABLE = `the configuration cannot be used any more: ${HELD}, and would not start again`;
const AS_BEFORE = 'the configuration is again that of the start of this process';

/**
 * Watches the configuration of a running process. Whoever edits it must know that nothing has changed yet, and a mistake in it
 * would otherwise be noticed only at the next restart.
 */
export class SettingsWatch {
  readonly #read: () => string;
  readonly #log: WorkerLog;
  readonly #before: string;
  #reported = '';

  /** `read` returns all settings that a start would use now, as text; it throws an error that says what is wrong. */
  constructor(read: () => string, before: string, log: WorkerLog) {
    this.#read = read;
    this.#before = before;
    this.#log = log;
  }

  /** Logs what has changed since the last look. Never throws. */
  look(): void {
    let now: string;
    try {
      now = this.#read();
    } catch (error) {
      this.#report(messageOf(error), () => this.#log.warn({ error: messageOf(error) }, UNUSABLE));
      return;
    }
    if (now === this.#before) this.#report('', () => this.#log.info({}, AS_BEFORE));
    else this.#report(now, () => this.#log.warn({}, CHANGED));
  }

  #report(state: string, report: () => void): void {
    if (state === this.#reported) return;
    this.#reported = state;
    report();
  }
}
