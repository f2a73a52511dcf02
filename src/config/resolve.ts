import { type AdapterChoice, adapterTraits, type Drop, type JoinKey } from '../consumers/decode/decoder-settings.ts';
import { dropProblems } from '../consumers/decode/exclusion.ts';
import { listProblems } from '../consumers/decode/list.ts';
import { mapProblems, mapsProblems } from '../consumers/decode/map.ts';
import type { Measure } from '../measures/definition.ts';
import { type Command, parseMeasures } from '../measures/grammar/measure-name.ts';
import { itemPartOf } from '../measures/item-part.ts';
import { needsCatalogue, needsGrade } from '../measures/needs.ts';
import type { Grading } from '../measures/scorer-contract.ts';
import { sumsKind } from '../measures/value.ts';
import { HOUR } from '../vocabulary/durations.ts';
import type { TopicRole } from '../vocabulary/events.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { deadLetterOf } from './dead-letter.ts';
import { clusteredOf, detectOf } from './detect.ts';
import { experimentsOf } from './experiments.ts';
import { checkGrades, gradeRule, highestGrade, NO_GRADE } from './grades.ts';
import { httpOf } from './http.ts';
import { printFound, type Report } from './problems.ts';
import { lowerIsBetterOf, type Referred, setsOf } from './referred.ts';
import type { ParsedConfig } from './schema.ts';
import { kafkaSecurityOf, redisSecurityOf } from './security.ts';
import type { EventForm, InputSettings, Settings, TopicSettings } from './settings.ts';
import type { InputDocument, InputsDocument, TopicDocument, TopicsDocument } from './topics.ts';
import type { Path } from './tree.ts';
import type { Span } from './values.ts';

/**
 * The settings of a configuration whose parts are valid. Inconsistencies are reported; then the settings must not be used.
 * @param reads not every setting is for topics
 */
export function resolve(config: ParsedConfig, report: Report, command: Command, reads: 'files' | 'topics'): Settings {
  const { namespace, attribution, start, commit, relevantFrom, windows, incompleteWindows, paneSize, cohorts } = config;
  const { limits, catalogue, join } = config;
  const { horizons } = attribution;
  checkPanes(windows, paneSize, report);
  const joinBy = join.by === 'requestId' ? undefined : join.by;
  if (reads === 'topics' && joinBy !== undefined) {
    report.add(
      ['join', 'by'],
      `${joinBy} is for files alone (replay, compare): a service needs feedback that names the id of its list (join.by: requestId)`,
    );
  }

  const rules = Object.entries(config.grades).map(([name, grade]) => ({ name, rule: gradeRule(grade) }));
  const defaults = { relevantFrom, highestGrade: highestGrade(rules.map(({ rule }) => rule)) };
  const { measures, problems } = parseMeasures(config.measures, defaults, { command });
  for (const { index, message } of problems) report.add(['measures', index], message);

  checkActions(measures, config.grades, report);
  // Judgements have their own grades.
  if (command !== 'score') checkGrades(rules, measures, report);

  const names = measures.map(({ canonical }) => canonical);
  const grading = gradingOf(rules, measures, relevantFrom);
  const apart = measures.filter((measure) => sumsKind(measure) === 'apart');
  const withoutError = new Set(apart.map(({ canonical }) => canonical));
  const known = { measures: names, withoutError, defaults, horizons, cohorts, report };
  const referred: Referred = {
    ...known,
    lowerIsBetter: lowerIsBetterOf(config.lowerIsBetter, measures, grading, known),
  };
  const experiments = experimentsOf(config.experiments, referred, command === 'run');
  const checked = { joinBy, report };
  const topics = topicsOf(config.kafka.topics, config.inputs, checked);
  const counts = { measures: names.length, windows: windows.length, horizons: horizons.length, sets: cohorts.length };

  return {
    namespace,
    inputs: inputsOf(config.inputs, topics, checked),
    kafka: {
      ...config.kafka,
      topics,
      ...kafkaSecurityOf(config.kafka, report),
    },
    redis: { url: config.redis.url, ...redisSecurityOf(config.redis, report) },
    attribution: { ...attribution, window: horizons[horizons.length - 1] },
    join,
    start,
    commit,
    grading,
    relevantFrom,
    measures,
    windows,
    incompleteWindows,
    paneSize,
    cohorts,
    itemSets: itemSetsOf(config, measures, referred),
    positions: { ranks: config.positions.ranks, sets: placedSetsOf(config, referred) },
    dimensions: [...new Set([...cohorts.flat(), ...experiments.map(({ dimension }) => dimension)])].sort(),
    limits: { ...limits, cohortsPerSet: cohortsPerSet(limits.cohortsPerSet, limits.series, counts, report) },
    experiments,
    statistics: { clustered: clusteredOf(config.statistics, referred) },
    detect: detectOf(config.detect, paneSize, referred),
    http: httpOf(config.http, report),
    catalogue,
    deadLetter: deadLetterOf(
      config.deadLetter,
      topics.map(({ name }) => name),
      report,
    ),
  };
}

function checkPanes(windows: readonly Span[], paneSize: Span, report: Report): void {
  if (HOUR % paneSize.ms !== 0) {
    report.add(['paneSize'], `expected a whole part of an hour, such as 1m; found "${paneSize.text}"`);
  }
  for (const [i, { text, ms }] of windows.entries()) {
    if (ms % paneSize.ms === 0) continue;
    report.add(['windows', i], `expected a multiple of paneSize (${paneSize.text}); found "${text}"`, ['paneSize']);
  }
}

/** Reports measures of an action that has no grade: `hit(action=clik)` would always be 0. */
function checkActions(measures: readonly Measure[], grades: ParsedConfig['grades'], report: Report): void {
  const known = Object.keys(grades);
  for (const measure of measures) {
    const { params, canonical } = measure;
    const action = params.get('action');
    if (!needsGrade(measure) || typeof action !== 'string' || known.includes(action)) continue;
    report.add(['measures'], `${canonical}: the action "${action}" has no grade${suggestion(action, known)}`, [
      'grades',
    ]);
  }
}

/** The configured actions, followed by those that only measures use. */
function gradingOf(actions: Grading['actions'], measures: readonly Measure[], relevantFrom: number): Grading {
  const known = new Set(actions.map(({ name }) => name));
  const more: Grading['actions'][number][] = [];
  for (const name of measures.flatMap(actionsOf)) {
    if (known.has(name)) continue;
    known.add(name);
    more.push({ name, rule: NO_GRADE });
  }
  return { actions: [...actions, ...more], relevantFrom };
}

function actionsOf(measure: Measure): readonly string[] {
  const { definition, params } = measure;
  const action = params.get('action');
  return [
    // A rate counts any action, and a rating has a value. Only the other measures need the action's grade.
    ...(typeof action === 'string' && !needsGrade(measure) ? [action] : []),
    ...(definition.action === undefined ? [] : [definition.action]),
    ...(params.get('examined') === 'viewport' ? ['view'] : []),
  ];
}

/** The grouping sets that keep items. Reports what measures of items need and lack. */
function itemSetsOf(
  config: ParsedConfig,
  measures: readonly Measure[],
  referred: Referred,
): readonly (readonly string[])[] {
  const { cohorts, report } = referred;
  const { itemSets, catalogue } = config;
  const sets =
    itemSets === undefined ? cohorts.filter((set) => set.length === 0) : setsOf(itemSets, ['itemSets'], referred);
  for (const measure of measures) {
    if (itemPartOf(measure) !== undefined && sets.length === 0) {
      report.add(
        ['measures'],
        `${measure.canonical} is kept for the grouping set [] alone, which cohorts lacks: add [], or name others in itemSets`,
        ['cohorts', 'itemSets'],
      );
    }
    if (needsCatalogue(measure) && catalogue === undefined) {
      report.add(
        ['measures'],
        `${measure.canonical} needs a catalogue: the path of an item file, such as catalogue: items.csv`,
        ['catalogue'],
      );
    }
  }
  return sets;
}

/** The grouping sets that keep counts by rank. */
function placedSetsOf({ positions }: ParsedConfig, referred: Referred): readonly (readonly string[])[] {
  const { cohorts } = referred;
  if (positions.sets !== undefined) return setsOf(positions.sets, ['positions', 'sets'], referred);
  const variants = cohorts.filter((set) => set.join() === 'variant');
  return variants.length > 0 ? variants : cohorts.slice(0, 1);
}

const OPTIONS = ['adapter', 'tsUnit', 'timeZone', 'positionBase', 'drop'] as const;

type PartialForm = { readonly [Option in keyof EventForm]?: EventForm[Option] | undefined };

const IMPRESSIONS: TopicRole = { impressions: true, feedback: false };

const FEEDBACK: TopicRole = { impressions: false, feedback: true };

const BOTH: TopicRole = { impressions: true, feedback: true };

/** How adapters are checked. `joinBy`: the field that may stand for the request id. */
interface Checked {
  readonly joinBy: JoinKey | undefined;
  readonly report: Report;
}

/**
 * The topics of a unit. The impressions topic comes first or, if it carries feedback too, at its place among the feedback topics.
 * Settings that a topic lacks are taken from `inputs`.
 */
function topicsOf(
  { impressions, feedback }: TopicsDocument,
  inputs: InputsDocument,
  checked: Checked,
): readonly TopicSettings[] {
  const { report } = checked;
  const path = ['kafka', 'topics', 'feedback'];
  const list = Array.isArray(feedback) ? feedback : [feedback];
  const shared = ['kafka', 'topics', 'impressions'];
  const isShared = list.some(({ name }) => name === impressions.name);
  const first = isShared
    ? topicOf(impressions, shared, BOTH, eventsOf(inputs), checked)
    : topicOf(impressions, shared, IMPRESSIONS, inputs.impressions, checked);
  const topics: TopicSettings[] = isShared ? [] : [first];
  for (const [i, topic] of list.entries()) {
    const at: Path = Array.isArray(feedback) ? [...path, i] : path;
    if (topics.some(({ name }) => name === topic.name)) {
      report.add([...at, 'name'], 'appears twice');
    } else if (topic.name === impressions.name) {
      topics.push(first);
      for (const option of OPTIONS) {
        const differs =
          topic[option] !== undefined && JSON.stringify(topic[option]) !== JSON.stringify(impressions[option]);
        if (differs) report.add([...at, option], 'differs from kafka.topics.impressions, which is the same topic');
      }
    } else {
      topics.push(topicOf(topic, at, FEEDBACK, inputs.feedback, checked));
    }
  }
  return topics;
}

function topicOf(
  topic: TopicDocument,
  path: Path,
  role: TopicRole,
  input: PartialForm,
  checked: Checked,
): TopicSettings {
  const { name } = topic;
  if (topic.adapter !== undefined) {
    const advice = `name the topic "${name}" under impressions and under feedback`;
    checkAdapter(topic.adapter, [...path, 'adapter'], role, advice, checked);
  }
  checkDrop(topic.drop, [...path, 'drop'], checked.report);
  return { name, role, ...formOf(topic, input) };
}

/** How files are read: by `inputs`, and by the topics of the same side for settings that `inputs` lacks. */
function inputsOf(inputs: InputsDocument, topics: readonly TopicSettings[], checked: Checked): Settings['inputs'] {
  const both = topics.find(({ role }) => role.impressions && role.feedback);
  const impressions = topics.find(({ role }) => role.impressions);
  const advice = 'set it under inputs.events';
  // A topic of both kinds may be the only one.
  const isOfBoth = both !== undefined && both.adapter === inputs.impressions.adapter;
  for (const [side, role] of [
    ['impressions', isOfBoth ? BOTH : IMPRESSIONS],
    ['feedback', FEEDBACK],
    ['events', BOTH],
  ] as const) {
    const { adapter, drop } = inputs[side];
    checkDrop(drop, ['inputs', side, 'drop'], checked.report);
    if (adapter !== undefined) checkAdapter(adapter, ['inputs', side, 'adapter'], role, advice, checked);
  }
  return {
    impressions: inputOf(inputs.impressions, impressions),
    feedback: inputOf(
      inputs.feedback,
      topics.find(({ role }) => role.feedback),
    ),
    events: inputOf(eventsOf(inputs), both ?? impressions),
  };
}

function eventsOf({ impressions, events }: InputsDocument): InputDocument {
  return { ...impressions, ...events };
}

function inputOf(input: InputDocument, topic: TopicSettings | undefined): InputSettings {
  const { format = 'auto', delimiter, columns } = input;
  return { ...formOf(input, topic ?? {}), file: { format, delimiter, columns } };
}

function formOf(own: PartialForm, other: PartialForm): EventForm {
  return {
    adapter: own.adapter ?? other.adapter ?? 'canonical',
    tsUnit: own.tsUnit ?? other.tsUnit ?? 'auto',
    timeZone: own.timeZone ?? other.timeZone,
    positionBase: own.positionBase ?? other.positionBase ?? 1,
    drop: own.drop ?? other.drop ?? [],
  };
}

function checkAdapter(
  adapter: AdapterChoice,
  at: Path,
  role: TopicRole,
  advice: string,
  { joinBy, report }: Checked,
): void {
  if (typeof adapter === 'string' && adapterTraits(adapter).isOfBothSides && !(role.impressions && role.feedback)) {
    report.add(at, `${adapter} rows are impressions and clicks in one: ${advice}`);
  }
  if (typeof adapter !== 'object') return;
  for (const { at: below, message } of problemsOf(adapter, role, joinBy)) {
    report.add([...at, ...below.filter((name) => name !== '')], message);
  }
}

function checkDrop(drop: Drop | undefined, at: Path, report: Report): void {
  for (const { at: below, message } of dropProblems(drop ?? [])) report.add([...at, ...below], message);
}

function problemsOf(adapter: Exclude<AdapterChoice, string>, role: TopicRole, joinBy: JoinKey | undefined) {
  if ('list' in adapter) return listProblems(adapter, role, joinBy);
  if ('maps' in adapter) return mapsProblems(adapter.maps, role, joinBy);
  return mapProblems(adapter.map, role, joinBy).map(({ field, message }) => ({ at: ['map', field], message }));
}

interface SeriesCounts {
  readonly measures: number;
  readonly windows: number;
  readonly horizons: number;
  readonly sets: number;
}

/** A gauge of the value, and one of its standard error. */
export const GAUGES_PER_MEASURE = 2;

/**
 * Cohorts that each grouping set may have, so that all gauges, values and standard errors, stay within `limits.series`. `auto` is
 * the largest number that fits; a larger number is a problem that shows the product.
 */
function cohortsPerSet(
  asked: number | 'auto',
  series: number,
  { measures, windows, horizons, sets }: SeriesCounts,
  report: Report,
): number {
  const each = measures * GAUGES_PER_MEASURE * windows * horizons * sets;
  const fitting = Math.floor(series / Math.max(1, each));
  const cohorts = asked === 'auto' ? Math.max(1, fitting) : asked;
  if (cohorts <= fitting) return cohorts;
  const factors = `${measures} measures x ${GAUGES_PER_MEASURE} (value, error) x ${windows} windows x ${horizons} horizons x ${sets} sets`;
  const product = `${cohorts} cohort${cohorts === 1 ? '' : 's'} x ${factors} = ${cohorts * each} series`;
  const advice =
    fitting >= 1 ? `expected at most ${fitting}, or a higher limits.series` : 'raise limits.series, or show less';
  report.add(
    ['limits', 'cohortsPerSet'],
    `does not fit into limits.series (${printFound(series)}): ${product}; ${advice}`,
    ['limits.series', 'measures', 'windows', 'attribution.horizons', 'cohorts'],
  );
  return cohorts;
}
