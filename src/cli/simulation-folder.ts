import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Expectation, expectation, type Plan } from '../simulate/expectation.ts';
import type { Traffic } from '../simulate/traffic.ts';
import { WholeFile } from './whole-file.ts';

export const IMPRESSIONS_FILE = 'impressions.ndjson.gz';
export const FEEDBACK_FILE = 'feedback.ndjson.gz';
export const PLAN_FILE = 'simulation.json';
const FILES = [IMPRESSIONS_FILE, FEEDBACK_FILE, PLAN_FILE] as const;

/** The content of simulation.json: the plan, and what a worker should count. */
export type Simulation = Plan & { readonly expected: Expectation };

/** Names of our files that already exist in the folder. */
export async function filesInTheWay(folder: string): Promise<readonly string[]> {
  const found = await Promise.all(
    FILES.map((file) =>
      access(join(folder, file)).then(
        () => [file],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/**
 * Writes both logs, one record a line in the order of arrival, then simulation.json. The files get their names when
 * they are complete: an interrupted run leaves none. Holds as much as the streams buffer.
 * @param progress called with the number of records written, every few thousand
 * @throws Error that names the file
 */
export async function writeFolder(
  folder: string,
  traffic: Traffic,
  progress: (records: number) => void,
): Promise<Simulation> {
  const logs = {
    impressions: new CompressedLog(join(folder, IMPRESSIONS_FILE)),
    feedback: new CompressedLog(join(folder, FEEDBACK_FILE)),
  };
  const plan = new WholeFile(join(folder, PLAN_FILE));
  try {
    let records = 0;
    for (const { topic, value } of traffic) {
      if (logs[topic].add(value)) await logs[topic].flush();
      if (++records % 4096 === 0) {
        progress(records);
        await new Promise(setImmediate);
      }
    }
    await Promise.all([logs.impressions.end(), logs.feedback.end()]);
    progress(records);
    const simulation = { ...traffic.plan, expected: expectation(traffic.plan) };
    plan.write(`${JSON.stringify(simulation, null, 2)}\n`);
    for (const file of [plan, logs.impressions.file, logs.feedback.file]) file.end();
    return simulation;
  } finally {
    plan.drop();
    await Promise.all([logs.impressions.discard(), logs.feedback.discard()]);
  }
}

const CHUNK = 1 << 17;

/** A gzip file of lines. */
class CompressedLog {
  readonly file: WholeFile;
  readonly #gzip = createGzip({ level: 4 });
  readonly #written: Promise<void>;
  #lines: string[] = [];
  #size = 0;

  constructor(path: string) {
    this.file = new WholeFile(path);
    this.#written = pipeline(this.#gzip, async (chunks) => {
      for await (const chunk of chunks) this.file.write(chunk);
    });
    // `end` reports the failure; until then it must not count as unhandled.
    this.#written.catch(() => {});
  }

  /** Returns whether it is time to flush. */
  add(line: string): boolean {
    this.#lines.push(line);
    this.#size += line.length + 1;
    return this.#size >= CHUNK;
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const text = `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    this.#size = 0;
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, 'drain'), this.#written]);
  }

  /** All is written; the file has no name yet. */
  async end(): Promise<void> {
    await this.flush();
    this.#gzip.end();
    await this.#written;
  }

  /** Nothing happens after the end of the file. */
  async discard(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => {});
    this.file.drop();
  }
}
