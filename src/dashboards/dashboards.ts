/** All dashboards, made from the settings and the catalogue of metrics. */
import type { Settings } from '../config/settings.ts';
import { catalogue } from '../metrics/catalogue.ts';
import { grafanaDashboard } from './grafana.ts';
import { pipelinePlan } from './pipeline.ts';
import { qualityPlan } from './quality.ts';

/** Names by which they are asked for. */
export const DASHBOARD_NAMES = ['quality', 'pipeline'] as const;
export type DashboardName = (typeof DASHBOARD_NAMES)[number];

const PLANS = { quality: qualityPlan, pipeline: pipelinePlan } as const;

export function isDashboardName(text: string): text is DashboardName {
  return DASHBOARD_NAMES.some((name) => name === text);
}

/** Its JSON model, as Grafana takes it. */
export function dashboardText(name: DashboardName, settings: Settings): string {
  return `${JSON.stringify(grafanaDashboard(PLANS[name](settings), catalogue(settings)), null, 1)}\n`;
}
