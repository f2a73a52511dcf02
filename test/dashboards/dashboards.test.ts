import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { DASHBOARD_NAMES, dashboardText } from '../../src/dashboards/dashboard-text.ts';
import { grafanaDashboard } from '../../src/dashboards/grafana.ts';
import { pipelinePlan } from '../../src/dashboards/pipeline-dashboard.ts';
import { metricSpecs, PREFIX } from '../../src/metrics/metric-specs.ts';
import { load } from '../config/fixture.ts';
import { type Dashboard, parseDashboard, shippedPath, visualsOf } from './model.ts';
import { customOptions } from './variables.ts';

const CONFIGURATIONS = [
  '',
  'cohorts: [[]]\n',
  'cohorts: [[surface, country], [surface]]\n',
  'measures: [mrr]\nexperiments: {}\n',
  'measures: ["ndcg(dup=each,gain=exp)@5", "rate(action=purchase)", ctr]\n',
];

function made(yaml: string): readonly Dashboard[] {
  return DASHBOARD_NAMES.map((name) => parseDashboard(dashboardText(name, load(yaml))));
}

function expressionsOf({ templating, annotations, ...dashboard }: Dashboard): readonly string[] {
  const queries = templating.list.flatMap((one) => (one.type === 'query' ? [one.query.query] : []));
  return [
    ...queries,
    ...(annotations?.list ?? []).map(({ expr }) => expr),
    ...visualsOf({ templating, ...dashboard }).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
}

function optionsOf({ templating }: Dashboard, name: string): ReturnType<typeof customOptions> {
  const variable = templating.list.find((one) => one.name === name);
  return variable?.type === 'custom' ? customOptions(variable.query) : [];
}

/** Labels by name of all metrics that a process exposes. */
function exposed(yaml: string): ReadonlyMap<string, readonly string[] | undefined> {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: PREFIX });
  const ofProcess = register.getMetricsAsArray().flatMap(({ name }) => [name, `${name}_sum`]);
  const ours = metricSpecs(load(yaml)).flatMap(({ name, labels, type }): [string, readonly string[]][] =>
    type === 'histogram' ? [[`${name}_bucket`, [...labels, 'le']]] : [[name, labels]],
  );
  return new Map([...ofProcess.map((name): [string, undefined] => [name, undefined]), ...ours]);
}

describe('the files in deploy/grafana/dashboards', () => {
  it.each(DASHBOARD_NAMES)(
    'hold the dashboard %s of the default settings, as `receval dashboards generate` prints it and `npm run generate` writes it',
    async (name) => {
      await expect(dashboardText(name, load(''))).toMatchFileSnapshot(shippedPath(name));
    },
  );

  /** Metrics that no panel shows, and why. */
  const UNSHOWN = /_(?:score|weight)_total$/; // made for queries of one's own: docs/metrics.md

  it('show every metric of the catalogue', () => {
    const all = made('')
      .flatMap((dashboard) => [
        ...expressionsOf(dashboard),
        ...optionsOf(dashboard, 'measure').map(
          ({ value }) => value.replace('(_stderr)?', '') + value.replace('(_stderr)?', '_stderr'),
        ),
      ])
      .join('\n');
    const missing = metricSpecs(load(''))
      .map(({ name }) => name)
      .filter((name) => !UNSHOWN.test(name) && !new RegExp(`\\b${name}(?:_bucket)?\\b`).test(all));
    expect(missing, 'show each in a panel: src/dashboards/pipeline-dashboard.ts, quality-dashboard.ts').toEqual([]);
  });
});

describe.each(CONFIGURATIONS)('the dashboards of the configuration %j', (yaml) => {
  const dashboards = made(yaml);
  const known = exposed(yaml);

  it('name no metric that receval does not expose, and no label that it does not have', () => {
    const ambient = ['job', 'instance'];
    const wrong = dashboards.flatMap(expressionsOf).flatMap((expr) =>
      [...expr.matchAll(/\b(receval_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].flatMap(([, name, matchers = '']) => {
        if (!known.has(name)) return [`there is no ${name}`];
        const labels = known.get(name);
        return [...matchers.replaceAll(/"[^"]*"/g, '""').matchAll(/([a-z0-9_]+)(?:=|!=|=~|!~)"/g)]
          .filter(([, label]) => labels !== undefined && ![...labels, ...ambient].includes(label))
          .map(([, label]) => `${name} has no label ${label}`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('use only variables that they have', () => {
    for (const dashboard of dashboards) {
      const names = dashboard.templating.list.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      const used = [
        ...expressionsOf(dashboard),
        ...visualsOf(dashboard).flatMap(({ title, repeat }) => [title, `$${repeat ?? 'job'}`]),
      ];
      const wrong = used.flatMap((text) =>
        [...text.matchAll(/\$\{?(\w+)/g)]
          .map(([, name]) => name)
          .filter((name) => name !== '__rate_interval' && !names.includes(name)),
      );
      expect(wrong).toEqual([]);
    }
  });

  it('have a choice for every measure and every grouping set that selects it and nothing else', () => {
    const settings = load(yaml);
    const [quality] = dashboards;
    expect(optionsOf(quality, 'measure').map(({ text }) => text)).toEqual(
      settings.measures.map(({ canonical }) => canonical),
    );
    expect(new Set(optionsOf(quality, 'measure').map(({ value }) => value)).size).toBe(settings.measures.length);
    for (const { value } of optionsOf(quality, 'measure')) {
      const name = /^__name__=~"(receval_\w+)\(_stderr\)\?", k="\d*", params="[^"]*"$/.exec(value)?.[1];
      expect(known.has(name ?? value)).toBe(true);
    }
    expect(optionsOf(quality, 'by').map(({ value }) => value)).toEqual(
      settings.cohorts.map((by) => `by="${by.join(',')}"`),
    );
  });

  it('give every panel a place of its own, an id of its own and a description', () => {
    for (const dashboard of dashboards) {
      const ids = dashboard.panels.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const places = dashboard.panels.map(({ gridPos }) => gridPos);
      for (const [i, a] of places.entries()) {
        expect(a.x + a.w).toBeLessThanOrEqual(24);
        for (const b of places.slice(i + 1)) {
          const overlap = a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
          expect(overlap, JSON.stringify([a, b])).toBe(false);
        }
      }
      const unexplained = visualsOf(dashboard).filter(({ description, title }) => description === '' && title === '');
      expect(unexplained).toEqual([]);
    }
  });
});

describe('a dashboard', () => {
  it('cannot be made with a metric that does not exist, and the nearest name is reported', () => {
    const plan = pipelinePlan();
    const row = {
      title: 'Row',
      panels: [
        {
          title: 'Lag',
          metrics: ['receval_consumer_lag_mesages'],
          look: { kind: 'number' },
          queries: [{ expr: '1', legend: '' }],
          width: 6,
        } as const,
      ],
    };
    expect(() => grafanaDashboard({ ...plan, rows: [row] }, metricSpecs(load('')))).toThrow(
      'panel "Lag": there is no metric receval_consumer_lag_mesages; did you mean "receval_consumer_lag_messages"?',
    );
  });

  it('has no row on experiments where there are none, and none on the past where nothing is watched', () => {
    const titles = (yaml: string): readonly string[] => made(yaml)[0].panels.map(({ title }) => title);
    expect(titles('')).toEqual(expect.arrayContaining(['Experiment $experiment', 'Against their own past']));
    expect(titles('experiments: {}\n')).not.toContain('Experiment $experiment');
    expect(titles('cohorts: [[country]]\n')).not.toContain('Against their own past');
  });
});
