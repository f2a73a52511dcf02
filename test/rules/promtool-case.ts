import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { USUAL_RULE_OPTIONS } from '../../src/metrics/rules-model.ts';
import { type Outcome, run } from '../services/commands.ts';

/** Series and what an alert does with them, in promtool's notation. */
export interface RuleCase {
  /** Values by series: `up{job="receval"}`, `1x10 0x20`; one value per `step`. */
  readonly series: Readonly<Record<string, string>>;
  /** What fired earlier, of an alert that is resolved. */
  readonly before?: Moment;
  readonly at: string;
  /** The alerts that fire then. */
  readonly fires: readonly Firing[];
}

export interface Moment {
  readonly at: string;
  readonly fires: readonly Firing[];
}

export interface Firing {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RuleSuite {
  readonly alert: string;
  readonly step: string;
  readonly severity: string;
  /** Sentence to case. */
  readonly cases: Readonly<Record<string, RuleCase>>;
  /** A change of the rules after which the case `breaks` must not pass any more. */
  readonly control: { readonly from: string; readonly to: string; readonly breaks: string };
}

export interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert?: string; readonly expr: string }[] }[];
}

/** A rule file with one alert of it. Where no rule reads what another one makes, it fires as among all the others, which take most of the time. */
export function withAlertAlone(rules: string, alert: string): string {
  const file: RuleFile = parse(rules);
  const groups = file.groups
    .map((group) => ({ ...group, rules: group.rules.filter((rule) => rule.alert === alert) }))
    .filter((group) => group.rules.length > 0);
  return stringify({ ...file, groups }, { lineWidth: 0 });
}

/** What `promtool test rules` says to one case, on this text of a rule file. */
export async function testRule(promtool: string, rules: string, suite: RuleSuite, one: RuleCase): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'receval-rules-'));
  try {
    writeFileSync(join(folder, 'rules.yml'), rules);
    writeFileSync(join(folder, 'test.yml'), stringify(document(suite, one), { lineWidth: 0 }));
    return await run(promtool, ['test', 'rules', 'test.yml'], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function document({ alert, step, severity }: RuleSuite, { series, before, ...last }: RuleCase): object {
  const moments = before === undefined ? [last] : [before, last];
  return {
    rule_files: ['rules.yml'],
    evaluation_interval: step,
    tests: [
      {
        interval: step,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: moments.map(({ at, fires }) => ({
          alertname: alert,
          eval_time: at,
          exp_alerts: fires.map(({ labels, annotations }) => ({
            exp_labels: { severity, ...labels },
            exp_annotations: { ...annotations, runbook_url: `${USUAL_RULE_OPTIONS.runbook}#${alert.toLowerCase()}` },
          })),
        })),
      },
    ],
  };
}

export interface Grown {
  readonly alert: string;
  readonly severity: string;
  readonly series: string;
  /** Minutes for which the alert remembers. */
  readonly span: number;
  /** Minutes for which it must be so. */
  readonly lasts?: number;
  readonly firing: Firing;
}

/** The suite of an alert on any growth of a counter. */
export function grewSuite({ alert, severity, series, span, lasts = 0, firing }: Grown): RuleSuite {
  return {
    alert,
    step: '1m',
    severity,
    cases: {
      'is silent while the counter stands, at 0 or above': {
        series: { [series]: '0x60', [series.replace('"a"', '"b"')]: '7x60' },
        at: '50m',
        fires: [],
      },
      'fires when it grew by one': {
        series: { [series]: '0x20 1x40' },
        before: { at: '20m', fires: [] },
        at: `${21 + lasts}m`,
        fires: [firing],
      },
      'fires when the series is first seen above 0': {
        series: { [series]: '_x20 1x40' },
        before: { at: '19m', fires: [] },
        at: `${20 + lasts}m`,
        fires: [firing],
      },
      [`is resolved ${span} minutes later`]: {
        series: { [series]: '0x20 1x60' },
        before: { at: `${20 + span - 1}m`, fires: [firing] },
        at: `${21 + span}m`,
        fires: [],
      },
      'is silent about a counter that started over at 0': { series: { [series]: '5x20 0x40' }, at: '25m', fires: [] },
    },
    control: { from: '> 0', to: '> 2', breaks: 'fires when it grew by one' },
  };
}
