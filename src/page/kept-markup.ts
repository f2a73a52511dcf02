/** Markup as it is sent, whole or in pieces. The markup of views that are shown again and again is kept. */
import type { Markup } from '../charts/jsx.ts';
import { readable } from './name.ts';

export function markupOf(drawn: Markup): string {
  return readable(drawn.text);
}

/** A long text that is drawn while it is read, so that its sender can do other things between two pieces. */
export type Pieces = Generator<string, void>;

/**
 * Draws each view once: views never change, so their markup stays right for as long as they live. A view that is drawn with other
 * `words` is drawn again.
 */
export function kept<View extends object>(
  draw: (view: View, words: string) => Markup,
): (view: View, words?: string) => string {
  const known = new WeakMap<View, { readonly words: string; readonly markup: string }>();
  return (view, words = '') => {
    const before = known.get(view);
    if (before?.words === words) return before.markup;
    const markup = markupOf(draw(view, words));
    known.set(view, { words, markup });
    return markup;
  };
}

/** Does the same in pieces. */
export function keptPieces<View extends object>(draw: (view: View) => Pieces): (view: View) => Pieces {
  const known = new WeakMap<View, readonly string[]>();
  return function* (view) {
    const before = known.get(view);
    if (before !== undefined) {
      yield* before;
      return;
    }
    const pieces: string[] = [];
    for (const piece of draw(view)) {
      pieces.push(piece);
      yield piece;
    }
    known.set(view, pieces);
  };
}
