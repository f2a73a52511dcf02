import type { Measure } from '../measures/definition.ts';
import type { MeasureDefaults } from '../measures/grammar/parameters.ts';
import { presetFor } from '../measures/grammar/presets.ts';
import { presetMeasures } from './preset.ts';

export const NAMES = ['receval', 'trec', 'flagr'] as const;
export type Names = (typeof NAMES)[number];

/** How the names were read: what is printed is read in the same way again. */
export interface MeasureReading {
  readonly preset: string | undefined;
  readonly defaults: MeasureDefaults;
}

/**
 * Names of the columns: canonical ones, trec_eval's (`P_5`, `map_cut_10`), or those of PyFLAGR's tables. trec_eval's do not
 * say the convention: such a name stands only where it means this measure, so that a printed name, given to `--measures`
 * beside the same files and options, is the measure that it was. Else the canonical name stands, with what the preset would
 * set otherwise. A cut-off that trec_eval does not offer is written as it writes others: `F_5`.
 */
export function measureNames(measures: readonly Measure[], names: Names, reading: MeasureReading): readonly string[] {
  if (names === 'receval') return measures.map(({ canonical }) => canonical);
  return measures.map((measure) => {
    const means = (name: string): boolean =>
      presetMeasures([name], reading.preset, reading.defaults).measures[0]?.canonical === measure.canonical;
    const wanted = [...others(measure, names), measure.canonical];
    return wanted.find(means) ?? written(measure, reading.preset);
  });
}

function others({ definition, k }: Measure, names: Names): readonly string[] {
  const { trecEval, flagr } = definition;
  if (trecEval === undefined) return [];
  const [whole, cut] = trecEval;
  if (k !== undefined) return [`${cut}_${k}`];
  return [...(names === 'flagr' && flagr !== undefined ? [flagr] : []), whole];
}

/** With the parameters that the preset sets and that the canonical form leaves out. */
function written({ canonical, name, params }: Measure, preset: string | undefined): string {
  const set = preset === undefined ? undefined : presetFor(preset, name);
  const [, head, inside, cut = ''] = /^([a-z0-9_]+)(?:\((.*)\))?(@\d+)?$/.exec(canonical) ?? [];
  const shown = inside === undefined ? [] : inside.split(',');
  const hidden = [...(set?.keys() ?? [])].filter(
    (key) => params.has(key) && !shown.some((param) => param.startsWith(`${key}=`)),
  );
  return `${head}(${[...shown, ...hidden.map((key) => `${key}=${params.get(key)}`)].sort().join(',')})${cut}`;
}
