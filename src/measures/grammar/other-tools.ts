import { MEASURES } from '../all.ts';
import { MeasureError } from './scan.ts';

/**
 * Names as trec_eval, PyFLAGR, ir_measures and ranx write them, unless they are also ours: each means what it means there. A name that
 * differs only in case, such as `nDCG@10` and `P@5`, or is an alias, is ours.
 */

/** Columns of counts that trec_eval prints beside the measures. */
export const COUNT_NAMES = ['num_ret', 'num_rel', 'num_rel_ret'] as const;

/** `ndcg_cut_10`, and `ndcg_cut.10` as in trec_eval's `-m`. */
const TREC_CUT = /^([a-z]+(?:_[a-z]+)?)[_.]([1-9]\d*)$/i;
/** trec_eval's names before a cut-off. */
const CUTS: ReadonlyMap<string, string> = new Map(
  MEASURES.flatMap(({ name, trecEval }) =>
    trecEval === undefined ? [] : [[trecEval[1].toLowerCase(), name] as const],
  ),
);
const WHOLES: ReadonlyMap<string, string> = new Map([
  ['set_p', 'precision'],
  ['set_recall', 'recall'],
  ['set_f', 'f1'],
]);

/** Names of measures that only these tools have, in lower case without a cut-off. None of ours is near, however similar the names look. */
const THEIRS: readonly (readonly [tool: string, names: RegExp])[] = [
  [
    'trec_eval',
    /^(?:bpref|gm_map|gm_bpref|infap|iprec_at_recall|11pt_avg|set_map|relative_p|set_relative_p|g|bing|utility|ndcg_rel|rndcg|num_q)$/,
  ],
  [
    'ir_measures',
    /^(?:iprec|nerr(?:8|9|10|11|_ia)|err_ia|ap_ia|p_ia|alpha_n?dcg|inst|insq|compat|bpm|sdcg|setap|nn?rbp|strec|accuracy|num(?:q|rel|ret))$/,
  ],
];

/**
 * The same measure under our name, with the preset of its tool; undefined: the text is no name of these tools, or is also one of ours.
 * trec_eval's names are also PyFLAGR's: `preset` says whose convention is meant.
 * @throws MeasureError for a name of theirs whose measure is not offered, with the nearest one.
 */
export function inOurWords(source: string, preset: 'trec' | 'flagr'): string | undefined {
  const text = source.trim();
  const name = text.toLowerCase().replace(/\(.*|@.*|[_.]\d.*$/g, '');
  const [tool] = THEIRS.find(([, names]) => names.test(name)) ?? [];
  if (tool !== undefined) {
    const way = name === 'bpref' ? '; --unjudged skip of score leaves out what nobody judged, too' : '';
    throw new MeasureError(`"${text}": ${tool} has this measure, receval does not${way}`);
  }
  const titled = MEASURES.find(({ flagr }) => flagr === text);
  if (titled !== undefined) return `${titled.name}(preset=${preset})`;
  const ranx = ofRanx(text);
  if (ranx !== undefined) return ranx;
  const whole = WHOLES.get(text.toLowerCase());
  if (whole !== undefined) return `${whole}(preset=${preset})`;
  if (/_cut$/i.test(text) && CUTS.has(text.toLowerCase())) {
    throw new MeasureError(`"${text}": name the cut-off, such as ${text}_10`);
  }
  const cut = TREC_CUT.exec(text);
  const known = cut === null ? undefined : CUTS.get(cut[1].toLowerCase());
  if (cut !== null && known !== undefined) return `${known}(preset=${preset})@${cut[2]}`;
  return ofIrMeasures(text);
}

const RANX_NAMES: Readonly<Record<string, string>> = {
  'r-precision': 'rprec(preset=trec)',
  ndcg_burges: 'ndcg(gain=exp,preset=trec)',
  dcg_burges: 'dcg(gain=exp,preset=trec)',
};

/** Names of ranx: `ndcg_burges@10`, `r-precision`, and `map@10-l2`, which counts from grade 2 on. */
function ofRanx(text: string): string | undefined {
  const parts = /^([a-z][a-z0-9_-]*?)(?:\.(\d+))?(@\d+)?(?:-l(\d+))?$/.exec(text);
  if (parts === null) return undefined;
  const [, name, persistence, cut = '', level] = parts;
  if (name === 'hits') {
    const k = cut === '' ? '@10' : cut;
    throw new MeasureError(
      `"${text}": ranx counts the relevant items; the same over the cut-off is precision${k}, whether there is one is hit${k}`,
    );
  }
  if (name === 'rbp' && persistence !== undefined) {
    throw new MeasureError(
      `"${text}": ranx adds up grades there; rbp(p=0.${persistence})${cut} counts relevant items, which is the same on grades 0 and 1`,
    );
  }
  const own = Object.hasOwn(RANX_NAMES, name) ? RANX_NAMES[name] : undefined;
  if (persistence !== undefined || (own === undefined && level === undefined)) return undefined;
  const full = own ?? `${name}(preset=trec)`;
  return `${level === undefined ? full : full.replace(')', `,rel=${level})`)}${cut}`;
}

const SETS: Readonly<Record<string, string>> = { SetP: 'precision', SetR: 'recall', SetF: 'f1' };

/** Names of ir_measures: `SetP`, `SetF(beta=4)`, `nDCG(dcg='exp-log2')@10`. */
function ofIrMeasures(text: string): string | undefined {
  const parts = /^(SetP|SetR|SetF|nDCG)(?:\(([^()]*)\))?(@\d+)?$/.exec(text);
  if (parts === null) return undefined;
  const [, name, inside = '', cut = ''] = parts;
  if (name === 'nDCG' && !/\bdcg\s*=/.test(inside)) return undefined;
  const params = inside.split(',').filter((param) => param.trim() !== '');
  const own = ['preset=trec', ...params.map((param) => ofIrParameter(text, name, param))].join(',');
  return `${SETS[name] ?? 'ndcg'}(${own})${cut}`;
}

function ofIrParameter(text: string, name: string, param: string): string {
  const [key, value = ''] = param.split('=').map((part) => part.trim().replace(/^(['"])(.*)\1$/, '$2'));
  // Its beta is the square of ours.
  if (name === 'SetF' && key === 'beta' && Number(value) > 0) return `beta=${Math.sqrt(Number(value))}`;
  if (name !== 'nDCG' || key !== 'dcg') return `${key}=${value}`;
  if (value === 'exp-log2') return 'gain=exp';
  if (value === 'log2') return 'gain=linear';
  throw new MeasureError(`"${text}": dcg is log2 or exp-log2 there, got "${value}"`);
}
