import { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import { withFiles } from '../config/named-files.ts';
import { readTextFile } from '../connections/text-file.ts';
import type { CheckResult } from '../service/check-result.ts';
import { diagnose } from '../service/doctor.ts';
import type { SecretFile } from '../service/doctor-access.ts';
import { outputForm } from './terminal.ts';

interface Flags {
  readonly config?: string;
  readonly output: string;
}

const OUTPUTS = ['text', 'json'] as const;
const LEVEL_WIDTH = 'warning'.length + 2;

/** `receval doctor`: exit code 1 when something must change. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--output <form>', 'text, or json', 'text')
    .action((flags: Flags) => doctor(flags));
}

async function doctor(flags: Flags): Promise<void> {
  const output = outputForm(flags.output, OUTPUTS);
  const settings = await withFiles(
    loadSettings({
      file: flags.config,
      readFile: readTextFile,
      env: process.env,
    }),
  );
  const findings: CheckResult[] = [];
  const isText = output === 'text';
  await diagnose(settings, {
    now: () => Date.now(),
    secretFiles: filesOfVariables(process.env),
    report: (found) => {
      findings.push(found);
      if (isText) process.stdout.write(line(found));
    },
  });
  const of = (level: CheckResult['level']): number => findings.filter((found) => found.level === level).length;
  const counts = { ok: of('ok'), warnings: of('warning'), errors: of('error') };
  process.stdout.write(
    isText
      ? `\n${counts.ok} ok, ${plural(counts.warnings, 'warning')}, ${plural(counts.errors, 'error')}\n`
      : `${JSON.stringify({ ...counts, findings }, null, 1)}\n`,
  );
  if (counts.errors > 0) process.exitCode = 1;
}

/** Files of variables that hold a secret; the address of Redis, with its password, is one of these. */
function filesOfVariables(env: Readonly<Record<string, string | undefined>>): readonly SecretFile[] {
  return Object.entries(env).flatMap(([name, path]) =>
    path !== undefined && /^RECEVAL_.*(?:URL|PASSWORD|PASSPHRASE|TOKEN|SECRET)_FILE$/.test(name)
      ? [{ name, path }]
      : [],
  );
}

function line({ level, check, message, alert }: CheckResult): string {
  const raised = alert === undefined ? '' : `\nalert: ${alert} (docs/runbook.md)`;
  return `${level.padEnd(LEVEL_WIDTH)}${check}: ${(message + raised).replaceAll('\n', `\n${' '.repeat(LEVEL_WIDTH)}`)}\n`;
}

function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}
