import { createHash } from 'node:crypto';
import type { Versioned } from '../server/routes.ts';
import { Turns } from '../vocabulary/clock.ts';

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

/** Longest turn in ms, after which the other work of a worker or exporter runs. */
const TURN_MS = 1;

/**
 * Makes a text with its version, for many readers, in turns of the event loop, so that nothing waits for long. The first piece is made before this
 * returns; another turn may begin after each piece.
 */
export async function madeInTurns(pieces: () => Iterable<string>): Promise<Versioned> {
  const turns = new Turns(TURN_MS);
  const hash = createHash('sha256');
  let body = '';
  for (const piece of pieces()) {
    hash.update(piece);
    body += piece;
    await turns.step();
  }
  return { body, etag: `"${hash.digest('base64url').slice(0, 22)}"` };
}
