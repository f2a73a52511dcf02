import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { Command } from 'commander';
import {
  CLEAN_FAULTS,
  type ClickSettings,
  type RegressionSettings,
  type SimulationSettings,
  settingsProblems,
  USUAL_CLICKS,
  USUAL_FAULTS,
  USUAL_SETTINGS,
  type VariantSettings,
} from '../simulate/simulation-settings.ts';
import { longestSpan, Traffic } from '../simulate/traffic.ts';
import { parseDuration } from '../vocabulary/durations.ts';
import { messageOf } from '../vocabulary/error-text.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { shellWord } from '../vocabulary/shell-word.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { readConfiguration, wholeNumber } from './cluster.ts';
import { UsageError } from './failure.ts';
import { showProgress } from './progress.ts';
import { plantedText, simulateToKafka } from './simulate-kafka.ts';
import {
  FEEDBACK_FILE,
  filesInTheWay,
  IMPRESSIONS_FILE,
  PLAN_FILE,
  type Simulation,
  writeFolder,
} from './simulation-folder.ts';
import { makeFolder } from './written-file.ts';

/** The options as commander hands them over: texts, not read yet. */
interface Flags {
  readonly to?: string;
  readonly events?: string;
  readonly seed?: string;
  readonly rate?: string;
  readonly start?: string;
  readonly users?: string;
  readonly items?: string;
  readonly window?: string;
  readonly variants?: string;
  readonly regression?: string;
  readonly model?: string;
  readonly eta?: string;
  readonly late?: string;
  readonly duplicate?: string;
  readonly orphan?: string;
  readonly malformed?: string;
  readonly outOfOrder?: string;
  readonly clockAhead?: string;
  readonly clean?: boolean;
  readonly plainItems?: boolean;
  readonly force?: boolean;
  readonly config?: string;
  readonly for?: string;
  readonly speed?: string;
  readonly createTopics?: string;
}

const KAFKA_ONLY = ['config', 'for', 'speed', 'createTopics'] as const;

export function simulateCommand(): Command {
  return new Command('simulate')
    .option('--to <place>', `a folder for ${IMPRESSIONS_FILE}, ${FEEDBACK_FILE} and ${PLAN_FILE}; or kafka`)
    .option('--events <n>', 'records of both kinds (default: 100000; to kafka: unlimited, in real time)')
    .option('--seed <n>', 'the same seed and settings give the same bytes (default: 1; to kafka: random, and printed)')
    .option('--rate <r>', 'events per second of event time (default: 20)')
    .option(
      '--start <time>',
      'event time of the first impression, ISO 8601 (default: 2025-11-03T08:00:00Z; to kafka: so that everything is over by now)',
    )
    .option('--users <n>', 'returning users (default: 5000)')
    .option('--items <n>', 'items in the catalogue (default: 1000)')
    .option(
      '--window <duration>',
      'attribution window: feedback falls within it, late records after it (default: 30m; to kafka: the longest horizon)',
    )
    .option('--variants <list>', 'name:weight:quality, ... (default: control:0.5:0.6,treatment:0.5:0.7)')
    .option('--regression <text>', 'variant@from..to:amount: this share of its lists is ranked at random in this span')
    .option('--model <name>', 'click model: position or cascade (default: position)')
    .option('--eta <x>', 'position model: rank r is examined with probability r^-x (default: 1)')
    .option('--late <p>', `share that arrives after the window (default: ${USUAL_FAULTS.late})`)
    .option('--duplicate <p>', `share that is written twice (default: ${USUAL_FAULTS.duplicate})`)
    .option('--orphan <p>', `share of requests whose impression is lost (default: ${USUAL_FAULTS.orphan})`)
    .option('--malformed <p>', `share with a broken copy beside it (default: ${USUAL_FAULTS.malformed})`)
    .option('--out-of-order <p>', `share that is overtaken by others (default: ${USUAL_FAULTS.outOfOrder})`)
    .option('--clock-ahead <p>', 'share of feedback by a clock up to 4 min ahead (default: 0; to kafka: 0.0005)')
    .option('--clean', 'no faults but --out-of-order, except those given')
    .option('--plain-items', 'items as bare ids, without scores')
    .option('--force', 'overwrite files of an earlier run')
    .option('--config <file>', 'to kafka: configuration (default: receval.yaml in this folder, if it exists)')
    .option('--for <duration>', 'to kafka, without --events: stop after this long')
    .option('--speed <x>', 'to kafka: event time passes this many times as fast, from --start up to now (default: 1)')
    .option('--create-topics <p>', 'to kafka: make topics that are missing, with this many partitions')
    .action(async (flags: Flags) => simulate(flags));
}

async function simulate(flags: Flags): Promise<void> {
  const { to } = flags;
  if (to === undefined || to === '') throw new UsageError('say where the traffic goes: --to DIR, or --to kafka');
  if (to === 'kafka') await toKafka(flags);
  else await toFolder(to, flags);
}

async function toKafka(flags: Flags): Promise<void> {
  if (flags.force === true) throw new UsageError('--force belongs to a folder');
  if (flags.events !== undefined && flags.for !== undefined) {
    throw new UsageError('--for and --events both say when it ends: give one of them');
  }
  const settings = readConfiguration(flags.config);
  const now = Date.now();
  const simulation = readSettings(flags, {
    events: Number.POSITIVE_INFINITY,
    window: settings.attribution.window.ms,
    // Nothing may lie in the future.
    start: (given) => (Number.isFinite(given.events) ? wholeSecond(now - longestSpan(given)) : now),
    clockAhead: USUAL_FAULTS.clockAhead,
    // Ids come from the seed: a start that repeated those of the one before would be read as duplicates.
    seed: randomInt(2 ** 32),
  });
  const speed = read('--speed', flags.speed, parseNumber, undefined);
  if (speed !== undefined && !(speed > 0)) throw new UsageError(`--speed must be a number above 0, not ${flags.speed}`);
  if (simulation.start > now) {
    throw new UsageError('--start is in the future: a worker drops events that are ahead of its clock');
  }
  if (speed !== undefined && speed > 1 && simulation.start === now) {
    throw new UsageError('--speed above 1 needs a --start in the past: event time cannot pass the clock');
  }
  if (flags.seed === undefined) {
    const { seed } = simulation;
    process.stderr.write(`note: the seed of this start is ${seed}; --seed ${seed} makes the same requests again\n`);
  }
  const summary = await simulateToKafka({
    settings,
    simulation,
    speed,
    duration: read('--for', flags.for, readDuration, undefined),
    createTopics: flags.createTopics === undefined ? undefined : wholeNumber('--create-topics', flags.createTopics),
    next: flags.config === undefined ? 'receval run' : `receval run --config ${shellWord(flags.config)}`,
  });
  process.stdout.write(summary);
}

function wholeSecond(time: number): number {
  return 1000 * Math.floor(time / 1000);
}

async function toFolder(folder: string, flags: Flags): Promise<void> {
  for (const name of KAFKA_ONLY) {
    if (flags[name] !== undefined) {
      throw new UsageError(`--${name.replace('T', '-t')} belongs to --to kafka (a folder of that name: ./kafka)`);
    }
  }
  const settings = readSettings(flags, {
    events: USUAL_SETTINGS.events,
    window: USUAL_SETTINGS.window,
    start: () => USUAL_SETTINGS.start,
    clockAhead: 0,
    seed: USUAL_SETTINGS.seed,
  });
  if (!Number.isFinite(settings.events)) throw new UsageError('events must be a whole number from 1');
  const inTheWay = await filesInTheWay(folder);
  if (inTheWay.length > 0 && flags.force !== true) {
    throw new UsageError(
      `${folder} holds ${inTheWay.join(', ')} already; take another folder, or overwrite with --force`,
    );
  }
  if (settings.faults.clockAhead > 0) {
    process.stderr.write(
      'note: a file keeps no arrival times, so clocks ahead will make other feedback late in a replay\n',
    );
  }
  makeFolder(folder);
  const progress = showProgress(process.stderr, settings.events);
  let simulation: Simulation;
  try {
    simulation = await writeFolder(folder, new Traffic(settings), (records) => progress.update(records, records));
  } catch (error) {
    throw new Error(`could not write to ${folder}: ${messageOf(error)}`, { cause: error });
  } finally {
    progress.stop();
  }
  process.stdout.write(summary(folder, simulation));
}

/** What is usual where the traffic goes. */
interface Usual {
  readonly events: number;
  readonly window: DurationMs;
  readonly start: (given: Pick<SimulationSettings, 'events' | 'rate' | 'window'>) => EpochMs;
  readonly clockAhead: number;
  readonly seed: number;
}

function readSettings(flags: Flags, target: Usual): SimulationSettings {
  const usual = USUAL_SETTINGS;
  const events = read('--events', flags.events, parseNumber, target.events);
  const eventRate = read('--rate', flags.rate, parseNumber, usual.rate);
  const window = read('--window', flags.window, readDuration, target.window);
  const start = read('--start', flags.start, parseTime, target.start({ events, rate: eventRate, window }));
  const faults = flags.clean === true ? CLEAN_FAULTS : { ...USUAL_FAULTS, clockAhead: target.clockAhead };
  const rate = (name: string, text: string | undefined, fallback: number): number =>
    read(`--${name}`, text, parseNumber, fallback);
  const settings: SimulationSettings = {
    seed: read('--seed', flags.seed, parseNumber, target.seed),
    events,
    rate: eventRate,
    start,
    users: read('--users', flags.users, parseNumber, usual.users),
    items: read('--items', flags.items, parseNumber, usual.items),
    window,
    variants: read('--variants', flags.variants, parseVariants, usual.variants),
    regression: read('--regression', flags.regression, (text) => parseRegression(text, start), undefined),
    clicks: readClicks(flags),
    faults: {
      late: rate('late', flags.late, faults.late),
      duplicate: rate('duplicate', flags.duplicate, faults.duplicate),
      orphan: rate('orphan', flags.orphan, faults.orphan),
      malformed: rate('malformed', flags.malformed, faults.malformed),
      outOfOrder: rate('out-of-order', flags.outOfOrder, faults.outOfOrder),
      clockAhead: rate('clock-ahead', flags.clockAhead, faults.clockAhead),
    },
    plainItems: flags.plainItems === true,
  };
  const problems = settingsProblems(settings);
  if (problems.length > 0) throw new UsageError(problems.join('; '));
  return settings;
}

function readClicks(flags: Flags): ClickSettings {
  const model = flags.model ?? 'position';
  if (model === 'position') {
    return { model, eta: read('--eta', flags.eta, parseNumber, USUAL_CLICKS.position.eta) };
  }
  if (model !== 'cascade') {
    throw new UsageError(`--model: no click model "${model}"${suggestion(model, ['position', 'cascade'])}`);
  }
  if (flags.eta !== undefined) throw new UsageError('--eta belongs to --model position');
  return USUAL_CLICKS.cascade;
}

/** @throws UsageError that names the option */
function read<T>(option: string, text: string | undefined, parse: (text: string) => T, fallback: T): T {
  if (text === undefined) return fallback;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof NotationError) throw new UsageError(`${option}: ${error.message}`);
    throw error;
  }
}

function summary(
  folder: string,
  { start, lastArrival, window, records, planted, regression, variants }: Simulation,
): string {
  const impressions = join(folder, IMPRESSIONS_FILE);
  const feedback = join(folder, FEEDBACK_FILE);
  const lines = [
    `${grouped(records.impressions).padStart(12)} impressions  ${impressions}`,
    `${grouped(records.feedback).padStart(12)} feedback     ${feedback}`,
    `              the truth    ${join(folder, PLAN_FILE)}`,
    '',
    `from        ${iso(start)} to ${iso(lastArrival ?? start)}`,
    `variants    ${variants.map(({ name, weight, quality }) => `${name} (weight ${weight}, quality ${quality})`).join(', ')}`,
  ];
  if (regression !== null) {
    const { variant, from, to, share } = regression;
    lines.push(`regression  ${variant}: ${share * 100} % of its lists at random from ${iso(from)} to ${iso(to)}`);
  }
  lines.push(`planted     ${plantedText(planted)}`, '');
  if (window !== USUAL_SETTINGS.window) {
    lines.push(`The attribution window is ${window / 1000}s: set attribution.horizons in receval.yaml to end with it.`);
  }
  lines.push('Next:', `  receval replay --impressions ${shellWord(impressions)} --feedback ${shellWord(feedback)}`, '');
  return lines.join('\n');
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

/** A text that does not say what it should. The message names the text and shows the right form. */
export class NotationError extends Error {
  override readonly name = 'NotationError';
}

/** `90s`, `30m`, `24h`: a whole number and ms, s, m, h or d. @throws NotationError */
export function readDuration(text: string): DurationMs {
  const duration = parseDuration(text);
  if (duration === undefined) {
    throw new NotationError(`"${text}" is not a duration; write a whole number with ms, s, m, h or d, such as 30m`);
  }
  return duration;
}

/** An ISO 8601 time; UTC where it names no zone. @throws NotationError */
export function parseTime(text: string): EpochMs {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text);
  const [, clock, , , zone] = match ?? [];
  const time = match === null ? Number.NaN : Date.parse(clock !== undefined && zone === undefined ? `${text}Z` : text);
  if (Number.isNaN(time)) {
    throw new NotationError(`"${text}" is not a time; write ISO 8601, such as 2025-11-03T08:00:00Z`);
  }
  return time;
}

/** @throws NotationError */
export function parseNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new NotationError(`"${text}" is not a number`);
  return value;
}

/** Quality of variants whose notation does not name one: each better than the one before, up to 0.9. */
const LEAST_QUALITY = 0.6;
const QUALITY_STEP = 0.1;

/** `control:0.5:0.6,treatment:0.5:0.7`: name, weight and quality; weight 1 and a quality by the place are usual. @throws NotationError */
export function parseVariants(text: string): readonly VariantSettings[] {
  return text.split(',').map((part, place) => {
    const [name = '', weight, quality, ...more] = part.trim().split(':');
    if (name === '' || more.length > 0) {
      throw new NotationError(`"${part}" is not a variant; write name:weight:quality, such as treatment:0.5:0.7`);
    }
    const usual = Math.min(0.9, Math.round(10 * (LEAST_QUALITY + QUALITY_STEP * place)) / 10);
    return {
      name,
      weight: weight === undefined ? 1 : parseNumber(weight),
      quality: quality === undefined ? usual : parseNumber(quality),
    };
  });
}

/** `treatment@20m..40m:0.5`: variant, span as times or as durations since `start`, and amount. @throws NotationError */
export function parseRegression(text: string, start: EpochMs): RegressionSettings {
  const at = text.lastIndexOf('@');
  const dots = text.indexOf('..', at);
  const colon = text.lastIndexOf(':');
  if (at < 1 || dots < 0 || colon < dots) {
    throw new NotationError(
      `"${text}" is not a regression; write variant@from..to:amount, such as treatment@20m..40m:0.5`,
    );
  }
  const moment = (part: string): EpochMs => (/^\d+[a-z]+$/.test(part) ? start + readDuration(part) : parseTime(part));
  return {
    variant: text.slice(0, at),
    from: moment(text.slice(at + 1, dots)),
    to: moment(text.slice(dots + 2, colon)),
    share: parseNumber(text.slice(colon + 1)),
  };
}
