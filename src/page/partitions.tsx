/** The state of a worker: its partitions, delays of feedback, drops over time, and commits. */
import { coordinate, Frame, timeAxis } from '../charts/frame.tsx';
import { Fragment, jsx } from '../charts/jsx.ts';
import { seriesChart } from '../charts/series.tsx';
import { grouped } from '../vocabulary/grouped.ts';
import { instant, NONE, percent, several, shown } from '../vocabulary/numbers.ts';
import { DataTable } from './data-table.tsx';
import { Facts } from './facts.tsx';
import { Legend } from './legend.tsx';
import type { Fact, WorkView } from './model.ts';
import { Name } from './name.ts';

/** The most partitions in the table: those that are stopped or lag most. */
const MOST_PARTITIONS = 50;
const HEIGHT = 160;

export function Work({ view }: { readonly view: WorkView }) {
  return (
    <>
      <h3>Partitions of this process</h3>
      <Partitions view={view} />
      <div class="columns">
        <figure>
          <h3>From a list to its feedback</h3>
          <Delays delays={view.delays} />
        </figure>
        <figure>
          <h3>Dropped, by the minute</h3>
          <Drops drops={view.drops} />
        </figure>
      </div>
      <h3>Commits</h3>
      <Commits view={view} />
    </>
  );
}

function Partitions({ view: { topics, partitions } }: { readonly view: WorkView }) {
  if (partitions.length === 0) return <p class="note">None: others own them, or they are just being taken over.</p>;
  const rows = partitions.slice(0, MOST_PARTITIONS);
  const stopped = partitions.filter(({ stopped: cause }) => cause !== null).length;
  return (
    <>
      <DataTable
        columns={[
          { name: 'partition', isNumber: true },
          { name: 'state' },
          { name: 'watermark', class: 'when' },
          ...[...topics.map((topic) => `lag of ${topic}`), 'open lists', 'waiting feedback'].map((name) => ({
            name,
            isNumber: true,
          })),
        ]}
        rows={rows.map((row) => [
          row.partition,
          row.stopped === null ? (
            'reads'
          ) : (
            <span class="badge small bad">
              stopped: <Name>{row.stopped}</Name>
            </span>
          ),
          shown(row.watermark, (at) => `${instant(new Date(at).toISOString())} UTC`),
          ...topics.map((_, t) => shown(row.lag[t], grouped)),
          grouped(row.openLists),
          grouped(row.waitingFeedback),
        ])}
      />
      <p class="note">
        <strong>{stopped === 0 ? 'None stands still.' : `${several(stopped, 'partition')} stopped.`}</strong> Lag:
        records between what was read and the end of the log. Offsets: receval offsets.
        {partitions.length > rows.length ? ` Not shown: ${grouped(partitions.length - rows.length)} more.` : ''}
      </p>
    </>
  );
}

function Delays({ delays: { bounds, counts } }: { readonly delays: WorkView['delays'] }) {
  const all = counts.reduce((sum, n) => sum + n, 0);
  if (all === 0) return <p class="note">No feedback has joined a list here yet.</p>;
  const most = Math.max(...counts);
  const last = counts.reduce((found, n, i) => (n > 0 ? i : found), 0);
  let seen = 0;
  const median = counts.findIndex((n) => {
    seen += n;
    return seen >= all / 2;
  });
  return (
    <>
      <DataTable
        class="bars"
        columns={[
          { name: 'up to' },
          { name: 'events', isNumber: true },
          { name: 'as a bar', class: 'bar-cell', isUnseen: true },
        ]}
        rows={counts.slice(0, last + 1).map((n, i) => [
          i < bounds.length ? duration(bounds[i]) : 'longer',
          grouped(n),
          <svg width="100%" height="14" aria-hidden="true">
            <rect class="fill" width={coordinate(n / most)} height="14" rx="3" />
          </svg>,
        ])}
      />
      <figcaption>
        Event time between them.{' '}
        <strong>
          Half of it comes within {median < bounds.length ? duration(bounds[median]) : 'longer than all of these'}.
        </strong>
      </figcaption>
    </>
  );
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Number((seconds / 60).toFixed(1))} min`;
  if (seconds < 86_400) return `${Number((seconds / 3600).toFixed(1))} h`;
  return `${Number((seconds / 86_400).toFixed(1))} d`;
}

function Drops({ drops: { times, reasons } }: { readonly drops: WorkView['drops'] }) {
  if (times.length < 2) return <p class="note">A minute or two from now.</p>;
  if (reasons.length === 0) return <p class="note">Nothing was dropped since this process began to look.</p>;
  const time = timeAxis(times[0], times[times.length - 1]);
  const sums = reasons.map(({ reason, counts }) => ({ reason, n: counts.reduce((sum, n) => sum + n, 0) }));
  const [worst] = sums.toSorted((a, b) => b.n - a.n);
  const chart = seriesChart({
    label: `Dropped events by the minute: ${sums.map(({ reason, n }) => `${reason} ${grouped(n)}`).join(', ')}`,
    xTicks: time.ticks.map(({ at, text: words }) => ({ at: time.x(at), words })),
    xLabel: `time of this process, ${time.zone}`,
    domain: [0, Math.max(1, ...reasons.flatMap(({ counts }) => counts))],
    ticks: 4,
    series: reasons.map(({ counts }) => [...counts].map((value, i) => ({ at: time.x(times[i]), value }))),
  });
  return (
    <>
      <Frame {...chart} height={HEIGHT} />
      <Legend names={reasons.map(({ reason }) => reason)} />
      <figcaption>
        <strong>
          Most as {worst.reason}: {grouped(worst.n)}.
        </strong>
      </figcaption>
    </>
  );
}

function Commits({ view: { commits, commitSeconds, lastCommit } }: { readonly view: WorkView }) {
  const all = Object.values(commits).reduce((sum, n) => sum + n, 0);
  const failed = Object.entries(commits).filter(([outcome, n]) => n > 0 && outcome !== 'ok' && outcome !== 'already');
  const facts: readonly Fact[] = [
    ['commits', grouped(all)],
    ['the last, UTC', lastCommit === null ? NONE : instant(lastCommit).slice(11)],
    ['take on average', shown(commitSeconds, (seconds) => `${Number((1000 * seconds).toPrecision(2))} ms`)],
    ...failed.map(([outcome, n]): Fact => [outcome, `${grouped(n)} (${percent(n / all)})`]),
  ];
  return <Facts facts={facts} areTiles />;
}
