import { type Children, jsx } from '../charts/jsx.ts';
import type { TableColumn } from '../experiment/presented.ts';
import { Name } from './name.ts';

/** A column, which `class` styles. */
interface Column extends TableColumn {
  readonly class?: string;
  /** Whether only those who cannot see the column get its head. */
  readonly isUnseen?: boolean;
}

interface DataTableProps {
  readonly columns: readonly Column[];
  /** The cells, whose text may come from a stranger. The first one of a row is its head. */
  readonly rows: readonly (readonly Children[])[];
  readonly caption?: string;
  readonly class?: string;
}

/** A table that scrolls by itself where it is wider than the window. */
export function DataTable({ columns, rows, caption, class: style }: DataTableProps) {
  const classes = columns.map(classOf);
  return (
    <Scroll>
      <table class={style}>
        {caption === undefined ? null : <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ name, isUnseen }, c) => (
              <th scope="col" class={classes[c]}>
                {isUnseen ? <span class="unseen">{name}</span> : <Name>{name}</Name>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, c) => {
                const inside = typeof cell === 'string' && !columns[c].isNumber ? <Name>{cell}</Name> : cell;
                return c === 0 ? (
                  <th scope="row" class={classes[c]}>
                    {inside}
                  </th>
                ) : (
                  <td class={classes[c]}>{inside}</td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function classOf({ isNumber = false, isRoomy = false, class: own }: Column): string | undefined {
  const all = [...(isNumber ? ['number'] : []), ...(isRoomy ? ['roomy'] : []), ...(own === undefined ? [] : [own])];
  return all.length === 0 ? undefined : all.join(' ');
}

/** Content that may be wider than the window: it scrolls by itself, also by keyboard. */
export function Scroll({ children }: { readonly children: Children }) {
  return (
    <div class="scroll" role="group" aria-label="table, scrolls sideways" tabindex={0}>
      {children}
    </div>
  );
}
