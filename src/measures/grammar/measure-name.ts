import { assertNever } from '../../vocabulary/events.ts';
import { nearest, suggestion } from '../../vocabulary/spelling.ts';
import { definitionOf, MEASURES } from '../all.ts';
import type { Measure, MeasureDefinition } from '../definition.ts';
import { inOurWords } from './other-tools.ts';
import { LARGEST_K, type MeasureDefaults, type ParamShape } from './parameters.ts';
import { PRESETS, presetFor } from './presets.ts';
import { MeasureError, mustEndWithCut, scan, type Written } from './scan.ts';

/**
 * Parses one measure, offered or not (specification: measures 1).
 * @throws MeasureError that names the place, what was expected and the nearest right word.
 */
export function parseMeasure(text: string, defaults: MeasureDefaults): Measure {
  mustEndWithCut(text);
  const written = scan(inOurWords(text, 'trec') ?? text);
  const definition = definitionOfText(written);
  const { name } = definition;
  const fail = (what: string) => new MeasureError(`"${written.text}": ${what}`);
  const given = givenParams(written, definition, fail);
  const params = new Map<string, string | number>();
  const printed: string[] = [];
  const keys = Object.keys(definition.params).sort();
  const changed = new Set<string>();
  for (const key of keys) {
    const shape = definition.params[key];
    const initial = initialOf(shape, defaults);
    const source = given.get(key);
    const value = source === undefined ? initial : readValue(name, key, shape, source, fail);
    if (value === undefined) {
      if (shape.kind === 'action' && shape.required) throw fail(`${name} needs ${key}, such as ${key}=purchase`);
      if (shape.kind === 'number' && shape.always) throw fail(`${name} needs ${key}, ${shape.range}`);
      continue;
    }
    params.set(key, value);
    if (value !== initial) changed.add(key);
    if (value !== initial || (shape.kind === 'number' && shape.always)) printed.push(`${key}=${plain(value)}`);
  }
  const k = cutOf(written, definition, fail);
  const reason = forbidden({ definition, params, changed, k });
  if (reason !== undefined) throw fail(reason);
  const { isOther } = definition;
  const other = isOther !== undefined && params.get(isOther.param) === isOther.value && definitionOf(isOther.name);
  if (!other) return { definition, name, params, k, canonical: join(name, printed, k) };
  params.delete(isOther.param);
  const others = printed.filter((param) => !param.startsWith(`${isOther.param}=`));
  return { definition: other, name: other.name, params, k, canonical: join(other.name, others, k) };
}

/** Splits a list of measures at the commas outside parentheses. Blank text is an empty list. */
export function splitMeasures(text: string): string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '(') depth++;
    else if (c === ')') depth = Math.max(0, depth - 1);
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
  }
  parts.push(text.slice(from).trim());
  return parts;
}

interface MeasureProblem {
  /** Index of the text in the list. */
  readonly index: number;
  readonly message: string;
}

/**
 * Parses a list of measures and expands `@a..b`; a measure named again is taken once, at its first position. Never throws: whatever is
 * wrong becomes a problem with the index of its text. A known measure that `command` does not offer is a problem too, unless `family`
 * asks for the whole family.
 */
export function parseMeasures(
  texts: readonly string[],
  defaults: MeasureDefaults,
  { family = false, command = 'run' }: { readonly family?: boolean; readonly command?: Command } = {},
): { readonly measures: readonly Measure[]; readonly problems: readonly MeasureProblem[] } {
  const measures = new Map<string, Measure>();
  const problems: MeasureProblem[] = [];
  for (const [index, text] of texts.entries()) {
    try {
      for (const one of expand(text)) {
        const measure = parseMeasure(one, defaults);
        const reason = family ? undefined : offered(measure, command);
        if (reason !== undefined) throw new MeasureError(`"${one.trim()}": ${reason}`);
        measures.set(measure.canonical, measure);
      }
    } catch (error) {
      if (!(error instanceof MeasureError)) throw error;
      problems.push({ index, message: error.message });
    }
  }
  return { measures: [...measures.values()], problems };
}

function* expand(text: string): Iterable<string> {
  mustEndWithCut(text);
  const range = /^([^@]*)@\s*([^@]*?)\s*\.\.\s*([^@]*?)\s*$/s.exec(text);
  if (range === null) {
    yield text;
    return;
  }
  const [, head, from, to] = range;
  const first = cutOff(from);
  const last = cutOff(to);
  if (first === undefined || last === undefined || first > last) {
    throw new MeasureError(
      `"${text.trim()}": expected @a..b with whole numbers from 1 to ${LARGEST_K}, a at most b, got "${from}..${to}"`,
    );
  }
  for (let k = first; k <= last; k++) yield `${head}@${k}`;
}

function join(name: string, printed: readonly string[], k: number | undefined): string {
  const params = printed.length > 0 ? `(${printed.join(',')})` : '';
  return `${name}${params}${k === undefined ? '' : `@${k}`}`;
}

/** Shortest decimal form without an exponent: 0.0000001, not 1e-7. */
function plain(value: string | number): string {
  const text = String(value);
  const parts = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (typeof value === 'string' || parts === null) return text;
  const digits = parts[1] + (parts[2] ?? '');
  const point = Number(parts[3]) + 1;
  return point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0');
}

/** Makes an error that begins with the text it is about. */
type Fail = (what: string) => MeasureError;

const NAMES: readonly string[] = MEASURES.map(({ name }) => name);

/** Definitions by alias. */
const ALIASES: ReadonlyMap<string, MeasureDefinition> = new Map(
  MEASURES.flatMap((definition) => (definition.aliases ?? []).map((alias) => [alias, definition] as const)),
);

/** The measure that a written name or alias means. */
function definitionOfText({ text, name }: Written): MeasureDefinition {
  const lower = name.toLowerCase();
  const found = definitionOf(lower) ?? ALIASES.get(lower);
  if (found !== undefined) return found;
  const near = nearMeasure(lower);
  const hint =
    near === undefined ? `expected one of ${NAMES.join(', ')}` : `did you mean "${near}${text.slice(name.length)}"?`;
  throw new MeasureError(`unknown measure "${text}"; ${hint}`);
}

/** Names in other libraries of measures that are close to ours, where the nearest spelling is an unrelated one. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['hr', 'hit'],
  ['mse', 'rmse'],
]);

/** The name that a wrong one abbreviates or misspells. Most letters of a short name must be right, because almost any two are near. */
function nearMeasure(wrong: string): string | undefined {
  const begun = NAMES.filter((name) => wrong.length > 1 && name.startsWith(wrong));
  if (begun.length === 1) return begun[0];
  const most = wrong.length < 3 ? 0 : wrong.length < 5 ? 1 : 2;
  return ELSEWHERE.get(wrong) ?? nearest(wrong, [...NAMES, ...ALIASES.keys()], most);
}

/** The texts of the parameters: the preset's, overridden by the written ones. */
function givenParams(
  written: Written,
  { name, params: taken }: MeasureDefinition,
  fail: Fail,
): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const [key, value] of written.params) {
    if (own.has(key)) throw fail(`the parameter ${key} is given twice`);
    if (key !== 'preset' && !Object.hasOwn(taken, key)) {
      const known = MEASURES.some(({ params }) => Object.hasOwn(params, key));
      const keys = Object.keys(taken);
      if (keys.length === 0) throw fail(`${name} takes no parameters, got "${key}"`);
      if (known) throw fail(`${name} takes no parameter "${key}"; it takes ${keys.join(', ')}`);
      if (/^empty_?lists?$/.test(key) && keys.includes('min_list_length')) {
        throw fail(`unknown parameter "${key}"; min_list_length=1 leaves empty lists out`);
      }
      throw fail(`unknown parameter "${key}"${suggestion(key, [...keys, 'preset'])}`);
    }
    own.set(key, value);
  }
  const preset = own.get('preset');
  if (preset === undefined) return own;
  const set = presetFor(preset.toLowerCase(), name);
  if (set === undefined) throw fail(`unknown preset "${preset}"${suggestion(preset, [...PRESETS.keys()])}`);
  const merged = new Map([...set].filter(([key]) => Object.hasOwn(taken, key)));
  for (const [key, value] of own) if (key !== 'preset') merged.set(key, value);
  return merged;
}

/** The default of a parameter; undefined: none. */
function initialOf(shape: ParamShape, defaults: MeasureDefaults): string | number | undefined {
  switch (shape.kind) {
    case 'word':
      return shape.values[0];
    case 'action':
      return shape.initial;
    case 'number':
      if (shape.initial === 'relevantFrom') return defaults.relevantFrom;
      return shape.initial === 'highestGrade' ? defaults.highestGrade : shape.initial;
    default:
      return assertNever(shape);
  }
}

/** The value of a parameter, in its canonical form. */
function readValue(name: string, key: string, shape: ParamShape, source: string, fail: Fail): string | number {
  switch (shape.kind) {
    case 'action':
      return source;
    case 'word': {
      const value = source.toLowerCase();
      if (shape.values.includes(value)) return value;
      if (takenElsewhere(key, value)) {
        throw fail(`${name} does not take ${key}=${value}; it takes ${shape.values.join(', ')}`);
      }
      throw fail(`unknown value ${key}=${value}${suggestion(value, shape.values)}`);
    }
    case 'number': {
      const value = /^-?\d+(\.\d+)?$/.test(source) ? Number(source) : Number.NaN;
      if (!shape.allows(value)) throw fail(`${key} must be ${shape.range}, got "${source}"`);
      return value;
    }
    default:
      return assertNever(shape);
  }
}

/** Whether another measure takes this value of the parameter. */
function takenElsewhere(key: string, value: string): boolean {
  return MEASURES.some(({ params }) => {
    const shape = Object.hasOwn(params, key) ? params[key] : undefined;
    return shape?.kind === 'word' && shape.values.includes(value);
  });
}

/** The cut-off of a measure; undefined: none. */
function cutOf({ cut }: Written, definition: MeasureDefinition, fail: Fail): number | undefined {
  const { name, takesCut } = definition;
  if (cut === undefined) return undefined;
  if (!takesCut) throw fail(`${name} takes no cut-off, got "@${cut}"`);
  const k = cutOff(cut);
  if (k !== undefined) return k;
  if (cut === '') throw fail(`k is missing after "@"; expected a whole number from 1 to ${LARGEST_K}`);
  const ofBoosting = asBoosted(cut, definition);
  if (ofBoosting !== undefined) throw fail(ofBoosting);
  if (cut.includes('..')) throw fail(`"@${cut}" stands for several measures; expected one k`);
  throw fail(`k must be a whole number from 1 to ${LARGEST_K} without a leading zero, got "${cut}"`);
}

/** Our name for XGBoost's `ndcg@5-` and `map@5-`; undefined: the cut-off has no such sign. */
function asBoosted(cut: string, { name, params }: MeasureDefinition): string | undefined {
  const k = /^([1-9]\d*)-$/.exec(cut)?.[1];
  if (k === undefined || !Object.hasOwn(params, 'empty')) return undefined;
  const gain = Object.hasOwn(params, 'gain') ? ['gain=exp'] : [];
  const one = `${name}(${[...gain, 'empty=one'].join(',')})@${k}`;
  const zero = `${name}${gain.length === 0 ? '' : `(${gain.join(',')})`}@${k}`;
  return `by XGBoost's "-" a list without a positive counts 0, as in ${zero}; without that sign it counts 1, as in ${one}`;
}

/** A whole number from 1 to LARGEST_K without a leading zero; undefined: the text is something else. */
function cutOff(text: string): number | undefined {
  const k = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  return k >= 1 && k <= LARGEST_K ? k : undefined;
}

/** The input of a rule: the full parameters, the keys that differ from their default, and the cut-off. */
interface Combination extends Pick<Measure, 'definition' | 'params' | 'k'> {
  readonly changed: ReadonlySet<string>;
}

/**
 * Whether the value depends on which items are positives. Graded gains do not: dcg and ndcg except with `gain=binary`, rbp with
 * `gain=scaled`, err. A weighted mean does, for its weights.
 */
export function asksPositives({ definition, params }: Pick<Measure, 'definition' | 'params'>): boolean {
  if (params.get('rel') === undefined) return false;
  return params.get('avg') === 'weighted' || definition.takesEveryGrade?.(params) !== true;
}

/** Why these parameters cannot be combined, in words; undefined: they can (specification: measures 2.4). */
function forbidden({ definition, params, changed, k }: Combination): string | undefined {
  const is = (key: string, value: string) => params.get(key) === value;
  const differs = (key: string, value: string) => params.has(key) && !is(key, value);
  const slot = params.get('slot');
  const needsK = (what: string) => `${what} needs a cut-off, such as @10`;

  if (is('dup', 'each') && differs('ideal', 'shown')) return 'dup=each needs ideal=shown';
  if (is('ideal', 'perfect')) {
    if (!is('gain', 'binary')) return 'ideal=perfect needs gain=binary';
    if (k === undefined) return needsK('ideal=perfect');
    if (is('norm', 'minmax')) return 'norm=minmax needs ideal=shown or ideal=all';
  }
  if (is('per', 'class')) {
    if (k === undefined) return needsK('per=class');
    for (const [key, only] of [
      ['ideal', 'shown'],
      ['empty', 'zero'],
      ['of', 'lists'],
      ['examined', 'all'],
    ] as const) {
      if (differs(key, only)) return `per=class pools the shown slots of all lists: it needs ${key}=${only}`;
    }
    if (changed.has('denom')) return 'per=class takes no denom';
  } else if (differs('per', 'impression') && differs('avg', 'macro')) {
    return `per=${params.get('per')} needs avg=macro`;
  }
  if (differs('empty', 'zero') && differs('avg', 'macro')) {
    return `avg=${params.get('avg')} takes no empty: a list without positives adds nothing to its sums`;
  }
  if (is('of', 'means') && differs('avg', 'macro')) return 'of=means needs avg=macro';
  if (is('of', 'means') && differs('per', 'impression')) return 'of=means needs per=impression';
  if (differs('examined', 'all') && differs('denom', 'k')) {
    return `examined=${params.get('examined')} is a denominator of its own: it takes no denom`;
  }
  if (changed.has('rel') && !asksPositives({ definition, params })) {
    return `rel has an effect only with ${params.has('gain') ? 'gain=binary or ' : ''}avg=weighted`;
  }
  const own = definition.forbidden?.(params);
  if (own !== undefined) return own;
  if (typeof slot === 'number' && k !== undefined && slot > k) return `slot=${slot} is below the cut-off @${k}`;
  return undefined;
}

/** Where measures are scored: by the service, by its data path over files, for lists with their grades, or for runs and judgements. */
export type Command = 'run' | 'replay' | 'lists' | 'score';

/** Why a command cannot score the measure, in words; undefined: it can. */
export function offered({ definition, name, params }: Measure, command: Command): string | undefined {
  if (definition.asksJudgements && command !== 'score') {
    const lacking = command === 'lists' ? 'a list with its grades does not say' : 'feedback does not say';
    return `${name} asks which items somebody judged, which ${lacking}: it is for score with --run and --qrels only`;
  }
  const ideal = params.get('ideal');
  if ((ideal === 'all' || ideal === 'perfect') && (command === 'run' || command === 'replay')) {
    return `ideal=${ideal} needs judgements of items that were not shown: it is for score only; expected ideal=shown`;
  }
  const per = params.get('per');
  if ((per === 'user' || per === 'session') && command === 'run') {
    return `per=${per} keeps the sums of every ${per}, without bound: it is for replay and score only; expected per=impression`;
  }
  return undefined;
}
