import { jsx } from '../charts/jsx.ts';
import { Name } from './name.ts';

/** One of several choices, made by following its link. */
export interface Choice {
  readonly words: string;
  readonly href: string;
  readonly isChosen: boolean;
}

export interface Choices {
  readonly legend: string;
  readonly choices: readonly Choice[];
}

/** A choice made by links. It is kept in the address, so that it needs no script and can be shared. */
export function ChoiceLinks({ of: { legend, choices } }: { readonly of: Choices }) {
  return (
    <nav class="switch" aria-label={legend}>
      <span class="legend-words" aria-hidden="true">
        {legend}
      </span>
      {choices.map(({ words, href, isChosen }) => (
        <a class="choice" href={href} data-view aria-current={isChosen ? 'true' : undefined}>
          <Name>{words}</Name>
        </a>
      ))}
    </nav>
  );
}
