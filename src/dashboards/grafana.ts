/** Converts plans to Grafana dashboards, with its foundation SDK. */
import {
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
  SortOrder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  AnnotationQueryBuilder,
  CustomVariableBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type GridPos,
  MappingType,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { MetricSpec } from '../metrics/metric-specs.ts';
import { assertNever } from '../vocabulary/events.ts';
import { suggestion } from '../vocabulary/spelling.ts';
import type { DashboardPlan, DisplayUnit, Limit, Panel, Query, State, Variable } from './panel.ts';

const COLUMNS = 24;
const HEIGHT = 8;
const MARGIN_OF_ERROR_OPACITY = 15;

interface Built {
  readonly build: () => ReturnType<LinesBuilder['build']>;
}

/** The methods that builders of all kinds of panels have. */
interface CommonBuilder<B> {
  id(id: number): B;
  description(text: string): B;
  datasource(source: typeof SOURCE): B;
  gridPos(place: GridPos): B;
  unit(unit: string): B;
  repeat(variable: string): B;
  maxPerRow(most: number): B;
  title(title: string): B;
  withTarget(query: DataqueryBuilder): B;
}

/** The data source that is chosen at the top. */
const SOURCE = { type: 'prometheus', uid: '$datasource' } as const;

/**
 * The JSON model of a dashboard.
 * @param metrics all existing metrics
 * @throws Error for a panel of a metric that is not among them
 */
export function grafanaDashboard(plan: DashboardPlan, metrics: readonly MetricSpec[]): Dashboard {
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
        // Grafana expects milliseconds.
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

/**
 * Places panels from left to right and line by line. A repeated panel starts a line, and so does the next one, because Grafana fills the
 * line.
 */
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

function descriptionOf({ title, metrics: names, note }: Panel, metrics: readonly MetricSpec[]): string {
  const known = metrics.map(({ name }) => name);
  const texts = names.map((name) => {
    const metric = metrics.find((one) => one.name === name);
    if (metric === undefined) throw new Error(`panel "${title}": there is no metric ${name}${suggestion(name, known)}`);
    return `${name}: ${metric.help}`;
  });
  return [...(note === undefined ? [] : [note]), ...texts].join('\n\n');
}

/** A panel of Grafana. */
function panelOf(panel: Panel, id: number, description: string, place: GridPos): Built {
  const { title, queries, unit, width, repeat, look } = panel;
  const common = <B extends CommonBuilder<B>>(builder: B, target: (query: Query, i: number) => DataqueryBuilder): B => {
    const base = builder.title(title).id(id).description(description).datasource(SOURCE).gridPos(place);
    const measured = base.unit(unit ?? ('short' satisfies DisplayUnit));
    const repeated = repeat === undefined ? measured : measured.repeat(repeat).maxPerRow(COLUMNS / width);
    return queries.reduce((built, query, i) => built.withTarget(target(query, i)), repeated);
  };
  switch (look.kind) {
    case 'lines': {
      const lines = common(new LinesBuilder(), ranged).drawStyle(GraphDrawStyle.Line).lineWidth(1).fillOpacity(0);
      lines.showPoints(VisibilityMode.Never).legend(legend()).tooltip(allSeries());
      if (look.log === true) {
        lines.scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(10));
      }
      if (look.limit !== undefined) lines.thresholds(thresholds(look.limit));
      return lines;
    }
    case 'band':
      return common(new LinesBuilder(), ranged)
        .drawStyle(GraphDrawStyle.Line)
        .showPoints(VisibilityMode.Never)
        .fillOpacity(0)
        .legend(legend())
        .tooltip(allSeries())
        .overrideByRegexp('/^(upper|lower)$/', [
          { id: 'custom.lineWidth', value: 0 },
          { id: 'custom.hideFrom', value: { legend: true, tooltip: false, viz: false } },
        ])
        .overrideByName('upper', [
          { id: 'custom.fillBelowTo', value: 'lower' },
          { id: 'custom.fillOpacity', value: MARGIN_OF_ERROR_OPACITY },
        ]);
    case 'number':
      return common(new StatBuilder(), instant);
    case 'states':
      return common(new TimelineBuilder(), ranged)
        .mappings([mapping(look.states)])
        .mergeValues(true)
        .legend(legend());
    case 'table':
      return common(new TableBuilder(), tabled)
        .withTransformation({ id: 'merge', options: {} })
        .withTransformation({
          id: 'organize',
          options: {
            excludeByName: Object.fromEntries(['Time', ...(look.hidden ?? [])].map((name) => [name, true])),
            renameByName: Object.fromEntries(queries.map(({ legend: name }, i) => [`Value #${refId(i)}`, name])),
          },
        });
    default:
      return assertNever(look);
  }
}

function refId(i: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + i);
}

function target({ expr, legend: name }: Query, i: number): DataqueryBuilder {
  return new DataqueryBuilder().refId(refId(i)).datasource(SOURCE).expr(expr).legendFormat(name);
}

function ranged(query: Query, i: number): DataqueryBuilder {
  return target(query, i).range().format(PromQueryFormat.TimeSeries);
}

function instant(query: Query, i: number): DataqueryBuilder {
  return target(query, i).instant().format(PromQueryFormat.TimeSeries);
}

function tabled(query: Query, i: number): DataqueryBuilder {
  return target(query, i).instant().format(PromQueryFormat.Table);
}

function legend(): VizLegendOptionsBuilder {
  return new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
    .calcs([]);
}

function allSeries(): VizTooltipOptionsBuilder {
  return new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending);
}

function thresholds({ value, color }: Limit): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([
    { value: null, color: 'green' },
    { value, color },
  ]);
}

function mapping(states: readonly State[]): ValueMapping {
  const options = states.map(({ value, text, color }, index) => [String(value), { text, color, index }] as const);
  return { type: MappingType.ValueToText, options: Object.fromEntries(options) };
}

/** A variable of Grafana. */
function variableOf(variable: Variable): DatasourceVariableBuilder | CustomVariableBuilder | QueryVariableBuilder {
  const { name, label } = variable;
  switch (variable.kind) {
    case 'datasource':
      return new DatasourceVariableBuilder(name).label(label).type('prometheus');
    case 'choice': {
      const { options, first } = variable;
      return new CustomVariableBuilder(name)
        .label(label)
        .values(options.map(({ text, value }) => `${commas(text)} : ${commas(value)}`).join(','))
        .options(options.map((option) => ({ ...option, selected: option === first })))
        .current({ ...first, selected: true });
    }
    case 'query': {
      const builder = new QueryVariableBuilder(name)
        .label(label)
        .datasource(SOURCE)
        .query({ query: variable.query, refId: `receval-${name}` })
        .definition(variable.query)
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .sort(VariableSort.AlphabeticalAsc)
        .multi(variable.several)
        .includeAll(variable.several);
      if (variable.regex !== undefined) builder.regex(variable.regex);
      if (!variable.several) return builder;
      // Includes cohorts without the label; a repeated panel needs the values themselves.
      if (variable.regex === undefined) builder.allValue('.*');
      return builder.current({ selected: true, text: ['All'], value: ['$__all'] });
    }
    default:
      return assertNever(variable);
  }
}

/** Escapes commas that do not separate options. */
function commas(text: string): string {
  return text.replaceAll(',', '\\,');
}
