import type { Claimed, Commit, CommitAnswer, Fields, Store } from '../accumulators/store/store-port.ts';
import type { Settings } from '../config/settings.ts';
import { batchLetterOf, letterOf } from '../dead-letters/letter.ts';
import { LetterFile } from '../dead-letters/letter-file.ts';
import { LetterQueue, type LetterWriter } from '../dead-letters/letter-queue.ts';
import { LetterTopic } from '../dead-letters/letter-topic.ts';
import type { InvalidRecord, SkippedBatch } from '../unit/unit-contract.ts';
import type { Clock } from '../vocabulary/clock.ts';
import { assertNever, type DurationMs } from '../vocabulary/events.ts';
import type { WorkerLog } from '../worker/worker-contract.ts';
import { kafkaConnection } from './service-settings.ts';

export interface DeadLetters {
  readonly queue: LetterQueue;
  readonly onInvalid: (partition: number, invalid: InvalidRecord) => void;
  readonly onUndecodable: (partition: number, skipped: SkippedBatch) => void;
}

/** The queue for invalid records and undecodable batches of the service; undefined: they go nowhere. Nothing is opened before the first. */
export function deadLettersOf(settings: Settings, clock: Clock, log: WorkerLog): DeadLetters | undefined {
  const writer = writerOf(settings, clock, log);
  if (writer === undefined) return undefined;
  const queue = new LetterQueue({ writer, clock, log });
  const topics = settings.kafka.topics.map(({ name }) => name);
  return {
    queue,
    onInvalid: (partition, invalid) => {
      const { offset, timestamp } = invalid.record;
      queue.take(letterOf(invalid, { topic: topics[invalid.topic], partition, offset, timestamp }));
    },
    onUndecodable: (partition, { topic, batch }) => {
      const place = { topic: topics[topic], partition, offset: batch.from, timestamp: undefined };
      queue.take(batchLetterOf(batch, place));
    },
  };
}

function writerOf(settings: Settings, clock: Clock, log: WorkerLog): LetterWriter | undefined {
  const { deadLetter } = settings;
  switch (deadLetter.to) {
    case 'off':
      return undefined;
    case 'topic':
      return new LetterTopic(deadLetter.topic, kafkaConnection(settings, 'receval-dead-letters'), clock);
    case 'file':
      return new LetterFile({
        ...deadLetter,
        path: deadLetter.file,
        onOpenToOthers: (files) =>
          log.warn(
            { files },
            'other users may read or write files of dead letters, which may hold what users did: chmod 600',
          ),
      });
    default:
      return assertNever(deadLetter);
  }
}

/** How long a commit waits for letters. Two such waits, and the end of the queue, fit into the time that a stop may take. */
const TIMEOUT_MS: DurationMs = 1000;

/**
 * A store that sends commits only after the letters of their records were written: records below a committed offset are never
 * judged again, so a letter that was only in memory when the process was killed would be lost. All letters of a commit have been
 * taken when the commit gets here. The wait is bounded, and there is none while nothing can be written: counting comes first.
 */
export class LettersFirst implements Store {
  readonly #store: Store;
  readonly #letters: Pick<LetterQueue, 'flushed'>;

  constructor(store: Store, letters: Pick<LetterQueue, 'flushed'>) {
    this.#store = store;
    this.#letters = letters;
  }

  claim(unit: string, token: string): Promise<Claimed> {
    return this.#store.claim(unit, token);
  }

  async commit(commit: Commit): Promise<CommitAnswer> {
    await this.#letters.flushed(TIMEOUT_MS);
    return this.#store.commit(commit);
  }

  read(keys: readonly string[]): Promise<readonly Fields[]> {
    return this.#store.read(keys);
  }
}
