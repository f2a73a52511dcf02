import { join } from 'node:path';
import { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import { readTextFile } from '../connections/text-file.ts';
import { DASHBOARD_NAMES, dashboardText, isDashboardName } from '../dashboards/dashboard-text.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { UsageError } from './failure.ts';
import { writeWhole } from './whole-file.ts';
import { makeFolder } from './written-file.ts';

interface Flags {
  readonly config?: string;
  readonly output?: string;
}

const NAMES = DASHBOARD_NAMES.join(', ');

/** `receval dashboards generate`. */
export function dashboardsCommand(): Command {
  const generate = new Command('generate')
    .description('print dashboards for Grafana, made from the configuration (docs/dashboards.md)')
    .argument('[name]', `which one (${NAMES}); with --output all of them if none is named`)
    .option('--config <file>', 'configuration (default: receval.yaml in this folder, if it exists)')
    .option('--output <folder>', 'write receval-<name>.json into this folder instead of to standard output')
    .addHelpText(
      'after',
      `
Examples:
  receval dashboards generate --output /var/lib/grafana/dashboards
  receval dashboards generate quality > quality.json`,
    )
    .action((name: string | undefined, flags: Flags) => generateDashboards(name, flags));
  return new Command('dashboards').addCommand(generate);
}

function generateDashboards(name: string | undefined, { config, output }: Flags): void {
  const names = name === undefined ? DASHBOARD_NAMES : [known(name)];
  const settings = loadSettings({ file: config, readFile: readTextFile, env: process.env });
  if (output !== undefined) {
    for (const one of names) write(output, `receval-${one}.json`, dashboardText(one, settings));
  } else {
    if (name === undefined) throw new UsageError(`name one of ${NAMES}, or a folder for all of them with --output`);
    for (const one of names) process.stdout.write(dashboardText(one, settings));
  }
}

function known(name: string): (typeof DASHBOARD_NAMES)[number] {
  if (isDashboardName(name)) return name;
  throw new UsageError(`there is no dashboard "${name}"${suggestion(name, DASHBOARD_NAMES)}`);
}

function write(folder: string, name: string, text: string): void {
  makeFolder(folder);
  writeWhole(join(folder, name), text);
}
