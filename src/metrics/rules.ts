/** Rules for Prometheus, made from the settings (specification: faults 9). */
import type { Settings } from '../config/settings.ts';
import { experimentRules } from './rules-experiments.ts';
import type { RuleGroup, RuleOptions } from './rules-model.ts';
import { pipelineRules } from './rules-pipeline.ts';
import { qualityRules } from './rules-quality.ts';

/** The groups of a rule file, in the order in which they are printed. */
export function ruleGroups(settings: Settings, options: RuleOptions): readonly RuleGroup[] {
  const quality = [...experimentRules(settings, options), ...qualityRules(settings, options)];
  const group = { name: 'receval.quality', rules: quality };
  return [pipelineRules(settings, options), ...(quality.length === 0 ? [] : [group])];
}
