/**
 * Histories in which cohorts come, go quiet and want the places of others, and the law of the admission tables over them:
 * state as the plain reference has it after any restarts, and no window that shows a part of a cohort by name.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { AdmissionState } from '../../src/accumulators/admission-state.ts';
import type { Panes } from '../../src/accumulators/panes.ts';
import type { PanesSettings, PanesState } from '../../src/accumulators/panes-settings.ts';
import { rowCodec } from '../../src/accumulators/row-codec.ts';
import { paneKey } from '../../src/accumulators/store/layout.ts';
import { LEFT_OUT } from '../../src/measures/sums.ts';
import { cohortRows } from '../../src/windows/windows.ts';
import type { Closing } from './histories.ts';
import { PanesWorker } from './panes-worker.ts';
import { PlainPanes } from './plain-panes.ts';

const PANE = 6;
const HOUR = 12;
const HORIZONS = [
  { text: '2ms', ms: 2 },
  { text: '5ms', ms: 5 },
];
const SHAPE = { names: ['mrr'], kinds: ['mean' as const] };
const NAMES = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];

interface PlaceHistory {
  readonly settings: PanesSettings;
  readonly closings: readonly Closing[];
  /** What the worker does before each closing, in turn. */
  readonly steps: readonly ('nothing' | 'commit' | 'restart')[];
}

const anyBurst = fc.record({
  ts: fc.nat(8 * HOUR),
  values: fc.constantFrom(...NAMES),
  impressions: fc.constantFrom(1, 1, 1, 2, 3, 5, 9),
  /** The second horizon alone. */
  late: fc.constantFrom(false, false, false, true),
});

export const placeHistories: fc.Arbitrary<PlaceHistory> = fc
  .record({
    bursts: fc.array(anyBurst, { minLength: 6, maxLength: 40 }),
    cohortsPerSet: fc.integer({ min: 1, max: 3 }),
    mostInCheckpoint: fc.constantFrom(undefined, 0, 1, 2),
    keepMinutes: fc.integer({ min: 7, max: 40 }),
    named: fc.constantFrom(undefined, undefined, new Map([['variant', ['G']]])),
    takeover: fc.record({ candidates: fc.integer({ min: 1, max: 3 }), ratio: fc.integer({ min: 1, max: 2 }) }),
    steps: fc.array(fc.constantFrom('nothing' as const, 'nothing' as const, 'commit' as const, 'restart' as const), {
      minLength: 1,
      maxLength: 12,
    }),
  })
  .map(({ bursts, steps, ...some }) => ({
    steps,
    closings: closingsOf(bursts),
    settings: {
      ...some,
      owner: { namespace: 'ns', unit: 0, generation: 'g' },
      paneSize: PANE,
      hour: HOUR,
      horizons: HORIZONS,
      dimensions: ['variant'],
      sets: [['variant']],
      clustered: [],
      shape: SHAPE,
      keepHours: 8 * HOUR,
      keepVectors: 12,
      totals: [],
      runs: [],
      closedUpTo: Number.NEGATIVE_INFINITY,
    },
  }));

function closingsOf(
  bursts: readonly {
    readonly ts: number;
    readonly values: string;
    readonly impressions: number;
    readonly late: boolean;
  }[],
): readonly Closing[] {
  const impressions = bursts.flatMap(({ ts, values, impressions: count, late }) =>
    Array.from({ length: count }, () => ({ ts, values, late })),
  );
  return impressions
    .flatMap(({ ts, values, late }, impression) =>
      HORIZONS.flatMap(({ ms }, horizon) =>
        late && horizon === 0
          ? []
          : [
              {
                at: ts + ms,
                ts,
                horizon,
                values: [values],
                userless: false,
                positive: false,
                out: Float64Array.of(LEFT_OUT, 0, 0, 0, 0),
                bucket: 0,
                leftOut: 0,
                impression,
                last: horizon === HORIZONS.length - 1,
              },
            ],
      ),
    )
    .sort((a, b) => a.at - b.at || a.impression - b.impression);
}

/** What of the law a history breaks; undefined: nothing. */
export function brokenPlaces({ settings, closings, steps }: PlaceHistory, make: typeof Panes): string | undefined {
  const plain = new PlainPanes(settings);
  const worker = new PanesWorker(settings, make);
  let before = -1;
  for (const [i, closing] of closings.entries()) {
    const step = steps[i % steps.length];
    if (step !== 'nothing' && closing.at > before) {
      worker.advance(closing.at - 1);
      const state = worker.commit();
      if (step === 'restart') worker.restart();
      plain.advance(closing.at - 1);
      const shows = (): string | undefined =>
        step === 'restart'
          ? wrongWindow(settings, closings.slice(0, i), worker.stored, state, closing.at - 1)
          : undefined;
      const problem = differs(state, plain) ?? shows();
      if (problem !== undefined) return `before the closing at ${closing.at}: ${problem}`;
    }
    before = closing.at;
    plain.add(closing);
    worker.add(closing);
  }
  worker.advance(before);
  plain.advance(before);
  const state = worker.commit();
  const rows = [worker.stored, plain.rows()].map(rowsText);
  if (rows[0] !== rows[1]) return `expected rows ${rows[1]}, found ${rows[0]}`;
  return differs(state, plain) ?? wrongWindow(settings, closings, worker.stored, state, before);
}

function rowsText(rows: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  return [...rows]
    .filter(([key]) => !key.includes(':places:'))
    .flatMap(([key, fields]) => [...fields].map(([field, text]) => `${key} ${field} ${text}`))
    .sort()
    .join();
}

/** Places that were given to another, over a history. */
export function placesGiven({ settings, closings }: PlaceHistory): number {
  const plain = new PlainPanes(settings);
  for (const closing of closings) plain.add(closing);
  return plain.placesGiven;
}

function differs(state: PanesState, plain: PlainPanes): string | undefined {
  const [found, expected] = [state, plain.state()].map((each) => JSON.stringify(each));
  return found === expected ? undefined : `expected ${expected}, found ${found}`;
}

/** Every window of kept panes, as a reader shows it, against a count of the impressions. */
function wrongWindow(
  settings: PanesSettings,
  closings: readonly Closing[],
  stored: ReadonlyMap<string, ReadonlyMap<string, string>>,
  { admission }: { readonly admission: readonly AdmissionState[] },
  watermark: number,
): string | undefined {
  const codec = rowCodec(settings.shape);
  const [set] = settings.sets;
  const oldest = Math.floor((watermark - settings.keepMinutes) / PANE) * PANE;
  const panes = new Map(
    [...stored]
      .filter(([key]) => key.includes(':pane:'))
      .map(([key, fields]) => [key, [...fields].map(([field, text]) => [field, codec.decode(text)] as const)]),
  );
  for (const [h, { text, ms }] of HORIZONS.entries()) {
    const end = Math.floor((watermark - ms) / PANE) * PANE;
    for (let start = Math.max(0, oldest); start < end; start += PANE) {
      const rows = [];
      for (let pane = start; pane < end; pane += PANE)
        rows.push(
          ...(panes.get(paneKey(settings.owner, 'm', pane)) ?? []).filter(([field]) => field.startsWith(`${text}|`)),
        );
      const shown = new Map(
        cohortRows(rows, settings.sets, [admission], start).map(({ values, row }) => [values.join(), row.impressions]),
      );
      const truth = new Map<string, number>();
      for (const { ts, values, horizon } of closings) {
        if (horizon !== h || ts < start || ts >= end) continue;
        const name = shown.has(values.join()) ? values.join() : set.map(() => '__other__').join();
        truth.set(name, (truth.get(name) ?? 0) + 1);
      }
      const where = `window [${start}, ${end}) at ${text}`;
      if (!isDeepStrictEqual(shown, new Map([...truth].sort(([a], [b]) => (a < b ? -1 : 1)))))
        return `${where} shows ${JSON.stringify([...shown])}, true is ${JSON.stringify([...truth])}`;
      const names = [...shown.keys()].filter((name) => name !== '__other__').length;
      if (names > settings.cohortsPerSet) return `${where} shows ${names} cohorts by name`;
    }
  }
  return undefined;
}
