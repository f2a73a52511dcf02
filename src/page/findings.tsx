import { Fragment, jsx } from '../charts/jsx.ts';
import type { FindingView } from './model.ts';
import { Name } from './name.ts';

/** The findings, each with an example and what to do. */
export function Findings({ findings }: { readonly findings: readonly FindingView[] }) {
  return (
    <section class="card" aria-labelledby="what-looks-wrong">
      <h2 id="what-looks-wrong">What looks wrong</h2>
      {findings.map(({ code, cause, example = null, remedy }) => (
        <div class="finding">
          <p>
            <Name>{cause}</Name>
            {code === undefined ? null : (
              <>
                {' '}
                <code class="muted">{code}</code>
              </>
            )}
          </p>
          {example === null ? null : (
            <p class="note">
              Such as: <Name>{example}</Name>
            </p>
          )}
          <p>
            <b>Do:</b> <Name>{remedy}</Name>
          </p>
        </div>
      ))}
    </section>
  );
}
