/** Whether the users are split as configured in each cohort of a dimension (`compare --ratio-by`). */

import { jsx } from '../charts/jsx.ts';
import { type ComparedCohorts, shownCohorts } from '../experiment/cohort-splits.ts';
import { OTHER_COHORT } from '../vocabulary/events.ts';
import { grouped } from '../vocabulary/grouped.ts';
import { listed, percent, probability, shown } from '../vocabulary/numbers.ts';
import { Name } from './name.ts';
import { Scroll } from './scroll.tsx';

export function SplitByCohort({ dimension }: { readonly dimension: ComparedCohorts }) {
  const { by, cohorts, users, sampled } = dimension;
  const listedCohorts = shownCohorts(dimension);
  const wrong = cohorts.filter(({ warning }) => warning).map(({ value }) => value);
  const tested = cohorts.some(({ p }) => p !== null);
  const names = Object.keys(cohorts[0]?.users ?? {});
  const left = cohorts.length - listedCohorts.length;
  return (
    <figure>
      <h3>
        Split of the users by <Name>{by}</Name>
      </h3>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th scope="col">
                <Name>{by}</Name>
              </th>
              <th scope="col">
                <span class="unseen">warning</span>
              </th>
              {names.map((name) => (
                <th scope="col" class="number">
                  <Name>{name}</Name> (expected)
                </th>
              ))}
              <th scope="col" class="number">
                deviation
              </th>
              <th scope="col" class="number">
                p adjusted
              </th>
            </tr>
          </thead>
          <tbody>
            {listedCohorts.map((cohort) => (
              <tr>
                <th scope="row">
                  <Name>{cohort.value}</Name>
                </th>
                <td>{cohort.warning ? <span class="badge small bad">warning</span> : ''}</td>
                {names.map((name) => (
                  <td class="number">
                    {grouped(cohort.users[name])} <span class="muted">({shown(cohort.expected?.[name], grouped)})</span>
                  </td>
                ))}
                <td class="number">{shown(cohort.deviation, percent)}</td>
                <td class="number">{shown(cohort.pAdjusted, probability)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <figcaption>
        <strong>
          {!tested
            ? `Not tested (${cohorts[0]?.reason ?? 'no_data'}).`
            : wrong.length === 0
              ? `As configured in each of ${grouped(cohorts.length)}.`
              : `Not as configured in ${listed(wrong)}: look at how users are assigned and logged there. It changes no decision.`}
        </strong>{' '}
        A user counts once, in the cohort and the variant seen first.
        {left > 0 ? ` Not shown: ${grouped(left)} more without a warning; the JSON below has all.` : ''}
        {cohorts.some(({ value }) => value === OTHER_COHORT) ? ` ${OTHER_COHORT}: all others together.` : ''}
        {sampled < users ? ` Tested on a fair sample: 1 user in ${grouped(users / sampled)}.` : ''}
      </figcaption>
    </figure>
  );
}
