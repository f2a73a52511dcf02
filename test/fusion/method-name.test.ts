import { describe, expect, it } from 'vitest';
import { fusion, parseMethod } from '../../src/fusion/fusion.ts';
import { METHODS } from '../../src/fusion/methods.ts';

describe('names of methods', () => {
  it('a canonical name holds what is not the default, in the order of the alphabet, and parses back', () => {
    expect(fusion(' CombSUM( norm = RANK ) ').name).toBe('combsum(norm=rank)');
    expect(fusion('combsum(norm=score)').name).toBe('combsum');
    expect(fusion('dibra(prune=low, gamma=1.20, of=combsum)').name).toBe('dibra(gamma=1.2,prune=low)');
    expect(fusion('rrf()'.replace('()', '')).name).toBe('rrf');
    for (const { name } of METHODS) expect(parseMethod(parseMethod(name).canonical).method.name).toBe(name);
  });

  it('the names of other libraries are read', () => {
    const names = ['comb_sum', 'mnz', 'combmed', 'bordafuse', 'comb_gmnz', 'anz'];
    expect(names.map((name) => fusion(name).name)).toEqual(['combsum', 'combmnz', 'med', 'borda', 'gmnz', 'anz']);
  });

  it('no two methods share a name', () => {
    const names = METHODS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('every method says what it does, by whom, at which cost, and what its parameters mean', () => {
    for (const { summary, source, cost, params } of METHODS) {
      for (const text of [summary, source, cost]) expect(text.length).toBeGreaterThan(2);
      for (const { meaning } of Object.values(params)) expect(meaning.length).toBeGreaterThan(4);
    }
  });

  it.each([
    ['', 'a method is empty; expected name(key=value), such as rrf(k=60)'],
    ['rff', 'unknown method "rff"; did you mean "rrf"?'],
    ['rff(k=1)', 'unknown method "rff(k=1)"; did you mean "rrf(k=1)"?'],
    ['rrf(k=60', '"rrf(k=60": the parentheses do not match; expected name(key=value), such as rrf(k=60)'],
    ['rrf(60)', '"rrf(60)": expected key=value, got "60"'],
    ['rrf(j=60)', '"rrf(j=60)": unknown parameter "j"; did you mean "k"?'],
    ['rrf(k=1,k=2)', '"rrf(k=1,k=2)": the parameter k is given twice'],
    ['rrf(k=-1)', '"rrf(k=-1)": k must be a number from 0, got "-1"'],
    ['mc4(teleport=2)', '"mc4(teleport=2)": teleport must be a number from 0 to 1, got "2"'],
    ['mc4(iterations=1.5)', '"mc4(iterations=1.5)": iterations must be a whole number from 1 to 100000, got "1.5"'],
    ['combsum(norm=rnak)', '"combsum(norm=rnak)": unknown value norm=rnak; did you mean "rank"?'],
  ])('"%s": %s', (text, message) => {
    expect(() => fusion(text)).toThrow(message);
  });
});
