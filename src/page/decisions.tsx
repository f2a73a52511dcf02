/** Current decisions on watched cohorts against their own past. */

import { jsx } from './jsx.ts';
import { Name } from './name.ts';
import { several } from './numbers.ts';
import { Scroll } from './scroll.tsx';

/** A decision on a watched cohort against its own past. */
export interface StandingDecision {
  readonly cohort: string;
  readonly measure: string;
  readonly label: string;
  readonly reason: string;
}

/** Most decisions shown, here and in the JSON. */
const MOST_DECISIONS = 50;
const CALM: readonly string[] = ['healthy', 'insufficient'];

export function Decisions({ decisions }: { readonly decisions: readonly StandingDecision[] }) {
  const told = decisions.filter(({ label }) => !CALM.includes(label));
  const calm = decisions.length - told.length;
  return (
    <section class="card" aria-labelledby="against-past">
      <h2 id="against-past">Cohorts against their own past</h2>
      {told.length === 0 ? null : (
        <Scroll>
          <table>
            <thead>
              <tr>
                {['cohort', 'measure', 'decision', 'reason'].map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {told.slice(0, MOST_DECISIONS).map(({ cohort, measure, label, reason }) => (
                <tr>
                  <th scope="row">
                    <Name>{cohort}</Name>
                  </th>
                  <td>
                    <Name>{measure}</Name>
                  </td>
                  <td>
                    <span
                      class={`badge small ${label === 'regressed' ? 'bad' : label === 'improved' ? 'good' : 'warn'}`}
                    >
                      {label}
                    </span>
                  </td>
                  <td>
                    <code>{reason}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <p class="note">
        {told.length === 0 ? 'None has changed. ' : ''}
        {several(calm, 'other')} healthy, or with too little to tell.
      </p>
    </section>
  );
}
