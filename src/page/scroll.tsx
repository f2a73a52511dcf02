import type { ComponentChildren } from 'preact';

/** Content that may be wider than the window: it scrolls by itself, also by keyboard. */
export function Scroll({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="scroll" role="group" aria-label="table, scrolls sideways" tabIndex={0}>
      {children}
    </div>
  );
}
