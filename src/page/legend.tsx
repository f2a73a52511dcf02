import { jsx } from '../charts/jsx.ts';
import { seriesClass } from '../charts/series.tsx';
import { Name } from './name.ts';

/** Names of series beside their colours. */
export function Legend({ names }: { readonly names: readonly string[] }) {
  return (
    <ul class="legend">
      {names.map((name, i) => (
        <li class={seriesClass(i)}>
          <Name>{name}</Name>
        </li>
      ))}
    </ul>
  );
}
