/** All dashboards, generated from the settings and the list of metrics. */
import type { Settings } from '../config/settings.ts';
import { metricSpecs } from '../metrics/metric-specs.ts';
import { grafanaDashboard } from './grafana.ts';
import { pipelinePlan } from './pipeline-dashboard.ts';
import { qualityPlan } from './quality-dashboard.ts';

/** The names that commands accept. */
export const DASHBOARD_NAMES = ['quality', 'pipeline'] as const;
type DashboardName = (typeof DASHBOARD_NAMES)[number];

const PLANS = { quality: qualityPlan, pipeline: pipelinePlan } as const;

export function isDashboardName(text: string): text is DashboardName {
  return DASHBOARD_NAMES.some((name) => name === text);
}

/** The JSON model of a dashboard, as Grafana imports it. */
export function dashboardText(name: DashboardName, settings: Settings): string {
  return `${JSON.stringify(grafanaDashboard(PLANS[name](settings), metricSpecs(settings)), null, 1)}\n`;
}
