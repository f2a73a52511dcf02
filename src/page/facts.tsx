import { jsx } from '../charts/jsx.ts';
import type { Fact } from './model.ts';
import { Name } from './name.ts';

/** A list of names and values, drawn as tiles if they are numbers to watch. */
export function Facts({ facts, areTiles = false }: { readonly facts: readonly Fact[]; readonly areTiles?: boolean }) {
  if (facts.length === 0) return null;
  return (
    <dl class={areTiles ? 'tiles' : 'facts'}>
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {areTiles ? (
              <b>
                <Name>{value}</Name>
              </b>
            ) : (
              <Name>{value}</Name>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
