import { describe, expect, it } from 'vitest';
import { kendallP, spearmanP } from '../../src/score/correlation-p.ts';
import { GradedLists } from '../../src/score/graded-lists.ts';
import { Ungrouped } from '../../src/score/groups.ts';
import { Blocks } from '../../src/score/line-blocks.ts';
import { runColumns } from '../../src/score/run-format.ts';
import { runNames } from '../../src/score/run-reader.ts';
import { type Choices, plain, scoreLists, scoreText, settingsOf } from './in-memory.ts';

const QRELS = '1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n';

describe('a TREC run', () => {
  it('is ordered by score, then by id, both falling; the rank column may be anything', () => {
    const run = '1 Q0 b x 2 t\n1 Q0 a 0 2 t\n1 Q0 c ? 3.5 t\n';
    const [{ mean }] = scoreText(run, '1 0 a 1\n', { measures: ['mrr'] }).runs;
    expect(mean[0]).toBeCloseTo(1 / 3, 12);
  });

  it('may have blank lines, tabs, Windows line ends, a byte order mark, and words behind the tag', () => {
    const odd = '\ufeff\r\n \t\r\n 1\tQ0  a 1   2 tag and 7 words or so more\r\n1 Q0 c 2 1 tag';
    const even = '1 Q0 a 1 2 tag\n1 Q0 c 2 1 tag\n';
    const measures = ['ap', 'ndcg', 'precision@2'];
    expect(plain(scoreText(odd, `\t\n${QRELS}`, { measures }).runs[0])).toEqual(
      plain(scoreText(even, QRELS, { measures }).runs[0]),
    );
  });

  it.each(['\t', '\v', '\f', '\r', ' '])('ends a column at %j, as trec_eval does', (sign) => {
    const run = ['1', 'Q0', 'c', '1', '2', 't'].join(sign);
    const judged = ['1', '0', 'c', '1'].join(sign);
    expect(scoreText(`${run}\n`, `${judged}\n`, { measures: ['mrr'] }).runs[0].mean).toEqual([1]);
  });

  it.each(['\x01', '\x08', '\x0e', '\x1b', '\x1f', '\xa0'])('may have ids with %j, as for trec_eval', (sign) => {
    const run = `1${sign}1 Q0 ${sign}a${sign} 1 3 t\n1${sign}1 Q0 a 2 2 t\n`;
    const judged = `1${sign}1 0 ${sign}a${sign} 1\n1${sign}1 0 b 1\n`;
    const [scored] = scoreText(run, judged, { measures: ['mrr', 'precision@2'] }).runs;
    expect(scored.mean).toEqual([1, 0.5]);
    expect(scored.perQuery[0].query).toBe(`1${sign}1`);
  });

  it('of another encoding is refused by its mark', () => {
    const settings = settingsOf({ measures: ['mrr'] });
    const reader = new GradedLists('lists', settings, undefined);
    for (const [encoding, mark] of [
      ['UTF-16', [0xff, 0xfe]],
      ['UTF-16', [0xfe, 0xff]],
      ['UTF-32', [0xff, 0xfe, 0, 0]],
      ['UTF-32', [0, 0, 0xfe, 0xff]],
    ] as const) {
      expect(() => new Blocks('a.run', reader).add(Uint8Array.from([...mark, 49, 0, 0, 0]))).toThrow(
        `a.run: this is ${encoding}; convert it to UTF-8`,
      );
    }
  });

  it.each([
    ['1 Q0 a 1 2\n', 'run, line 1: 5 columns; expected at least 6: query Q0 item rank score tag'],
    ['1 Q0 a 1 2 t\n1 Q0\n', 'run, line 2: 2 columns; expected at least 6'],
    ['1 Q0 a 1 2 t\n\n1 Q0 b 1 two t\n', 'run, line 3: the score "two" is not a number'],
    ['1 Q0 a 1 nan t\n', 'run, line 1: the score "nan" is not a number'],
    ['1 Q0 a 1 None t\n1 Q0 c 2 1 t\n', 'run, line 1: the score "None" is not a number'],
    ['1 Q0 a 1 best t\n1 Q0 c 2 1 t\n', 'run, line 1: the score "best" is not a number'],
    ['1 Q0 a top null t\n1 Q0 c 2 1 t\n', 'run, line 1: the score "null" is not a number'],
    ['1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n1 Q0 a 1 0 t\n', 'run, line 3: item "a" of query "1" is on line 1 already'],
    ['1 Q0 a 1 2 t\r1 Q0 b 2 1 t\n', 'run, line 1: 12 columns, and text behind the tag that is a row'],
    ['1 Q0 a 1 2 t 1 Q0 b 2 1 t\n', 'run, line 1: 12 columns, and text behind the tag that is a row'],
    [' \n\t\n', 'run: there is no list in it'],
    ['query Q0 item rank score tag\n', 'run: there is no list in it'],
    ['1 Q0 a 1 2 t\nqid Q0 docid rank score tag\n', 'run, line 2: the score "score" is not a number'],
  ])('is refused with its line: %j', (run, message) => {
    expect(() => scoreText(run, QRELS, { measures: ['mrr'] })).toThrow(message);
  });

  it('may have a header: words where rank and score belong', () => {
    const run = 'qid Q0 docid rank score tag\n1 Q0 a 1 2 t\n';
    expect(scoreText(run, QRELS, { measures: ['mrr'] }).runs[0].mean).toEqual([1]);
  });

  it('whose queries are not together cannot be read list by list', () => {
    const run = '1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 b 1 2 t\n';
    expect(() => scoreText(run, QRELS, { measures: ['mrr'] })).toThrow(Ungrouped);
    expect(() => scoreText(run, QRELS, { measures: ['mrr'] })).toThrow('the lines of query "1" are not together');
    expect(scoreText(run, QRELS, { measures: ['mrr'], gather: true }).runs[0].queries).toBe(2);
  });

  it('of several voters is reported if its lines are not together', () => {
    const run = '1,v,a,3,d\n1,w,b,2,d\n1,v,c,1,d\n';
    expect(() => scoreText(run, QRELS, { measures: ['mrr'] })).toThrow(
      'line 3: the lines of voter "v" for query "1" are not together',
    );
  });

  it('is cut where a depth is given, and what is judged stays known', () => {
    const run = '1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n1 Q0 c 3 1 t\n';
    const [{ mean, counts }] = scoreText(run, QRELS, { measures: ['recall', 'mrr'], depth: 2 }).runs;
    expect(mean).toEqual([0.5, 0.5]);
    expect(counts).toEqual({ retrieved: 2, relevant: 2, relevantRetrieved: 1 });
  });

  it('shows where a reader who keeps scores in 32 bits has another order, which is that of the ids', () => {
    const close = (run: string, choices: Partial<Choices> = {}) =>
      scoreText(run, '1 0 a 1\n2 0 a 1\n', { measures: ['mrr'], ...choices }).evidence[0].close;
    const large = '1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n';
    expect(close(large)).toEqual({ lists: 1, query: '1', items: ['a', 'b'] });
    expect(close('1 Q0 c 1 9 t\n1 Q0 b 1 0.1000000001 t\n1 Q0 d 2 0.1 t\n')?.items).toEqual(['b', 'd']);
    // The same order: ids fall, scores are equal, or they differ in 32 bits.
    expect(close('1 Q0 b 1 16777217 t\n1 Q0 a 2 16777216 t\n')).toBeUndefined();
    expect(close('1 Q0 a 1 16777217 t\n1 Q0 b 2 16777217 t\n')).toBeUndefined();
    expect(close('1 Q0 a 1 16777216 t\n1 Q0 b 2 16777215 t\n')).toBeUndefined();
    // Only places that count, and queries that are judged.
    expect(close(`1 Q0 x 1 16777230 t\n${large}`, { depth: 1 })).toBeUndefined();
    expect(close(`1 Q0 x 1 16777230 t\n${large}`, { depth: 2 })?.lists).toBe(1);
    expect(close(large.replaceAll('1 Q0', '9 Q0'))).toBeUndefined();
    expect(close(large + large.replaceAll('1 Q0', '2 Q0'))).toEqual({ lists: 2, query: '1', items: ['a', 'b'] });
    expect(close(large, { ties: 'first' })).toBeUndefined();
  });

  it('is scored by two conventions at once, which only the preset distinguishes', () => {
    const run = '1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n';
    const { mean } = scoreText(run, QRELS, { measures: ['recall@2', 'recall(ideal=shown)@2'] }).runs[0];
    expect(mean).toEqual([0.5, 1]);
    expect(scoreText(run, QRELS, { measures: ['recall@2', 'recall(ideal=all)@2'] }).runs[0].mean).toEqual([0.5]);
    expect(() => scoreText(run, QRELS, { measures: ['ndgc@2'] })).toThrow('unknown measure "ndgc@2"');
  });

  it('orders ties as asked', () => {
    const run = '1 Q0 a 1 2 t\n1 Q0 c 2 2 t\n1 Q0 b 3 2 t\n';
    const rank = (ties: 'docno' | 'first' | 'last'): number | undefined =>
      scoreText(run, '1 0 a 1\n', { measures: ['mrr'], ties }).runs[0].mean[0];
    expect(rank('docno')).toBeCloseTo(1 / 3, 12);
    expect(rank('first')).toBe(1);
    expect(rank('last')).toBeCloseTo(1 / 3, 12);
  });
});

describe('judgements', () => {
  it('may have commas within ids where blanks separate their columns, and blanks where commas do', () => {
    const mrr = (run: string, qrels: string) => scoreText(run, qrels, { measures: ['mrr'] }).runs[0].mean[0];
    expect(mrr('q Q0 shoes,red 1 1 x\n', 'q 0 shoes,red 1\n')).toBe(1);
    expect(mrr('q Q0 shoes,red 1 1 x\n', 'q,0,"shoes,red",1\n')).toBe(1);
    expect(mrr('q,v,a b,1,s\n', 'q,0,a b,1\n')).toBe(1);
    expect(mrr('q,v,a,1,s\n', 'q 0 a 1\n')).toBe(1);
    expect(mrr('big red shoe 4,v,a b,1,s\n', 'big red shoe 4,0,a b,1\n')).toBe(1);
    expect(mrr('red shoe\tQ0\ta b\t1\t1\tx\n', 'red shoe\t0\ta b\t1\n')).toBe(1);
    expect(mrr('q\tQ0\ta\t1\t1\tx\nred shoe\tQ0\ta b\t1\t1\tx\n', 'q\t0\ta\t1\nred shoe\t0\ta b\t1\n')).toBe(1);
    expect(mrr('query\titem\tscore\nred shoe\ta b\t1\n', 'query\titer\titem\tgrade\nred shoe\t0\ta b\t1\n')).toBe(1);
    expect(mrr('q;v;a,b;1;s\n', 'q;0;a,b;1\n')).toBe(1);
    // Quotes are part of ids in files of TREC, and not in CSV.
    expect(mrr('q\tQ0\t"a\t1\t1\tx\n', 'q 0 "a 1\n')).toBe(1);
    expect(mrr('q Q0 "a" 1 1 x\n', 'q\t0\t"a"\t1\n')).toBe(1);
    expect(mrr('query\titem\tscore\nq\t"a ""b"""\t1\n', 'query\titer\titem\tgrade\nq\t0\t"a ""b"""\t1\n')).toBe(1);
    expect(() => mrr('q Q0 a 1 1 x\n', 'q 0 a\n')).toThrow(/3 columns; expected 4: query 0 item grade/);
  });

  it.each([
    ['1 0 a\n', 'qrels, line 1: 3 columns; expected 4: query 0 item grade'],
    ['1 0 a 1\n1,0,b,1\n', 'qrels, line 2: 1 column; expected 4'],
    ['1,0,a,1\n1,0, ,1\n', 'qrels, line 2: no item; expected query 0 item grade'],
    [',0,a,1\n', 'qrels, line 1: no query; expected query 0 item grade'],
    ['1 0 a 1\n1 0 b yes\n', 'qrels, line 2: the grade "yes" is not a number'],
    ['1 0 a relevant\n1 0 b 1\n', 'qrels, line 1: the grade "relevant" is not a number'],
    ['query 0 item grade\n', 'qrels: there are no judgements in it'],
    ['q i d grade\nq i d grade\n', 'qrels, line 2: the grade "grade" is not a number'],
    ['1 0 a null\n1 0 b 1\n', 'qrels, line 1: the grade "null" is not a number'],
    ['1 0 a 1\n2 0 a 1\n1 0 a 1\n', 'qrels, line 3: item "a" of query "1" is judged on line 1 already'],
    [
      '1 Q0 a 1 2 t\n',
      'qrels, line 1: this is a line of a run (query Q0 item rank score tag), and its rank is no grade',
    ],
    ['', 'qrels: there are no judgements in it'],
  ])('are refused with their line: %j', (qrels, message) => {
    expect(() => scoreText('1 Q0 a 1 2 t\n', qrels, { measures: ['mrr'] })).toThrow(message);
  });

  it('may be any number from 0 up, but for gain=exp, which says so with the line', () => {
    const scored = (...measures: string[]) => scoreText('1 Q0 a 1 2 t\n', '1 0 b 1\n1 0 a 100\n', { measures });
    const message =
      'qrels, line 2: the grade 100 is above 30, the highest that dcg(gain=exp)@2 takes, because its gain is 2^grade - 1; ' +
      'scale the grades, or take gain=linear';
    expect(() => scored('ap', 'dcg(gain=exp)@2', 'ndcg(gain=exp)')).toThrow(message);
    expect(
      scored(
        'ndcg(ideal=shown)@10',
        'dcg',
        'rbp(gain=scaled,gmax=3,p=0.5)',
        'precision(rel=100)@1',
        'precision(rel=101)@1',
      ).runs[0].mean,
    ).toEqual([1, 100, 0.5, 1, 0]);
    expect(scored('ndcg').runs[0].mean[0]).toBeCloseTo(100 / (100 + 1 / Math.log2(3)), 12);
    expect(scoreText('1 Q0 a 1 2 t\n', '1 0 a 9223372036854775807\n', { measures: ['dcg'] }).runs[0].mean).toEqual([
      2 ** 63,
    ]);
    expect(() => scoreText('1 Q0 a 1 2 t\n', '1 0 a 1.1e30\n', { measures: ['mrr'] })).toThrow(
      'qrels, line 1: the grade 1.1e30 is above 1e+30, the highest that counts; scale the grades',
    );
    expect(scored('ndcg(gain=binary)@1').runs[0].mean).toEqual([1]);
    expect(scored('mae').runs[0].mean).toEqual([98]);
    expect(scored('ap').runs[0].mean).toEqual([0.5]);
  });

  it('below 0 say that an item was not judged, and their query is known', () => {
    const { runs, missing } = scoreText('1 Q0 a 1 2 t\n', '1 0 a -1\n', { measures: ['ap', 'mrr'] });
    expect(runs[0].mean).toEqual([0, 0]);
    expect(missing).toEqual([]);
  });

  it('without a list count 0 where that is asked for, by each measure in its own way', () => {
    const measures = ['mrr', 'recall(avg=micro)@1', 'ndcg(ideal=all,empty=skip)@2', 'auc', 'gini', 'length'];
    const [{ mean, queries, counts }] = scoreText('1 Q0 c 1 2 t\n', QRELS, { measures, missing: 'zero' }).runs;
    expect(queries).toBe(2);
    expect(counts.relevant).toBe(3);
    const ndcg = 2 / (2 + 1 / Math.log2(3));
    expect(mean[0]).toBe(0.5);
    expect(mean[1]).toBeCloseTo(1 / 3, 12);
    expect(mean[2]).toBeCloseTo(ndcg / 2, 12);
    expect(mean[3]).toBeUndefined();
    expect(mean.slice(4)).toEqual([0, 0.5]);
  });

  it('without a list have no slots: they add none below a fraction, and none to the classes', () => {
    const [run, qrels] = ['1 Q0 a 1 3 t\n1 Q0 b 1 2 t\n', '1 0 a 1\n2 0 a 1\n'];
    const measures = [
      'ctr',
      'rate(action=buy)@2',
      'precision(avg=micro,denom=list)@2',
      'precision(avg=micro)',
      'precision(avg=micro,denom=capped,ideal=all)',
      'precision(avg=micro,examined=last_positive)@2',
      'precision(avg=micro)@2', // k stays below: 1 / (2 + 2)
      'f1(avg=micro,denom=list,ideal=all)@2', // 2 hits / (R + slots) = 2 / (1 + 2 + 1)
      'precision(per=class)@1',
      'ctr(avg=macro)',
    ];
    const [{ mean }] = scoreText(run, qrels, { measures, missing: 'zero' }).runs;
    expect(mean).toEqual([0.5, 0.5, 0.5, 0.5, 1, 1, 0.25, 0.5, 1, 0.25]);
  });
});

describe('a PyFLAGR file', () => {
  it('with five columns is ordered by score, ties as in the file', () => {
    const run = '1,v,b,1,set\n1,v,a,1,set\n1,v,c,2,set\n';
    expect(scoreText(run, '1,0,a,1\n', { measures: ['mrr'] }).runs[0].mean[0]).toBeCloseTo(1 / 3, 12);
  });

  it('with six columns is ordered by rank, whatever the scores', () => {
    const run = '1,v,b,2,0.9,m\n1,v,a,1,0.1,m\n';
    expect(scoreText(run, '1,0,a,1\n', { measures: ['mrr'] }).runs[0].mean[0]).toBe(1);
  });

  it('is one run for each voter, whose lists may stand in any order', () => {
    const run = '1,x,a,2,s\n1,x,b,1,s\n1,y,b,2,s\n1,y,a,1,s\n2,x,a,1,s\n';
    const { runs, missing } = scoreText(run, '1,0,a,1\n2,0,a,1\n', { measures: ['mrr'] });
    expect(runs.map(({ name, mean, queries }) => [name, mean[0], queries])).toEqual([
      ['x', 1, 2],
      ['y', 0.5, 1],
    ]);
    expect(missing).toEqual([{ run: 'y', query: '2', missingFrom: 'run' }]);
  });

  it('may have quotes, a header, and an item twice, which counts at its first place', () => {
    const run = 'query,voter,item,score,dataset\n1,v,"a ""x"", y",1,s\n1,v,b,2,s\n1,v,b,0.5,s\n';
    const [{ mean }] = scoreText(run, '1,0,"a ""x"", y",1\n1,0,b,1\n', { measures: ['ap', 'precision@3'] }).runs;
    expect(mean).toEqual([1, 2 / 3]);
  });

  it('must name the query and the item of each line', () => {
    const scored = (run: string) => () => scoreText(run, QRELS, { measures: ['mrr'] });
    expect(scored('1,v,a,2,s\n,v,b,1,s\n')).toThrow('run, line 2: no query; expected query,voter,item,score,dataset');
    expect(scored('1,v,,2,s\n')).toThrow('run, line 1: no item; expected query,voter,item,score,dataset');
  });

  it('is read by its own convention alone: columns choose it, and the same columns at other signs', () => {
    const nameOf = (run: string, choices: Partial<Choices> = {}) => {
      const { runs } = scoreText(run, '1 0 b 1\n', { measures: ['mrr'], ...choices });
      return `${runs[0].name} ${runs[0].mean[0]}`;
    };
    // By its ranks, as PyFLAGR; a run of TREC by its scores.
    expect(nameOf('1,v,b,1,1,m\n1,v,a,2,9,m\n')).toBe('v 1');
    expect(nameOf('1;v;b;1;1;m\n1;v;a;2;9;m\n')).toBe('v 1');
    expect(nameOf('query,voter,item,rank,score,dataset\n1,v,b,1,1,m\n1,v,a,2,9,m\n')).toBe('v 1');
    expect(nameOf('query\tvoter\titem\trank\tscore\talgorithm\n1\tv\tb\t1\t1\tm\n1\tv\ta\t2\t9\tm\n')).toBe('v 1');
    for (const iteration of ['Q0', 'q0', '0']) {
      expect(nameOf(`1,${iteration},b,1,1,m\n1,${iteration},a,2,9,m\n`)).toBe('run 0.5');
    }
    expect(nameOf('1,0,b,1,1,m\n1,0,a,2,9,m\n', { format: 'flagr' })).toBe('0 1');
    expect(nameOf('1,Q0,b,1,1,m\n1,Q0,a,2,9,m\n', { columns: '6' })).toBe('Q0 1');
    expect(nameOf('1,v,b,1,1\n1,v,a,2,9\n', { columns: 'query,voter,item,rank,score' })).toBe('v 0.5');
    expect(nameOf('query,run,item,rank,score,note\n1,v,b,1,1,m\n1,v,a,2,9,m\n')).toBe('run 0.5');
  });

  it('is no file whose voters have one item each, which is its rank, and none with a header of other words', () => {
    const scored = (run: string) => () => scoreText(run, QRELS, { measures: ['mrr'] });
    const message = 'run, line 1: 5 columns; expected those of PyFLAGR, 5 (query,voter,item,score,dataset) or 6';
    expect(scored('1,a,1,9.5,t\n1,b,2,9,t\n')).toThrow(message);
    expect(scored('1,a,1,9.5,t\n1,b,2,9,t\n')).toThrow('such as --columns query,item,rank,score,tag');
    expect(scored('ask,by,what,worth,note\n1,a,1,9.5,t\n')).toThrow(message);
    expect(scored('1,v,1,9.5,t\n1,v,2,9,t\n')).not.toThrow();
    expect(scored('1,a,1,9.5,t\n1,b,1,9,t\n')).not.toThrow();
    expect(scored('1,a,1,9.5,t\n2,b,2,9,t\n')).not.toThrow();
  });

  it('with other columns needs their names', () => {
    expect(() => scoreText('1,a,2\n', QRELS, { measures: ['mrr'] })).toThrow(
      'run, line 1: 3 columns; expected those of PyFLAGR, 5 (query,voter,item,score,dataset) or 6 (query,voter,item,rank,score,method); ' +
        'name others in a header, or by --columns, such as --columns query,item,score',
    );
    expect(runColumns('query,item,scor')).toBe('unknown column "scor"; did you mean "score"?');
    expect(runColumns('query,score')).toContain('needs the columns query and item');
    expect(runColumns('7')).toContain('expected 5, 6, or names');
  });
});

describe('a run of named columns', () => {
  const meanOf = (run: string, choices: Partial<Choices> = {}) =>
    scoreText(run, '1 0 b 1\n', { measures: ['mrr'], ...choices }).runs[0].mean[0];

  it('may have blanks between them, any order, and more columns than anybody needs', () => {
    expect(meanOf('1 a 2\n1 b 1\n', { columns: 'query,item,score' })).toBe(0.5);
    expect(meanOf('a x x x x x 2 1\nb x x x x x 1 1\n', { columns: 'item,-,-,-,-,-,score,query' })).toBe(0.5);
    const wide = `query,${'note,'.repeat(80)}item,score`;
    expect(() => meanOf(`${wide}\n`)).toThrow('run, line 1: 83 columns; expected');
  });

  it('is in the order of the file, or of its ranks, where it has no scores', () => {
    expect(meanOf('1,a\n1,b\n', { columns: 'query,item' })).toBe(0.5);
    expect(meanOf('query,item\n1,a\n1,b\n', { columns: 'query,item' })).toBe(0.5);
    expect(meanOf('query,item,rank\n1,a,2\n1,b,1\n')).toBe(1);
    expect(() => meanOf('query,item\n1,a\n')).toThrow('such as --columns query,item');
  });

  it('is named by its tag', () => {
    const run = 'query,item,score,tag\n1,a,2,mine\n';
    expect(scoreText(run, '1 0 b 1\n', { measures: ['mrr'] }).tag).toBe('mine');
  });

  it('and of TREC keeps to its format where that is given', () => {
    expect(meanOf('1\tQ0 a 1 2 t\n1\tQ0 b 1 1 t\n', { format: 'trec' })).toBe(0.5);
    const mixed = '1\tQ0\ta\t1\t2\tt\n1 Q0 b 1 1 t\n';
    expect(meanOf(mixed, { format: 'trec' })).toBe(0.5);
    expect(() => meanOf(mixed)).toThrow('run, line 2: 1 column; expected at least 6');
    expect(() => meanOf('1,Q0,b,1,2,t\n', { format: 'trec' })).toThrow('1 column; expected at least 6');
  });
});

describe('a line that begins with #', () => {
  it('is a row like any other, as for trec_eval (specification: commands 3.3)', () => {
    const run = '#shoes Q0 d#2 1 9.5 t\n#shoes Q0 #3 2 8 t\nboots Q0 d7 1 3 t\nboots Q0 d9 2 2 t\n';
    const qrels = '#shoes 0 #3 2\n#shoes 0 d#2 1\nboots 0 d9 1\n';
    const { runs } = scoreText(run, qrels, { measures: ['ap', 'mrr', 'ndcg@10'] });
    expect(runs[0].perQuery.map(({ query }) => query)).toEqual(['#shoes', 'boots']);
    // As pytrec_eval 0.5.11 has them.
    expect(runs[0].mean.map((value) => value?.toFixed(6))).toEqual(['0.750000', '0.750000', '0.745324']);
    const votes = 'query,item,score\n#shoes,d1,3\n#shoes,d2,2\nboots,d9,4\n';
    expect(scoreText(votes, '#shoes,0,d2,1\nboots,0,d9,1\n', { measures: ['mrr'] }).runs[0].mean).toEqual([0.75]);
  });

  it.each([
    ['# made by us, of the index\n1 Q0 c 1 2 t\n', 'run, line 1: the score "of" is not a number'],
    ['# run 7\n1 Q0 c 1 2 t\n', 'run, line 1: 3 columns; expected at least 6: query Q0 item rank score tag. A line'],
    ['# this is my best run\n1 Q0 c 1 2 t\n', 'run, line 1: the score "best" is not a number'],
    ['\n1 Q0 c 1 2 t\n# the end\n', 'run, line 3: 3 columns; expected at least 6'],
    ['# a, b\nquery,item,score\n1,c,2\n', 'run, line 1: 2 columns'],
  ])('and is no row is an error that says what to do: %j', (run, message) => {
    const scored = () => scoreText(run, QRELS, { measures: ['mrr'] });
    expect(scored).toThrow(message);
    expect(scored).toThrow('A line that begins with # is a row like any other: delete it if it is a comment');
  });

  it('is refused in judgements and graded lists, too', () => {
    const advice = 'A line that begins with # is a row like any other: delete it if it is a comment';
    expect(() => scoreText('1 Q0 a 1 2 t\n', `# judged by us\n${QRELS}`, { measures: ['mrr'] })).toThrow(
      `qrels, line 1: the grade "us" is not a number; expected query 0 item grade. ${advice}`,
    );
    const bytes = Buffer.from('# lists\n{"grades": [1]}\n');
    const reader = new GradedLists('lists', settingsOf({ measures: ['mrr'] }), undefined);
    expect(() => reader.block(bytes, 0, bytes.length)).toThrow(
      /lists, line 1: this is no JSON.*A line that begins with #/,
    );
  });
});

describe('graded lists', () => {
  it('are ordered by their scores only where ties are asked for', () => {
    const list = { grades: [0, 1, 1, 0, 0], scores: [0.1, 0.8, 0.9, 0.3, 0.8] };
    const ap = (ties?: 'first' | 'last'): number | undefined =>
      scoreLists([list], { measures: ['ap'], ...(ties === undefined ? {} : { ties }) }).mean[0];
    expect(ap()).toBeCloseTo(7 / 12, 12);
    expect(ap('first')).toBe(1);
    expect(ap('last')).toBeCloseTo(0.833333, 6);
  });

  it('with the mean over ties give grades below 0 no part in the ideal order', () => {
    const list = { grades: [0, 2], scores: [2, 1], known: [2, 0, -1] };
    const ndcg = (ties?: 'mean'): unknown =>
      scoreLists([list], { measures: ['ndcg(ideal=all)@3'], ...(ties === undefined ? {} : { ties }) }).mean[0];
    expect(ndcg()).toBeCloseTo(1 / Math.log2(3), 12);
    expect(ndcg('mean')).toBeCloseTo(1 / Math.log2(3), 12);
  });

  it('have no field that is spelled almost like one that they lack', () => {
    const scored = (list: object) => () => scoreLists([list], { measures: ['mrr'] });
    expect(scored({ grades: [1], knwon: [1, 1] })).toThrow(
      'lists, line 1: unknown field "knwon"; did you mean "known"?',
    );
    expect(scored({ grades: [1], Known: [1, 1] })).toThrow('unknown field "Known"; did you mean "known"?');
    expect(scored({ items: ['a'], positive: ['a'] })).toThrow('did you mean "positives"?');
    expect(scored({ grades: [1], usr: 'u' })).toThrow('did you mean "user"?');
    // Other fields are of no concern: words of their own, values that the field cannot have, and beside the field itself.
    for (const more of [{ note: 'x' }, { score: 0.3 }, { rank: 3 }, { scores: [1], score: [2] }]) {
      expect(scored({ grades: [1], ...more })).not.toThrow();
    }
  });

  it('count those that do not say what is known where that is asked for', () => {
    const lists = [{ grades: [1] }, { grades: [1], known: [1, 1] }, { items: ['a'], positives: ['a'] }];
    expect(scoreLists(lists, { measures: ['recall(ideal=all)'] }).withoutKnown).toBe(1);
    expect(scoreLists(lists, { measures: ['recall'] }).withoutKnown).toBe(0);
  });

  it('average by user where that is asked for', () => {
    const zeros = (n: number): number[] => new Array(n).fill(0);
    const lists = [
      { grades: [1, 1], user: 'u' },
      { grades: [0, 0, 1, ...zeros(5)], user: 'u' },
      { grades: zeros(10), user: 'v' },
    ];
    const { mean } = scoreLists(lists, { measures: ['recall@2', 'recall(per=user)@2', 'recall(avg=micro)@2', 'ctr'] });
    expect(mean.map((value) => value?.toFixed(6))).toEqual(['0.333333', '0.250000', '0.666667', '0.150000']);
  });

  it('may have prices for grades, but for gain=exp', () => {
    const list = { grades: [129.5, 4999.99], known: [4999.99, 129.5, 31], scores: [1, 1] };
    expect(scoreLists([list], { measures: ['dcg(discount=none)', 'dcg@1'] }).mean).toEqual([5129.49, 129.5]);
    expect(scoreLists([list], { measures: ['dcg@1'], ties: 'mean' }).mean).toEqual([5129.49 / 2]);
    expect(() => scoreLists([{ grades: [30] }, list], { measures: ['mrr', 'ndcg(gain=exp)'] })).toThrow(
      'lists, line 2: grades[0] must be a number up to 30 for ndcg(gain=exp), because its gain is 2^grade - 1; got 129.5',
    );
  });

  it.each([
    [['{"grades": [1'], 'lists, line 1: this is no JSON'],
    [['{"grades": [1]}', '{"judged": [1]}'], 'lists, line 2: expected {"grades": [...]}'],
    [['{"grades": [1, "x"]}'], 'lists, line 1: grades must be a list of numbers, got [1,"x"]'],
    [['{"grades": [2e30]}'], 'lists, line 1: grades[0] must be a number up to 1e+30, got 2e+30'],
    [
      ['{"query": "q", "grades": [1]}', '', '{"query": "q", "grades": [0]}'],
      'line 3: the query "q" has a list on line 1',
    ],
    [['{"grades": [1], "items": ["a"]}'], 'lists, line 1: grades and items do not go together; expected {"grades"'],
    [['{"items": ["a"], "ratings": [3]}'], 'lists, line 1: items and ratings do not go together'],
    [['{"ratings": [3], "known": [3]}'], 'lists, line 1: ratings and known do not go together'],
    [['[1]'], 'lists, line 1: no object'],
  ])('are refused with their line: %j', (lines, message) => {
    const reader = new GradedLists('lists', settingsOf({ measures: ['mrr'] }), undefined);
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    expect(() => reader.block(bytes, 0, bytes.length)).toThrow(message);
  });
});

describe('names of runs', () => {
  const source = (given: string | undefined, own: string | undefined, file: string, isOneOfMany = false) => ({
    given,
    own,
    file,
    isOneOfMany,
  });

  it('are given, or the tag, or the file', () => {
    expect(
      runNames([
        source('A', 'tag', 'a.run'),
        source(undefined, 'bm25', 'b.run'),
        source(undefined, undefined, 'c.run'),
      ]),
    ).toEqual(['A', 'bm25', 'c.run']);
  });

  it('differ', () => {
    expect(runNames([source(undefined, 'tag', 'a.run'), source(undefined, 'tag', 'b.run')])).toEqual([
      'a.run',
      'b.run',
    ]);
    expect(runNames([source('A', 'v', 'f', true), source('A', 'w', 'f', true)])).toEqual(['A/v', 'A/w']);
    expect(runNames([source('A', undefined, 'f'), source('A', undefined, 'g')])).toEqual(['A (1)', 'A (2)']);
  });
});

describe('p of a correlation', () => {
  const pairs = (scores: number[], ratings: number[]) => ({
    count: scores.length,
    scores: Float64Array.from(scores),
    ratings: Float64Array.from(ratings),
  });

  it('is that of scipy', () => {
    expect(spearmanP(0.8207826816681233, 5)).toBeCloseTo(0.0885870053135438, 12);
    expect(kendallP(pairs([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]))).toBeCloseTo(0.2827454599327748, 12);
  });

  it('of kendall without ties counts orders: 1 of 120 is all agreed, 1 all reversed', () => {
    expect(kendallP(pairs([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]))).toBeCloseTo(2 / 120, 14);
    expect(kendallP(pairs([1, 2, 3, 4, 5], [2, 1, 3, 4, 5]))).toBeCloseTo(10 / 120, 14);
    expect(kendallP(pairs([1, 2, 3, 4], [3, 1, 4, 2]))).toBe(1);
  });

  it('needs three pairs for spearman', () => {
    expect(spearmanP(1, 2)).toBeUndefined();
    expect(spearmanP(1, 3)).toBe(1e-300);
  });
});
