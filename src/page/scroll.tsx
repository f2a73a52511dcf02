import type { ComponentChildren } from 'preact';

/** What may be wider than the window: it is scrolled by itself, by keyboard too. */
export function Scroll({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="scroll" role="group" aria-label="table, scrolls sideways" tabIndex={0}>
      {children}
    </div>
  );
}
