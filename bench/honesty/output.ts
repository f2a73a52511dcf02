/** Markdown tables of counts and spreads. */

export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

/** So many seeds, from the first one on. */
export interface Seeds {
  readonly count: number;
  readonly first: number;
}

export function each<Value>(what: string, { count, first }: Seeds, run: (seed: number) => Value): Value[] {
  process.stderr.write(`${what}: ${count} seeds\n`);
  return Array.from({ length: count }, (_, i) => run(first + i));
}

export function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function head(...cells: readonly string[]): string {
  return `${row(...cells)}\n|${cells.map(() => '---').join('|')}|`;
}

/** `12 (1.2 %)` */
export function share(count: number, of: number): string {
  return of === 0 ? '-' : `${count} (${((100 * count) / of).toFixed(1)} %)`;
}

/** `1.2 +- 0.5 %`: with the error of the count, of a binomial number; 0 of none or all. */
export function shareWithError(count: number, of: number): string {
  if (of === 0) return '-';
  const part = count / of;
  const error = count === 0 || count === of ? 0 : Math.sqrt((part * (1 - part)) / of);
  return `${(100 * part).toFixed(1)} +- ${(100 * error).toFixed(1)} %`;
}

/** The value below which this part of the values lies (nearest rank). @param values at least one */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))];
}

/** `median (5 % to 95 %)` */
export function spread(values: readonly number[]): string {
  if (values.length === 0) return '-';
  const [low, middle, high] = [0.05, 0.5, 0.95].map((part) => quantile(values, part).toLocaleString('en'));
  return `${middle} (${low} to ${high})`;
}
