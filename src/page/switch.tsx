/**
 * A choice without script: radio inputs, and CSS rules that hide the content of the other choices. The content of choice 2 of the
 * switch `h` has the attribute `data-h="2"`. In browsers without `:has`, all choices are shown.
 */

import { jsx } from '../charts/jsx.ts';
import { Name } from './name.ts';

interface SwitchProps {
  /** The name of the switch: one or two letters, unique in the document. */
  readonly of: string;
  readonly legend: string;
  readonly choices: readonly string[];
  readonly chosen: number;
}

/** The radio inputs of a choice; nothing if there is nothing to choose. */
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
