import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/accumulators/store/memory-store.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { parseMeasures } from '../../src/measures/grammar/measure-name.ts';
import { LEFT_OUT, WITH_POSITIVE, WITHOUT_POSITIVE } from '../../src/measures/sums.ts';
import { type Closing, HORIZONS } from '../accumulators/histories.ts';
import { StoredUnit } from '../stored-units.ts';
import { unwatched } from './unwatched.ts';

const { measures } = parseMeasures(['mrr', 'mrr(empty=skip)', 'precision(avg=micro)@5'], { relevantFrom: 1 });
const SETS = [[], ['country'], ['country', 'variant']];
const CLUSTERED = [[], ['country']];
const PANE = 10;
const HOUR = 40;
const WINDOW = 30;
const BUCKETS = 64;

interface List {
  readonly unit: number;
  readonly ts: number;
  readonly bucket: number;
  readonly country: string;
  readonly variant: string;
  /** 0: no positive; undefined: left out. */
  readonly value: number | undefined;
}

const anyLists: fc.Arbitrary<readonly List[]> = fc.array(
  fc.record({
    unit: fc.nat(1),
    ts: fc.integer({ min: 0, max: 119 }),
    bucket: fc.nat(255),
    country: fc.constantFrom('DE', 'DE', 'DE', 'FR'),
    variant: fc.constantFrom('A', 'B'),
    value: fc.option(fc.constantFrom(0, 0, 0.25, 0.5, 1), { nil: undefined, freq: 20 }),
  }),
  { minLength: 20, maxLength: 200 },
);

function closings(lists: readonly List[]): readonly Closing[] {
  return lists
    .flatMap(({ ts, bucket, country, variant, value }, impression) =>
      HORIZONS.map(({ ms }, horizon) => {
        const positive = (value ?? 0) > 0;
        const state = value === undefined ? LEFT_OUT : positive ? WITH_POSITIVE : WITHOUT_POSITIVE;
        const mean = [state, value ?? 0, 0, 0, 0];
        const parts = [...mean, ...mean, state, 5 * (value ?? 0), 5, 0, 0];
        const out = Float64Array.from(parts);
        const values = [variant, country];
        const last = horizon === HORIZONS.length - 1;
        return {
          at: ts + ms,
          ts,
          horizon,
          values,
          userless: false,
          bucket,
          leftOut: 0,
          positive,
          out,
          impression,
          last,
        };
      }),
    )
    .sort((a, b) => a.at - b.at || a.impression - b.impression);
}

/** SE of a ratio over the 64 buckets, in the plainest way; undefined: fewer than 8 buckets, or no spread. */
function bucketStderr(lists: readonly List[], parts: Parts): number | undefined {
  const m = new Array<number>(BUCKETS).fill(0);
  const d = new Array<number>(BUCKETS).fill(0);
  for (const one of lists) {
    const [above, below] = parts(one);
    m[one.bucket % BUCKETS] += above;
    d[one.bucket % BUCKETS] += below;
  }
  const total = d.reduce((sum, below) => sum + below, 0);
  const ratio = m.reduce((sum, above) => sum + above, 0) / total;
  const squares = m.reduce((sum, above, b) => sum + (above - ratio * d[b]) ** 2, 0);
  const filled = d.filter((below) => below > 0).length;
  return filled < 8 || squares < 1e-12 ? undefined : Math.sqrt((BUCKETS / (BUCKETS - 1)) * squares) / total;
}

type Parts = (list: List) => readonly [above: number, below: number];

const PARTS: readonly Parts[] = [
  ({ value }) => (value === undefined ? [0, 0] : [value, 1]),
  ({ value }) => (value === undefined || value === 0 ? [0, 0] : [value, 1]),
  ({ value }) => (value === undefined ? [0, 0] : [5 * value, 5]),
];

/** SE as if lists were independent. */
function listStderr(lists: readonly List[], parts: Parts): number | undefined {
  const values = lists.map(parts).flatMap(([above, below]) => (below === 0 ? [] : [above / below]));
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return n < 2 || squares < 1e-6 ? undefined : Math.sqrt(squares / n / (n - 1));
}

const weight = (lists: readonly List[], parts: Parts): number => lists.reduce((sum, one) => sum + parts(one)[1], 0);

describe('the standard errors of windows', () => {
  it('are those of their lists, widened by the design effect of the hours that overlap them', async () => {
    let known = 0;
    let borrowed = 0;
    await fc.assert(
      fc.asyncProperty(anyLists, fc.integer({ min: 60, max: 140 }), async (lists, watermark) => {
        const store = new MemoryStore();
        for (const unit of [0, 1]) {
          const settings = {
            owner: { namespace: 'ns', unit, generation: '1' },
            paneSize: PANE,
            hour: HOUR,
            horizons: HORIZONS,
            dimensions: ['variant', 'country'],
            sets: SETS,
            clustered: CLUSTERED,
            shape: { names: measures.map((one) => one.canonical), kinds: ['mean', 'mean', 'fraction'] as const },
            cohortsPerSet: 10,
            keepMinutes: 300,
            keepHours: 300,
            keepVectors: 300,
            totals: [],
            runs: [],
            closedUpTo: Number.NEGATIVE_INFINITY,
          };
          const own = new StoredUnit(store, settings, closings(lists.filter((one) => one.unit === unit)));
          await own.close(40);
          await own.close(watermark);
        }
        const exporter = new Exporter(
          {
            measures,
            cohorts: SETS,
            experiments: [],
            statistics: { clustered: CLUSTERED },
            detect: unwatched(HORIZONS[0]),
            paneSize: { text: 'p', ms: PANE },
            windows: [{ text: 'w', ms: WINDOW }],
            attribution: { horizons: HORIZONS, window: HORIZONS[HORIZONS.length - 1], unitTimeout: 60 },
          },
          { store, namespace: 'ns', partitions: 2, hour: HOUR },
        );
        for (const { by, values, horizon, stderrs } of (await exporter.refresh()).rows) {
          const ms = HORIZONS.find(({ text }) => text === horizon)?.ms ?? 0;
          const end = Math.floor((watermark - ms) / PANE) * PANE;
          const start = end - WINDOW;
          const closed = lists.filter(({ ts }) => ts + ms <= watermark);
          const of = (set: readonly string[]) =>
            closed.filter((one) =>
              set.every((name) => one[name === 'country' ? 'country' : 'variant'] === values[by.indexOf(name)]),
            );
          const window = of(by).filter(({ ts }) => ts >= start && ts < end);
          const isBorrowed = by.length === 2;
          const first = Math.floor(start / HOUR) * HOUR;
          const hours = of(isBorrowed ? ['country'] : by).filter(
            ({ ts }) => ts >= first && ts < Math.ceil(end / HOUR) * HOUR,
          );
          PARTS.forEach((parts, m) => {
            const bucket = bucketStderr(hours, parts);
            const [plain, hourly] = [listStderr(window, parts), listStderr(hours, parts)];
            const found = stderrs[m];
            let wanted: number | undefined;
            if (m === 2 && bucket !== undefined && !isBorrowed && weight(window, parts) > 0) {
              wanted = bucket * Math.sqrt(weight(hours, parts) / weight(window, parts));
            } else if (m < 2 && bucket !== undefined && plain !== undefined && hourly !== undefined) {
              wanted = plain * Math.sqrt(Math.max(1, (bucket / hourly) ** 2));
            }
            if (wanted === undefined) {
              expect(found).toMatchObject({ absent: expect.any(String) });
              return;
            }
            expect(found).toBeCloseTo(wanted, 7);
            known++;
            if (isBorrowed) borrowed++;
          });
        }
      }),
      { numRuns: 60 },
    );
    expect(known).toBeGreaterThan(250);
    expect(borrowed).toBeGreaterThan(50);
  });
});
