/** The current decisions on watched cohorts against their own past. */

import { Fragment, jsx } from '../charts/jsx.ts';
import { several } from '../vocabulary/numbers.ts';
import { DataTable } from './data-table.tsx';
import { Name } from './name.ts';

/** A decision on a watched cohort against its own past. */
export interface StandingDecision {
  readonly cohort: string;
  readonly measure: string;
  readonly label: string;
  readonly reason: string;
  /** The meaning of the decision, in a sentence or two. */
  readonly explanation: string;
}

/** The most decisions shown, here and in the JSON. */
const MOST_DECISIONS = 50;
const CALM: readonly string[] = ['healthy', 'insufficient'];
const TONES: Readonly<Record<string, string>> = { regressed: 'bad', improved: 'good', healthy: 'plain' };

export function Decisions({ decisions }: { readonly decisions: readonly StandingDecision[] }) {
  // A reader who saw a fall looks for its end.
  const changed = decisions.filter(({ label, reason }) => !CALM.includes(label) || reason === 'recovered');
  const calm = decisions.length - changed.length;
  return (
    <section class="card" aria-labelledby="against-past">
      <h2 id="against-past">Cohorts against their own past</h2>
      {changed.length === 0 ? null : (
        <DataTable
          columns={['cohort', 'measure', 'decision', 'what it means'].map((name) => ({ name }))}
          rows={changed.slice(0, MOST_DECISIONS).map(({ cohort, measure, label, reason, explanation }) => [
            cohort,
            measure,
            <span class={`badge small ${TONES[label] ?? 'warn'}`}>{label}</span>,
            <>
              <Name>{explanation}</Name> <code class="muted">{reason}</code>
            </>,
          ])}
        />
      )}
      <p class="note">
        {changed.length === 0 ? 'None has changed. ' : ''}
        {several(calm, 'other')} healthy, or with too little to tell.
      </p>
    </section>
  );
}
