/** The events that were read, valid and counted, and why the others were dropped. */

import { coordinate } from '../charts/frame.tsx';
import { Fragment, jsx } from '../charts/jsx.ts';
import { dropNamed } from '../vocabulary/drops.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { percent } from '../vocabulary/numbers.ts';
import { recordsOf, unmappedText } from '../vocabulary/unmapped.ts';
import { DataTable } from './data-table.tsx';
import type { PipelineView, WorkView } from './model.ts';
import { Work } from './partitions.tsx';

interface FunnelStep {
  readonly name: string;
  readonly count: number;
}

/** The card of events. @param work the state of the worker that read them; undefined: there is none */
export function Events({ view, work }: { readonly view: PipelineView; readonly work: WorkView | undefined }) {
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">What became of the events</h2>
      <Pipeline view={view} />
      {work === undefined ? null : <Work view={work} />}
    </section>
  );
}

function Pipeline({ view }: { readonly view: PipelineView }) {
  const { impressions, feedback, invalid, unmapped, notes } = view;
  return (
    <>
      <div class="columns">
        <Side
          title="Lists"
          counted={byHorizon(impressions.open) === '' ? 'counted' : 'accepted'}
          read={impressions.read}
          kept={impressions.accepted}
          drops={impressions.drops}
          late={impressions.late}
          open={impressions.open}
          invalid={invalid.impressions}
        />
        <Side
          title="Feedback"
          counted="joined a list"
          read={feedback.read}
          kept={feedback.attributed}
          drops={feedback.drops}
          late={feedback.late}
          invalid={invalid.feedback}
        />
      </div>
      {unmapped.length === 0 ? null : (
        <p class="note">
          Records that meet no <code>when</code> of the maps, and are passed over: {grouped(recordsOf(unmapped))} (
          {unmappedText(unmapped)}).
        </p>
      )}
      {notes.map((note) => (
        <p class="note">{note}</p>
      ))}
    </>
  );
}

function Side({
  title,
  counted: word,
  read,
  kept,
  drops,
  late,
  open,
  invalid,
}: {
  readonly title: string;
  readonly counted: string;
  readonly read: number;
  readonly kept: number;
  readonly drops: Readonly<Record<string, number>>;
  readonly late: Readonly<Record<string, number>>;
  readonly open?: Readonly<Record<string, number>> | undefined;
  readonly invalid: ReadonlyMap<string, number>;
}) {
  const some = Object.entries(drops)
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a);
  const unreadable = some.reduce((sum, [reason, n]) => sum + (dropNamed(reason)?.by === 'record' ? n : 0), 0);
  const steps: readonly FunnelStep[] = [
    { name: 'read', count: read },
    { name: 'valid', count: read - unreadable },
    { name: word, count: kept },
  ];
  const lates = byHorizon(late);
  const opens = byHorizon(open);
  return (
    <figure>
      <h3>{title}</h3>
      <Funnel steps={steps} />
      {some.length === 0 ? null : (
        <DataTable
          class="bars"
          columns={[
            { name: 'dropped as' },
            { name: 'events', isNumber: true },
            { name: 'of those read', isNumber: true },
            { name: 'because', isRoomy: true },
          ]}
          rows={some.map(([reason, n]) => [
            <code>{reason}</code>,
            grouped(n),
            percent(read === 0 ? 0 : n / read),
            dropNamed(reason)?.words ?? '',
          ])}
        />
      )}
      <figcaption>
        <strong>{opens === '' || some.length > 0 ? dropSentence(title, read, kept, some) : 'None was dropped.'}</strong>
        {invalid.size === 0 ? '' : ` Invalid: ${[...invalid].map(([code, n]) => `${code} ${grouped(n)}`).join(', ')}.`}
        {lates === '' ? '' : ` Too late for one horizon, but not for a longer one: ${lates}.`}
        {opens === '' ? '' : ` Open, and in no number, as they were too young at the end of the feedback: ${opens}.`}
      </figcaption>
    </figure>
  );
}

/** Counts by horizon in words, such as: 725 at 1h, 7,200 at 24h. */
function byHorizon(counts: Readonly<Record<string, number>> = {}): string {
  const some = Object.entries(counts).filter(([, n]) => n > 0);
  return some.map(([horizon, n]) => `${grouped(n)} at ${horizon}`).join(', ');
}

function Funnel({ steps }: { readonly steps: readonly FunnelStep[] }) {
  const most = Math.max(1, ...steps.map(({ count }) => count));
  return (
    <ol class="funnel">
      {steps.map(({ name, count }, i) => (
        <li>
          <span class="funnel-words">
            <span>{name}</span>
            <span>
              {grouped(count)}
              {i === 0 || steps[0].count === 0 ? '' : <span class="muted"> · {percent(count / steps[0].count)}</span>}
            </span>
          </span>
          <svg width="100%" height="14" aria-hidden="true">
            <rect class="track" width="100%" height="14" rx="3" />
            <rect class="fill" width={coordinate(count / most)} height="14" rx="3" />
          </svg>
        </li>
      ))}
    </ol>
  );
}

function dropSentence(title: string, read: number, kept: number, some: readonly (readonly [string, number])[]): string {
  if (read === 0) return title === 'Lists' ? 'No list was read.' : 'No feedback was read.';
  if (some.length === 0)
    return kept === read ? 'All of it counts.' : `${grouped(read - kept)} wait or do not count yet.`;
  const [reason, n] = some[0];
  const lost = some.reduce((sum, [, each]) => sum + each, 0);
  const most = some.length === 1 ? `all as ${reason}` : `most as ${reason} (${grouped(n)})`;
  return `${percent(lost / read)} did not count, ${most}.`;
}
