/** What a replay says of events that are lost for one reason, and of feedback that is dated a little before its list. */
import { afterAll, describe, expect, it } from 'vitest';
import { type Log, type Row, removeLogs, replayed } from './findings-logs.ts';

afterAll(removeLogs);

const BEGIN = Date.parse('2026-11-20T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Change = (row: Row, n: number) => Row | readonly Row[];

/** So many lists, one a minute, each with a click ten seconds later, changed as something loses them. */
function day(lists: number, change: { readonly shown?: Change; readonly clicked?: Change } = {}): Log {
  const numbers = Array.from({ length: lists }, (_, n) => n);
  const id = (n: number): string => `${(7919 * (n + 1)).toString(36)}-${n}`;
  const at = (n: number): number => BEGIN + n * MINUTE;
  const shown = (n: number): Row => ({ requestId: id(n), ts: at(n), userId: `u${n % 50}`, items: ['a', 'b', 'c'] });
  const clicked = (n: number): Row => ({ requestId: id(n), ts: at(n) + 10_000, itemId: 'b', action: 'click' });
  return {
    impressions: numbers.flatMap((n) => change.shown?.(shown(n), n) ?? shown(n)),
    feedback: numbers.flatMap((n) => change.clicked?.(clicked(n), n) ?? clicked(n)),
  };
}

const stray: Change = (row) => ({ ...row, requestId: `other-${row['requestId']}x${row['ts']}` });
const ts = (row: Row): number => Number(row['ts']);
const words = (screen: string): string => screen.replace(/\s+/g, ' ');

/** Of a replay: the codes, and all that is said. */
async function found(log: Log, config = 'attribution: {horizons: [5m]}') {
  const { codes, screen, result } = await replayed(log, config);
  return { codes, said: words(screen), findings: result.findings, result };
}

describe('many_dropped', () => {
  it.each([
    [200, 9, []],
    [200, 10, ['many_dropped']],
    [200, 11, ['many_dropped']],
    [60, 2, []],
    [60, 3, ['many_dropped']],
    [29, 10, []],
    [30, 10, ['many_dropped']],
    [29, 15, ['many_dropped']],
    [29, 14, []],
  ])(
    'begins at a twentieth of 30 events or more, and at three; of fewer, above a half (%i, %i)',
    async (n, lost, codes) => {
      const every = Math.floor(n / lost);
      const log = day(n, { clicked: (row, i) => (i % every === 0 && i < lost * every ? stray(row, i) : row) });
      const { result, codes: seen } = await found(log);
      expect(result.feedback.drops.orphan).toBe(lost);
      expect(seen).toEqual(codes);
    },
  );

  it('says that it is throughout the log, and shows three of the events', async () => {
    const { findings } = await found(day(300, { clicked: (row, n) => (n % 10 === 4 ? stray(row, n) : row) }));
    expect(findings).toHaveLength(1);
    const [{ cause, example, remedy }] = findings;
    expect(cause).toBe(
      '30 of 300 feedback events (10 %) are dropped as orphan, throughout the log: no list with their request id was shown within 5m before them.',
    );
    expect(example).toMatch(
      /^\S+: row 5 \(request "other-\S+", item "b", 2026-11-20T00:04:10.000Z\); row 15\d \(.*\); row 295 \(.*\)$/,
    );
    expect(remedy).toContain('--dropped FILE writes all of them');
  });

  it('says when it happened: the lists of two hours of a day are missing', async () => {
    const isGone = (n: number): boolean => n >= 600 && n < 720;
    const log = day(900, {
      shown: (row, n) => (isGone(n) ? [] : row),
      // And now and then one that has nothing to do with it.
      clicked: (row, n) => (n % 300 === 7 ? stray(row, n) : row),
    });
    const { codes, findings } = await found(log);
    expect(codes).toEqual(['many_dropped']);
    expect(findings[0].cause).toMatch(
      /^122 of 900 feedback events \(13.6 %\) are dropped as orphan, nearly all of them from 2026-11-20T10:0\d:10.000Z to 2026-11-20T11:5\d:10.000Z, where they are (?:9\d|100)(?:\.\d)? % of the feedback: /,
    );
  });

  it('is about each reason that loses much', async () => {
    const log = day(200, {
      clicked: (row, n) => {
        if (n % 10 === 1) return { ...row, itemId: 'z' };
        if (n % 10 === 2) return [row, row];
        if (n % 10 === 3) return Array.from({ length: 4 }, (_, i) => ({ ...row, action: `act${i}` }));
        return row;
      },
    });
    const { codes, said } = await found(log, 'attribution: {horizons: [5m]}\nlimits: {feedbackPerImpression: 2}');
    expect(codes.filter((code) => code === 'many_dropped')).toHaveLength(3);
    expect(said).toContain('as not_in_list, throughout the log: their list does not hold their item');
    expect(said).toMatch(/as duplicate, throughout the log: .* so nothing is lost if it was sent again/);
    expect(said).toContain(
      'as capped, throughout the log: their list had as much feedback as limits.feedbackPerImpression',
    );
  });

  it('tells lists that are sent again from request ids that are not unique', async () => {
    const again = await found(day(100, { shown: (row, n) => (n % 5 === 0 ? [row, row] : row) }));
    expect(again.said).toContain('20 of 120 impressions (16.7 %) are dropped as duplicate');
    expect(again.said).toContain('so nothing is lost if it was sent again');
    const other = await found(
      day(100, { shown: (row, n) => (n % 5 === 0 ? [row, { ...row, ts: ts(row) + 1, items: ['x', 'y'] }] : row) }),
    );
    expect(other.said).toContain('and 100 % of them show other items, which are lost');
    expect(other.said).toContain('do: Make the request id unique for each list');
  });

  it('tells feedback that is sent again from event ids that are not unique', async () => {
    const config = 'attribution: {horizons: [5m]}';
    const twice: Change = (row, n) => [
      { ...row, eventId: `e${n}` },
      { ...row, eventId: n % 5 === 0 ? `e${n}` : `f${n}`, itemId: 'c' },
    ];
    expect((await found(day(100, { clicked: twice }), config)).said).toContain(
      'their event id was counted on their list before, and 100 % of them say something else, which is lost',
    );
  });

  it('is silent where another finding says why', async () => {
    const later: Change = (row, n) => (n % 10 === 3 ? { ...row, ts: ts(row) + 4 * HOUR } : row);
    const inTime = ({ impressions, feedback }: Log): Log => ({
      impressions,
      feedback: [...feedback].sort((a, b) => ts(a) - ts(b)),
    });
    expect((await found(inTime(day(300, { clicked: later })))).codes).toEqual(['beyond_horizon']);
    const prefixed: Change = (row, n) => (n % 3 === 0 ? { ...row, requestId: `ios:${row['requestId']}` } : row);
    expect((await found(day(300, { clicked: prefixed }))).codes).toEqual(['ids_differ_by_prefix']);
    const unread: Change = (row, n) => (n % 10 === 3 ? { ...row, items: 7 } : row);
    expect((await found(day(300, { shown: unread }))).codes).toEqual(['some_invalid']);
    const nowhere: Change = (row) => ({ ...row, itemId: 'sku' });
    expect((await found(day(300, { clicked: nowhere }))).codes).toEqual(['nothing_joined', 'items_never_match']);
    // What another finding explains is not all of it.
    const both: Change = (row, n) => (n % 10 === 4 ? stray(row, n) : later(row, n));
    expect((await found(inTime(day(300, { clicked: both })))).codes).toEqual(['many_dropped', 'beyond_horizon']);
  });
});

describe('before_list', () => {
  /** Lists in milliseconds, clicks a second later or so, by a clock that is some milliseconds behind and has a resolution. */
  const clocks = (share: number, back: number, resolution = 1): Log =>
    day(2000, {
      shown: (row) => ({ ...row, ts: ts(row) + 637 }),
      clicked: (row, n) => {
        const at = n < share * 2000 ? ts(row) - 10_000 + 637 + 200 - back : ts(row) + 637;
        return { ...row, ts: Math.floor(at / resolution) * resolution };
      },
    });

  it('finds clicks in whole seconds, and backward: 1s lets them count', async () => {
    const log = clocks(0.003, 0, 1000);
    const { codes, findings, result } = await found(log);
    expect(codes).toEqual(['before_list']);
    expect(result.feedback.drops.orphan).toBe(6);
    expect(findings[0].cause).toBe(
      '0.3 % of the feedback on known lists is dated before its list, nearly all by 637 ms at most, and dropped as orphan: the feedback is dated in whole seconds, the lists are not.',
    );
    expect(findings[0].remedy).toContain('attribution.backward: 1s');
    const mended = await found(log, 'attribution: {horizons: [5m], backward: 1s}');
    expect(mended.codes).toEqual([]);
    expect(mended.result.feedback.attributed).toBe(2000);
  });

  it.each([
    [0.001, []],
    [0.0015, ['before_list']],
    [0.002, ['before_list']],
  ])('begins at three events and a thousandth (%d)', async (share, codes) => {
    expect((await found(clocks(share, 4200))).codes).toEqual(codes);
  });

  it('names what would let them count', async () => {
    const { codes, said } = await found(clocks(0.2, 4200));
    expect(codes).toEqual(['before_list']);
    expect(said).toContain(
      'nearly all by 4 s at most, and dropped as orphan: the clocks of the two sides differ a little',
    );
    expect(said).toContain('attribution.backward: 10s');
  });

  it('is not about clocks that are hours wrong', async () => {
    expect((await found(clocks(0.03, 3 * HOUR))).codes).toEqual([]);
    expect((await found(clocks(0.2, 3 * HOUR))).codes).toEqual(['many_dropped']);
  });
});
