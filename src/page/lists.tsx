/** Single lists, one below the other. Each can be opened: what was shown, what people did with it, and what did not count. */

import { type Children, elements, Fragment, joined, jsx, Markup, NOTHING } from '../charts/jsx.ts';
import { dropNamed } from '../vocabulary/drops.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { instant, NONE, plain, several } from '../vocabulary/numbers.ts';
import { Scroll } from './data-table.tsx';
import { kept } from './kept-markup.ts';
import type { DroppedView, ListsView, ListView } from './model.ts';
import { Name, named } from './name.ts';

/** The most items of a list that are shown; the JSON has more. */
const MOST_ITEMS = 20;
const MOST_MEASURES = 8;

/** The link to all of the last lists. They would be most of a page, so they come when they are asked for. */
export interface LastListsLink {
  readonly isShown: boolean;
  /** The address that shows them, or hides them again. */
  readonly href: string;
}

interface ListsProps {
  readonly view: ListsView;
  readonly lastLists: LastListsLink;
}

/** The card of single lists. Newer lists do not disturb a reader who has opened one. `view` undefined: none are kept. */
export function ListsCard({ view, lastLists }: Omit<ListsProps, 'view'> & { readonly view: ListsView | undefined }) {
  return (
    <section class="card" aria-labelledby="single-lists" data-hold>
      <h2 id="single-lists">Single lists</h2>
      {view === undefined ? (
        <p class="note">
          None are kept here. With <code>http.samples: 50</code> this shows the last lists that closed, with what people
          did with them.
        </p>
      ) : (
        <Lists view={view} lastLists={lastLists} />
      )}
    </section>
  );
}

function Lists({ view, lastLists: { isShown, href } }: ListsProps) {
  const { ids, horizon, primary, worst, missed, last, lastCount, dropped } = view;
  return (
    <>
      <p>
        As they stood when they closed at {horizon}, newest first.{' '}
        {ids === 'masked' ? 'Ids are masked: equal ones look equal. ' : ''}
        While a list is open here, this part stands still.
      </p>
      {missed.length === 0 ? null : (
        <Group title="Feedback fell away" id="lists-missed" lists={missed} primary={primary}>
          Lists whose feedback did not count, and why.
        </Group>
      )}
      {worst.length === 0 ? null : (
        <Group title={`Worst by ${primary}`} id="lists-worst" lists={worst} primary={primary}>
          Of the last lists with feedback.
        </Group>
      )}
      {lastCount === 0 ? (
        <p class="note">None has closed yet.</p>
      ) : (
        <>
          {last === undefined ? null : <Group title="The last lists" id="lists-last" lists={last} primary={primary} />}
          <p>
            <a href={`${href}#lists`} data-view>
              {isShown ? 'Hide' : 'Show'} the last {several(lastCount, 'list')}
            </a>
          </p>
        </>
      )}
      {dropped.length === 0 ? null : (
        <details>
          <summary>Feedback that was dropped last, by reason</summary>
          <Dropped dropped={dropped} />
        </details>
      )}
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly id: string;
  readonly lists: readonly ListView[];
  readonly primary: string;
  readonly children?: Children;
}

function Group({ title, id, lists, primary, children }: GroupProps) {
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        <Name>{title}</Name>
      </h3>
      {children === undefined ? null : <p class="note">{children}</p>}
      <div class="lists">{lists.map((list) => new Markup(keptOne(list, primary)))}</div>
    </section>
  );
}

const keptOne = kept((list: ListView, primary) => <One list={list} primary={primary} />);

function One({ list, primary }: { readonly list: ListView; readonly primary: string }) {
  const { requestId, shownAt, cohort, length, items, moreFeedback, measures, dropped } = list;
  const used = items.filter(({ feedback }) => feedback.length > 0);
  const listed = [
    ...items.slice(0, MOST_ITEMS),
    ...items.slice(MOST_ITEMS).filter(({ feedback }) => feedback.length > 0),
  ];
  const value = measures[primary] ?? null;
  const more = [
    ...(length > listed.length ? [`+ ${several(length - listed.length, 'more item')}`] : []),
    ...(moreFeedback > 0 ? [`+ ${several(moreFeedback, 'more event')} with them`] : []),
  ];
  return (
    <details class="one-list">
      <summary>
        <span class="when">{instant(shownAt).slice(11)}</span>{' '}
        {Object.values(cohort).length === 0 ? null : (
          <span>
            <Name>{Object.values(cohort).join(' · ')}</Name>{' '}
          </span>
        )}
        <span>{used.length === 0 ? 'no feedback' : `feedback at rank ${used.map(({ rank }) => rank).join(', ')}`}</span>{' '}
        <span>
          <Name>{primary}</Name> <b>{value === null ? NONE : plain(value)}</b>
        </span>{' '}
        {dropped.length === 0 ? null : <span class="badge small warn">{grouped(dropped.length)} dropped</span>}
      </summary>
      <p class="note">
        Request <Name>{requestId}</Name>, shown {instant(shownAt)} UTC, {several(length, 'item')}.
      </p>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                rank
              </th>
              <th scope="col">item</th>
              <th scope="col">feedback</th>
              <th scope="col" class="number">
                grade
              </th>
            </tr>
          </thead>
          <tbody>{listed.map(slot)}</tbody>
        </table>
      </Scroll>
      {more.length === 0 ? null : <p class="note">{more.join(', ')}</p>}
      <p class="note">
        {Object.entries(measures)
          .slice(0, MOST_MEASURES)
          .map(([name, one], m) => (
            <span>
              {m === 0 ? '' : ' · '}
              <Name>{name}</Name> {one === null ? NONE : plain(one)}
            </span>
          ))}
      </p>
      {dropped.length === 0 ? null : <Dropped dropped={dropped} isOfOne />}
    </details>
  );
}

function slot({ rank, item, grade, feedback }: ListView['items'][number]): Markup {
  const cells = elements`<td class="number">${rank}</td><th scope="row">${named(item)}</th><td>${joined(feedback.map(done))}</td><td class="number">${grade === 0 ? NOTHING : plain(grade)}</td>`;
  return feedback.length === 0 ? elements`<tr class>${cells}</tr>` : elements`<tr class="used">${cells}</tr>`;
}

function done({ action, value, seconds }: ListView['items'][number]['feedback'][number], i: number): Markup {
  const given = value === null ? '' : ` ${plain(value)}`;
  const after = plain(Number(seconds.toPrecision(3)));
  return elements`<span>${i === 0 ? '' : ', '}${named(action ?? 'an action without a grade')}${given} <span class="muted">after ${after} s</span></span>`;
}

/** A table of dropped feedback. `isOfOne`: all of it names one request. */
function Dropped({
  dropped,
  isOfOne = false,
}: {
  readonly dropped: readonly DroppedView[];
  readonly isOfOne?: boolean;
}) {
  return (
    <Scroll>
      <table>
        <caption>Feedback that does not count</caption>
        <thead>
          <tr>
            {['reason', 'action', 'item', ...(isOfOne ? [] : ['request']), 'happened'].map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {dropped.map(({ reason, requestId, itemId, action, happenedAt }) => (
            <tr>
              <th scope="row" class="reason">
                <code>{reason}</code> <span class="muted">{dropNamed(reason)?.words ?? ''}</span>
              </th>
              <td>
                <Name>{action}</Name>
              </td>
              <td>
                <Name>{itemId}</Name>
              </td>
              {isOfOne ? null : (
                <td>
                  <Name>{requestId}</Name>
                </td>
              )}
              <td>{instant(happenedAt).slice(11)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
