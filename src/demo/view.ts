import { shapeOf, sumsStarts } from '../accumulators/row.ts';
import type { Settings } from '../config/settings.ts';
import type { ComparedVariant, Comparison } from '../experiment/comparison.ts';
import type { QualitySnapshot } from '../exporter/exporter-contract.ts';
import { measureValue } from '../measures/value.ts';
import type { RegressionSettings } from '../simulate/simulation-settings.ts';
import type { Label } from '../statistics/decision.ts';
import type { EpochMs } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { ascii, change, levelOf, range, shown, signed } from '../vocabulary/numbers.ts';
import type { WorkerStatus } from '../worker/status.ts';

export interface ViewInput {
  readonly settings: Settings;
  readonly snapshot: QualitySnapshot;
  readonly status: WorkerStatus;
  readonly now: EpochMs;
  readonly speed: number;
  readonly regression: RegressionSettings;
  /** Width of the terminal. */
  readonly columns: number;
}

/** The variants of one window at one horizon, side by side. */
interface SideBySide {
  readonly variants: readonly string[];
  readonly impressions: readonly number[];
  readonly positives: readonly number[];
  /** For each measure its value by variant; undefined: no value. */
  readonly values: readonly { readonly name: string; readonly of: readonly (number | undefined)[] }[];
  readonly complete: boolean;
}

const DECISIONS: Readonly<Record<Label, string>> = {
  insufficient: 'not enough known',
  healthy: 'healthy',
  regressed: 'REGRESSED',
  improved: 'improved',
  invalid: 'INVALID',
};

/** The shortest window at the shortest horizon, whose results come first. undefined: nothing has closed yet. */
function compareVariants({ settings, snapshot }: Pick<ViewInput, 'settings' | 'snapshot'>): SideBySide | undefined {
  const window = settings.windows[0].text;
  const horizon = settings.attribution.horizons[0].text;
  const rows = snapshot.rows.filter((r) => r.window === window && r.horizon === horizon && r.by.join() === 'variant');
  if (rows.length === 0) return undefined;
  const starts = sumsStarts(shapeOf(settings.measures));
  return {
    variants: rows.map((row) => row.values[0]),
    impressions: rows.map(({ row }) => row.impressions),
    positives: rows.map(({ row }) => row.positives),
    values: settings.measures.map((measure, m) => ({
      name: measure.canonical,
      of: rows.map(({ row }) => measureValue(measure, row.sums.slice(starts[m], starts[m + 1]))),
    })),
    complete: snapshot.windows.some((w) => w.window === window && w.horizon === horizon && w.complete),
  };
}

/** The whole view for a terminal, which is redrawn each second: 23 lines of 80 columns with the usual measures. */
export function fullView(input: ViewInput): string {
  const { now, speed, snapshot, columns } = input;
  const lines = [
    `event time ${clockText(now)}   ${speed} x real time   Ctrl-C ends it`,
    regressionText(input),
    '',
    ...tableLines(input),
    '',
    ...snapshot.experiments.flatMap((comparison) => comparisonLines(comparison, columns)),
    ...pipelineLines(input),
  ];
  return `${lines.join('\n')}\n`;
}

/** The view as one line, for a log. */
export function lineView(input: ViewInput): string {
  const { status, now, snapshot } = input;
  const comparison = compareVariants(input);
  const primary = comparison?.values.find(({ name }) => name.startsWith('ndcg')) ?? comparison?.values[0];
  const decisions = snapshot.experiments.flatMap(({ variants }) =>
    variants.map(({ variant, decision }) => `${variant} ${decisionText(decision)}`),
  );
  const values =
    comparison === undefined || primary === undefined
      ? 'nothing has closed yet'
      : `${primary.name} ${comparison.variants.map((v, i) => `${v} ${valueText(primary.of[i])}`).join(' ')}${differenceText(primary.of)}`;
  return `${clockText(now)} ${[values, ...decisions].join(' | ')} | events ${grouped(eventsOf(status))} dropped ${grouped(total(dropsOf(status)))} | ${regressionText(input)}`;
}

function tableLines(input: ViewInput): string[] {
  const comparison = compareVariants(input);
  const { settings } = input;
  const { windows, attribution } = settings;
  const title = `last ${windows[0].text}, horizon ${attribution.horizons[0].text}`;
  if (comparison === undefined) return [`${title}: nothing has closed yet, the first numbers come soon`];
  const { variants, values, impressions, positives, complete } = comparison;
  const row = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(22)}${cells.map((cell) => cell.padStart(12)).join('')}`;
  return [
    row(title, [...variants, variants.length === 2 ? 'difference' : '']),
    row('impressions', impressions.map(grouped)),
    row('with a positive', positives.map(grouped)),
    ...values.map(({ name, of }) => row(name, [...of.map(valueText), differenceText(of)])),
    ...(settings.detect.sets.some((set) => set.join() === 'variant')
      ? [
          row(
            `${settings.detect.measures[0]} vs. its past`,
            variants.map((variant) => labelOf(variant, input)),
          ),
        ]
      : []),
    ...(complete ? [] : ['  (the window is still filling)']),
  ];
}

/** The label of the comparison of a variant with its own past. */
function labelOf(variant: string, { settings, snapshot }: ViewInput): string {
  const found = snapshot.decisions.find(
    ({ by, values, measure }) =>
      by.join() === 'variant' && values[0] === variant && measure === settings.detect.measures[0],
  );
  if (found === undefined || found.decision.label === 'insufficient') return 'not yet';
  return found.decision.label;
}

function pipelineLines({ status, now }: ViewInput): string[] {
  const drops = dropsOf(status);
  const watermark = Math.min(...status.units.map((unit) => unit.watermark));
  const open = status.units.reduce((sum, unit) => sum + unit.openImpressions, 0);
  const age = Number.isFinite(watermark) ? `${Math.round((now - watermark) / 1000)} s behind` : 'not there yet';
  return [
    `  events ${grouped(eventsOf(status))}   open impressions ${grouped(open)}   watermark ${age}`,
    `  dropped ${grouped(total(drops))}${drops.size === 0 ? '' : `: ${[...drops].map(([reason, n]) => `${reason} ${grouped(n)}`).join(', ')}`}`,
  ];
}

function regressionText({ regression, now, speed }: ViewInput): string {
  const { variant, from, to } = regression;
  const inWall = (at: EpochMs): string => spanText((at - now) / speed);
  const [begins, ends] = [from, to].map((at) => clockText(at).slice(11));
  if (now < from) return `In ${inWall(from)}, at ${begins}, the ranking of ${variant} breaks: watch its nDCG.`;
  if (now < to) return `The ranking of ${variant} is broken now; it is fixed in ${inWall(to)}, at ${ends}.`;
  return `${variant} was fixed at ${ends}. It takes time until it is called healthy again.`;
}

function dropsOf(status: WorkerStatus): Map<string, number> {
  const drops = new Map<string, number>();
  for (const { counts } of status.units) {
    for (const { impressions, feedback } of counts) {
      for (const [reason, n] of [...Object.entries(impressions.drops), ...Object.entries(feedback.drops)]) {
        if (n > 0) drops.set(reason, (drops.get(reason) ?? 0) + n);
      }
    }
  }
  return drops;
}

function eventsOf(status: WorkerStatus): number {
  return status.units.reduce(
    (sum, { counts }) => sum + counts.reduce((s, c) => s + c.impressions.read + c.feedback.read, 0),
    0,
  );
}

function total(drops: ReadonlyMap<string, number>): number {
  return [...drops.values()].reduce((sum, n) => sum + n, 0);
}

function valueText(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(4);
}

/** The difference of the second value from the first, in percent of the first. */
function differenceText(of: readonly (number | undefined)[]): string {
  const [control, treatment] = of;
  if (of.length !== 2 || control === undefined || treatment === undefined || control === 0) return '';
  return ` ${ascii(change((treatment - control) / control, 1))}`;
}

function clockText(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A label in plain words. */
function decisionText(label: Label): string {
  return DECISIONS[label];
}

/** Widths of the columns: 80 together, with the longest decision. */
const NAME = 20;
const EFFECT = 29;

const LIFT = 10;

/** The A/B section of the table: each variant with its effect, the lift, the decision, and its explanation. */
function comparisonLines(comparison: Comparison, columns: number): string[] {
  const { primary, control, horizon, alpha, variants } = comparison;
  const title = `${primary} against ${control} (${levelOf(alpha)} interval, since the start, horizon ${horizon})`;
  return [`  ${title}`.slice(0, columns), ...variants.flatMap((variant) => variantLines(variant, columns))];
}

function variantLines({ variant, decision, explanation, measures }: ComparedVariant, columns: number): string[] {
  const primary = measures.find(({ role }) => role === 'primary');
  const effect = ascii(`${shown(primary?.effect, four)}${primary?.ci ? ` (${range(primary.ci, four)})` : ''}`);
  const lift = ascii(shown(primary?.lift, (lift) => change(lift, 1)));
  const cells = [variant.padEnd(NAME), effect.padEnd(EFFECT), lift.padStart(LIFT), `   ${decisionText(decision)}`];
  return [
    `  ${cells.join('')}`,
    ...wrapped(fitting(explanation, columns - 4), columns - 4).map((line) => `    ${line}`),
  ];
}

/** Most lines of the explanation of a decision. The table above shows the present numbers. */
const EXPLAINED = 3;

/** The first sentence, and those after it that fit. */
function fitting(text: string, width: number): string {
  const sentences = text.split(/(?<=\.) (?=[A-Z])/);
  const most = sentences.findLastIndex(
    (_, i) => wrapped(sentences.slice(0, i + 1).join(' '), width).length <= EXPLAINED,
  );
  return sentences.slice(0, Math.max(1, most + 1)).join(' ');
}

/** Lines of at most `width` columns, broken at blanks. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function four(value: number): string {
  return signed(value, 4);
}
