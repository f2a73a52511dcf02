import { parseTime } from '../consumers/decode/times.ts';
import type { Grading } from '../measures/contract.ts';
import type { Measure } from '../measures/definition.ts';
import { parseMeasures } from '../measures/grammar/name.ts';
import type { Command } from '../measures/grammar/offered.ts';
import { needsGrade } from '../measures/needs.ts';
import { sumsKind } from '../measures/value.ts';
import { HOUR, parseDuration } from '../vocabulary/durations.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { deadLetterOf } from './dead-letter.ts';
import { detectOf } from './detect.ts';
import { experimentsOf } from './experiments.ts';
import { checkGrades, gradeRule, highestGrade, NO_GRADE } from './grades.ts';
import { httpOf } from './http.ts';
import { itemSetsOf } from './items.ts';
import { lowerIsBetterOf, type Referred } from './referred.ts';
import type { Report } from './report.ts';
import type { ConfigDocument } from './schema.ts';
import { kafkaSecurityOf, redisSecurityOf } from './security.ts';
import { cohortsPerSet } from './series.ts';
import type { Settings, Span } from './settings.ts';
import { clusteredOf } from './statistics.ts';
import { inputsOf, topicsOf } from './topic-roles.ts';

/** Settings of a valid document. What does not fit together is reported; then the settings must not be used. */
export function resolve(document: ConfigDocument, report: Report, command: Command): Settings {
  const { attribution, start, cohorts, relevantFrom, namespace, limits } = document;
  const horizons = attribution.horizons.map(spanOf);
  const windows = document.windows.map(spanOf);
  const paneSize = spanOf(document.paneSize);
  checkPanes(windows, paneSize, report);

  const rules = Object.entries(document.grades).map(([name, grade]) => ({ name, rule: gradeRule(grade) }));
  const defaults = { relevantFrom, highestGrade: highestGrade(rules.map(({ rule }) => rule)) };
  const { measures, problems } = parseMeasures(document.measures, defaults, { command });
  for (const { index, message } of problems) report.add(['measures', index], message);

  checkActions(measures, document.grades, report);
  // Judgements have grades of their own.
  if (command !== 'score') checkGrades(rules, measures, report);

  const names = measures.map(({ canonical }) => canonical);
  const grading = gradingOf(rules, measures, relevantFrom);
  const apart = measures.filter((measure) => sumsKind(measure) === 'apart');
  const withoutError = new Set(apart.map(({ canonical }) => canonical));
  const known = { measures: names, withoutError, defaults, horizons, cohorts, report };
  const referred: Referred = {
    ...known,
    lowerIsBetter: lowerIsBetterOf(document.lowerIsBetter, measures, grading, known),
  };
  const experiments = experimentsOf(document.experiments, referred, command === 'run');
  const topics = topicsOf(document.kafka.topics, document.inputs, report);
  const counts = { measures: names.length, windows: windows.length, horizons: horizons.length, sets: cohorts.length };

  return {
    namespace,
    inputs: inputsOf(document.inputs, topics, report),
    kafka: {
      ...document.kafka,
      sessionTimeout: msOf(document.kafka.sessionTimeout),
      topics,
      ...kafkaSecurityOf(document.kafka, report),
    },
    redis: { url: document.redis.url, ...redisSecurityOf(document.redis, report) },
    attribution: {
      horizons,
      outOfOrderness: msOf(attribution.outOfOrderness),
      backward: msOf(attribution.backward),
      idleAfter: msOf(attribution.idleAfter),
      maxSkew: msOf(attribution.maxSkew),
      futureSkew: msOf(attribution.futureSkew),
      unitTimeout: msOf(attribution.unitTimeout),
    },
    start: { from: startOf(start.from), onGap: start.onGap, onUndecodable: start.onUndecodable },
    commit: { interval: msOf(document.commit.interval) },
    grading,
    relevantFrom,
    measures,
    windows,
    paneSize,
    cohorts,
    itemSets: itemSetsOf(document, measures, referred),
    dimensions: [...new Set([...cohorts.flat(), ...experiments.map(({ dimension }) => dimension)])].sort(),
    limits: { ...limits, cohortsPerSet: cohortsPerSet(limits.cohortsPerSet, limits.series, counts, report) },
    experiments,
    statistics: { clustered: clusteredOf(document.statistics, referred) },
    detect: detectOf(document.detect, document.paneSize, referred),
    http: httpOf(document.http, report),
    catalogue: document.catalogue ?? undefined,
    deadLetter: deadLetterOf(
      document.deadLetter,
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

/** `hit(action=clik)` would be 0 for ever. */
function checkActions(measures: readonly Measure[], grades: ConfigDocument['grades'], report: Report): void {
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

/** Actions of the configuration, then those that have a meaning to a measure alone. */
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
    // A rate counts any action, and a rating is a value; any other measure needs the action's grade.
    ...(typeof action === 'string' && !needsGrade(measure) ? [action] : []),
    ...(definition.action === undefined ? [] : [definition.action]),
    ...(params.get('examined') === 'viewport' ? ['view'] : []),
  ];
}

function startOf(from: string): Settings['start']['from'] {
  return from === 'earliest' || from === 'latest' ? from : { at: Math.floor(parseTime(from)) };
}

function spanOf(text: string): Span {
  return { text, ms: msOf(text) };
}

function msOf(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`not a duration, though the schema accepted it: ${text}`);
  return ms;
}
