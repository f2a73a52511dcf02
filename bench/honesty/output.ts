/** Markdown tables of counts and spreads. */

export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

/** Runs seeds 1 to n. */
export function each<Value>(what: string, n: number, run: (seed: number) => Value): Value[] {
  process.stderr.write(`${what}: ${n} seeds\n`);
  return Array.from({ length: n }, (_, i) => run(i + 1));
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
