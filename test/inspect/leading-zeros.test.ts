/** Numbers of lists and of items that lost their leading zeros on one side, as a spreadsheet drops them. */
import { expect, it } from 'vitest';
import { inspect } from '../../src/inspect/inspection.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

it('small numbers that are the same but for zeros tell which list was clicked, if the items say so', () => {
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  const zeros = (n: number, width: number): string => String(n).padStart(width, '0');
  const item = (n: number, i: number): number => 1 + ((7 * n + 3 * i) % 40);
  const files = [
    sampledFile(
      'shown',
      numbers.map((n) => ({
        'List No': zeros(n + 1, 6),
        at: MADE_AT + 9000 * n,
        skus: [0, 1, 2].map((i) => zeros(item(n, i), 5)),
      })),
    ),
    sampledFile(
      'clicks',
      numbers.map((n) => ({
        'List No': String(n + 1),
        at: MADE_AT + 9000 * n + 3000,
        'SKU No': String(item(n, n % 3)),
        event: 'click',
      })),
    ),
  ];
  const { findings, facts, mends } = inspect(files, { now: MADE_AT + 1e7, grades: new Set(), weights: undefined });
  expect(findings.filter(({ level }) => level === 'wrong')).toEqual([]);
  expect(mends.map(({ finding }) => finding.code)).toEqual(['other_type_of_id', 'other_type_of_id']);
  expect(facts.joining).toMatchObject({ known: 60, inList: 60 });
});
