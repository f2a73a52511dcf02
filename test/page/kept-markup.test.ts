import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attribute, elements, joined, jsx, Markup, NOTHING } from '../../src/charts/jsx.ts';
import { kept, markupOf } from '../../src/page/kept-markup.ts';
import { HOSTILE } from './views.ts';

const anyText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }));

describe('markup that is kept', () => {
  interface View {
    readonly name: string;
    readonly count: number;
  }
  const draw = ({ name, count }: View, words: string) => jsx('p', { title: words }, name, jsx('b', null, count));

  test('is what would be drawn now, in whatever order views are asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ name: anyText, count: fc.integer() }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom('a', 'b', ''))),
        (views, asked) => {
          const markup = kept(draw);
          // Equal views that are other objects are views of their own.
          const all = [...views, ...views.map((view) => ({ ...view, count: view.count + 1 })), ...views];
          for (const [i, words] of asked) {
            const view = all[i % all.length];
            expect(markup(view, words)).toBe(markupOf(draw(view, words)));
          }
        },
      ),
      { numRuns: 200, seed: 1 },
    );
  });

  test('is drawn once', () => {
    let times = 0;
    const markup = kept((view: View, words) => {
      times++;
      return draw(view, words);
    });
    const view = { name: 'a', count: 1 };
    for (let i = 0; i < 3; i++) markup(view, 'words');
    expect(times).toBe(1);
  });

  test('is part of other markup as it is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const inner = new Markup(markupOf(jsx('b', null, text)));
        expect(markupOf(jsx('p', null, inner))).toBe(markupOf(jsx('p', null, jsx('b', null, text))));
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

describe('elements without JSX', () => {
  test('are the bytes of JSX, whatever is in them', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.oneof(fc.integer(), fc.double()), (name, text, n) => {
        fc.pre(name !== '' && text !== '');
        const inner = elements`<i title="${text}"${attribute('id', name)}${attribute('lang', undefined)}>${n}</i>`;
        const fast = elements`<td class="${name}">${text}${n}${NOTHING}${joined([inner, inner])}</td>`;
        const slow = jsx('i', { title: text, id: name, lang: undefined }, n);
        const expected = jsx('td', { class: name }, [text, n, slow, slow]);
        expect(markupOf(fast)).toBe(markupOf(expected));
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});
