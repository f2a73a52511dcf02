import type { Finding } from '../findings/finding.ts';
import { Name } from './name.tsx';

/** What looks wrong, each with an example and what to do; nothing where all looks right. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section class="card" id="findings" aria-labelledby="what-looks-wrong">
      <h2 id="what-looks-wrong">What looks wrong</h2>
      {findings.map(({ code, cause, example, remedy }) => (
        <div key={`${code} ${cause}`} class="finding">
          <p>
            <Name>{cause}</Name> <code class="muted">{code}</code>
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
