import type { Measure } from '../measures/definition.ts';
import { parseMeasures } from '../measures/grammar/measure-name.ts';
import { inOurWords } from '../measures/grammar/other-tools.ts';
import type { MeasureDefaults } from '../measures/grammar/parameters.ts';
import { PRESETS, presetFor } from '../measures/grammar/presets.ts';
import type { OrderRule, Ties } from './order.ts';
import type { Repeats } from './repeats.ts';
import type { RunColumns } from './run-format.ts';

/** How a preset reads files (specification: measures 6). */
interface Reading {
  readonly order: 'docno' | 'score' | 'rank' | 'file' | 'mean';
  readonly missing: 'skip' | 'zero';
}

const READING: Readonly<Record<string, Reading>> = {
  trec: { order: 'docno', missing: 'skip' },
  flagr: { order: 'score', missing: 'skip' },
  ml_metrics: { order: 'file', missing: 'skip' },
  evidently: { order: 'file', missing: 'skip' },
  lenskit: { order: 'rank', missing: 'skip' },
  rectools: { order: 'rank', missing: 'zero' },
  sklearn: { order: 'mean', missing: 'skip' },
};

export const PRESET_NAMES: readonly string[] = [...PRESETS.keys()];

export function missingOf(preset: string | undefined): 'skip' | 'zero' {
  return preset === undefined ? 'skip' : READING[preset].missing;
}

/** What happens to repeated items by the preset: trec_eval refuses them. */
export function repeatsOf(preset: string | undefined): Repeats {
  return preset === 'trec' ? 'refuse' : 'first';
}

/** The treatment of equal scores by the preset; undefined: scores do not order the lists. */
export function tiesOf(preset: string | undefined): Ties | undefined {
  return preset === 'sklearn' ? 'mean' : undefined;
}

/**
 * How lists are ordered: by `--ties` if given, else as the preset reads files. PyFLAGR's lists are best first. Their rank column decides,
 * if they have one (some of its methods give the best item the lowest score), else the score.
 */
export function orderRule(preset: string | undefined, columns: RunColumns, ties: Ties | undefined): OrderRule {
  const hasScore = columns.score >= 0;
  if (ties !== undefined && hasScore) return { by: 'score', ties };
  const order = preset === undefined ? 'score' : READING[preset].order;
  const ranked: OrderRule = columns.rank >= 0 ? { by: 'rank' } : { by: 'file' };
  switch (order) {
    case 'docno':
      return hasScore ? { by: 'score', ties: 'docno' } : ranked;
    case 'mean':
      return hasScore ? { by: 'score', ties: 'mean' } : ranked;
    case 'score':
      return columns.rank >= 0 || !hasScore ? ranked : { by: 'score', ties: 'first' };
    case 'rank':
      return ranked;
    case 'file':
      return { by: 'file' };
  }
}

/**
 * Parses measures, with the preset's parameters unless they name a preset of their own.
 * @param command `lists`: for lists with their grades
 * @returns problems in words, empty if there is none
 */
export function presetMeasures(
  texts: readonly string[],
  preset: string | undefined,
  defaults: MeasureDefaults,
  command: 'lists' | 'score' = 'score',
): { readonly measures: readonly Measure[]; readonly problems: readonly string[] } {
  const options = { command };
  // These problems are reported first, so that a message shows what the user wrote. Each text is parsed alone, because measures that are
  // equal without the preset may differ with it: ndcg@10 and ndcg(ideal=shown)@10.
  const wrong = preset === undefined ? [] : texts.flatMap((text) => parseMeasures([text], defaults, options).problems);
  if (wrong.length > 0) return { measures: [], problems: wrong.map(({ message }) => message) };
  const full = preset === undefined ? texts : texts.map((text) => fully(text, preset));
  const { measures, problems } = parseMeasures(full, defaults, options);
  return { measures, problems: problems.map(({ message }) => message) };
}

/** The full name. Names of other tools have that tool's convention, all others the preset's. */
function fully(text: string, preset: string): string {
  return inOurWords(text, preset === 'flagr' ? 'flagr' : 'trec') ?? withPreset(text, preset);
}

function withPreset(text: string, preset: string): string {
  if (/[(,]\s*preset\s*=/i.test(text)) return text;
  const open = text.indexOf('(');
  if (open >= 0) return `${text.slice(0, open + 1)}preset=${preset},${text.slice(open + 1)}`;
  const cut = text.indexOf('@');
  const head = cut < 0 ? text : text.slice(0, cut);
  return `${head}(preset=${preset})${cut < 0 ? '' : text.slice(cut)}`;
}

export const NAMES = ['receval', 'trec', 'flagr'] as const;
export type Names = (typeof NAMES)[number];

/** How the names were read; printed names must be read in the same way again. */
export interface MeasureReading {
  readonly preset: string | undefined;
  readonly defaults: MeasureDefaults;
}

/**
 * Names of the columns: canonical ones, trec_eval's (`P_5`, `map_cut_10`), or those of PyFLAGR's tables. trec_eval's do not
 * contain the convention: such a name is used only if it means this measure, so that a printed name, given to `--measures` with
 * the same files and options, is the same measure. Otherwise the canonical name is used, with the parameters that the preset
 * would set differently. A cut-off that trec_eval does not offer is written in its style: `F_5`.
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

/** The name with the parameters that the preset sets and that the canonical form omits. */
function written({ canonical, name, params }: Measure, preset: string | undefined): string {
  const set = preset === undefined ? undefined : presetFor(preset, name);
  const [, head, inside, cut = ''] = /^([a-z0-9_]+)(?:\((.*)\))?(@\d+)?$/.exec(canonical) ?? [];
  const shown = inside === undefined ? [] : inside.split(',');
  const hidden = [...(set?.keys() ?? [])].filter(
    (key) => params.has(key) && !shown.some((param) => param.startsWith(`${key}=`)),
  );
  return `${head}(${[...shown, ...hidden.map((key) => `${key}=${params.get(key)}`)].sort().join(',')})${cut}`;
}
