/**
 * `short(below=10)`: share of lists with fewer slots than `below`.
 * Convention: 1 or 0 for each list. An empty list is short.
 * Example: lists of 3, 10 and 12 slots: 1/3.
 */
export function short({ length }: { readonly length: number }, below: number): number {
  return length < below ? 1 : 0;
}
