/** The scores of runs: side by side, over cut-offs, and query by query. */

import { scalePoint } from 'd3-scale';
import { Frame } from '../charts/frame.tsx';
import { Fragment, jsx } from '../charts/jsx.ts';
import { type SeriesPoint, seriesChart } from '../charts/series.tsx';
import { grouped } from '../vocabulary/grouped.ts';
import { listed, NONE, plain, probability, range, shown, signed } from '../vocabulary/numbers.ts';
import { Switch } from './choices.tsx';
import { DataTable } from './data-table.tsx';
import { Legend } from './legend.tsx';
import type { CutFamily, RunDifference, ScoredRun, ScoresView, Verdict } from './model.ts';
import { Name } from './name.ts';
import { Queries, Values } from './score-queries.tsx';

const HEIGHT = 220;

/** The verdict, from the intervals of the measures against the first run, or from the values of the only run. */
export function scoresVerdict({ runs, measures, lowerIsBetter, differences }: ScoresView): Verdict {
  const [first, ...others] = runs;
  if (first === undefined || runs.every(({ queries }) => queries === 0)) {
    return { tone: 'warn', badge: 'nothing to score', sentence: 'No query is both in a run and judged.' };
  }
  if (others.length === 0) {
    const values = measures.slice(0, 3).map((name, m) => `${name} ${shown(first.mean[m], plain)}`);
    return {
      tone: 'plain',
      badge: first.queries === 1 ? 'one query' : `${grouped(first.queries)} queries`,
      sentence: `${first.name}: ${values.join(', ')}.`,
    };
  }
  const found = differences.map((one) => ({
    ...one,
    change: changeOf(one, lowerIsBetter[measures.indexOf(one.measure)]),
  }));
  const sentences = others.map(({ name }) => {
    const of = (kind: Change): readonly string[] =>
      found.filter(({ run, change }) => run === name && change === kind).map(({ measure }) => measure);
    const [worse, better, other] = [of('worse'), of('better'), of('other')];
    const names = (some: readonly string[]): string => someOf(some, measures.length);
    if (worse.length + better.length === 0) {
      return other.length === 0
        ? `${name} cannot be told from ${first.name} on any measure.`
        : `${name} differs from ${first.name} on ${names(other)}: best near 0, so neither a fall nor a rise is better.`;
    }
    const parts = [
      ...(worse.length > 0 ? [`worse than ${first.name} on ${names(worse)}`] : []),
      ...(better.length > 0 ? [`better${worse.length > 0 ? '' : ` than ${first.name}`} on ${names(better)}`] : []),
    ];
    return `${name} is ${parts.join(', and ')}.`;
  });
  const has = (kind: Change): boolean => found.some(({ change }) => change === kind);
  const [lost, won] = [has('worse'), has('better')];
  if (lost && won) return { tone: 'warn', badge: 'mixed', sentence: sentences.join(' ') };
  if (lost) return { tone: 'bad', badge: 'worse', sentence: sentences.join(' ') };
  if (won) return { tone: 'good', badge: 'better', sentence: sentences.join(' ') };
  if (has('other')) return { tone: 'plain', badge: 'different', sentence: sentences.join(' ') };
  return { tone: 'plain', badge: 'no difference', sentence: sentences.join(' ') };
}

/** What an interval shows. none: it holds 0. other: it does not, but neither a higher nor a lower value is better. */
type Change = 'better' | 'worse' | 'other' | 'none';

function changeOf({ ci }: RunDifference, isLess: boolean | undefined): Change {
  if (ci === null || (ci[0] <= 0 && ci[1] >= 0)) return 'none';
  if (isLess === undefined) return 'other';
  return ci[0] > 0 === isLess ? 'worse' : 'better';
}

/** The most measures that a sentence names. */
const IN_A_SENTENCE = 4;

function someOf(names: readonly string[], all: number): string {
  if (names.length === all && all > 1) return all > 2 ? `all ${grouped(all)} measures` : 'both measures';
  if (names.length <= IN_A_SENTENCE) return listed(names);
  return listed([...names.slice(0, IN_A_SENTENCE - 1), `${grouped(names.length - IN_A_SENTENCE + 1)} others`]);
}

/** The measure that is shown first: the first one at its longest cut-off. */
function chosenMeasure(families: readonly CutFamily[]): number {
  return families.find(({ cuts }) => cuts.some(({ measure }) => measure === 0))?.cuts.at(-1)?.measure ?? 0;
}

export function Scores({ view }: { readonly view: ScoresView }) {
  const { measures, runs, families } = view;
  return (
    <>
      <section class="card" aria-labelledby="side-by-side">
        <h2 id="side-by-side">Runs side by side</h2>
        <SideBySide view={view} />
      </section>
      {families
        .filter(({ cuts }) => cuts.length > 1)
        .map((family) => (
          <section class="card" aria-label={`${family.label} by cut-off`}>
            <h2>
              <Name>{family.label}</Name> by cut-off
            </h2>
            <Curves family={family} runs={runs} />
          </section>
        ))}
      {runs.some(({ perQuery }) => perQuery.length > 1) ? (
        <section class="card" aria-labelledby="queries">
          <h2 id="queries">{runs.length > 1 ? 'Which queries won and lost' : 'Query by query'}</h2>
          <Switch of="m" legend="Measure" choices={measures} chosen={chosenMeasure(families)} />
          {measures.map((measure, m) => (
            <div data-m={m}>
              {runs.length > 1 ? (
                runs.slice(1).map((run) => <Queries view={view} run={run} m={m} />)
              ) : (
                <Values run={runs[0]} measure={measure} m={m} />
              )}
            </div>
          ))}
        </section>
      ) : null}
    </>
  );
}

function SideBySide({ view: { measures, lowerIsBetter, runs, differences } }: { readonly view: ScoresView }) {
  const best = measures.map((_, m) => {
    const values = runs.flatMap(({ mean }) => mean[m] ?? []);
    const isLess = lowerIsBetter[m];
    if (isLess === undefined) return undefined;
    return isLess ? Math.min(...values) : Math.max(...values);
  });
  const baseline = runs[0]?.name ?? '';
  return (
    <figure>
      <DataTable
        columns={[
          { name: 'run' },
          { name: 'queries', isNumber: true },
          ...measures.map((name) => ({ name, isNumber: true })),
        ]}
        rows={runs.map(({ name, queries, mean }) => [
          name,
          grouped(queries),
          ...measures.map((measure, m) => {
            const value = mean[m];
            const found = differences.find((one) => one.run === name && one.measure === measure);
            const isBest = runs.length > 1 && value !== undefined && value === best[m];
            return (
              <span class={isBest ? 'strong' : undefined}>
                {value === undefined ? NONE : value.toFixed(4)}
                {found === undefined || found.effect === null ? null : (
                  <small class={`below ${TONES[changeOf(found, lowerIsBetter[m])]}`}>{signed(found.effect)}</small>
                )}
              </span>
            );
          }),
        ])}
      />
      {differences.length === 0 ? null : (
        <details>
          <summary>Differences with their intervals</summary>
          <DataTable
            columns={[
              { name: 'run' },
              { name: 'measure' },
              ...['queries', 'difference', '95 % interval', 'p'].map((name) => ({ name, isNumber: true })),
            ]}
            rows={differences.map(({ run, measure, queries, effect, ci, p }) => [
              run,
              measure,
              grouped(queries),
              shown(effect, signed),
              range(ci, signed),
              shown(p, probability),
            ])}
          />
          <p class="note">
            Paired by query; each interval and p stands for itself, not adjusted for the number of comparisons.
          </p>
        </details>
      )}
      <figcaption>
        Means over queries; the best of each measure is bold
        {lowerIsBetter.includes(undefined) ? ', but not of bias, which is best near 0' : ''}.
        {differences.length === 0 ? (
          ''
        ) : (
          <>
            {' '}
            In small type the difference to <Name>{baseline}</Name>:{' '}
            <strong>coloured where its 95 % interval leaves 0 out.</strong>
          </>
        )}
      </figcaption>
    </figure>
  );
}

const TONES: Readonly<Record<Change, string>> = { better: 'good', worse: 'bad', other: 'muted', none: 'muted' };

function Curves({
  family: { label, cuts },
  runs,
}: {
  readonly family: CutFamily;
  readonly runs: readonly ScoredRun[];
}) {
  const x = scalePoint(
    cuts.map(({ k }) => String(k)),
    [0.04, 0.96],
  );
  const at = (k: number): number => x(String(k)) ?? 0;
  const series = runs.map(({ mean }) =>
    cuts.flatMap(({ k, measure }): SeriesPoint[] => {
      const value = mean[measure];
      return value === undefined ? [] : [{ at: at(k), value }];
    }),
  );
  const values = series.flatMap((points) => points.map(({ value }) => value));
  const last = cuts[cuts.length - 1].k;
  const ends = runs.flatMap(({ name, mean }) => {
    const value = mean[cuts[cuts.length - 1].measure];
    return value === undefined ? [] : [{ name, value }];
  });
  const order = [...ends].sort((a, b) => b.value - a.value).map(({ name, value }) => `${name} ${plain(value)}`);
  const chart = seriesChart({
    label: `${label} over cut-offs from ${cuts[0].k} to ${last}`,
    xTicks: cuts.map(({ k }) => ({ at: at(k), words: String(k) })),
    xLabel: 'cut-off',
    domain: [Math.min(0, ...values), Math.max(0, ...values) || 1],
    marks: { of: 'all', radius: 3.5 },
    series,
  });
  return (
    <figure>
      <Frame {...chart} height={HEIGHT} />
      <Legend names={runs.map(({ name }) => name)} />
      <figcaption>
        Mean over queries at each cut-off.{' '}
        <strong>
          At {last}: {order.join(', ')}.
        </strong>
      </figcaption>
    </figure>
  );
}
