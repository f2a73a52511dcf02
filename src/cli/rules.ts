import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { stringify } from 'yaml';
import { loadSettings } from '../config/load.ts';
import type { Settings, Span } from '../config/settings.ts';
import { parseDuration } from '../durations.ts';
import type { Measure } from '../measures/family.ts';
import { parseMeasure } from '../measures/name.ts';
import { MeasureError } from '../measures/scan.ts';
import { ruleGroups } from '../metrics/rules.ts';
import { type RuleOptions, USUAL_RULE_OPTIONS as USUAL } from '../metrics/rules-model.ts';
import { isWatchable, watchedMeasure } from '../metrics/rules-quality.ts';
import { suggestion } from '../spelling.ts';
import { fileProblem, UsageError } from './failure.ts';

interface Flags {
  readonly config?: string;
  readonly past?: string;
  readonly offset?: string;
  readonly share?: string;
  readonly for?: string;
  readonly interval?: string;
  readonly minImpressions?: string;
  readonly minPositives?: string;
  readonly measure?: string;
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
    .option('--measure <name>', 'measure that is compared with its past (default: primary of the experiment "default")')
    .option('--past <duration>', `past that it is compared with (default: ${USUAL.past.text})`)
    .option('--offset <duration>', 'the past ends this long ago (default: the shortest window)')
    .option('--share <x>', `alert on a fall by more than this share of the past (default: ${USUAL.share})`)
    .option('--for <duration>', `how long the fall must last (default: ${USUAL.hold.text})`)
    .option('--interval <duration>', `how often they are compared (default: ${USUAL.interval.text})`)
    .option('--min-impressions <n>', `ignore windows with fewer (default: ${USUAL.minImpressions})`)
    .option('--min-positives <n>', `ignore windows with fewer (default: ${USUAL.minPositives})`)
    .option('--targets <n>', `targets of the job receval that must answer (default: ${USUAL.targets})`)
    .option('--runbook <url>', `address of the runbook, for runbook_url (default: ${USUAL.runbook})`)
    .option('--dashboard <url>', 'address of a dashboard, for dashboard_url (default: none)')
    .option('--output <file>', 'write here instead of to standard output')
    .addHelpText(
      'after',
      `
Examples:
  receval rules generate --output /etc/prometheus/rules/receval.yml
  receval rules generate --share 0.2 --past 7d --targets 3`,
    )
    .action((flags: Flags) => {
      const settings = loadSettings({
        file: flags.config,
        readFile: (path) => readFileSync(path, 'utf8'),
        env: process.env,
      });
      const options = readOptions(flags, settings);
      const note = noteOn(settings, options);
      if (note !== undefined) process.stderr.write(`note: ${note}\n`);
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

/** What the user would not expect of the rule on quality. */
function noteOn(settings: Settings, options: RuleOptions): string | undefined {
  const watched = watchedMeasure(settings, options);
  if (watched === undefined) return 'a fall of none of the measures is a loss, so there is no rule on quality';
  const primary = settings.experiments.find(({ name }) => name === 'default')?.primary;
  if (options.measure !== undefined || primary === undefined || primary === watched.canonical) return undefined;
  return `a fall of ${primary} is no loss; the rule on quality compares ${watched.canonical} (--measure names another)`;
}

function readOptions(flags: Flags, settings: Settings): RuleOptions {
  return {
    past: span('--past', flags.past, { least: 1 }) ?? USUAL.past,
    offset: span('--offset', flags.offset, { least: 1 }),
    share: share(flags.share) ?? USUAL.share,
    hold: span('--for', flags.for, { least: 0 }) ?? USUAL.hold,
    interval: span('--interval', flags.interval, { least: 1 }) ?? USUAL.interval,
    minImpressions: count('--min-impressions', flags.minImpressions, 0) ?? USUAL.minImpressions,
    minPositives: count('--min-positives', flags.minPositives, 0) ?? USUAL.minPositives,
    measure: flags.measure === undefined ? undefined : measureOf(flags.measure, settings),
    targets: count('--targets', flags.targets, 1) ?? USUAL.targets,
    runbook: flags.runbook ?? USUAL.runbook,
    dashboard: flags.dashboard,
  };
}

function span(option: string, text: string | undefined, { least }: { readonly least: number }): Span | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined || ms < least) {
    throw new UsageError(
      `${option}: expected a duration${least > 0 ? ' above 0' : ''} such as 30s or 24h; found "${text}"`,
    );
  }
  return { text, ms };
}

function share(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value > 0 && value < 1))
    throw new UsageError(`--share: expected a number above 0 and below 1; found "${text}"`);
  return value;
}

function count(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) throw new UsageError(`${option}: expected a whole number from ${least}; found "${text}"`);
  return value;
}

function measureOf(text: string, settings: Settings): Measure {
  const { measures, relevantFrom } = settings;
  const names = measures.filter((measure) => isWatchable(measure, settings)).map(({ canonical }) => canonical);
  let canonical: string;
  try {
    canonical = parseMeasure(text, { relevantFrom }).canonical;
  } catch (error) {
    if (error instanceof MeasureError) throw new UsageError(`--measure: ${error.message}`);
    throw error;
  }
  const found = measures.find((measure) => measure.canonical === canonical);
  if (found === undefined) {
    throw new UsageError(
      `--measure: ${canonical} is not among the measures of the configuration${suggestion(canonical, names)}`,
    );
  }
  if (!isWatchable(found, settings)) {
    throw new UsageError(`--measure: a fall of ${canonical} is not a loss; expected one of ${names.join(', ')}`);
  }
  return found;
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
