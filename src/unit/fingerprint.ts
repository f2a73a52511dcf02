import type { Fingerprint } from '../accumulators/store/checkpoint-codec.ts';
import { PART } from '../accumulators/store/fingerprint-difference.ts';
import type { Settings } from '../config/settings.ts';
import { rowSettings } from '../config/simple.ts';
import { withListed } from '../consumers/decode/exclusion.ts';
import type { Measure } from '../measures/definition.ts';
import { itemPartsOf } from '../measures/item-part.ts';
import type { GradeRule, Grading } from '../measures/scorer-contract.ts';

/**
 * The part of the configuration that shapes the rows (specification: commit 6). `shape` is a JSON object by setting: a change of it
 * gives rows another meaning. `additive` is a JSON list of what may be added and removed.
 */
export function fingerprint(settings: Settings): Fingerprint {
  const { grading, kafka, measures, cohorts, windows, experiments, itemSets } = settings;
  // Settings are stored in this order since the first release.
  const own = rowSettings(settings);
  const limits = own.filter(([path]) => path.startsWith('limits.'));
  const referred = new Set(measures.map((measure) => measure.params.get('action')));
  return {
    shape: JSON.stringify({
      ...Object.fromEntries(own.filter((each) => !limits.includes(each))),
      // An action that only a measure names comes and goes with the measure.
      grades: grading.actions
        .filter(({ name, rule }) => rule.grade > 0 || rule.from === 'value' || rule.veto || !referred.has(name))
        .map(({ name, rule }) => ({ name, rule: storedRule(rule) })),
      'kafka.topics': kafka.topics.map(({ role, adapter, tsUnit, timeZone, positionBase, drop }) => ({
        role,
        adapter,
        // `auto` replaced `ms` as the default: it reads the same values as `ms` did, and more.
        tsUnit: tsUnit === 'auto' ? 'ms' : tsUnit,
        positionBase,
        timeZone,
        // What a file lists may change while it is used; that it is used is a part of the meaning.
        drop: drop.length === 0 ? undefined : withListed(drop, () => undefined),
      })),
      ...Object.fromEntries(limits),
      ...itemShape(settings),
    }),
    additive: JSON.stringify([
      ...measures.map((measure) => measureEntry(measure, grading)),
      ...cohorts.map(PART.cohorts),
      ...windows.map(({ text }) => PART.window(text)),
      ...experiments.map(({ name }) => PART.experiment(name)),
      ...(itemPartsOf(measures).length === 0 ? [] : itemSets.map(PART.itemSets)),
    ]),
  };
}

/** The limit that grades had in the first release. */
const FORMER_LIMIT = 30;

/** The rule as it is stored: with the former limit if a limit cuts nothing, so that an unchanged meaning has an unchanged fingerprint. */
function storedRule(rule: GradeRule): GradeRule {
  const { from, grade, rule: combine, max, veto } = rule;
  const isFixed = from === 'grade' && (combine !== 'sum' || grade === 0) && grade <= FORMER_LIMIT;
  return veto || (isFixed && max >= FORMER_LIMIT) ? { ...rule, max: Math.min(max, FORMER_LIMIT) } : rule;
}

/**
 * Measures of grades used to leave empty lists out; err and rbp with `gain=scaled` used to treat a list as one without positives if
 * all of its grades were below `relevantFrom`. If that can make a difference, the measure has another entry now: windows that hold rows
 * of both are incomplete.
 */
function measureEntry({ canonical, name, params }: Measure, { actions, relevantFrom }: Grading): string {
  const takesAll = name === 'err' || params.get('gain') === 'scaled';
  const mayBeBelow = actions.some(({ rule: { from, grade, max, veto } }) => {
    return !veto && (from === 'value' || (grade > 0 && Math.min(grade, max) < relevantFrom));
  });
  const takesEmpty = params.get('min_list_length') === 0 ? ' (empty lists count)' : '';
  return `${PART.measure(canonical)}${takesAll && mayBeBelow ? ' of every grade' : ''}${takesEmpty}`;
}

/**
 * Settings that shape the rows of measures of items and of the catalogue. They are present only if there are such measures, so that a
 * configuration without them keeps the fingerprint that it had before these measures existed.
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
