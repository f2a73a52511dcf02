/** Current decisions on watched cohorts against their own past. */

import { jsx } from '../charts/jsx.ts';
import { several } from '../vocabulary/numbers.ts';
import { Name } from './name.ts';
import { Scroll } from './scroll.tsx';

/** A decision on a watched cohort against its own past. */
export interface StandingDecision {
  readonly cohort: string;
  readonly measure: string;
  readonly label: string;
  readonly reason: string;
  /** What it means, in a sentence or two. */
  readonly explanation: string;
}

/** Most decisions shown, here and in the JSON. */
const MOST_DECISIONS = 50;
const CALM: readonly string[] = ['healthy', 'insufficient'];
const TONES: Readonly<Record<string, string>> = { regressed: 'bad', improved: 'good', healthy: 'plain' };

export function Decisions({ decisions }: { readonly decisions: readonly StandingDecision[] }) {
  // Who saw a fall looks for its end.
  const changed = decisions.filter(({ label, reason }) => !CALM.includes(label) || reason === 'recovered');
  const calm = decisions.length - changed.length;
  return (
    <section class="card" aria-labelledby="against-past">
      <h2 id="against-past">Cohorts against their own past</h2>
      {changed.length === 0 ? null : (
        <Scroll>
          <table>
            <thead>
              <tr>
                {['cohort', 'measure', 'decision', 'what it means'].map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {changed.slice(0, MOST_DECISIONS).map(({ cohort, measure, label, reason, explanation }) => (
                <tr>
                  <th scope="row">
                    <Name>{cohort}</Name>
                  </th>
                  <td>
                    <Name>{measure}</Name>
                  </td>
                  <td>
                    <span class={`badge small ${TONES[label] ?? 'warn'}`}>{label}</span>
                  </td>
                  <td>
                    <Name>{explanation}</Name> <code class="muted">{reason}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <p class="note">
        {changed.length === 0 ? 'None has changed. ' : ''}
        {several(calm, 'other')} healthy, or with too little to tell.
      </p>
    </section>
  );
}
