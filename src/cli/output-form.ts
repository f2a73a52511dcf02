import { nearest } from '../vocabulary/spelling.ts';
import { UsageError } from './failure.ts';

/**
 * The form of output that was asked for.
 * @throws UsageError that lists the forms
 */
export function outputForm<Form extends string>(text: string, forms: readonly Form[], flag = '--output'): Form {
  const found = forms.find((form) => form === text);
  if (found !== undefined) return found;
  const near = nearest(text, forms);
  const hint = near === undefined ? '; ' : `; did you mean "${near}"? `;
  throw new UsageError(
    `${flag}: no form "${text}"${hint}${near === undefined ? 'e' : 'E'}xpected one of ${forms.join(', ')}`,
  );
}
