/** The setting of where the bytes of invalid records go. */
import { z } from 'zod';
import { assertNever } from '../vocabulary/events.ts';
import type { Report } from './problems.ts';
import { file } from './security.ts';
import type { DeadLetterSettings } from './settings.ts';
import { topicName } from './topics.ts';
import { group, whole, word, wordError } from './values.ts';

const PLACES = ['off', 'topic', 'file'] as const;

const FIELDS = {
  off: [],
  topic: ['topic'],
  file: ['file', 'fileBytes', 'files'],
} as const satisfies Readonly<Record<(typeof PLACES)[number], readonly string[]>>;

const MEBIBYTE = 2 ** 20;

export const deadLetterSchema = z.union(
  [
    word(PLACES),
    group({
      to: word(PLACES).meta({ description: 'where to' }),
      topic: topicName
        .optional()
        .meta({ description: 'with to: topic; none of those that are read. Default: receval-dead-letters' }),
      file: file.optional().meta({ description: 'with to: file; one path per worker. Default: dead-letters.ndjson' }),
      fileBytes: whole(4096, MEBIBYTE ** 2)
        .optional()
        .meta({ description: 'most bytes of one file. Default: 67108864' }),
      files: whole(1, 1000).optional().meta({ description: 'most files; the oldest is deleted. Default: 5' }),
    }),
  ],
  { error: wordError(PLACES) },
);

type DeadLetterDocument = z.output<typeof deadLetterSchema>;

/** `topics`: names of the topics that are read. */
export function deadLetterOf(
  document: DeadLetterDocument,
  topics: readonly string[],
  report: Report,
): DeadLetterSettings {
  const given = typeof document === 'string' ? { to: document } : document;
  const own: readonly string[] = FIELDS[given.to];
  for (const name of Object.keys(given)) {
    if (name === 'to' || own.includes(name)) continue;
    const where = PLACES.find((place) => FIELDS[place].some((field) => field === name));
    report.add(['deadLetter', name], `goes with to: ${where}; found to: ${given.to}`);
  }
  switch (given.to) {
    case 'off':
      return { to: 'off' };
    case 'topic': {
      const { topic = 'receval-dead-letters' } = given;
      if (topics.includes(topic)) {
        const message = `expected a topic that is not read itself, or dead letters would be read again; found "${topic}"`;
        report.add(['deadLetter', 'topic'], message, ['kafka.topics']);
      }
      return { to: 'topic', topic };
    }
    case 'file': {
      const { file: path = 'dead-letters.ndjson', fileBytes = 64 * MEBIBYTE, files = 5 } = given;
      if (path === '-') {
        const message =
          'expected the path of a file, such as dead-letters.ndjson, or ./- for one of the name "-"; standard output is not one; found "-"';
        report.add(['deadLetter', 'file'], message);
      }
      return { to: 'file', file: path, fileBytes, files };
    }
    default:
      return assertNever(given.to);
  }
}
