/** What of its items an impression carries, from valid items in the order of their ranks. */

/** NaN: the item has none. undefined: no item has one. */
export function carriedScores(items: readonly { readonly score?: unknown }[]): readonly number[] | undefined {
  const scores = items.map(({ score }) => (typeof score === 'number' ? score : Number.NaN));
  return scores.every(Number.isNaN) ? undefined : scores;
}

/** '': the item has none. undefined: no item has one. */
export function carriedCategories(items: readonly { readonly category?: unknown }[]): readonly string[] | undefined {
  const categories = items.map(({ category }) => (typeof category === 'string' ? category : ''));
  return categories.every((category) => category === '') ? undefined : categories;
}
