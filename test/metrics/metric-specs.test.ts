import { describe, expect, it } from 'vitest';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { hasScore, type MetricSpec, metricSpecs, weighsImpressions } from '../../src/metrics/metric-specs.ts';
import { settingsOf } from './settings.ts';

const MANY = settingsOf(`
measures: [mrr, mrr(empty=skip), precision@5, precision@10, recall@10, f1@5, ap@10, ndcg@10, ndcg(gain=exp)@10, dcg@10, hit@10, rprec, ctr, rate(action=purchase)]
cohorts: [[], [variant], [variant, country], [surface]]
`);

const RESERVED = ['le', 'quantile', 'job', 'instance', 'pod', 'reason_', '__name__'];
const ABBREVIATED =
  /(?:^|_)(?:s|ms|us|ns|sec|secs|millis|milliseconds|minutes|hours|days|b|kb|mb|kib|mib|kilobytes|percent)(?:_|$)/;

/** The rules of promlint, as far as a name, a type, a HELP and labels can break them. */
function lint({ name, type, help, labels }: MetricSpec): string[] {
  const problems: string[] = [];
  if (!/^receval_[a-z0-9]+(?:_[a-z0-9]+)*$/.test(name)) problems.push('is not snake_case with our prefix');
  if (help.trim() === '' || !/[.]$/.test(help)) problems.push('has no sentence as HELP');
  if ((type === 'counter') !== name.endsWith('_total')) problems.push('_total belongs to counters, and to all of them');
  if (/_(?:sum|count|bucket)$/.test(name)) problems.push('ends like a part of a histogram');
  if (new RegExp(`_${type}(?:_|$)`).test(name)) problems.push('holds its type');
  if (ABBREVIATED.test(name)) problems.push('has a unit that is no base unit, or short');
  for (const label of labels) {
    if (!/^[a-z][a-z0-9_]*$/.test(label)) problems.push(`label ${label} is not snake_case`);
    if (RESERVED.includes(label)) problems.push(`label ${label} is reserved`);
    if (name.includes(`_by_${label}`)) problems.push(`holds its label ${label}`);
  }
  if (new Set(labels).size < labels.length) problems.push('has a label twice');
  return problems.map((problem) => `${name} ${problem}`);
}

describe('the catalogue', () => {
  it.each([
    ['the usual configuration', settingsOf()],
    ['many measures and sets', MANY],
  ])('keeps the rules of promlint with %s', (_, settings) => {
    expect(metricSpecs(settings).flatMap(lint)).toEqual([]);
  });

  it('is linted by rules that find what is wrong', () => {
    const wrong: MetricSpec[] = [
      { name: 'receval_aB', type: 'gauge', help: 'h.', labels: [], role: 'both' },
      { name: 'receval_a_total', type: 'gauge', help: 'h.', labels: [], role: 'both' },
      { name: 'receval_a', type: 'counter', help: 'h.', labels: [], role: 'both' },
      { name: 'receval_a_count', type: 'gauge', help: 'h.', labels: [], role: 'both' },
      { name: 'receval_a_ms', type: 'gauge', help: 'h.', labels: [], role: 'both' },
      { name: 'receval_a', type: 'gauge', help: '', labels: [], role: 'both' },
      { name: 'receval_a', type: 'gauge', help: 'h.', labels: ['instance'], role: 'both' },
    ];
    for (const metric of wrong) expect(lint(metric), metric.name).toHaveLength(1);
  });

  it('names each metric once', () => {
    const names = metricSpecs(MANY).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('gives all variants of a name one metric, whose HELP says the convention of each', () => {
    const ndcg = metricSpecs(MANY).find(({ name }) => name === 'receval_ndcg');
    expect(ndcg?.help).toContain('ndcg@10: Normalised discounted cumulative gain up to rank 10: gain the grade');
    expect(ndcg?.help).toContain(
      'ndcg(gain=exp)@10: Normalised discounted cumulative gain up to rank 10: gain 2^grade - 1',
    );
    expect(ndcg?.labels).toEqual(['window', 'horizon', 'by', 'variant', 'country', 'surface', 'k', 'params']);
  });

  it('knows what each measure is divided by', () => {
    const texts = [
      'mrr',
      'hit',
      'rprec',
      'mrr(empty=one)',
      'mrr(empty=skip)',
      'ndcg@10',
      'ctr',
      'precision(avg=micro)',
      'recall(min_list_length=3)',
      'precision(examined=viewport)',
      'rbp',
      'auc',
      'rmse',
      'mae(avg=macro)',
      'recall(avg=micro,per=class)@5',
    ];
    const { measures } = parseMeasures(texts, { relevantFrom: 1 });
    expect(measures.map((measure) => [measure.canonical, weighsImpressions(measure)])).toEqual([
      ['mrr', true],
      ['hit', true],
      ['rprec', true],
      ['mrr(empty=one)', true],
      ['mrr(empty=skip)', false],
      ['ndcg@10', false],
      ['ctr', false],
      ['precision(avg=micro)', false],
      ['recall(min_list_length=3)', false],
      ['precision(examined=viewport)', false],
      ['rbp', true],
      ['auc', false],
      ['rmse', false],
      ['mae(avg=macro)', false],
      ['recall(avg=micro,per=class)@5', false],
    ]);
  });

  it('has a counter of the sums where their quotient is the value, and they never fall', () => {
    const texts = [
      ['mrr', 'rbp', 'auc', 'mae', 'rmse', 'mae(avg=macro)', 'f1(avg=micro,per=class)@5', 'f1(avg=micro)'],
      ['bias', 'spearman', 'kendall', 'f1(per=class)@5', 'f1(of=means)'],
    ].map((some) => parseMeasures(some, { relevantFrom: 1 }).measures);
    expect(texts[0].filter((measure) => !hasScore(measure))).toEqual([]);
    expect(texts[1].filter(hasScore)).toEqual([]);
    const squares = metricSpecs(settingsOf('measures: [rmse]')).find(({ name }) => name === 'receval_rmse_score_total');
    expect(squares?.help).toContain('receval_rmse_weight_total where that exists, and then its root taken');
  });
});
