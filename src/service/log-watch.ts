import { CountFindings, keyOf, type LiveFinding, mergedFindings, type TopicHealth } from '../findings/live-findings.ts';
import { MINUTE } from '../vocabulary/durations.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';

/** Time before the first look at records, and between looks while the counts show something new. */
const SOON = MINUTE;
/** Time between looks while something looks wrong. */
const OFTEN = 10 * MINUTE;
const SELDOM = 60 * MINUTE;

interface LogWatchDeps {
  /** Returns findings in the newest records of the owned partitions. */
  readonly look: () => Promise<readonly LiveFinding[]>;
  readonly log: Pick<WorkerLog, 'info' | 'warn'>;
  /** Whether any measure needs feedback. */
  readonly needsFeedback: boolean;
}

/**
 * What looks wrong with the logs that this process reads: at once from the counts, and from the newest records, which are read a
 * minute after the start, every hour, and sooner while something looks wrong. Each finding is logged when it begins, when the
 * records show its cause, and when it is over.
 */
export class LogWatch {
  readonly #deps: LogWatchDeps;
  readonly #counts: CountFindings;
  #byRecords: readonly LiveFinding[] = [];
  /** What was logged, by key. `why`: whether the cause was logged. */
  readonly #logged = new Map<string, Pick<LiveFinding, 'code' | 'topic'> & { readonly why: boolean }>();
  #now: readonly LiveFinding[] = [];
  #since: EpochMs | undefined;
  #looked: EpochMs | undefined;
  #isLooking = false;
  #couldLook = true;
  #isNew = false;

  constructor(deps: LogWatchDeps) {
    this.#deps = deps;
    this.#counts = new CountFindings(deps.needsFeedback);
  }

  /** The present findings, in the order of the codes. */
  get findings(): readonly LiveFinding[] {
    return this.#now;
  }

  /** @param topics their present health; empty: no partition is owned */
  update(topics: readonly TopicHealth[], now: EpochMs): void {
    this.#now = mergedFindings(this.#counts.of(topics), this.#byRecords);
    this.#report();
    this.#since ??= now;
    if (topics.length > 0 && this.#isDue(now)) void this.#look(now);
  }

  #isDue(now: EpochMs): boolean {
    if (this.#isLooking) return false;
    const pause = this.#isNew || this.#looked === undefined ? SOON : this.#now.length > 0 ? OFTEN : SELDOM;
    return now - (this.#looked ?? this.#since ?? now) >= pause;
  }

  async #look(now: EpochMs): Promise<void> {
    this.#isLooking = true;
    this.#isNew = false;
    try {
      this.#byRecords = await this.#deps.look();
      this.#couldLook = true;
    } catch (error) {
      if (this.#couldLook) {
        this.#deps.log.info(
          { error: messageOf(error) },
          'the newest records could not be looked at for what is wrong with them',
        );
      }
      this.#couldLook = false;
    } finally {
      this.#looked = now;
      this.#isLooking = false;
    }
  }

  #report(): void {
    const { log } = this.#deps;
    const present = new Map(this.#now.map((one) => [keyOf(one), one]));
    for (const [key, { code, topic, cause, remedy }] of present) {
      const logged = this.#logged.get(key);
      const why = this.#byRecords.some((one) => one.code === code && one.remedy === remedy);
      if (logged !== undefined && (logged.why || !why)) continue;
      if (!why) this.#isNew = true;
      this.#logged.set(key, { code, topic, why });
      log.warn(fieldsOf({ code, topic }), `${placeOf(topic)}${cause} ${remedy}`);
    }
    for (const [key, { code, topic }] of this.#logged) {
      if (present.has(key)) continue;
      this.#logged.delete(key);
      // If nothing joins any more, few_joined is not over.
      if (code === 'few_joined' && present.has(keyOf({ code: 'nothing_joined', topic }))) continue;
      log.info(fieldsOf({ code, topic }), `${placeOf(topic)}${code} is over`);
    }
  }
}

function fieldsOf({ code, topic }: Pick<LiveFinding, 'code' | 'topic'>): object {
  return topic === undefined ? { finding: code } : { finding: code, topic };
}

function placeOf(topic: string | undefined): string {
  return topic === undefined ? '' : `${topic}: `;
}
