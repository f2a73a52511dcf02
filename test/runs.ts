/** How often a property is tried. `RECEVAL_RUNS=10 npm test` tries these ten times as often. */
export function runs(usual: number): number {
  return Math.ceil(usual * Number(process.env['RECEVAL_RUNS'] ?? 1));
}
