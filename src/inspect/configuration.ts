/** The configuration that `--write` writes: what `replay` takes as it is, and `run` with the addresses filled in. */
import type { AdapterChoice, FieldMap, FieldSource } from '../consumers/decode/settings.ts';
import { printDuration } from '../durations.ts';
import type { Abilities } from './abilities.ts';
import type { InspectedSide, Inspection } from './inspection.ts';
import type { Grade } from './proposal.ts';
import type { Reading } from './reading.ts';

export interface ConfigurationOptions {
  readonly abilities: Abilities;
  /** Names of topics that are known; undefined: they are for the user to fill in. */
  readonly topics: { readonly impressions: string; readonly feedback: string } | undefined;
}

/** YAML text; undefined: a field is missing without which nothing can be read. */
export function configurationOf(inspection: Inspection, options: ConfigurationOptions): string | undefined {
  const { impressions, feedback, files, proposal, oneLog, joined } = inspection;
  if (impressions === undefined || impressions.missing.length > 0 || (feedback?.missing.length ?? 0) > 0) return undefined;
  if (oneLog && joined === undefined) return undefined;
  const names = [...new Set(files.map(({ name }) => name))];
  const lines = [
    `# What receval inspect proposes for ${names.map(printable).join(', ')}.`,
    'attribution:',
    `  horizons: [${proposal.horizons.map(printDuration).join(', ')}]`,
    `  outOfOrderness: ${printDuration(proposal.outOfOrderness)}`,
    ...(proposal.backward > 0 ? [`  backward: ${printDuration(proposal.backward)}`] : []),
    'measures: [mrr, ndcg@10, hit@10]',
    `cohorts: [${proposal.cohorts.map((set) => `[${set.join(', ')}]`).join(', ')}]`,
    ...gradesOf(proposal.grades, new Set(proposal.unknownActions)),
    ...experimentsOf([...inspection.facts.variants.keys()].sort()),
    ...topicsOf(inspection, options),
  ];
  return `${lines.join('\n')}\n`;
}

function gradesOf(grades: ReadonlyMap<string, Grade>, unknown: ReadonlySet<string>): readonly string[] {
  if (grades.size === 0) return ['grades: {click: 1}'];
  const lines = [...grades].map(([action, grade]) => {
    const remark = unknown.has(action) ? ' # choose: its name does not tell what it is worth' : '';
    return `  ${text(action)}: ${gradeText(grade)}${remark}`;
  });
  return ['grades:', ...lines];
}

function gradeText(grade: Grade): string {
  if (grade === 'veto') return '{grade: 0, veto: true}';
  return grade === 'rating' ? '{from: value, rule: last, max: 5}' : String(grade);
}

const CONTROLS = ['control', 'baseline', 'a', '0', 'off'];
/** Names that an experiment can have. */
const VARIANT = /^[\p{L}\p{M}\p{Nd} _.:/+&'()-]{1,64}$/u;

/** The experiment `default` over the variants that were seen, in equal parts. */
function experimentsOf(variants: readonly string[]): readonly string[] {
  if (variants.length < 2 || !variants.every((name) => VARIANT.test(name) && !name.startsWith('__'))) return [];
  const known = CONTROLS.map((name) => variants.find((variant) => variant.toLowerCase() === name)).find((name) => name !== undefined);
  const control = known ?? variants[0];
  const others = variants.filter((name) => name !== control);
  const weights = [control, ...others].map((name) => `${text(name)}: 1`).join(', ');
  const remark = known === undefined ? ' # choose: which of them is the control' : '';
  return ['experiments:', '  default:', `    control: ${text(control)}${remark}`, `    variants: {${weights}}`];
}

function topicsOf({ impressions, feedback, oneLog, joined, zones }: Inspection, { abilities, topics }: ConfigurationOptions): readonly string[] {
  const lines = [
    'kafka:',
    '  brokers: [localhost:9092] # for receval run: those of your cluster',
    '  topics:',
    '    impressions:',
    `      name: ${topics?.impressions ?? (oneLog ? 'events' : 'impressions')}${topics === undefined ? ' # for receval run: the name of your topic' : ''}`,
  ];
  if (impressions !== undefined) lines.push(...readingOf(impressions, oneLog ? joined : undefined, zones.impressions, abilities));
  lines.push('    feedback:', `      name: ${topics?.feedback ?? (oneLog ? 'events' : 'feedback')}`);
  if (!oneLog && feedback !== undefined) lines.push(...readingOf(feedback, undefined, zones.feedback, abilities));
  return [...lines, 'redis:', '  url: redis://localhost:6379 # for receval run: yours'];
}

function readingOf({ reading }: InspectedSide, joined: AdapterChoice | undefined, zone: string | undefined, abilities: Abilities): readonly string[] {
  const lines: string[] = [];
  const unit = unitOf(reading, abilities);
  if (unit !== undefined) lines.push(`      tsUnit: ${unit}`);
  if (reading.time?.form === 'local' && abilities.timeZone) lines.push(`      timeZone: ${text(zone ?? 'UTC')}${zone === undefined ? ' # choose: the zone of times without one' : ''}`);
  if (reading.positionBase === 0) lines.push('      positionBase: 0');
  if (reading.text !== undefined && abilities.split) lines.push(`      split: ${text(reading.text.separator)}`);
  return [...lines, ...adapterLines(joined ?? reading.adapter)];
}

/** Where numbers tell their unit themselves, none is written. */
function unitOf({ time }: Reading, { autoUnit }: Abilities): string | undefined {
  if (autoUnit || time === undefined) return undefined;
  return time.form === 's' || time.form === 'us' ? time.form : undefined;
}

function adapterLines(adapter: AdapterChoice): readonly string[] {
  if (adapter === 'canonical') return [];
  if (adapter === 'open-bandit') return ['      adapter: open-bandit'];
  if ('map' in adapter) return ['      adapter:', '        map:', ...mapLines(adapter.map, '          ')];
  return [
    '      adapter:',
    '        maps:',
    ...adapter.maps.flatMap(({ when, map }) => [
      ...(when === undefined ? ['          - map:'] : [`          - when: {${Object.entries(when).map(([at, values]) => `${text(at)}: ${Array.isArray(values) ? `[${values.map(scalar).join(', ')}]` : scalar(values)}`).join(', ')}}`, '            map:']),
      ...mapLines(map, '              '),
    ]),
  ];
}

function mapLines(map: FieldMap, indent: string): readonly string[] {
  return Object.entries(map).map(([as, source]) => `${indent}${as}: ${sourceText(source)}`);
}

function sourceText(source: FieldSource): string {
  return typeof source === 'string' ? text(source) : `{const: ${scalar(source.const)}}`;
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? text(value) : JSON.stringify(value);
}

/** Plain where YAML reads it as the same text, else in double quotes, which YAML reads as JSON does. */
function text(value: string): string {
  const isPlain = /^[/A-Za-z_][\w/.@+-]*(?: [\w/.@+-]+)*$/.test(value) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '?');
}
