/** A folder of logs that a test writes, inspects, mends with the commands that are proposed, and replays as proposed. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleFiles } from '../../src/cli/inspect.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Inspection } from '../../src/inspect/inspected.ts';
import { inspect } from '../../src/inspect/inspection.ts';
import { configurationOf } from '../../src/inspect/proposed-configuration.ts';
import { replay } from '../../src/replay/file-replay.ts';
import type { ReplayResult } from '../../src/replay/replay-result.ts';
import { MADE_AT } from './made-log.ts';

export class LogsInFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'receval-logs-'));

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  run(command: string | undefined): string {
    return execFileSync('sh', ['-c', command ?? 'false'], { cwd: this.folder, encoding: 'utf8' });
  }

  async look(...names: readonly string[]): Promise<Inspection> {
    const before = process.cwd();
    process.chdir(this.folder);
    try {
      const given = names.map((path) => ({ path, role: undefined }));
      return inspect(await sampleFiles(given, 20_000), { now: MADE_AT + 9e8, grades: new Set(), weights: undefined });
    } finally {
      process.chdir(before);
    }
  }

  /** With the configuration that is proposed. */
  async replay(inspection: Inspection): Promise<ReplayResult> {
    const { oneLog, impressions, feedback, files } = inspection;
    const written = configurationOf(inspection, { topics: undefined });
    if (written === undefined) throw new Error('no configuration is proposed');
    const settings = loadSettings({
      file: 'written',
      readFile: () => written,
      env: {},
      command: 'replay',
      reads: 'files',
    });
    const paths = (names: readonly string[] = []) =>
      [...new Set(names)].map((name) => ({ path: join(this.folder, name), defaults: new Map<string, string>() }));
    return replay({
      settings,
      inputs: oneLog
        ? { events: paths(files.map(({ name }) => name)) }
        : {
            impressions: paths(impressions?.files),
            feedback: feedback === impressions ? [] : paths(feedback?.files),
          },
      adapter: undefined,
      order: 'time',
      closeAll: true,
      newId: randomUUID,
      hashSeed: 1,
      onProgress: () => {},
    });
  }

  async mrr(inspection: Inspection): Promise<number> {
    const { rows } = await this.replay(inspection);
    return Number((rows.find(({ by }) => by.length === 0)?.measures['mrr']?.value ?? Number.NaN).toFixed(6));
  }
}

export const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

export const wrongIn = ({ findings }: Inspection): Inspection['findings'] =>
  findings.filter(({ level }) => level === 'wrong');
