import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { PositionSums } from '../../src/accumulators/position-sums.ts';
import type { QualityDecision } from '../../src/exporter/cohort-watch.ts';
import type { HistoryQuestion, QualitySnapshot } from '../../src/exporter/exporter-contract.ts';
import { KeptViews } from '../../src/live/kept-views.ts';
import { LivePage } from '../../src/live/live.ts';
import { runs } from '../runs.ts';
import { shop } from '../unit/sampled-shop.ts';
import { historyUpTo, liveInput, SETTINGS } from './live-input.ts';

/** What a second brings; the rest stays the same objects. */
interface Second {
  readonly minute: number;
  /** Members of the snapshot that are new. */
  readonly changes: readonly (keyof QualitySnapshot)[];
  /** What the exporter has read so far. */
  readonly isReading: boolean;
  /** An unknown item of a list that has closed, or of one that closes later; or nothing happens to lists. */
  readonly list: 'closes' | 'is clicked late' | undefined;
  /** The store does not answer. */
  readonly isAway: boolean;
  /** What is looked at. */
  readonly queries: readonly string[];
}

const QUERIES = [
  '',
  'lists=last',
  'cohort=B',
  'cohort=A&measure=mrr',
  'measure=mrr',
  'horizon=30m',
  'window=5m',
  'window=5m&measure=mrr&sort=mrr',
  'order=rising',
  'filter=B',
  'against=everything&theme=dark',
];

const second: fc.Arbitrary<Second> = fc.record({
  minute: fc.nat(3),
  changes: fc.subarray<keyof QualitySnapshot>(['rows', 'experiments', 'trails', 'decisions', 'impressions']),
  isReading: fc.boolean(),
  list: fc.constantFrom('closes', 'is clicked late', undefined),
  isAway: fc.boolean(),
  queries: fc.subarray(QUERIES),
});

function decision(minute: number): QualityDecision {
  return {
    by: ['variant'],
    values: ['B'],
    measure: `mrr at ${minute}`,
    horizon: '1m',
    decision: { label: minute % 2 === 0 ? 'regressed' : 'improved', reason: 'below_baseline' },
  } as unknown as QualityDecision;
}

/** As of this minute: windows, and looks, of which liveInput has the same each time, differ as well. */
function storedAt(minute: number): QualitySnapshot {
  const { snapshot } = liveInput('B', minute);
  if (snapshot === undefined) throw new Error('there is a snapshot');
  const { rows, trails = [] } = snapshot;
  const ofWindow = (lists: number): PositionSums => {
    const sums = new PositionSums(3);
    sums.exposed.set([lists, lists, lists]);
    sums.positives.set([500, 200, 100 + minute]);
    return sums;
  };
  return {
    ...snapshot,
    rows: rows.map(({ row, ...one }) => {
      const more = one.window === '5m' ? 7 : 0;
      const positions = row.positions === undefined ? undefined : ofWindow(1000 + more);
      return { ...one, row: { ...row, impressions: row.impressions + more, positions } };
    }),
    trails: trails.map((trail) => new Map([...trail].map(([variant, points]) => [variant, points.slice(minute % 3)]))),
    decisions: [decision(minute)],
  };
}

describe('what the page keeps', () => {
  test('is what a page would show that nobody has looked at before, whatever has happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(second, { minLength: 1, maxLength: 6 }), async (seconds) => {
        let isReading = false;
        let minutes = 0;
        const { samples, shows, does, at } = shop(3);
        const history = (question: HistoryQuestion) => ({ ...historyUpTo(minutes)(question), isReading });
        const ready = () => ({ ready: true, reasons: [], stopped: [] });
        const make = () => new LivePage(SETTINGS, { ready, history, samples });
        const looked = make();
        const inputs: Parameters<LivePage['update']>[0][] = [];
        let snapshot = storedAt(0);
        for (const [s, { minute, changes, list, isAway, queries, ...told }] of seconds.entries()) {
          const next = liveInput('B', minute);
          const made = storedAt(minute);
          const changed = isAway ? [] : changes;
          snapshot = { ...snapshot, ...Object.fromEntries(changed.map((name) => [name, made[name]])) };
          // A history is another one only when a pane has closed, or more of it was read.
          if (changed.includes('rows')) minutes = minute;
          isReading = told.isReading && changed.includes('rows') ? true : isReading && told.isReading;
          const from = 100_000 * (s + 1);
          if (list === 'closes') {
            shows(`r${s}`, from, ['a', 'b']);
            does(`r${s}`, 'b', from + 1);
          } else if (list === 'is clicked late') does(`r${s - 1}`, 'a', from);
          at(from + 50_000);
          inputs.push({ ...next, now: next.now + s, snapshot: isAway ? undefined : snapshot });
          looked.update(inputs[s]);
          const fresh = (): LivePage => {
            const page = make();
            for (const input of inputs) page.update(input);
            return page;
          };
          for (const query of queries) {
            expect((await looked.html(query)).body).toBe((await fresh().html(query)).body);
            expect((await looked.cohorts(query)).body).toBe((await fresh().cohorts(query)).body);
            expect((await looked.report(query)).body).toBe((await fresh().report(query)).body);
          }
          expect((await looked.state()).body).toBe((await fresh().state()).body);
          expect((await looked.lists()).body).toBe((await fresh().lists()).body);
        }
      }),
      { numRuns: runs(15), seed: 1 },
    );
  });
});

describe('views that are kept', () => {
  it('are made again when a source is another object, and when too many others were asked for', () => {
    const made: string[] = [];
    const views = new KeptViews<string>(2);
    const ask = (source: unknown, name: string): void => {
      views.of([source, 1], name, () => {
        made.push(name);
        return name;
      });
    };
    const [one, other] = [{}, {}];
    for (const name of ['a', 'a', 'b', 'a', 'c', 'a', 'b']) ask(one, name);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    ask(other, 'b');
    expect(made).toEqual(['a', 'b', 'c', 'b', 'b']);
  });

  it('are not kept before they are complete', () => {
    const views = new KeptViews<number>();
    let made = 0;
    const ask = (): number =>
      views.of(
        [],
        '',
        () => ++made,
        (view) => view > 1,
      );
    expect([ask(), ask(), ask()]).toEqual([1, 2, 2]);
  });
});
