import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { stableJson } from '../output/stable-json.ts';
import type { Fact } from '../page/model.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { version } from './process.ts';
import { writeWhole } from './whole-file.ts';

/** Writes a report where `--output html` and `--report` say. @param page undefined: neither flag is given */
export function showReport(
  page: string | undefined,
  { output, report }: { readonly output: string; readonly report?: string | undefined },
): void {
  if (page === undefined) return;
  if (output === 'html') process.stdout.write(page);
  if (report !== undefined) writeWhole(report, page, { flag: '--report' });
}

export function aboutReceval(): readonly Fact[] {
  return [['receval', version()]];
}

/** Hash of the settings with their defaults. */
export function hashOf(settings: unknown): string {
  return `sha256 ${createHash('sha256').update(stableJson(settings)).digest('hex').slice(0, 16)}`;
}

export function fileName(path: string): string {
  return path === '-' ? 'standard input' : `${basename(path)} (${grouped(statSync(path).size)} bytes)`;
}
