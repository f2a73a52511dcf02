import type { Fingerprint } from '../accumulators/store/checkpoint-codec.ts';
import type { Settings } from '../config/settings.ts';
import type { Measure } from '../measures/definition.ts';
import { itemPartsOf } from '../measures/item-part.ts';
import type { GradeRule, Grading } from '../measures/scorer-contract.ts';

/**
 * What of the configuration shapes the rows (specification: commit 6). `shape`: a JSON object by setting, whose change gives
 * rows another meaning. `additive`: a JSON list of what may come and go.
 */
export function fingerprint(settings: Settings): Fingerprint {
  const { attribution, grading, kafka, limits, measures, cohorts, windows, paneSize, experiments, itemSets } = settings;
  const referred = new Set(measures.map((measure) => measure.params.get('action')));
  return {
    shape: JSON.stringify({
      'attribution.horizons': attribution.horizons.map((horizon) => horizon.text),
      'attribution.outOfOrderness': attribution.outOfOrderness,
      'attribution.backward': attribution.backward,
      'attribution.futureSkew': attribution.futureSkew,
      paneSize: paneSize.ms,
      relevantFrom: grading.relevantFrom,
      // An action that only a measure names comes and goes with the measure.
      grades: grading.actions
        .filter(({ name, rule }) => rule.grade > 0 || rule.from === 'value' || rule.veto || !referred.has(name))
        .map(({ name, rule }) => ({ name, rule: storedRule(rule) })),
      'kafka.topics': kafka.topics.map(({ role, adapter, tsUnit, timeZone, positionBase }) => ({
        role,
        adapter,
        // What was milliseconds when they were the default means the same: auto only reads more.
        tsUnit: tsUnit === 'auto' ? 'ms' : tsUnit,
        positionBase,
        timeZone,
      })),
      'limits.itemsPerList': limits.itemsPerList,
      'limits.feedbackPerImpression': limits.feedbackPerImpression,
      'limits.impressionBytes': limits.impressionBytes,
      'limits.feedbackBytes': limits.feedbackBytes,
      ...itemShape(settings),
    }),
    additive: JSON.stringify([
      ...measures.map((measure) => measureEntry(measure, grading)),
      ...cohorts.map((by) => `cohorts ${by.join(',')}`),
      ...windows.map((window) => `window ${window.text}`),
      ...experiments.map((experiment) => `experiment ${experiment.name}`),
      ...(itemPartsOf(measures).length === 0 ? [] : itemSets.map((by) => `itemSets ${by.join(',')}`)),
    ]),
  };
}

/** The limit of grades that was everybody's once. */
const FORMER_LIMIT = 30;

/** Where a limit cuts nothing, the former one stands: a configuration that means what it meant has the fingerprint that it had. */
function storedRule(rule: GradeRule): GradeRule {
  const { from, grade, rule: combine, max, veto } = rule;
  const isFixed = from === 'grade' && (combine !== 'sum' || grade === 0) && grade <= FORMER_LIMIT;
  return veto || (isFixed && max >= FORMER_LIMIT) ? { ...rule, max: Math.min(max, FORMER_LIMIT) } : rule;
}

/**
 * err and rbp with `gain=scaled` took a list for empty once where every grade was below `relevantFrom`. Where that can be, the
 * measure is told from that of then: windows with rows of both say incomplete.
 */
function measureEntry({ canonical, name, params }: Measure, { actions, relevantFrom }: Grading): string {
  const takesAll = name === 'err' || params.get('gain') === 'scaled';
  const mayBeBelow = actions.some(({ rule: { from, grade, max, veto } }) => {
    return !veto && (from === 'value' || (grade > 0 && Math.min(grade, max) < relevantFrom));
  });
  return `measure ${canonical}${takesAll && mayBeBelow ? ' of every grade' : ''}`;
}

/**
 * What shapes the rows of measures of items and of the catalogue, as far as there are such measures: a configuration without
 * them is as it was before there were any.
 */
function itemShape({ measures, limits, itemFile }: Settings): Readonly<Record<string, unknown>> {
  const of = (field: 'item' | 'popularity' | 'category'): string => itemFile?.fingerprint(field) ?? 'none';
  const asked = new Set(measures.map((measure) => measure.definition.asksCatalogue?.(measure)));
  const parts = itemPartsOf(measures);
  return {
    ...(parts.some(({ holds }) => holds !== 'registers') ? { 'limits.itemsCounted': limits.itemsCounted } : {}),
    ...(parts.some(({ known }) => known) ? { 'catalogue.items': of('item') } : {}),
    ...(asked.has('popularity') ? { 'catalogue.popularity': of('popularity') } : {}),
    ...(asked.has('category') ? { 'catalogue.category': of('category') } : {}),
  };
}
