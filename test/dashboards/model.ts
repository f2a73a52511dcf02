import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { DASHBOARD_NAMES } from '../../src/dashboards/dashboard-text.ts';

const source = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('$datasource') });
const grid = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });
const words = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

const target = z.object({
  refId: z.string().regex(/^[A-Z]$/),
  expr: z.string(),
  legendFormat: z.string(),
  datasource: source,
  format: z.enum(['time_series', 'table']),
  instant: z.boolean().optional(),
  range: z.boolean().optional(),
});

const row = z.object({
  type: z.literal('row'),
  id: z.number(),
  title: z.string(),
  gridPos: grid,
  panels: z.array(z.never()),
});
const visual = z.object({
  type: z.enum(['timeseries', 'stat', 'table', 'state-timeline']),
  id: z.number(),
  title: z.string(),
  description: z.string(),
  gridPos: grid,
  datasource: source,
  repeat: z.string().optional(),
  maxPerRow: z.number().optional(),
  targets: z.array(target).min(1),
});

const variable = z.discriminatedUnion('type', [
  z.object({ type: z.literal('datasource'), name: z.string(), query: z.literal('prometheus') }),
  z.object({
    type: z.literal('custom'),
    name: z.string(),
    query: z.string(),
    current: z.object({ text: z.string(), value: z.string() }),
  }),
  z.object({
    type: z.literal('query'),
    name: z.string(),
    datasource: source,
    query: z.object({ query: z.string(), refId: z.string() }),
    multi: z.boolean(),
    regex: z.string().optional(),
    allValue: z.string().optional(),
    current: z.object({ text: words, value: words }).optional(),
  }),
]);

const mark = z.object({
  name: z.string(),
  datasource: source,
  enable: z.literal(true),
  expr: z.string(),
  useValueForTime: z.literal(true),
  titleFormat: z.string(),
});

const dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number().int(),
  templating: z.object({ list: z.array(variable) }),
  annotations: z.object({ list: z.array(mark).optional() }).optional(),
  panels: z.array(z.union([row, visual])),
});

export type Dashboard = z.output<typeof dashboard>;
export type Visual = z.output<typeof visual>;
export type Variable = z.output<typeof variable>;

/** What we use of Grafana's JSON model of a dashboard. @throws ZodError */
export function parseDashboard(text: string): Dashboard {
  return dashboard.parse(JSON.parse(text));
}

export function visualsOf({ panels }: Dashboard): readonly Visual[] {
  return panels.flatMap((panel) => (panel.type === 'row' ? [] : [panel]));
}

/** Text of a dashboard in deploy/grafana. */
export function shippedPath(name: string): string {
  return resolve(import.meta.dirname, `../../deploy/grafana/dashboards/receval-${name}.json`);
}

export function shippedText(name: string): string {
  return readFileSync(shippedPath(name), 'utf8');
}

export const SHIPPED: readonly Dashboard[] = DASHBOARD_NAMES.map((name) => parseDashboard(shippedText(name)));
