const MOST_VIEWS = 16;

/** Views by name that stay valid as long as all their sources stay the same. The least recently used one is evicted. */
export class KeptViews<View> {
  readonly #most: number;
  #sources: readonly unknown[] = [];
  readonly #views = new Map<string, View>();

  constructor(most = MOST_VIEWS) {
    this.#most = most;
  }

  /**
   * @param sources compared by identity
   * @param isDone whether a view may be kept; default: every view
   */
  of(sources: readonly unknown[], name: string, make: () => View, isDone: (view: View) => boolean = () => true): View {
    if (sources.length !== this.#sources.length || sources.some((source, s) => source !== this.#sources[s])) {
      this.#sources = sources;
      this.#views.clear();
    }
    const view = this.#views.get(name) ?? make();
    this.#views.delete(name);
    if (!isDone(view)) return view;
    this.#views.set(name, view);
    for (const other of this.#views.keys()) {
      if (this.#views.size <= this.#most) break;
      this.#views.delete(other);
    }
    return view;
  }
}
