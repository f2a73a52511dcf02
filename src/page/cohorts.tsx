/** Values by cohort: one picture for a chosen measure, and a table of all measures, at a chosen horizon. */

import { scaleLinear } from 'd3-scale';
import { AxisHead, Estimate } from './axis.tsx';
import type { CohortLine, CohortsView } from './model.ts';
import { Name } from './name.tsx';
import { change, counted, NONE, NORMAL_95, plain, several, share } from './numbers.ts';
import { Scroll } from './scroll.tsx';
import { Switch } from './switch.tsx';

/** A picture has so many cohorts at most, a table so many; those with most lists. */
const MOST_DRAWN = 24;
const MOST_LISTED = 200;
/** A change of so much or more has the full colour. */
export const FULL_CHANGE = 0.1;
/** Cohorts with fewer lists are grey: their values say little. */
export const FEW_LISTS = 100;

export function Cohorts({ view }: { readonly view: CohortsView }) {
  const { horizons, measures, sets, legend = 'Horizon' } = view;
  const told = sets.filter((by) => linesOf(view, by).length > 0);
  const isTold = told.some((by) => by.length > 0);
  return (
    <>
      <div class="switches">
        <Switch of="h" legend={legend} choices={horizons} chosen={horizons.length - 1} />
        {isTold ? <Switch of="m" legend="Measure in the pictures" choices={measures} chosen={0} /> : null}
      </div>
      {told.length === 0 ? <p class="note">No list counted, so there is nothing to show.</p> : null}
      {told.map((by) =>
        by.length === 0 ? <Everything key="" view={view} /> : <GroupingSet key={by.join(',')} view={view} by={by} />,
      )}
    </>
  );
}

function linesOf({ lines }: CohortsView, by: readonly string[]): readonly CohortLine[] {
  return lines.filter((line) => line.by.join() === by.join());
}

/** The grouping set without a dimension: a tile for each measure. */
function Everything({ view }: { readonly view: CohortsView }) {
  const { horizons, measures } = view;
  const lines = linesOf(view, []);
  return (
    <section class="card" aria-label="Everything together">
      <h2>Everything together</h2>
      {horizons.map((horizon, h) => {
        const line = lines.find((one) => one.horizon === horizon);
        if (line === undefined) return null;
        return (
          <div key={horizon} data-h={h}>
            <p class="note">
              {several(line.impressions, 'list')},{' '}
              {share(line.impressions === 0 ? 0 : line.positives / line.impressions)} of them with a positive, at{' '}
              {horizon}.
            </p>
            <dl class="tiles">
              {measures.map((name) => {
                const { value = null, n = 0, stderr = null } = line.measures[name] ?? {};
                return (
                  <div key={name}>
                    <dt>
                      <Name>{name}</Name>
                    </dt>
                    <dd>
                      <b>{value === null ? NONE : plain(value)}</b>{' '}
                      <small>
                        {stderr === null ? '' : `± ${plain(NORMAL_95 * stderr)} `}
                        {n === line.impressions ? '' : `of ${counted(n)}`}
                      </small>
                    </dd>
                  </div>
                );
              })}
            </dl>
          </div>
        );
      })}
      <p class="note">± holds the value in 95 of 100 such logs: 1.96 standard errors.</p>
    </section>
  );
}

function nameOf({ by, labels }: CohortLine): string {
  return by.map((dimension) => labels[dimension]).join(' · ');
}

function GroupingSet({ view, by }: { readonly view: CohortsView; readonly by: readonly string[] }) {
  const { horizons, measures } = view;
  const everything = linesOf(view, []);
  const title = by.join(' and ');
  return (
    <section class="card" aria-label={`By ${title}`}>
      <h2>
        By <Name>{title}</Name>
      </h2>
      {horizons.map((horizon, h) => {
        const lines = linesOf(view, by)
          .filter((line) => line.horizon === horizon)
          .sort((a, b) => b.impressions - a.impressions || (nameOf(a) < nameOf(b) ? -1 : 1));
        const whole = everything.find((line) => line.horizon === horizon);
        return (
          <div key={horizon} data-h={h}>
            {measures.map((measure, m) => (
              <div key={measure} data-m={m}>
                <Picture lines={lines} whole={whole} measure={measure} horizon={horizon} />
              </div>
            ))}
            <Table view={view} by={by} lines={lines} whole={whole} />
          </div>
        );
      })}
    </section>
  );
}

/** Values with their errors on one axis, the highest above. */
function Picture({
  lines,
  whole,
  measure,
  horizon,
}: {
  readonly lines: readonly CohortLine[];
  readonly whole: CohortLine | undefined;
  readonly measure: string;
  readonly horizon: string;
}) {
  const drawn = lines.slice(0, MOST_DRAWN).flatMap((line) => {
    const { value = null, stderr = null } = line.measures[measure] ?? {};
    return value === null ? [] : [{ line, value, reach: NORMAL_95 * (stderr ?? 0) }];
  });
  if (drawn.length === 0) return <p class="note">No cohort has a value of {measure} here.</p>;
  drawn.sort((a, b) => b.value - a.value);
  const all = whole?.measures[measure]?.value ?? null;
  const bounds = drawn.flatMap(({ value, reach }) => [value - reach, value + reach]);
  const least = Math.min(...bounds, all ?? Number.POSITIVE_INFINITY);
  const most = Math.max(...bounds, all ?? Number.NEGATIVE_INFINITY);
  const room = 0.05 * (most - least) || Math.abs(most) * 0.05 || 1;
  const scale = scaleLinear([least - room, most + room], [0, 1]);
  const ticks = scale.ticks(3).filter((tick) => scale(tick) > 0.05 && scale(tick) < 0.95);
  const tickText = scale.tickFormat(3);
  return (
    <figure>
      <Scroll>
        <table class="forest">
          <thead>
            <tr>
              <th scope="col">cohort</th>
              <th scope="col" class="number roomy">
                lists
              </th>
              <th scope="col" class="number">
                <Name>{measure}</Name>
              </th>
              <AxisHead
                label="value with its error"
                ticks={ticks.map((tick) => ({ at: scale(tick), words: tickText(tick) }))}
              />
            </tr>
          </thead>
          <tbody>
            {drawn.map(({ line, value, reach }) => (
              <tr key={nameOf(line)} class={line.impressions < FEW_LISTS ? 'few' : undefined}>
                <th scope="row">
                  <Name>{nameOf(line)}</Name>
                </th>
                <td class="number roomy">{counted(line.impressions)}</td>
                <td class="number strong">{plain(value)}</td>
                <td class="interval">
                  <Estimate
                    label={`${plain(value)}, from ${plain(value - reach)} to ${plain(value + reach)}`}
                    value={value}
                    reach={reach}
                    base={all}
                    place={(at) => scale(at)}
                    tone={sideOf(value, reach, all)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <figcaption>
        <Name>{measure}</Name> at {horizon}, with 1.96 standard errors to each side
        {all === null ? '' : `; the line is everything together, ${plain(all)}`}
        {lines.length > MOST_DRAWN ? `; the ${MOST_DRAWN} cohorts with most lists` : ''}.{' '}
        <strong>
          {whatToSee(
            drawn.map(({ line, value, reach }) => ({ name: nameOf(line), value, reach })),
            all,
          )}
        </strong>
      </figcaption>
    </figure>
  );
}

/** Away from everything together by more than its error, or not. */
function sideOf(value: number, reach: number, all: number | null): string {
  if (all === null || reach === 0 || Math.abs(value - all) <= reach) return 'plain';
  return value > all ? 'above' : 'below';
}

interface Drawn {
  readonly name: string;
  readonly value: number;
  readonly reach: number;
}

function whatToSee(drawn: readonly Drawn[], all: number | null): string {
  const [highest, lowest] = [drawn[0], drawn[drawn.length - 1]];
  if (drawn.length === 1) return `One cohort: ${highest.name}, ${plain(highest.value)}.`;
  const ends = `Highest in ${highest.name} (${plain(highest.value)}), lowest in ${lowest.name} (${plain(lowest.value)}).`;
  if (all === null) return ends;
  const below = drawn.filter(({ value, reach }) => sideOf(value, reach, all) === 'below').length;
  return below === 0 ? ends : `${ends} ${several(below, 'cohort')} below the whole by more than the error.`;
}

function Table({
  view: { measures, lowerIsBetter },
  by,
  lines,
  whole,
}: {
  readonly view: CohortsView;
  readonly by: readonly string[];
  readonly lines: readonly CohortLine[];
  readonly whole: CohortLine | undefined;
}) {
  const rows = lines.slice(0, MOST_LISTED);
  return (
    <details>
      <summary>All measures of {several(lines.length, 'cohort')}</summary>
      <Scroll>
        <table>
          <thead>
            <tr>
              {by.map((dimension) => (
                <th key={dimension} scope="col">
                  <Name>{dimension}</Name>
                </th>
              ))}
              {['lists', 'positives', ...measures].map((name) => (
                <th key={name} scope="col" class="number">
                  <Name>{name}</Name>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((line) => (
              <tr key={nameOf(line)} class={line.impressions < FEW_LISTS ? 'few' : undefined}>
                {by.map((dimension) => (
                  <td key={dimension}>
                    <Name>{line.labels[dimension]}</Name>
                  </td>
                ))}
                <td class="number">{counted(line.impressions)}</td>
                <td class="number">{counted(line.positives)}</td>
                {measures.map((name) => {
                  const { value = null, n = 0 } = line.measures[name] ?? {};
                  const all = whole?.measures[name]?.value ?? null;
                  return (
                    <td key={name} class={`number ${shade(value, all, lowerIsBetter.has(name))}`}>
                      {value === null ? NONE : plain(value)}
                      {value === null || n === line.impressions ? '' : <small class="muted"> n {counted(n)}</small>}
                      {value === null || all === null || all === 0 ? null : (
                        <small class="muted"> {change(value / all - 1)}</small>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="note">
        In small type the difference to everything together; colour: red worse, blue better, full from{' '}
        {share(FULL_CHANGE)} on. Grey: fewer than {FEW_LISTS} lists.
        {lines.length > rows.length
          ? ` Not shown: ${counted(lines.length - rows.length)} cohorts with fewer lists; the JSON below has all.`
          : ''}
      </p>
    </details>
  );
}

/** A class for the background: five steps to each side. */
export function shade(value: number | null, all: number | null, lowerIsBetter: boolean): string {
  if (value === null || all === null || all === 0) return '';
  const gain = (lowerIsBetter ? -1 : 1) * (value / all - 1);
  const step = Math.min(5, Math.floor((5 * Math.abs(gain)) / FULL_CHANGE));
  return step === 0 ? '' : `${gain < 0 ? 'worse' : 'better'}-${step}`;
}
