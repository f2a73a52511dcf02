import { printRules } from '../../src/cli/rules.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { load } from '../config/fixture.ts';

/** The usual rules. */
export function usualRules(): string {
  return printRules(load(''), USUAL_RULE_OPTIONS);
}

/** Configuration of a Prometheus that scrapes every two seconds, so that a slow answer is none that is missing, and evaluates every second. @param alertmanager port of one, if it is to be told */
export function quickConfig(port: number, alertmanager?: number): string {
  const told =
    alertmanager === undefined
      ? ''
      : `alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:${alertmanager}']}]}]}`;
  return `
global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: receval
    static_configs: [{targets: ['127.0.0.1:${port}']}]
${told}
`;
}
