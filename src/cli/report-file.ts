import { createHash } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { effectiveDocument } from '../config/effective.ts';
import type { Configuration } from '../config/load.ts';
import { redact } from '../config/redact.ts';
import { stableJson } from '../output/stable-json.ts';
import type { Fact } from '../page/model.ts';
import type { ReplayFile, ReplayInputs } from '../replay/replay.ts';
import { fileProblem } from './failure.ts';
import { grouped } from './progress.ts';
import { version } from './version.ts';

/** Where `--output html` and `--report` say; undefined: neither is given. */
export function showReport(
  page: string | undefined,
  { output, report }: { readonly output: string; readonly report?: string | undefined },
): void {
  if (page === undefined) return;
  if (output === 'html') process.stdout.write(page);
  if (report === undefined) return;
  try {
    writeFileSync(report, page);
  } catch (error) {
    throw new Error(`--report: ${fileProblem(report, error, 'written')}`, { cause: error });
  }
}

/** Files and configuration that a result is of. Names without their folders: a report may be sent to others. */
export function aboutFiles(inputs: ReplayInputs, configuration: Configuration): readonly Fact[] {
  const sides =
    'events' in inputs
      ? [fileFact('events', inputs.events)]
      : [fileFact('impressions', inputs.impressions), fileFact('feedback', inputs.feedback)];
  return [...sides.filter(([, names]) => names !== ''), ...aboutService(configuration)];
}

/** The same without files. */
export function aboutService(configuration: Configuration): readonly Fact[] {
  return [...aboutReceval(), ['configuration', hashOf(redact(effectiveDocument(configuration)))]];
}

export function aboutReceval(): readonly Fact[] {
  return [['receval', version()]];
}

/** Of settings with their defaults: equal settings have equal hashes. */
export function hashOf(settings: unknown): string {
  return `sha256 ${createHash('sha256').update(stableJson(settings)).digest('hex').slice(0, 16)}`;
}

export function fileName(path: string): string {
  return path === '-' ? 'standard input' : `${basename(path)} (${grouped(statSync(path).size)} bytes)`;
}

function fileFact(side: string, files: readonly ReplayFile[]): Fact {
  const names = files.map(({ path, defaults }) => {
    const pairs = [...defaults].map(([field, value]) => `${field}=${value}`).join(', ');
    return `${fileName(path)}${pairs === '' ? '' : ` with ${pairs}`}`;
  });
  return [side, names.join('; ')];
}
