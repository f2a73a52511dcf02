import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittedTable, plainTable, plainWidth, thinned } from '../../src/output/table.ts';

const HEADER = ['variant', 'horizon', 'mrr', 'ndcg@10', 'hit@10'];
const LINES = [
  ['control', '5m', '0.500000', '0.630930', '1.000000'],
  ['treatment', '5m', '1.000000', '1.000000', '1.000000'],
];

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

const cell = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const table = fc
  .record({ columns: fc.integer({ min: 2, max: 9 }), rows: fc.integer({ min: 1, max: 5 }) })
  .chain(({ columns, rows }) => {
    const line = fc.array(cell, { minLength: columns, maxLength: columns });
    return fc.record({
      header: line,
      lines: fc.array(line, { minLength: rows, maxLength: rows }),
      textColumns: fc.integer({ min: 1, max: columns - 1 }),
    });
  });

describe('a table of a terminal', () => {
  it('has the width that is given before', () => {
    fc.assert(
      fc.property(table, ({ header, lines, textColumns }) => {
        expect(widest(plainTable(header, lines, textColumns))).toBeLessThanOrEqual(plainWidth(header, lines));
      }),
    );
    expect(widest(plainTable(HEADER, LINES, 2))).toBe(plainWidth(HEADER, LINES) - 1);
  });

  it('is as it was where it fits, and loses no cell where it does not', () => {
    fc.assert(
      fc.property(table, fc.integer({ min: 20, max: 160 }), ({ header, lines, textColumns }, columns) => {
        const plain = plainTable(header, lines, textColumns);
        const fitted = fittedTable(columns)(header, lines, textColumns);
        if (plainWidth(header, lines) <= columns) expect(fitted).toBe(plain);
        const words = (text: string): Set<string> => new Set(text.split(/\s+/));
        expect(words(fitted)).toEqual(words(plain));
        const heads = plainWidth(
          header.slice(0, textColumns),
          lines.map((cells) => cells.slice(0, textColumns)),
        );
        // A column of numbers is at most 12 + 3 wide here.
        if (heads + 15 <= columns) expect(widest(fitted)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('goes on below with the columns that do not fit, each with the columns of text', () => {
    expect(fittedTable(40)(HEADER, LINES, 2)).toBe(` variant     horizon        mrr
 control     5m        0.500000
 treatment   5m        1.000000

 variant     horizon    ndcg@10
 control     5m        0.630930
 treatment   5m        1.000000

 variant     horizon     hit@10
 control     5m        1.000000
 treatment   5m        1.000000
`);
  });

  it('folds the longest text at its blanks', () => {
    const lines = [
      ['impressions', 'invalid 14, late 7, duplicate 55, orphan 1'],
      ['feedback', 'none'],
    ];
    expect(fittedTable(44)(['events', 'dropped'], lines, 2)).toBe(` events        dropped
 impressions   invalid 14, late 7,
               duplicate 55, orphan 1
 feedback      none
`);
  });

  it('leaves out groups of columns in their order, as many as it takes', () => {
    const groups = [['hit@10'], ['ndcg@10', 'mrr'], ['horizon']];
    const left = (columns: number): readonly string[] =>
      thinned({ header: HEADER, lines: LINES }, groups, columns).left;
    const full = plainWidth(HEADER, LINES);
    expect(left(full)).toEqual([]);
    expect(left(full - 1)).toEqual(['hit@10']);
    expect(left(full - 11)).toEqual(['hit@10']);
    expect(left(full - 12)).toEqual(['hit@10', 'ndcg@10', 'mrr']);
    expect(left(1)).toEqual(['hit@10', 'ndcg@10', 'mrr', 'horizon']);
    expect(thinned({ header: HEADER, lines: LINES }, groups, full - 12)).toMatchObject({
      header: ['variant', 'horizon'],
      lines: [
        ['control', '5m'],
        ['treatment', '5m'],
      ],
    });
  });
});
