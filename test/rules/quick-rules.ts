import { printRules } from '../../src/cli/rules.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { load } from '../config/fixture.ts';

/** The usual rules. */
export function usualRules(): string {
  return printRules(load(''), USUAL_RULE_OPTIONS);
}

/** Configuration of a Prometheus that scrapes and evaluates every second. */
export function quickConfig(port: number): string {
  return `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: receval
    static_configs: [{targets: ['127.0.0.1:${port}']}]
`;
}
