import { describe, expect, it } from 'vitest';
import { load, problems } from './fixture.ts';

describe('measures of items', () => {
  it('are kept for everything, unless other sets are named', () => {
    expect(load('{cohorts: [[variant], []], measures: [distinct, mrr]}').itemSets).toEqual([[]]);
    expect(load('{cohorts: [[], [variant]], itemSets: [[variant]], measures: [gini, mrr]}').itemSets).toEqual([
      ['variant'],
    ]);
    expect(load('measures: [mrr]').limits).toMatchObject({ itemsCounted: 100_000, catalogueItems: 1_000_000 });
  });

  it('need a set that keeps them', () => {
    expect(problems('{cohorts: [[variant]], measures: [mrr, gini@10, popularity], catalogue: items.csv}')).toEqual([
      'measures: gini@10 is kept for the grouping set [] alone, which cohorts lacks: add [], or name others in itemSets',
    ]);
    expect(problems('{cohorts: [[]], itemSets: [[country]], measures: [gini, mrr]}')).toEqual([
      'itemSets[0]: expected one of cohorts; found [country]',
    ]);
  });

  it.each(['coverage@5', 'popularity', 'novelty(users=10)', 'gini(over=catalogue)'])('%s needs a catalogue', (name) => {
    expect(problems(`measures: [mrr, "${name}"]`)).toEqual([
      `measures: ${name} needs a catalogue: the path of an item file, such as catalogue: items.csv`,
    ]);
  });

  it.each(['distinct', 'gini', 'entropy', 'diversity', 'length', 'short', 'duplicated'])('%s needs none', (name) => {
    expect(load(`measures: [mrr, ${name}]`).measures.map(({ canonical }) => canonical)).toEqual(['mrr', name]);
  });

  it('decide nothing, since they have no standard error', () => {
    const settings = load('measures: [gini, length, mrr]');
    expect(settings.experiments[0].primary).toBe('length');
    expect(settings.detect.measures).toEqual(['length']);
    expect(
      problems('{measures: [gini, mrr], experiments: {default: {control: a, variants: {a: 1, b: 1}, primary: gini}}}'),
    ).toEqual([
      'experiments.default.primary: gini has no standard error, so nothing can be decided by it; expected one of mrr',
    ]);
    expect(problems('{measures: [gini, mrr], detect: {measures: [gini]}}')).toEqual([
      'detect.measures[0]: gini has no standard error, so nothing can be decided by it; expected one of mrr',
    ]);
    expect(load('{measures: [entropy, mrr], lowerIsBetter: [entropy]}').detect.lowerIsBetter).toContain('entropy');
  });
});

describe('a measure without a standard error', () => {
  const REFUSED =
    'gini has no standard error, so nothing can be decided by it; add a measure that has one, such as mrr, to measures';

  it('cannot stand alone where experiments are decided, and can without them', () => {
    expect(problems('measures: [gini, distinct]')).toEqual([
      `experiments.default.primary: ${REFUSED}, or write experiments: {} to decide nothing`,
    ]);
    expect(load('{measures: [gini], experiments: {}}').detect.measures).toEqual([]);
    const variants = 'control: a, variants: {a: 1, b: 1}';
    expect(problems(`{measures: [gini], experiments: {default: {${variants}, primary: gini}}}`)).toEqual([
      `experiments.default.primary: ${REFUSED}`,
    ]);
    expect(problems('{measures: [gini], experiments: {}, detect: {measures: [gini]}}')).toEqual([
      `detect.measures[0]: ${REFUSED}`,
    ]);
  });
});

describe('bias, which is best near 0', () => {
  const NEAR =
    'is best near 0, so neither a fall nor a rise of it is better, and nothing can be decided by it; take mae';

  it('decides nothing, by whatever name', () => {
    const { experiments, detect } = load('measures: [bias, mae]');
    expect([experiments[0].primary, detect.measures]).toEqual(['mae', ['mae']]);
    const variants = 'control: a, variants: {a: 1, b: 1}';
    expect(problems(`{measures: [bias, mae], experiments: {default: {${variants}, primary: bias}}}`)).toEqual([
      `experiments.default.primary: bias ${NEAR}`,
    ]);
    expect(
      problems(`{measures: [bias(avg=macro), mae], experiments: {x: {${variants}, guardrails: [bias(avg=macro)]}}}`),
    ).toEqual([`experiments.x.guardrails[0]: bias(avg=macro) ${NEAR}`]);
    expect(problems('{measures: [bias, mae], detect: {measures: [bias]}}')).toEqual([
      `detect.measures[0]: bias ${NEAR}`,
    ]);
    expect(problems('{measures: [bias, mae], lowerIsBetter: [bias]}')).toEqual([`lowerIsBetter[0]: bias ${NEAR}`]);
  });

  it('cannot stand alone where experiments are decided, and can without them', () => {
    expect(problems('measures: [bias]')).toEqual([`experiments.default.primary: bias ${NEAR}`]);
    expect(load('{measures: [bias], experiments: {}}').detect.measures).toEqual([]);
  });
});
