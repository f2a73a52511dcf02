/** Records that a replay would refuse are told, file by file, although the log is sound otherwise. */
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/inspect/inspection.ts';
import type { LogFinding } from '../../src/inspect/log-finding.ts';
import { MADE_AT, sampledFile } from './made-log.ts';

const LISTS = 100;
const at = (n: number): number => MADE_AT + n * 9000;
const numbers = Array.from({ length: LISTS }, (_, n) => n);
const lists = numbers.map((n) => ({
  rid: `r${n}x`,
  at: at(n),
  user: `u${n % 31}`,
  skus: [0, 1, 2, 3].map((i) => `p${(7 * n + i) % 23}`),
}));

/** A click on each list, changed as a logger may get it wrong. */
function clicks(change: (n: number) => object): readonly object[] {
  return numbers.map((n) => ({
    rid: `r${n}x`,
    at: at(n) + 5000,
    sku: `p${(7 * n + (n % 4)) % 23}`,
    type: 'click',
    ...change(n),
  }));
}

function invalidIn(...files: readonly (readonly object[])[]): readonly LogFinding[] {
  const sampled = files.map((rows, i) => sampledFile(i === 0 ? 'lists' : `clicks-${i}`, rows));
  const { findings } = inspect(sampled, { now: at(LISTS) + 86_400_000, grades: new Set(), weights: undefined });
  return findings.filter(({ code }) => code === 'most_invalid' || code === 'some_invalid');
}

describe('records that a replay would refuse', () => {
  it('as they name no item are told with what they are', () => {
    const [{ cause, remedy }] = invalidIn(
      lists,
      clicks((n) => (n % 5 === 0 ? { sku: null, type: n % 10 === 0 ? 'bounced' : 'mail_opened' } : {})),
    );
    expect(cause).toContain('missing_field: itemId 20. They are: bounced (10), mail_opened (10).');
    expect(remedy).toContain('unless what they say is of no item');
  });

  it('are not those of a CSV whose list is empty: they are lists of searches that found nothing', () => {
    const form = {
      kind: 'delimited',
      delimiter: ',',
      columns: ['rid', 'at', 'user', 'skus'],
      width: 4,
      isSeen: true,
    } as const;
    const found = (n: number) => (n % 4 === 0 ? {} : { skus: lists[n].skus.join('|') });
    const rows = lists.map(({ skus: _, ...list }, n) => ({ ...list, at: String(list.at), ...found(n) }));
    const clicked = clicks(() => ({})).filter((_, n) => n % 4 !== 0);
    const csv = sampledFile('lists', rows);
    const sampled = [{ ...csv, format: { ...csv.format, form } }, sampledFile('clicks', clicked)];
    const { refused, impressions } = inspect(sampled, {
      ...{ now: at(LISTS) + 86_400_000, grades: new Set<string>(), weights: undefined },
    });
    expect(refused).toEqual([]);
    expect(impressions?.sample.lists.filter(({ items }) => items.length === 0)).toHaveLength(LISTS / 4);
    expect(impressions?.sample.missing.size).toBe(0);
  });

  it.each([
    [0, []],
    [1, []],
    [2, ['note some_invalid']],
    [3, ['note some_invalid']],
    [49, ['note some_invalid']],
    [50, ['note some_invalid']],
    [51, ['wrong most_invalid']],
  ])('are told from a fiftieth of a file on (%d of 100)', (without, found) => {
    const invalid = invalidIn(
      lists,
      clicks((n) => (n < without ? { rid: null } : {})),
    );
    expect(invalid.map(({ level, code }) => `${level} ${code}`)).toEqual(found);
  });

  it('are told with the code of a replay, the field and its place in the log', () => {
    const [finding] = invalidIn(
      lists,
      clicks((n) => (n % 4 === 0 ? { rid: null } : {})),
    );
    expect(finding.cause).toBe(
      '25 of 100 records of clicks-1 (25 %) would be invalid, and not count: missing_field: requestId 25.',
    );
    expect(finding.remedy).toBe('Log /rid in each of them.');
  });

  it('are those of one file, however small a part of its side it is', () => {
    const few = clicks(() => ({ at: 'soon' })).slice(0, 3);
    const invalid = invalidIn(
      lists,
      clicks(() => ({})),
      few,
    );
    expect(invalid.map(({ level, cause }) => [level, cause])).toEqual([
      ['wrong', '3 of 3 records of clicks-2 (100 %) would be invalid, and not count: bad_time: ts 3.'],
    ]);
  });

  it('are also those whose time is none', () => {
    const [finding] = invalidIn(
      lists,
      clicks((n) => (n % 20 === 0 ? { at: 'soon' } : {})),
    );
    expect([finding.level, finding.cause]).toEqual([
      'note',
      '5 of 100 records of clicks-1 (5 %) would be invalid, and not count: bad_time: ts 5.',
    ]);
  });
});
