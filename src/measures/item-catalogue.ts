/** What measures know about items beyond the lists: the configured item file, or nothing. */
export interface ItemCatalogue {
  /** Number of items. */
  readonly size: number;
  /** The largest popularity; undefined: no item has one. */
  readonly mostPopular: { readonly item: string; readonly popularity: number } | undefined;
  has(item: string): boolean;
  /** How many users know, have seen or have bought the item; at least 0. undefined: not known. */
  popularity(item: string): number | undefined;
  /** undefined: not known. */
  category(item: string): string | undefined;
}

/** A catalogue without items. */
export const NO_CATALOGUE: ItemCatalogue = {
  size: 0,
  mostPopular: undefined,
  has: () => false,
  popularity: () => undefined,
  category: () => undefined,
};

/** A catalogue that was read from the item file of the configuration. */
export interface ItemFile extends ItemCatalogue {
  /** Equal for the same items with the same popularity or category, however the file is written and compressed. */
  fingerprint(of: 'item' | 'popularity' | 'category'): string;
}
