/** Plans as dashboards of Grafana, by its foundation SDK. */
import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type GridPos,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Metric } from '../metrics/metric.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import { COLUMNS, HEIGHT, panelOf } from './grafana-panels.ts';
import { SOURCE, variableOf } from './grafana-variables.ts';
import type { DashboardPlan, Panel } from './panel.ts';

/**
 * The JSON model of a dashboard. `metrics`: all that there are.
 * @throws Error for a panel of a metric that is not among them.
 */
export function grafanaDashboard(plan: DashboardPlan, metrics: readonly Metric[]): Dashboard {
  const { uid, title, description, variables, rows, span, marks = [] } = plan;
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['receval'])
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: `now-${span}`, to: 'now' })
    .refresh('30s')
    .link(
      new DashboardLinkBuilder('receval')
        .type(DashboardLinkType.Dashboards)
        .tags(['receval'])
        .includeVars(false)
        .keepTime(true),
    );
  for (const variable of variables) builder.withVariable(variableOf(variable));
  for (const { name, expr, title: text, color } of marks) {
    builder.annotation(
      new AnnotationQueryBuilder()
        .name(name)
        .datasource(SOURCE)
        .enable(true)
        .iconColor(color)
        // Grafana takes milliseconds.
        .expr(`1000 * ${expr}`)
        .useValueForTime(true)
        .titleFormat(text),
    );
  }
  let id = 0;
  let y = 0;
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title).id(++id).gridPos({ x: 0, y, w: COLUMNS, h: 1 }));
    const places = placesOf(row.panels, y + 1);
    for (const [i, panel] of row.panels.entries()) {
      builder.withPanel(panelOf(panel, ++id, descriptionOf(panel, metrics), places[i]));
      y = places[i].y + HEIGHT;
    }
  }
  return builder.build();
}

/** From left to right and line by line. What is repeated begins a line, and so does what follows it: Grafana fills the line. */
function placesOf(panels: readonly Panel[], top: number): readonly GridPos[] {
  let x = 0;
  let y = top;
  return panels.map(({ width, repeat }) => {
    if (x > 0 && (repeat !== undefined || x + width > COLUMNS)) {
      x = 0;
      y += HEIGHT;
    }
    const place = { x, y, w: width, h: HEIGHT };
    x = repeat === undefined ? x + width : COLUMNS;
    return place;
  });
}

function descriptionOf({ title, metrics: names, note }: Panel, metrics: readonly Metric[]): string {
  const known = metrics.map(({ name }) => name);
  const texts = names.map((name) => {
    const metric = metrics.find((one) => one.name === name);
    if (metric === undefined) throw new Error(`panel "${title}": there is no metric ${name}${suggestion(name, known)}`);
    return `${name}: ${metric.help}`;
  });
  return [...(note === undefined ? [] : [note]), ...texts].join('\n\n');
}
