import { type Children, jsx } from '../charts/jsx.ts';

/** Content that may be wider than the window: it scrolls by itself, also by keyboard. */
export function Scroll({ children }: { readonly children: Children }) {
  return (
    <div class="scroll" role="group" aria-label="table, scrolls sideways" tabindex={0}>
      {children}
    </div>
  );
}
