/** The files that settings name, read when a command starts: the item file, and lists of what is left out. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { mustBeTextFile } from '../connections/text-file.ts';
import { listedFiles, withListed } from '../consumers/decode/exclusion.ts';
import { readBytes } from '../consumers/source/files/lines.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import { withCatalogue } from './catalogue-file.ts';
import { ConfigError } from './problems.ts';
import type { EventForm, Settings } from './settings.ts';

const MOST_VALUES = 1_000_000;
const LONGEST_VALUE = 1000;

/** Rejects with a ConfigError that names the file which cannot be read, or holds too much. */
export async function withFiles(settings: Settings): Promise<Settings> {
  const { inputs, kafka } = settings;
  const forms: readonly EventForm[] = [...Object.values(inputs), ...kafka.topics];
  const lists = new Map<string, ReadonlySet<string>>();
  for (const file of new Set(forms.flatMap(({ drop }) => listedFiles(drop)))) lists.set(file, await readList(file));
  if (lists.size === 0) return await withCatalogue(settings);
  const filled = <Form extends EventForm>(form: Form): Form => {
    return { ...form, drop: withListed(form.drop, (file) => lists.get(file)) };
  };
  const { impressions, feedback, events } = inputs;
  return await withCatalogue({
    ...settings,
    inputs: { impressions: filled(impressions), feedback: filled(feedback), events: filled(events) },
    kafka: { ...kafka, topics: kafka.topics.map(filled) },
  });
}

/** One value a line, without blanks around it; plain or compressed. */
export async function readList(file: string): Promise<ReadonlySet<string>> {
  const values = new Set<string>();
  try {
    mustBeTextFile(file);
    const bytes = Readable.from(readBytes(file, { bytes: 0 }));
    for await (const line of createInterface({ input: bytes, crlfDelay: Number.POSITIVE_INFINITY })) {
      const value = line.replace(/^\ufeff/, '').trim();
      if (value.length > LONGEST_VALUE) throw new Error(`a line of more than ${LONGEST_VALUE} characters`);
      if (value !== '') values.add(value);
      if (values.size > MOST_VALUES) throw new Error(`more than ${MOST_VALUES} values`);
    }
  } catch (error) {
    const reason = messageOf(error);
    const message = reason.startsWith('cannot read') ? reason : `cannot read ${file}: ${reason}`;
    throw new ConfigError([{ path: 'drop', message }]);
  }
  if (values.size === 0) throw new ConfigError([{ path: 'drop', message: `${file} holds no value` }]);
  return values;
}
