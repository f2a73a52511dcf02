import { printRules } from '../../src/cli/rules.ts';
import type { Span } from '../../src/config/settings.ts';
import { parseDuration } from '../../src/durations.ts';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { load } from '../config/fixture.ts';

export function span(text: string): Span {
  const ms = parseDuration(text);
  if (ms === undefined) throw new Error(`${text} is no duration`);
  return { text, ms };
}

export interface QuickRules {
  /** Durations of the wall, each a whole number of seconds. */
  readonly past: string;
  readonly offset: string;
  readonly minImpressions?: number;
}

/** The usual rules for a Prometheus that scrapes and evaluates every second. */
export function quickRules({ past, offset, minImpressions }: QuickRules): string {
  return printRules(load(''), {
    ...USUAL_RULE_OPTIONS,
    past: span(past),
    offset: span(offset),
    hold: span('0s'),
    interval: span('1s'),
    ...(minImpressions === undefined ? {} : { minImpressions }),
  });
}

/** Its configuration. */
export function quickConfig(port: number): string {
  return `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: receval
    static_configs: [{targets: ['127.0.0.1:${port}']}]
`;
}
