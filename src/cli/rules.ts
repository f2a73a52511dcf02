import { Command } from 'commander';
import { stringify } from 'yaml';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { readTextFile } from '../connections/text-file.ts';
import { ruleGroups } from '../metrics/rule-groups.ts';
import { type RuleOptions, USUAL_RULE_OPTIONS as USUAL } from '../metrics/rules-model.ts';
import { UsageError } from './failure.ts';
import { outputForm } from './terminal.ts';
import { writeWhole } from './whole-file.ts';

interface Flags {
  readonly config?: string;
  readonly targets?: string;
  readonly select?: string;
  readonly runbook?: string;
  readonly dashboard?: string;
  readonly format: string;
  readonly output?: string;
}

/** `receval rules generate`. */
export function rulesCommand(): Command {
  const generate = new Command('generate')
    .description('print alert rules for Prometheus, made from the configuration (docs/alerts.md)')
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--targets <n>', `targets of the job receval that must be up (default: ${USUAL.targets})`)
    .option('--select <matchers>', 'which series, if one Prometheus scrapes several receval (default: all)')
    .option('--runbook <url>', `address of the runbook, for runbook_url (default: ${USUAL.runbook})`)
    .option('--dashboard <url>', 'address of a dashboard, for dashboard_url (default: none)')
    .option(
      '--format <form>',
      `prometheus, or kubernetes for a PrometheusRule of the Prometheus Operator`,
      'prometheus',
    )
    .option('--output <file>', 'write here instead of to standard output')
    .addHelpText(
      'after',
      `
Examples:
  receval rules generate --output /etc/prometheus/rules/receval.yml
  receval rules generate --targets 3 --runbook https://wiki.example.com/receval
  receval rules generate --select 'namespace="staging"'
  receval rules generate --format kubernetes --targets 4 | kubectl apply --filename -`,
    )
    .action((flags: Flags) => {
      const settings = loadSettings({
        file: flags.config,
        readFile: readTextFile,
        env: process.env,
      });
      const options = readOptions(flags);
      const print = printerOf(flags.format);
      if (settings.detect.sets.length === 0) {
        process.stderr.write('note: no grouping set is watched (detect.sets), so there are no rules on quality\n');
      }
      if (settings.experiments.length === 0) {
        process.stderr.write('note: there are no experiments (experiments), so there are no rules on them\n');
      }
      const text = print(settings, options);
      if (flags.output === undefined) process.stdout.write(text);
      else writeWhole(flags.output, text, { flag: '--output' });
    });
  return new Command('rules').addCommand(generate);
}

type Print = (settings: Settings, options: RuleOptions) => string;

const FORMATS = ['prometheus', 'kubernetes'] as const;
const PRINTERS: Readonly<Record<(typeof FORMATS)[number], Print>> = {
  prometheus: printRules,
  kubernetes: printPrometheusRule,
};

/** The rule file. */
export function printRules(settings: Settings, options: RuleOptions): string {
  return print({ groups: ruleGroups(settings, options) });
}

/** The same rules as an object of Kubernetes. */
export function printPrometheusRule(settings: Settings, options: RuleOptions): string {
  return print({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'receval', labels: { 'app.kubernetes.io/name': 'receval' } },
    spec: { groups: ruleGroups(settings, options) },
  });
}

function print(document: object): string {
  const head = '# Made by `receval rules generate`; docs/runbook.md explains each alert. Changes here are lost.\n';
  return head + stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}

function printerOf(format: string): Print {
  return PRINTERS[outputForm(format, FORMATS, '--format')];
}

function readOptions(flags: Flags): RuleOptions {
  return {
    targets: count('--targets', flags.targets, 1) ?? USUAL.targets,
    select: matchers(flags.select),
    runbook: flags.runbook ?? USUAL.runbook,
    dashboard: flags.dashboard,
  };
}

const MATCHER = '\\s*[a-zA-Z_]\\w*\\s*(?:=|!=|=~|!~)\\s*"(?:[^"\\\\\\n]|\\\\.)*"\\s*';
const MATCHERS = new RegExp(`^${MATCHER}(?:,${MATCHER})*$`);

function matchers(text: string | undefined): string | undefined {
  if (text === undefined || MATCHERS.test(text)) return text?.trim();
  throw new UsageError(`--select: expected matchers of labels, such as namespace="staging"; found '${text}'`);
}

function count(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) throw new UsageError(`${option}: expected a whole number from ${least}; found "${text}"`);
  return value;
}
