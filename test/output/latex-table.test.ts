import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latexComment, latexTable, latexText, MARKDOWN, markdownText } from '../../src/output/table.ts';

describe('text for LaTeX', () => {
  it('escapes every character that means something there', () => {
    expect(latexText('50 % of a_b & c^d ~ #1 {x} $y \\z <p|q>')).toBe(
      '50 \\% of a\\_b \\& c\\textasciicircum{}d \\textasciitilde{} \\#1 \\{x\\} \\$y \\textbackslash{}z \\textless{}p\\textbar{}q\\textgreater{}',
    );
    expect(latexText('two\nlines')).toBe('two lines');
    expect(latexText('-0.5 to -0.1 of x-1')).toBe('$-$0.5 to $-$0.1 of x-1');
    expect(latexText('bm25--rm3 "x"')).toBe('bm25-{}-rm3 {\\char34}x{\\char34}');
    expect(latexText('0.31 ± 0.02')).toBe('0.31 $\\pm$ 0.02');
  });

  it('leaves no sign that would begin a command, a comment or a cell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const rest = latexText(text)
          .replace(
            /\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar)\{\}|\{\\char34\}|\{\}(?=-)/g,
            '',
          )
          .replace(/\$(?:-|\\pm)\$/g, '')
          .replace(/\\[{}$&%#_]/g, '');
        expect(rest).not.toMatch(/[\\{}$&%#_~^]|\p{Cc}/u);
      }),
    );
  });

  it('is a table of booktabs', () => {
    expect(
      latexTable(
        ['run', 'P_5'],
        [
          ['a&b', '0.5'],
          ['[c]', '-'],
          ['*d', '-'],
        ],
        1,
      ),
    ).toBe(
      '\\begin{tabular}{lr}\n\\toprule\nrun & P\\_5 \\\\\n\\midrule\na\\&b & 0.5 \\\\\n{[}c] & - \\\\\n{*}d & - \\\\\n\\bottomrule\n\\end{tabular}\n',
    );
    expect(latexComment('up to\nnow')).toBe('% up to now\n');
  });
});

describe('Markdown', () => {
  it('holds what is text as text', () => {
    expect(markdownText('a|b *c* `d` [e](f) <i> &amp; ~g~ h\\i __none__ j_k\nl')).toBe(
      'a\\|b \\*c\\* \\`d\\` \\[e](f) \\<i> \\&amp; \\~g\\~ h\\\\i \\_\\_none\\_\\_ j_k l',
    );
    expect(markdownText('ndcg(ideal=all)@10 <0.0001 P_5 a & b')).toBe('ndcg(ideal=all)@10 <0.0001 P_5 a & b');
  });

  it('parts words from the table before them: the next line would be one of its rows', () => {
    const table = MARKDOWN.table(['run', 'mrr'], [['a', '0.5']], 1);
    const text = MARKDOWN.whole([`${table}${MARKDOWN.note('of 3')}${MARKDOWN.note('of 4')}`, table]);
    const rows = '| run | mrr |\n|---|---:|\n| a | 0.5 |\n';
    expect(text).toBe(`${rows}\nof 3\n\nof 4\n\n${rows}`);
    expect(MARKDOWN.whole([MARKDOWN.note('nothing'), table])).toBe(`nothing\n\n${rows}`);
  });
});
