import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { stringify } from 'yaml';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { ruleGroups } from '../metrics/rules.ts';
import { type RuleOptions, USUAL_RULE_OPTIONS as USUAL } from '../metrics/rules-model.ts';
import { fileProblem, UsageError } from './failure.ts';

interface Flags {
  readonly config?: string;
  readonly targets?: string;
  readonly runbook?: string;
  readonly dashboard?: string;
  readonly output?: string;
}

/** `receval rules generate`. */
export function rulesCommand(): Command {
  const generate = new Command('generate')
    .description('print alert rules for Prometheus, made from the configuration (docs/alerts.md)')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--targets <n>', `targets of the job receval that must answer (default: ${USUAL.targets})`)
    .option('--runbook <url>', `address of the runbook, for runbook_url (default: ${USUAL.runbook})`)
    .option('--dashboard <url>', 'address of a dashboard, for dashboard_url (default: none)')
    .option('--output <file>', 'write here instead of to standard output')
    .addHelpText(
      'after',
      `
Examples:
  receval rules generate --output /etc/prometheus/rules/receval.yml
  receval rules generate --targets 3 --runbook https://wiki.example.com/receval`,
    )
    .action((flags: Flags) => {
      const settings = loadSettings({
        file: flags.config,
        readFile: (path) => readFileSync(path, 'utf8'),
        env: process.env,
      });
      const options = readOptions(flags);
      if (settings.detect.sets.length === 0) {
        process.stderr.write('note: no grouping set is watched (detect.sets), so there are no rules on quality\n');
      }
      write(printRules(settings, options), flags.output);
    });
  return new Command('rules').description('make rules for Prometheus').addCommand(generate);
}

/** The rule file. */
export function printRules(settings: Settings, options: RuleOptions): string {
  const groups = ruleGroups(settings, options);
  const head = '# Made by `receval rules generate`; docs/alerts.md explains each alert. Changes here are lost.\n';
  return head + stringify({ groups }, { lineWidth: 0, aliasDuplicateObjects: false });
}

function readOptions(flags: Flags): RuleOptions {
  return {
    targets: count('--targets', flags.targets, 1) ?? USUAL.targets,
    runbook: flags.runbook ?? USUAL.runbook,
    dashboard: flags.dashboard,
  };
}

function count(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) throw new UsageError(`${option}: expected a whole number from ${least}; found "${text}"`);
  return value;
}

function write(text: string, file: string | undefined): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Error(fileProblem(file, error).replace('cannot read', 'cannot write'), { cause: error });
  }
}
