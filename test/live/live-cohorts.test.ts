import { describe, expect, it } from 'vitest';
import type { QualityRow } from '../../src/exporter/exporter-contract.ts';
import { LiveCohorts } from '../../src/live/live-cohorts.ts';
import { readQuery } from '../../src/live/live-query.ts';
import type { CohortTableView } from '../../src/page/cohort-table.tsx';
import { load } from '../config/fixture.ts';
import { meanRow } from '../metrics/statuses.ts';

const SETTINGS = load(`
attribution: {horizons: [1m, 30m]}
measures: [ndcg@10, mrr]
windows: [5m, 1h]
cohorts: [[], [variant], [variant, country]]
experiments: {default: {control: A, variants: {A: 0.5, B: 0.5}}}
`);
const NAMES = SETTINGS.measures.map(({ canonical }) => canonical);

function row(by: readonly string[], values: readonly string[], n: number, mean: number, horizon = '1m'): QualityRow {
  return { horizon, window: '1h', by, values, row: meanRow(NAMES, n, n, n * mean), stderrs: NAMES.map(() => 0.001) };
}

const BOTH = ['variant', 'country'];
const ROWS: readonly QualityRow[] = [
  row([], [], 1000, 0.4),
  row(['variant'], ['A'], 500, 0.42),
  row(['variant'], ['B'], 400, 0.38),
  row(['variant'], ['quiet'], 1, 0),
  row(BOTH, ['A', 'DE'], 300, 0.5),
  row(BOTH, ['B', 'DE'], 310, 0.25),
  row(BOTH, ['A', 'FR'], 200, 0.3),
  row(BOTH, ['B', 'FR'], 90, 0.3),
  row(BOTH, ['B', 'IT'], 50, 0.9),
  row(BOTH, ['A', 'DE'], 250, 0.6, '30m'),
];

function cohorts(rows = ROWS): LiveCohorts {
  const made = new LiveCohorts(SETTINGS);
  made.update({ rows, windows: [] });
  return made;
}

const table = (text: string, rows = ROWS): CohortTableView => cohorts(rows).table(readQuery(text, SETTINGS));
const names = (view: CohortTableView): readonly string[] => view.cohorts.map(({ name }) => name);

describe('a window that is not complete', () => {
  const words = (completeAt: number | undefined, yaml = '') => {
    const made = new LiveCohorts(load(`{windows: [1h]${yaml}}`));
    const windows = [
      { window: '1h', horizon: '1m', complete: false, lacks: [], completeAt },
      { window: '1h', horizon: '30m', complete: true, lacks: [] },
    ];
    made.update({ rows: ROWS, windows });
    return [made.incomplete('1h', '1m'), made.incomplete('1h', '30m')];
  };

  it('that is complete says what was added after it began', () => {
    const made = new LiveCohorts(load('{windows: [1h]}'));
    const window = { window: '1h', horizon: '1m', complete: true };
    made.update({ rows: ROWS, windows: [{ ...window, lacks: ['measure hit@3'] }] });
    expect(made.incomplete('1h', '1m')).toContain('Added after the last 1h began: measure hit@3.');
    made.update({ rows: [...ROWS], windows: [{ ...window, lacks: [] }] });
    expect(made.incomplete('1h', '1m')).toBeUndefined();
  });

  it('says when it will be, as far as is known, and that no gauge shows it', () => {
    const [filling, complete] = words(Date.UTC(2026, 10, 22, 9, 1));
    expect(filling).toContain('The last 1h at 1m is not complete');
    expect(filling).toContain('no gauge shows them');
    expect(filling).toContain('read up to 2026-11-22 09:01');
    expect(complete).toBeUndefined();
    expect(words(0, ', incompleteWindows: show')[0]).not.toContain('no gauge');
  });

  it('says that a partition is missing', () => {
    expect(words(undefined)[0]).toContain('A partition has stored nothing yet, or under another configuration.');
  });
});

describe('the table of cohorts', () => {
  it.each([
    ['', ['A', 'B', 'quiet']],
    ['order=rising', ['quiet', 'B', 'A']],
    ['by=variant,country', ['B · DE', 'A · DE', 'A · FR', 'B · FR', 'B · IT']],
    ['by=variant,country&sort=ndcg@10', ['B · IT', 'A · DE', 'A · FR', 'B · FR', 'B · DE']],
    ['by=variant,country&sort=cohort&order=rising', ['A · DE', 'A · FR', 'B · DE', 'B · FR', 'B · IT']],
    ['by=variant,country&filter=fr', ['A · FR', 'B · FR']],
    ['by=variant,country&filter=nothing', []],
  ])('of %j holds %j', (text, expected) => {
    expect(names(table(text))).toEqual(expected);
  });

  it('compares a cohort with the control in its place, or with everything', () => {
    const bases = (text: string) =>
      table(text).cohorts.map(({ name, base }) => [name, base?.measures['ndcg@10'].value ?? null]);
    expect(bases('by=variant,country&sort=cohort&order=rising')).toEqual([
      ['A · DE', null],
      ['A · FR', null],
      ['B · DE', 0.5],
      ['B · FR', 0.3],
      ['B · IT', null],
    ]);
    expect(bases('against=everything')).toEqual([
      ['A', 0.4],
      ['B', 0.4],
      ['quiet', 0.4],
    ]);
  });

  it('goes on over pages, so that it stays small', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => row(['variant'], [`v${i}`], 10 + i, 0.4));
    const first = table('', many);
    expect(names(first)).toHaveLength(50);
    expect([first.found, first.from, first.previous]).toEqual([10_000, 0, undefined]);
    expect(names(first)[0]).toBe('v9999');
    const second = table(first.next?.slice(1) ?? '', many);
    expect([names(second)[0], second.from, second.previous]).toEqual(['v9949', 50, '?']);
    const last = table('page=10000', many);
    expect([names(last).at(-1), last.next]).toEqual(['v0', undefined]);
    expect(table('filter=v123', many).found).toBe(11);
  });

  it('links to the same table sorted by each column, the other way round where it is sorted by it', () => {
    const { columns } = table('');
    expect(columns.map(({ name, href, sorted }) => [name, href, sorted])).toEqual([
      ['cohort', '?sort=cohort&order=rising', undefined],
      ['lists', '?order=rising', 'falling'],
      ['ndcg@10', '?sort=ndcg%4010', undefined],
      ['mrr', '?sort=mrr', undefined],
    ]);
  });

  it('keeps what was chosen in the links to everything else', () => {
    const { choices, filter } = table('by=variant,country&filter=de&theme=dark');
    const [measures] = choices;
    expect(measures.choices.map(({ href }) => href)).toEqual([
      '?by=variant%2Ccountry&filter=de&theme=dark',
      '?measure=mrr&by=variant%2Ccountry&filter=de&theme=dark',
    ]);
    expect(filter).toEqual({
      text: 'de',
      kept: [
        ['by', 'variant,country'],
        ['theme', 'dark'],
      ],
    });
  });
});

describe('a cohort that was clicked', () => {
  const open = (text: string) => {
    const asked: string[] = [];
    const view = cohorts().cohort(readQuery(text, SETTINGS), ({ values, measure, horizon }) => {
      asked.push(`${values.join()} ${measure} ${horizon}`);
      return { points: [], hoursTo: undefined, isReading: true };
    });
    return { view, asked };
  };

  it('is shown at each horizon, with its history beside that of what it is compared with', () => {
    const { view, asked } = open('by=variant,country&cohort=B,DE');
    expect(view?.lines.map(({ line, base }) => [line.horizon, line.impressions, base?.impressions])).toEqual([
      ['1m', 310, 300],
    ]);
    expect(asked).toEqual(['A,DE ndcg@10 1m', 'B,DE ndcg@10 1m']);
    expect(view?.history.isReading).toBe(true);
    expect(view?.closeHref).toBe('?by=variant%2Ccountry');
    expect(open('by=variant,country&cohort=A,DE&measure=mrr').view?.lines.map(({ line }) => line.horizon)).toEqual([
      '1m',
      '30m',
    ]);
  });

  it('is not compared with itself', () => {
    const bases = (text: string) => open(text).view?.lines.map(({ base }) => base?.impressions);
    expect(bases('by=variant,country&cohort=A,DE')).toEqual([undefined, undefined]);
    expect(bases('by=variant,country&cohort=A,DE&against=everything')).toEqual([1000, undefined]);
  });

  it('has nothing to show when it is gone, and none is open where none was clicked', () => {
    expect(open('cohort=gone').view?.lines).toEqual([]);
    expect(open('').view).toBeUndefined();
  });
});
