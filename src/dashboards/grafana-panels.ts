/** Panels of Grafana. */
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
  type GridPos,
  MappingType,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as LinesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { assertNever } from '../vocabulary/events.ts';
import { SOURCE } from './grafana-variables.ts';
import type { Limit, Panel, Query, State, Unit } from './panel.ts';

export const COLUMNS = 24;
export const HEIGHT = 8;
const MARGIN_OF_ERROR_OPACITY = 15;

interface Built {
  readonly build: () => ReturnType<LinesBuilder['build']>;
}

/** What all kinds of panels have in common. */
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

export function panelOf(panel: Panel, id: number, description: string, place: GridPos): Built {
  const { title, queries, unit, width, repeat, look } = panel;
  const common = <B extends CommonBuilder<B>>(builder: B, target: (query: Query, i: number) => DataqueryBuilder): B => {
    const base = builder.title(title).id(id).description(description).datasource(SOURCE).gridPos(place);
    const measured = base.unit(unit ?? ('short' satisfies Unit));
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
