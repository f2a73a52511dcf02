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

interface SwitchProps {
  /** The name of the switch: one or two letters, unique in the document. */
  readonly of: string;
  readonly legend: string;
  readonly choices: readonly string[];
  readonly chosen: number;
}

/**
 * A choice without script: radio inputs, and CSS rules that hide the content of the other choices. The content of choice 2 of the switch `h` has the
 * attribute `data-h="2"`. In browsers without `:has`, all choices are shown. The radio inputs of a choice; nothing if there is nothing to choose.
 */
export function Switch({ of, legend, choices, chosen }: SwitchProps) {
  if (choices.length < 2) return null;
  return (
    <fieldset class="switch">
      <legend>{legend}</legend>
      {choices.map((choice, i) => (
        <span>
          <input type="radio" name={of} id={`${of}-${i}`} value={String(i)} checked={i === chosen} />
          <label for={`${of}-${i}`}>
            <Name>{choice}</Name>
          </label>
        </span>
      ))}
    </fieldset>
  );
}

export function switchRules(of: string, choices: number): string {
  if (choices < 2) return '';
  return Array.from(
    { length: choices },
    (_, i) => `body:has(#${of}-${i}:checked) [data-${of}]:not([data-${of}="${i}"]){display:none}\n`,
  ).join('');
}
