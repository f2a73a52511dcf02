/** Variables of Grafana. */
import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { assertNever } from '../vocabulary/events.ts';
import type { Variable } from './panel.ts';

/** The data source that is chosen at the top. */
export const SOURCE = { type: 'prometheus', uid: '$datasource' } as const;

export function variableOf(
  variable: Variable,
): DatasourceVariableBuilder | CustomVariableBuilder | QueryVariableBuilder {
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
      // A cohort without the label is meant too; a repeated panel needs the values themselves.
      if (variable.regex === undefined) builder.allValue('.*');
      return builder.current({ selected: true, text: ['All'], value: ['$__all'] });
    }
    default:
      return assertNever(variable);
  }
}

/** As Grafana takes a comma that separates no options. */
function commas(text: string): string {
  return text.replaceAll(',', '\\,');
}
