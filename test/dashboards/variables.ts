import type { Sample } from '../services/prometheus.ts';
import type { Variable } from './model.ts';

/** What is chosen in a variable, as Grafana puts it into a query. */
export interface Choice {
  readonly text: string;
  readonly value: string;
  /** Of a variable that repeats a panel: one choice for each. */
  readonly options: readonly Option[];
}

export interface Option {
  readonly text: string;
  readonly value: string;
}

export type Choices = ReadonlyMap<string, Choice>;
type Ask = (promql: string) => Promise<readonly Sample[]>;

/** Stands for the span that Grafana takes for a rate. */
const RATE_SPAN = '10s';

/** The first choices of all variables, in their order: later ones may contain earlier ones. */
export async function choicesOf(variables: readonly Variable[], ask: Ask): Promise<Choices> {
  const choices = new Map<string, Choice>();
  for (const variable of variables) choices.set(variable.name, await choiceOf(variable, choices, ask));
  return choices;
}

async function choiceOf(variable: Variable, choices: Choices, ask: Ask): Promise<Choice> {
  switch (variable.type) {
    case 'datasource':
      return { text: 'Prometheus', value: 'prometheus', options: [] };
    case 'custom':
      return { ...variable.current, options: customOptions(variable.query) };
    case 'query': {
      const found = await valuesOf(interpolate(variable.query.query, choices), ask);
      const pattern = variable.regex === undefined ? /(.*)/s : new RegExp(variable.regex.slice(1, -1));
      const options = found.flatMap((text) => {
        const value = pattern.exec(text)?.[1];
        return value === undefined || value === '' ? [] : [{ text: value, value }];
      });
      if (!variable.multi) return { ...(options[0] ?? { text: '', value: '' }), options };
      const all = variable.allValue ?? `(${options.map(({ value }) => value).join('|')})`;
      return { text: 'All', value: all, options };
    }
    default:
      throw new Error(`unknown variable ${JSON.stringify(variable satisfies never)}`);
  }
}

/** As Grafana reads them: separated by commas, `text : value`, with \, for a comma. */
export function customOptions(query: string): readonly Option[] {
  return (query.match(/(?:\\,|[^,])+/g) ?? []).map((part) => {
    const text = part.replaceAll('\\,', ',');
    const [, label, value] = /^\s*(.+)\s:\s(.+)$/.exec(text) ?? [undefined, text, text];
    return { text: label.trim(), value: value.trim() };
  });
}

/** `label_values(metric, label)` or `query_result(promql)`. */
async function valuesOf(query: string, ask: Ask): Promise<readonly string[]> {
  const labels = /^label_values\((.+), (\w+)\)$/s.exec(query);
  if (labels !== null) {
    const [, series, label] = labels;
    const found = await ask(`count by (${label}) (${series})`);
    return found.flatMap((sample) => sample.labels[label] ?? []).sort();
  }
  const [, promql] = /^query_result\((.+)\)$/s.exec(query) ?? [];
  if (promql === undefined) throw new Error(`no query of a variable: ${query}`);
  return (await ask(promql)).map((sample) => {
    const names = Object.entries(sample.labels).map(([name, text]) => `${name}="${text}"`);
    return `{${names.join(',')}} ${sample.value} 1`;
  });
}

/** The text with all variables replaced. @throws Error for one that is not there. */
export function interpolate(text: string, choices: Choices): string {
  return text
    .replaceAll('$__rate_interval', RATE_SPAN)
    .replace(/\$\{(\w+):(raw|text)\}|\$(\w+)/g, (_, braced: string | undefined, format, plain: string | undefined) => {
      const choice = choices.get(braced ?? plain ?? '');
      if (choice === undefined) throw new Error(`there is no variable ${braced ?? plain} for ${text}`);
      return format === 'text' ? choice.text : choice.value;
    });
}
