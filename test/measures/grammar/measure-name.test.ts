import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEASURES } from '../../../src/measures/all.ts';
import { parseMeasure, parseMeasures, splitMeasures } from '../../../src/measures/grammar/measure-name.ts';
import { MeasureError } from '../../../src/measures/grammar/scan.ts';
import { anyMeasure, DEFAULTS } from './names.ts';

const print = (text: string) => parseMeasure(text, DEFAULTS).canonical;

function messageOf(text: string, defaults: Parameters<typeof parseMeasure>[1] = DEFAULTS): string {
  try {
    return `no error: ${parseMeasure(text, defaults).canonical}`;
  } catch (error) {
    if (error instanceof MeasureError) return error.message;
    throw error;
  }
}

const NOT_JUDGED = (why: string) =>
  `judged asks which items somebody judged, which ${why}: it is for score with --run and --qrels only`;
const ONLY_SCORE = (ideal: string) =>
  `ideal=${ideal} needs judgements of items that were not shown: it is for score only; expected ideal=shown`;

describe('a printed name', () => {
  it('parses back to the same measure, for the whole family', () => {
    fc.assert(
      fc.property(anyMeasure, (measure) => {
        expect(parseMeasure(measure.canonical, DEFAULTS)).toEqual(measure);
      }),
      { numRuns: 3000 },
    );
  });

  it('does not depend on letters, blanks and the order of parameters', () => {
    fc.assert(
      fc.property(anyMeasure, fc.infiniteStream(fc.boolean()), (measure, flips) => {
        const blank = () => (flips.next().value ? ' ' : '');
        const [, name, params, k] = /^([a-z0-9_]+)(?:\((.*)\))?(?:@(\d+))?$/.exec(measure.canonical) ?? [];
        const shuffled = (params?.split(',') ?? []).toReversed().map((param) => {
          const [key, value] = param.split('=');
          const louder = key === 'action' ? value : value.toUpperCase();
          return `${blank()}${key.toUpperCase()}${blank()}=${blank()}${louder}${blank()}`;
        });
        const list = shuffled.length > 0 ? `${blank()}(${shuffled.join(',')})${blank()}` : blank();
        const text = `${blank()}${name.toUpperCase()}${list}${k === undefined ? '' : `@${blank()}${k}`}${blank()}`;
        expect(print(text)).toBe(measure.canonical);
      }),
    );
  });

  it.each([
    [' NDCG( ideal=all, gain=exp )@10', 'ndcg(gain=exp,ideal=all)@10'],
    ['rbp(p=0.80)', 'rbp'],
    ['rbp(p=0.90)', 'rbp(p=0.9)'],
    ['mrr(rel=1.0)', 'mrr'],
    ['mrr(rel=0.0000001)', 'mrr(rel=0.0000001)'],
    ['mrr(rel=1500000000000000000000000)', 'mrr(rel=1500000000000000000000000)'],
    ['map', 'ap'],
    ['MAP@10', 'ap@10'],
    ['p@5', 'precision@5'],
    ['rr', 'mrr'],
    ['recip_rank@3', 'mrr@3'],
    ['success@2', 'hit@2'],
    ['hit_rate', 'hit'],
    ['hitrate@1', 'hit@1'],
    ['r_precision', 'rprec'],
    ['rate(action=click)', 'ctr'],
    ['rate(action=click,avg=macro,slot=2)@5', 'ctr(avg=macro,slot=2)@5'],
    ['rate(action=Click)', 'rate(action=Click)'],
    ['hit(ACTION=Add_To.Cart:x-1)', 'hit(action=Add_To.Cart:x-1)'],
    ['ndcg(preset=flagr)@5', 'ndcg(gain=exp)@5'],
    ['ndcg(preset=flagr,gain=linear)@5', 'ndcg@5'],
    ['err(gmax=3)@2', 'err(gmax=3)@2'],
    ['mae(action=rating)', 'mae'],
    ['f1(per=class,avg=micro)@5', 'f1(avg=micro,per=class)@5'],
    ['ndcg@10000', 'ndcg@10000'],
    ['ndcg@1', 'ndcg@1'],
  ])('of %j is %s', (text, canonical) => {
    expect(print(text)).toBe(canonical);
  });

  it('leaves out rel where it is the default of the configuration, and only there', () => {
    expect(parseMeasure('hit(rel=4)', { relevantFrom: 4 }).canonical).toBe('hit');
    expect(parseMeasure('hit(rel=1)', { relevantFrom: 4 }).canonical).toBe('hit(rel=1)');
    expect(parseMeasure('hit', { relevantFrom: 4 }).params.get('rel')).toBe(4);
  });

  it('always has gmax in err, by default the highest grade', () => {
    expect(parseMeasure('err', { relevantFrom: 1, highestGrade: 4 }).canonical).toBe('err(gmax=4)');
    expect(messageOf('err', { relevantFrom: 1 })).toBe('"err": err needs gmax, a number above 0, at most 30');
  });

  it('has no parameter of a measure at its default, for every name', () => {
    for (const { name, params } of MEASURES) {
      const words = Object.entries(params).flatMap(([key, shape]) =>
        shape.kind === 'word' ? [`${key}=${shape.values[0]}`] : [],
      );
      const must = { rate: ['action=buy'], err: ['gmax=5'], novelty: ['users=100'] }[String(name)] ?? [];
      const all = [...words, ...must];
      const text = all.length > 0 ? `${name}(${all.join(',')})` : name;
      expect(print(text)).toBe(must.length > 0 ? `${name}(${must.join(',')})` : name);
    }
  });
});

describe('a preset', () => {
  it.each([
    [
      'trec',
      'ndcg recall ap rprec mrr rbp',
      'ndcg(ideal=all) recall(ideal=all) ap(ideal=all) rprec(ideal=all) mrr rbp(p=0.9)',
    ],
    ['trec', 'f1 precision', 'f1(ideal=all) precision'],
    ['ml_metrics', 'ap auc ndcg', 'ap(denom=capped,ideal=all) auc(by=score) ndcg'],
    [
      'flagr',
      'recall f1 ap dcg ndcg mrr',
      'recall(ideal=all) f1(ideal=all) ap(ideal=all) dcg(gain=exp) ndcg(gain=exp) mrr',
    ],
    [
      'evidently',
      'precision f1 mrr ctr',
      'precision(denom=list,empty=skip) f1(denom=list,empty=skip,of=means) mrr(empty=skip) ctr',
    ],
    [
      'lenskit',
      'precision recall ap',
      'precision(denom=list) recall(denom=capped,empty=skip,ideal=all) ap(denom=list_capped,empty=skip,ideal=all)',
    ],
    ['lenskit', 'ndcg rbp', 'ndcg(discount=clipped,empty=skip,gain=binary,ideal=all) rbp(empty=skip,ideal=all,p=0.85)'],
    ['rectools', 'mrr dcg', 'mrr(empty=skip,ideal=all) dcg(empty=skip,ideal=all)'],
    [
      'sklearn',
      'ndcg precision auc recall f1',
      'ndcg(min_list_length=2) precision(avg=micro) auc(by=score) recall(avg=micro) f1(avg=micro)',
    ],
  ])('%s sets for %s', (preset, names, printed) => {
    expect(
      names
        .split(' ')
        .map((name) => print(`${name}(preset=${preset})`))
        .join(' '),
    ).toBe(printed);
  });

  it('rectools sets the perfect ideal for ndcg, which needs a cut-off', () => {
    expect(print('ndcg(preset=rectools)@10')).toBe('ndcg(empty=skip,gain=binary,ideal=perfect)@10');
    expect(messageOf('ndcg(preset=rectools)')).toContain('ideal=perfect needs a cut-off');
  });
});

describe('an error', () => {
  const ALL = MEASURES.map(({ name }) => name).join(', ');

  it.each([
    ['ndgc@10', 'unknown measure "ndgc@10"; did you mean "ndcg@10"?'],
    ['NDGC( gain=exp )@10', 'unknown measure "NDGC( gain=exp )@10"; did you mean "ndcg( gain=exp )@10"?'],
    ['sucess@3', 'unknown measure "sucess@3"; did you mean "success@3"?'],
    ['clickthrough', `unknown measure "clickthrough"; expected one of ${ALL}`],
    ['dcgg', 'unknown measure "dcgg"; did you mean "dcg"?'],
    ['mr', 'unknown measure "mr"; did you mean "mrr"?'],
    ['prec@5', 'unknown measure "prec@5"; did you mean "precision@5"?'],
    ['rec', 'unknown measure "rec"; did you mean "recall"?'],
    ['hr@10', 'unknown measure "hr@10"; did you mean "hit@10"?'],
    ['mse', 'unknown measure "mse"; did you mean "rmse"?'],
    ...['pc', 'x', 'di', 'aaa'].map((name): [string, string] => [
      name,
      `unknown measure "${name}"; expected one of ${ALL}`,
    ]),
    ['ndcg(gain=expo)', '"ndcg(gain=expo)": unknown value gain=expo; did you mean "exp"?'],
    [
      'ndcg(gain=quadratic)@5',
      '"ndcg(gain=quadratic)@5": unknown value gain=quadratic; expected one of linear, exp, binary',
    ],
    ['ndcg(gian=exp)', '"ndcg(gian=exp)": unknown parameter "gian"; did you mean "gain"?'],
    [
      'ndcg(constructor=exp)',
      '"ndcg(constructor=exp)": unknown parameter "constructor"; expected one of rel, ideal, empty, dup, action, min_list_length, avg, per, gain, discount, norm, preset',
    ],
    [
      'rprec(gain=exp)',
      '"rprec(gain=exp)": rprec takes no parameter "gain"; it takes rel, ideal, empty, dup, action, min_list_length, avg, per',
    ],
    ['length(rel=2)', '"length(rel=2)": length takes no parameters, got "rel"'],
    [
      'ctr(empty=skip)',
      '"ctr(empty=skip)": ctr takes no parameter "empty"; it takes dup, min_list_length, avg, per, examined, slot',
    ],
    [
      'ctr(action=buy)',
      '"ctr(action=buy)": ctr takes no parameter "action"; it takes dup, min_list_length, avg, per, examined, slot',
    ],
    ['ndcg(avg=micro)@10', '"ndcg(avg=micro)@10": ndcg does not take avg=micro; it takes macro, weighted'],
    ['spearman(avg=micro)', '"spearman(avg=micro)": spearman does not take avg=micro; it takes macro'],
    ['mrr(per=class)', '"mrr(per=class)": mrr does not take per=class; it takes impression, user, session'],
    ['mrr(preset=trek)', '"mrr(preset=trek)": unknown preset "trek"; did you mean "trec"?'],
    ['rbp(p=1)', '"rbp(p=1)": p must be a number above 0 and below 1, got "1"'],
    ['rbp(p=1e-1)', '"rbp(p=1e-1)": p must be a number above 0 and below 1, got "1e-1"'],
    ['mrr(rel=0)', '"mrr(rel=0)": rel must be a number above 0, got "0"'],
    ['mrr(rel=-1)', '"mrr(rel=-1)": rel must be a number above 0, got "-1"'],
    ['err(gmax=31)', '"err(gmax=31)": gmax must be a number above 0, at most 30, got "31"'],
    [
      'mrr(min_list_length=1.5)',
      '"mrr(min_list_length=1.5)": min_list_length must be a whole number from 0 to 10000, got "1.5"',
    ],
    [
      'auc(min_list_length=0)',
      '"auc(min_list_length=0)": min_list_length must be a whole number from 1 to 10000, got "0"',
    ],
    [
      'mrr(emptyList=skip)',
      '"mrr(emptyList=skip)": unknown parameter "emptylist"; min_list_length=1 leaves empty lists out',
    ],
    [
      'ndcg(empty_list=zero)@10',
      '"ndcg(empty_list=zero)@10": unknown parameter "empty_list"; min_list_length=1 leaves empty lists out',
    ],
    ['ctr(slot=0)', '"ctr(slot=0)": slot must be a whole number from 1 to 10000, got "0"'],
    ['mrr(rel=2,REL=3)', '"mrr(rel=2,REL=3)": the parameter rel is given twice'],
    ['mrr@', '"mrr@": k is missing after "@"; expected a whole number from 1 to 10000'],
    ['mrr@0', '"mrr@0": k must be a whole number from 1 to 10000 without a leading zero, got "0"'],
    ['mrr@05', '"mrr@05": k must be a whole number from 1 to 10000 without a leading zero, got "05"'],
    ['mrr@10001', '"mrr@10001": k must be a whole number from 1 to 10000 without a leading zero, got "10001"'],
    ['mrr@1.5', '"mrr@1.5": k must be a whole number from 1 to 10000 without a leading zero, got "1.5"'],
    ['mrr@5-1', '"mrr@5-1": k must be a whole number from 1 to 10000 without a leading zero, got "5-1"'],
    [
      'ndcg@5-',
      '"ndcg@5-": by XGBoost\'s "-" a list without a positive counts 0, as in ndcg(gain=exp)@5; without that sign it counts 1, as in ndcg(gain=exp,empty=one)@5',
    ],
    [
      'map@3-',
      '"map@3-": by XGBoost\'s "-" a list without a positive counts 0, as in ap@3; without that sign it counts 1, as in ap(empty=one)@3',
    ],
    ['mrr@1..5', '"mrr@1..5": "@1..5" stands for several measures; expected one k'],
    ['rprec@5', '"rprec@5": rprec takes no cut-off, got "@5"'],
    ['rate', '"rate": rate needs action, such as action=purchase'],
    ['', 'a measure is empty; expected a name such as ndcg@10'],
    ['@5', '"@5": the name of the measure is missing'],
    ['(rel=2)', '"(rel=2)": the name of the measure is missing'],
    ['mrr()', '"mrr()": the parentheses are empty; leave them out, or write key=value'],
    ['mrr(rel=2', '"mrr(rel=2": the parenthesis "(" is not closed; expected name(key=value)@k'],
    ['mrr)', '"mrr)": the parenthesis ")" was not opened; expected name(key=value)@k'],
    ['mrr(rel)', '"mrr(rel)": expected key=value, got "rel"'],
    ['mrr(rel=2,)', '"mrr(rel=2,)": expected key=value, got ""'],
    ['mrr(=2)', '"mrr(=2)": expected key=value, got "=2"'],
    ['mrr(rel=)', '"mrr(rel=)": the value of rel is letters, digits and "_.:-", got ""'],
    ['hit(action=a b)', '"hit(action=a b)": the value of action is letters, digits and "_.:-", got "a b"'],
    ['mrr(rel=2)5', '"mrr(rel=2)5": expected "@k" or the end, got "5"'],
  ])('for %j is %j', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });

  it.each([
    ['ap(dup=each,ideal=all)', 'dup=each needs ideal=shown'],
    ['ndcg(ideal=perfect)@5', 'ideal=perfect needs gain=binary'],
    ['ndcg(gain=binary,ideal=perfect)', 'ideal=perfect needs a cut-off, such as @10'],
    ['ndcg(gain=binary,ideal=perfect,norm=minmax)@5', 'norm=minmax needs ideal=shown or ideal=all'],
    ['f1(per=class)', 'per=class needs a cut-off, such as @10'],
    ['f1(per=class,ideal=all)@5', 'per=class pools the shown slots of all lists: it needs ideal=shown'],
    ['f1(per=class,denom=list)@5', 'per=class takes no denom'],
    ['recall(per=user,avg=micro)', 'per=user needs avg=macro'],
    ['recall(avg=micro,empty=skip)', 'avg=micro takes no empty: a list without positives adds nothing to its sums'],
    ['mrr(avg=weighted,empty=one)', 'avg=weighted takes no empty: a list without positives adds nothing to its sums'],
    ['f1(of=means,avg=micro)', 'of=means needs avg=macro'],
    ['precision(denom=list,examined=viewport)', 'examined=viewport is a denominator of its own: it takes no denom'],
    ['ndcg(rel=2)@5', 'rel has an effect only with gain=binary or avg=weighted'],
    ['err(gmax=3,rel=2)', 'rel has an effect only with avg=weighted'],
    ['rbp(gain=scaled,gmax=3,rel=2)', 'rel has an effect only with gain=binary or avg=weighted'],
    ['rbp(gain=scaled)', 'gain=scaled needs gmax, the highest grade'],
    ['rbp(gmax=3)', 'gmax needs gain=scaled'],
    ['ctr(slot=6)@5', 'slot=6 is below the cut-off @5'],
  ])('for the forbidden combination %s is %j', (text, message) => {
    expect(messageOf(text)).toBe(`"${text}": ${message}`);
  });

  it.each([
    'ndcg(gain=binary,rel=2)',
    'ndcg(avg=weighted,rel=2)',
    'err(avg=weighted,gmax=3,rel=2)',
    'rbp(gain=scaled,gmax=50000)',
    'ctr(slot=5)@5',
    'recall(avg=micro,empty=zero)',
  ])('does not come for the allowed neighbour %s', (text) => {
    expect(messageOf(text)).toMatch(/^no error/);
  });
});

describe('a list of measures', () => {
  const names = (texts: readonly string[]) => {
    const { measures, problems } = parseMeasures(texts, DEFAULTS);
    return { names: measures.map(({ canonical }) => canonical), problems };
  };

  it('expands @a..b to every k', () => {
    expect(names(['precision@9..11', 'mrr'])).toEqual({
      names: ['precision@9', 'precision@10', 'precision@11', 'mrr'],
      problems: [],
    });
    expect(names([' P( rel=2 )@ 3 .. 3 ']).names).toEqual(['precision(rel=2)@3']);
  });

  it.each(['ndcg@5..4', 'ndcg@0..4', 'ndcg@1..10001', 'ndcg@1..', 'ndcg@..3', 'ndcg@01..3'])('refuses %s', (text) => {
    expect(names([text])).toEqual({
      names: [],
      problems: [
        {
          index: 0,
          message: `"${text}": expected @a..b with whole numbers from 1 to 10000, a at most b, got "${text.slice(5)}"`,
        },
      ],
    });
  });

  it('takes a measure that is named again once, at its first place, whatever its spelling (specification: measures 1.1)', () => {
    expect(names(['ap@3', 'mrr', 'MAP@2..4', ' MRR '])).toEqual({
      names: ['ap@3', 'mrr', 'ap@2', 'ap@4'],
      problems: [],
    });
    expect(names(['ndcg@10', 'ndcg@1..20']).names).toHaveLength(20);
    expect(names(['ndcg@1..3', 'ndcg@2..4', 'ndcg@3']).names).toEqual(['ndcg@1', 'ndcg@2', 'ndcg@3', 'ndcg@4']);
    expect(names(['rate(action=click)', 'ctr', 'ndcg(gain=linear)', 'ndcg']).names).toEqual(['ctr', 'ndcg']);
    fc.assert(
      fc.property(fc.array(anyMeasure, { minLength: 1, maxLength: 5 }), fc.nat(), (some, at) => {
        const texts = some.map(({ canonical }) => canonical);
        const again = texts[at % texts.length];
        const once = parseMeasures(texts, DEFAULTS, { family: true });
        expect(parseMeasures([...texts, again], DEFAULTS, { family: true })).toEqual(once);
      }),
    );
  });

  it.each([
    ['ndcg@10(gain=exp)', 'ndcg(gain=exp)@10'],
    [' nDCG @ 10 ( gain=exp, dup=each ) ', 'nDCG(gain=exp, dup=each)@10'],
    ['ndcg(gain=exp)@10(ideal=all)', 'ndcg(gain=exp,ideal=all)@10'],
    ['ndcg@1..20(gain=exp)', 'ndcg(gain=exp)@1..20'],
    ['ndcg(gain=exp)@1..20(ideal=all)', 'ndcg(gain=exp,ideal=all)@1..20'],
    ['mrr@5()', 'mrr@5'],
    ['map@10(preset=trec)', 'map(preset=trec)@10'],
    ["nDCG@5(dcg='exp-log2')", "nDCG(dcg='exp-log2')@5"],
  ])('says what %s should be (specification: measures 1.4)', (text, right) => {
    const { names: read, problems } = names([text]);
    expect(read).toEqual([]);
    expect(problems).toEqual([{ index: 0, message: `"${text.trim()}": the cut-off comes last; write ${right}` }]);
    expect(parseMeasures([right], DEFAULTS, { family: true }).problems).toEqual([]);
    if (!text.includes('..')) expect(() => parseMeasure(text, DEFAULTS)).toThrow(`write ${right}`);
  });

  it('reports everything that is wrong, with its index, and keeps what is right', () => {
    const { names: right, problems } = names(['ndgc', 'mrr', '', 'hit@x', 'rprec']);
    expect(right).toEqual(['mrr', 'rprec']);
    expect(problems.map(({ index }) => index)).toEqual([0, 2, 3]);
  });

  it('never throws', () => {
    const scraps = fc.array(
      fc.constantFrom('ndcg', 'ap', '(', ')', '@', '..', '5', ',', '=', 'gain', 'exp', ' ', '\n', 'é'),
    );
    const text = fc.oneof(
      fc.string(),
      scraps.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const { measures, problems } = parseMeasures(texts, DEFAULTS, { family: true });
        expect(measures.length + problems.length).toBeGreaterThanOrEqual(texts.length > 0 ? 1 : 0);
      }),
    );
  });

  it.each([
    ['ap(ideal=all)', 'run', ONLY_SCORE('all')],
    ['ap(ideal=all)', 'replay', ONLY_SCORE('all')],
    ['ndcg(gain=binary,ideal=perfect)@5', 'replay', ONLY_SCORE('perfect')],
    [
      'mrr(per=user)',
      'run',
      'per=user keeps the sums of every user, without bound: it is for replay and score only; expected per=impression',
    ],
    [
      'mrr(per=session)',
      'run',
      'per=session keeps the sums of every session, without bound: it is for replay and score only; expected per=impression',
    ],
    ['judged@5', 'run', NOT_JUDGED('feedback does not say')],
    ['judged', 'replay', NOT_JUDGED('feedback does not say')],
    ['judged@5', 'lists', NOT_JUDGED('a list with its grades does not say')],
  ] as const)('says plainly that %s is not for %s', (text, command, reason) => {
    expect(parseMeasures([text], DEFAULTS, { command }).problems).toEqual([
      { index: 0, message: `"${text}": ${reason}` },
    ]);
    expect(parseMeasures([text], DEFAULTS, { command: 'score' }).problems).toEqual([]);
    expect(parseMeasures([text], DEFAULTS, { family: true }).problems).toEqual([]);
  });

  it('takes means over users in replay, and pooled classes and f1 of means everywhere', () => {
    expect(parseMeasures(['mrr(per=user)', 'mrr(per=session)'], DEFAULTS, { command: 'replay' }).problems).toEqual([]);
    expect(parseMeasures(['f1(per=class)@5', 'f1(of=means)'], DEFAULTS).problems).toEqual([]);
  });

  it.each([
    ['ndcg(gain=exp,ideal=all)@5, mrr ,ctr', ['ndcg(gain=exp,ideal=all)@5', 'mrr', 'ctr']],
    ['mrr', ['mrr']],
    ['', []],
    ['  ', []],
    ['mrr,', ['mrr', '']],
  ])('is split at the commas outside parentheses: %j', (text, parts) => {
    expect(splitMeasures(text)).toEqual(parts);
  });
});
