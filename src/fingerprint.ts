import type { Fingerprint } from './accumulators/store/checkpoint.ts';
import type { Settings } from './config/settings.ts';
import { itemPartsOf } from './measures/item-part.ts';

/**
 * What of the configuration shapes the rows (semantics.md section 6). `shape`: a JSON object by setting, whose change gives
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
      grades: grading.actions.filter(
        ({ name, rule }) => rule.grade > 0 || rule.from === 'value' || rule.veto || !referred.has(name),
      ),
      'kafka.topics': kafka.topics.map(({ role, adapter, tsUnit, positionBase }) => ({
        role,
        adapter,
        tsUnit,
        positionBase,
      })),
      'limits.itemsPerList': limits.itemsPerList,
      'limits.feedbackPerImpression': limits.feedbackPerImpression,
      'limits.impressionBytes': limits.impressionBytes,
      'limits.feedbackBytes': limits.feedbackBytes,
      ...itemShape(settings),
    }),
    additive: JSON.stringify([
      ...measures.map((measure) => `measure ${measure.canonical}`),
      ...cohorts.map((by) => `cohorts ${by.join(',')}`),
      ...windows.map((window) => `window ${window.text}`),
      ...experiments.map((experiment) => `experiment ${experiment.name}`),
      ...(itemPartsOf(measures).length === 0 ? [] : itemSets.map((by) => `itemSets ${by.join(',')}`)),
    ]),
  };
}

/**
 * What shapes the rows of measures of items and of the catalogue, as far as there are such measures: a configuration without
 * them is as it was before there were any.
 */
function itemShape({ measures, limits, itemFile }: Settings): Readonly<Record<string, unknown>> {
  const of = (field: 'item' | 'popularity' | 'category'): string => itemFile?.fingerprint(field) ?? 'none';
  const names = new Set(measures.map(({ name }) => name));
  const parts = itemPartsOf(measures);
  return {
    ...(parts.some(({ holds }) => holds !== 'registers') ? { 'limits.itemsCounted': limits.itemsCounted } : {}),
    ...(parts.some(({ known }) => known) ? { 'catalogue.items': of('item') } : {}),
    ...(names.has('popularity') || names.has('novelty') ? { 'catalogue.popularity': of('popularity') } : {}),
    ...(names.has('diversity') ? { 'catalogue.category': of('category') } : {}),
  };
}
