/**
 * A choice that needs no script: radio inputs, and rules of CSS that hide what belongs to the other choices. What belongs to choice
 * 2 of the switch `h` has the attribute `data-h="2"`. Where a browser does not know `:has`, all choices are shown.
 */
import { Name } from './name.tsx';

export interface SwitchProps {
  /** One or two letters, once in a document. */
  readonly of: string;
  readonly legend: string;
  readonly choices: readonly string[];
  readonly chosen: number;
}

/** Nothing where there is nothing to choose. */
export function Switch({ of, legend, choices, chosen }: SwitchProps) {
  if (choices.length < 2) return null;
  return (
    <fieldset class="switch">
      <legend>{legend}</legend>
      {choices.map((choice, i) => (
        <span key={choice}>
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
