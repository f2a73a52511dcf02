import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LONGEST_MATCHED, type Match, patternOf } from '../../../src/consumers/decode/pattern.ts';

function match(pattern: string, text: string): Match | undefined | string {
  const matcher = patternOf(pattern);
  return typeof matcher === 'string' ? matcher : matcher(text);
}

/** What JavaScript finds, which may take for ever. */
function plainly(pattern: string, text: string): Match | undefined {
  const [, flag = '', rest = ''] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  const found = new RegExp(rest, flag === '' ? '' : 'i').exec(text);
  return found === null ? undefined : { text: found[0], group: found[1] };
}

/** A pattern that never repeats what may be empty. */
const { pattern } = fc.letrec<{ pattern: string; all: string; atom: string; repeated: string }>((tie) => ({
  pattern: fc.array(tie('all'), { minLength: 1, maxLength: 3 }).map((alls) => alls.join('|')),
  all: fc
    .array(fc.oneof(tie('repeated'), fc.constantFrom('^', '$', '\\b', '')), { maxLength: 4 })
    .map((nodes) => nodes.join('')),
  repeated: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,}', '{0,2}', '{1,3}?'))
    .map((parts) => parts.join('')),
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', '-', '\\.', '.', '[ab]', '[^a]', '[a-c]', '\\d', '\\w', '\\S', '[\\d-]'),
    fc.tuple(fc.constantFrom('(', '(?:'), tie('atom'), tie('pattern'), fc.constant(')')).map((parts) => parts.join('')),
  ),
}));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '-', '.', '1', ' ', '\n'), maxLength: 12 });

describe('a pattern', () => {
  test('finds what JavaScript finds, in any text', () => {
    let tried = 0;
    fc.assert(
      fc.property(pattern, fc.boolean(), text, (one, ignoresCase, in_) => {
        const whole = `${ignoresCase ? '(?i)' : ''}${one}`;
        const found = match(whole, in_);
        // Some repeat an alternative that may be empty, or too much.
        if (typeof found === 'string') return;
        tried++;
        expect(found).toEqual(plainly(whole, in_));
      }),
      { numRuns: 5000 },
    );
    expect(tried).toBeGreaterThan(1000);
  });

  test.each([
    ['[?&]rid=([^&]+)', '/go?x=1&rid=r-17&y=2', { text: '&rid=r-17', group: 'r-17' }],
    ['(?i)bot|crawl|spider', 'Mozilla/5.0 (compatible; GoogleBot/2.1)', { text: 'Bot', group: undefined }],
    ['^q-', 'x q-1', undefined],
    ['([0-9a-f]{8})-', 'id 0123abcd-4567', { text: '0123abcd-', group: '0123abcd' }],
    ['\\bbot\\b', 'robots', undefined],
    ['a(b)?c', 'ac', { text: 'ac', group: undefined }],
  ])('%s in %s', (one, in_, found) => {
    expect(match(one, in_)).toEqual(found);
  });

  test.each([
    ['(a', 'a ( is not closed'],
    ['a)', 'a ) closes no group'],
    ['a**', 'a repeat cannot be repeated'],
    ['(a*)*', 'what may be empty cannot be repeated'],
    ['*', 'write \\* for the character *'],
    ['(?=a)', 'of groups with ? there is (?:, and (?i) at the beginning'],
    ['(a)\\1', '\\1 is not known; there are \\d \\w \\s \\b \\t \\n'],
    ['[a', 'the pattern ends too early'],
    ['a\\', 'the pattern ends too early'],
    ['[b-a]', 'a range in [ ] does not ascend'],
    ['a{3,2}', '{3,2}: a repeat goes from 0 to 100, ascending'],
    ['a{101}', '{101}: a repeat goes from 0 to 100, ascending'],
    ['(?:a{100}){100}', 'the pattern repeats too much'],
    ['😀', 'characters beyond U+FFFF are not matched'],
  ])('%s is refused', (one, problem) => {
    expect(match(one, '')).toBe(problem);
  });

  test('has at most 200 characters', () => {
    expect(match('a'.repeat(200), '')).toBeUndefined();
    expect(match('a'.repeat(201), '')).toBe('a pattern has at most 200 characters');
  });

  test('never takes longer than its text: what keeps JavaScript busy for years is done at once', () => {
    const hostile = 'a'.repeat(LONGEST_MATCHED - 1);
    for (const one of ['(?:a|aa)+$', '(?:a+){10}b', '(?:(?:a|a)+)+x', 'a*a*a*a*a*b', '(?:.*,){11}P']) {
      const begin = performance.now();
      match(one, `${hostile}!`);
      expect(performance.now() - begin).toBeLessThan(2000);
    }
  });

  test('is not looked for in a text of more than 4,096 characters', () => {
    expect(match('b$', `${'a'.repeat(LONGEST_MATCHED - 1)}b`)).toEqual({ text: 'b', group: undefined });
    expect(match('b$', `${'a'.repeat(LONGEST_MATCHED)}b`)).toBeUndefined();
  });
});
