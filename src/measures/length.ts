/**
 * `length`: number of slots of a list.
 * Convention: slots of this page; gaps between ranks are no slots. An empty list counts as 0.
 * Example: lists abc, abd, ace: 3.
 */
export function length({ length: slots }: { readonly length: number }): number {
  return slots;
}
