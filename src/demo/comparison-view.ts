import type { Bounds, ComparedVariant, Comparison } from '../experiment/comparison.ts';
import type { Label } from '../statistics/decision-labels.ts';

const DECISIONS: Readonly<Record<Label, string>> = {
  insufficient: 'not enough known',
  healthy: 'healthy',
  regressed: 'REGRESSED',
  improved: 'improved',
  invalid: 'INVALID',
};
/** Widths of the columns: with the longest decision 80. */
const NAME = 20;
const EFFECT = 29;
const LIFT = 10;

/** A label in plain words. */
export function decisionText(label: Label): string {
  return DECISIONS[label];
}

/** The A/B section of the table: each variant with its effect, the lift, the decision, and what that means. */
export function comparisonLines(comparison: Comparison, columns: number): string[] {
  const { primary, control, horizon, alpha, variants } = comparison;
  const level = `${Number((100 * (1 - alpha)).toFixed(3))} %`;
  const title = `${primary} against ${control} (${level} interval, since the start, horizon ${horizon})`;
  return [`  ${title}`.slice(0, columns), ...variants.flatMap((variant) => variantLines(variant, columns))];
}

function variantLines({ variant, decision, explanation, measures }: ComparedVariant, columns: number): string[] {
  const primary = measures.find(({ role }) => role === 'primary');
  const effect = primary === undefined ? '-' : `${signed(primary.effect)}${range(primary.ci)}`;
  const lift = primary === undefined ? '-' : percent(primary.lift);
  const cells = [variant.padEnd(NAME), effect.padEnd(EFFECT), lift.padStart(LIFT), `   ${decisionText(decision)}`];
  return [`  ${cells.join('')}`, ...wrapped(explanation, columns - 4).map((line) => `    ${line}`)];
}

/** Lines of at most `width` columns, broken at blanks. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function range(bounds: Bounds | null): string {
  return bounds === null ? '' : ` (${signed(bounds[0])} to ${signed(bounds[1])})`;
}

function signed(value: number | null): string {
  if (value === null) return '-';
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;
}

function percent(fraction: number | null): string {
  if (fraction === null) return '-';
  return `${fraction < 0 ? '-' : '+'}${Math.abs(100 * fraction).toFixed(1)} %`;
}
