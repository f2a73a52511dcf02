/** The configuration that `--write` writes: `replay` can use it unchanged, `run` once the addresses are filled in. */

import type { Conditions, FieldMap, RowFeedback } from '../consumers/decode/decoder-settings.ts';
import { printDuration } from '../vocabulary/durations.ts';
import { yamlFlow, yamlWord } from '../vocabulary/yaml-word.ts';
import type { InspectedSide, Inspection } from './inspected.ts';
import { wrapped } from './log-finding.ts';
import type { Grade, Proposal, RatingScale } from './proposal.ts';
import type { ProposedAdapter } from './proposed-adapter.ts';
import type { Reading } from './reading.ts';

interface ConfigurationOptions {
  /** Names of the topics; undefined: unknown, so the user must fill them in. */
  readonly topics: { readonly impressions: string; readonly feedback: readonly string[] } | undefined;
}

/** The beginning of every configuration that is proposed. */
export const PROPOSED = '# What receval inspect proposes for';

/** Returns YAML text; undefined: a required field is missing, or one map would misread some of the files. */
export function configurationOf(inspection: Inspection, options: ConfigurationOptions): string | undefined {
  const { impressions, feedback, files, proposal, oneLog, joined } = inspection;
  if (impressions === undefined || impressions.missing.length > 0 || (feedback?.missing.length ?? 0) > 0)
    return undefined;
  if (oneLog && joined === undefined) return undefined;
  if (inspection.findings.some(({ code, level }) => code === 'files_differ' && level === 'wrong')) return undefined;
  const names = [...new Set(files.map(({ name }) => name))];
  const lines = [
    `${PROPOSED} ${names.map(printable).join(', ')}.`,
    ...warningsOf(inspection.findings),
    'attribution:',
    `  horizons: [${proposal.horizons.map(printDuration).join(', ')}]`,
    `  outOfOrderness: ${printDuration(proposal.outOfOrderness)}`,
    ...(proposal.backward > 0 ? [`  backward: ${printDuration(proposal.backward)}`] : []),
    ...(inspection.touch === undefined ? [] : ['join: {by: userId, touch: last}']),
    'measures: [mrr, ndcg@10, hit@10]',
    `cohorts: [${proposal.cohorts.map((set) => `[${set.map(yamlWord).join(', ')}]`).join(', ')}]`,
    ...gradesOf(proposal),
    ...experimentsOf([...inspection.facts.variants.keys()].sort()),
    ...inputsOf(inspection),
    ...serviceOf(inspection, options),
  ];
  return `${lines.join('\n')}\n`;
}

const WIDTH = 100;

/** Problems as comments at the top of the file: whoever opens it later has not seen the screen. */
function warningsOf(findings: Inspection['findings']): readonly string[] {
  const wrong = findings.filter(({ level }) => level === 'wrong');
  if (wrong.length === 0) return [];
  return [
    '# Problems found, which make the numbers wrong until they are fixed:',
    ...wrong.flatMap(({ cause, remedy, command }) => [
      ...wrapped(printable(`${cause} ${remedy}`), WIDTH - 4).map((line, i) => `# ${i === 0 ? '-' : ' '} ${line}`),
      ...(command === undefined ? [] : [`#   $ ${printable(command)}`]),
    ]),
  ];
}

/** YAML needs a question mark before names of 1025 characters or more, and escapes can make this length of 200. */
const LONG_NAME = 1000;

function gradesOf({ grades, unknownActions, ratings }: Proposal): readonly string[] {
  const unknown = new Set(unknownActions);
  if (grades.size === 0) return ['grades: {click: 1}'];
  const lines = [...grades].map(([action, grade]) => {
    const remark = unknown.has(action) ? ' # choose: its name does not say what it is worth' : '';
    const word = yamlWord(action);
    const name = word.length < LONG_NAME ? word : `? ${word}\n  `;
    return `  ${name}: ${gradeText(grade, ratings)}${remark}`;
  });
  const from =
    ratings?.relevantFrom === undefined
      ? []
      : [`relevantFrom: ${ratings.relevantFrom} # choose: the lowest rating that is a success`];
  return ['grades:', ...lines, ...from];
}

function gradeText(grade: Grade, ratings: RatingScale | undefined): string {
  if (grade === 'veto') return '{grade: 0, veto: true}';
  return grade === 'rating' ? `{from: value, rule: last, max: ${ratings?.max ?? 5}}` : String(grade);
}

const CONTROLS = ['control', 'baseline', 'base', 'old', 'current', 'default', 'production', 'a', '0', 'off'];
/** Matches names that a variant can have. */
const VARIANT = /^[\p{L}\p{M}\p{Nd} _.:/+&'()-]{1,64}$/u;

/** The experiment `default` with the variants of the sample, with equal weights. */
function experimentsOf(variants: readonly string[]): readonly string[] {
  if (variants.length < 2 || !variants.every((name) => VARIANT.test(name) && !name.startsWith('__'))) return [];
  const known = CONTROLS.map((name) => variants.find((variant) => variant.toLowerCase() === name)).find(
    (name) => name !== undefined,
  );
  const control = known ?? variants[0];
  const others = variants.filter((name) => name !== control);
  const weights = [control, ...others].map((name) => `${yamlWord(name)}: 1`).join(', ');
  const remark = known === undefined ? ' # choose: which of them is the control' : '';
  return ['experiments:', '  default:', `    control: ${yamlWord(control)}${remark}`, `    variants: {${weights}}`];
}

/** The format of events, for files and topics alike. `serviceOf` says where they come from, and applies only to the service. */
function inputsOf({ impressions, feedback, oneLog, joined, zones, files }: Inspection): readonly string[] {
  const columns = (side: InspectedSide): readonly string[] => {
    const form = files.find(({ name }) => side.files.includes(name))?.format.form;
    if (form?.kind !== 'delimited') return [];
    const names = Array.from({ length: form.width }, (_, i) => `column_${i + 1}`);
    return [
      ...(form.isSeen ? [] : [`    delimiter: ${yamlWord(form.delimiter)}`]),
      ...(form.columns === undefined ? [`    columns: [${names.join(', ')}]`] : []),
    ];
  };
  const input = (
    name: string,
    side: InspectedSide,
    adapter: ProposedAdapter,
    zone: string | undefined,
  ): readonly string[] => {
    const lines = [...columns(side), ...formLines(side.reading, zone), ...adapterLines(adapter)];
    return lines.length === 0 ? [] : [`  ${name}:`, ...lines];
  };
  const lines: string[] = [];
  if (impressions !== undefined && oneLog)
    lines.push(...input('events', impressions, joined ?? 'canonical', zones.impressions));
  else {
    if (impressions !== undefined)
      lines.push(...input('impressions', impressions, impressions.reading.adapter, zones.impressions));
    if (feedback !== undefined && feedback !== impressions)
      lines.push(...input('feedback', feedback, feedback.reading.adapter, zones.feedback));
  }
  return lines.length === 0 ? [] : ['inputs:', ...lines];
}

function serviceOf(
  { impressions, oneLog, joined, touch }: Inspection,
  { topics }: ConfigurationOptions,
): readonly string[] {
  if (impressions !== undefined && isOfRows(impressions.reading.adapter)) {
    return ['# Rows of one item each are read from files only: for receval run, write one record per list.'];
  }
  if (touch !== undefined) {
    return [
      '# Feedback without the id of its list is joined in files only: for receval run, log that id with each click.',
    ];
  }
  const { impressions: lists, feedback } =
    topics ??
    (oneLog ? { impressions: 'events', feedback: ['events'] } : { impressions: 'impressions', feedback: ['feedback'] });
  const [first, ...more] = feedback.map((name) => `{name: ${yamlWord(name)}}`);
  const remark = topics === undefined ? ' # yours' : '';
  // A topic of both kinds is read as inputs.events says. For open-bandit the topic has to name the adapter itself.
  const own = oneLog && joined === 'open-bandit' ? ', adapter: open-bandit' : '';
  return [
    `# For receval run only${topics === undefined ? ':' : '; brokers, Redis and logins as in your configuration:'}`,
    ...(topics === undefined ? ['kafka:', `  brokers: [localhost:9092]${remark}`] : ['kafka:']),
    '  topics:',
    `    impressions: {name: ${yamlWord(lists)}${own}}${remark}`,
    `    feedback: ${more.length === 0 ? first : `[${[first, ...more].join(', ')}]`}${remark}`,
    ...(topics === undefined ? ['redis:', `  url: redis://localhost:6379${remark}`] : []),
  ];
}

function isOfRows(adapter: ProposedAdapter): boolean {
  return typeof adapter === 'object' && 'list' in adapter;
}

function formLines({ time, positionBase }: Reading, zone: string | undefined): readonly string[] {
  const lines: string[] = [];
  if (time?.form === 'local')
    lines.push(
      `    timeZone: ${yamlWord(zone ?? 'UTC')}${zone === undefined ? ' # choose: the zone of times without one' : ''}`,
    );
  if (positionBase === 0) lines.push('    positionBase: 0');
  return lines;
}

function adapterLines(adapter: ProposedAdapter): readonly string[] {
  if (adapter === 'canonical') return [];
  if (adapter === 'open-bandit') return ['    adapter: open-bandit'];
  if ('list' in adapter) {
    const { list, map = {}, feedback = {} } = adapter;
    const flags = Object.entries(feedback).map(([column, action]) => `${yamlWord(column)}: ${flagText(action)}`);
    return [
      '    adapter:',
      `      list: {by: ${yamlWord(list.by)}${list.order === undefined ? '' : `, order: ${yamlWord(list.order)}`}}`,
      '      map:',
      ...mapLines(map, '        '),
      ...(flags.length === 0 ? [] : [`      feedback: {${flags.join(', ')}}`]),
    ];
  }
  if ('map' in adapter) return ['    adapter:', '      map:', ...mapLines(adapter.map, '        ')];
  return [
    '    adapter:',
    '      maps:',
    ...adapter.maps.flatMap(({ when, map }) => [
      ...(when === undefined ? ['        - map:'] : [`        - when: {${conditions(when)}}`, '          map:']),
      ...mapLines(map, '            '),
    ]),
  ];
}

function flagText(given: string | RowFeedback): string {
  if (typeof given === 'string') return yamlFlow(given);
  const { action, ts } = given;
  return `{action: ${yamlFlow(action)}${ts === undefined ? '' : `, ts: ${yamlFlow(ts)}`}}`;
}

function conditions(when: Conditions): string {
  return Object.entries(when)
    .map(([at, condition]) => `${yamlWord(at)}: ${yamlFlow(condition)}`)
    .join(', ');
}

function mapLines(map: FieldMap, indent: string): readonly string[] {
  return Object.entries(map).map(([as, source]) => `${indent}${yamlWord(as)}: ${yamlFlow(source)}`);
}

function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '?');
}
