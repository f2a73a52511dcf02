import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Children, Fragment, jsx, Markup } from '../../src/charts/jsx.ts';
import { HOSTILE } from '../page/views.ts';

const anyText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }));

/** What a browser reads. */
function read(markup: string): string {
  return markup.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Children in any order and depth, and the texts of those that show anything. */
const anyChildren = fc.letrec<{ child: Children; list: Children }>((tie) => ({
  child: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyText,
    fc.integer(),
    fc.constantFrom(null, undefined, true, false, ''),
    tie('list'),
  ),
  list: fc.array(tie('child'), { maxLength: 4 }),
})).list;

/** Without what cannot be seen, or turns the text around it. */
function seen(text: string): string {
  return [...text].map((sign) => (/^(?:\p{Cc}|\p{Zl}|\p{Zp}|\p{Bidi_C})$/u.test(sign) ? '\uFFFD' : sign)).join('');
}

function shown(children: Children): string {
  if (typeof children === 'string') return seen(children);
  if (typeof children === 'number') return String(children);
  return Array.isArray(children) ? children.map(shown).join('') : '';
}

describe('JSX as text', () => {
  test('shows each text and number as it is, without hidden signs, and no markup in it', () => {
    fc.assert(
      fc.property(anyChildren, (children) => {
        const { text } = jsx('p', null, children);
        expect(text.startsWith('<p>') && text.endsWith('</p>')).toBe(true);
        const inside = text.slice('<p>'.length, -'</p>'.length);
        expect(inside).not.toMatch(/[<>"]|&(?!(?:quot|lt|gt|amp);)/);
        expect(read(inside)).toBe(shown(children));
        expect(Fragment({ children }).text).toBe(inside);
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  test('keeps each value within its attribute', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        fc.pre(value !== '');
        const { text } = jsx('a', { href: value, class: undefined, id: null }, 'x');
        const [, written] = /^<a href="([^"<]*)">x<\/a>$/.exec(text) ?? [];
        expect(read(written)).toBe(seen(value));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  test('writes what stands for yes or no as HTML has it', () => {
    const props = { checked: true, disabled: false, class: '', 'data-view': true, 'aria-hidden': false };
    expect(jsx('input', props).text).toBe('<input checked class data-view="true" aria-hidden="false"/>');
  });

  test('closes what is empty, since only some elements of HTML may be left open', () => {
    expect(jsx('td', null).text).toBe('<td></td>');
    expect(jsx('input', { type: 'radio' }).text).toBe('<input type="radio"/>');
  });

  test('passes a component its children: one as it is, several as a list', () => {
    const given: unknown[] = [];
    const Part = (props: { readonly children?: Children; readonly name: string }): Markup => {
      given.push(props);
      return jsx('i', null, props.children);
    };
    const parts = [
      jsx(Part, { name: 'a' }),
      jsx(Part, { name: 'b' }, 'one & only'),
      jsx(Part, { name: 'c' }, 'one', new Markup('<b>two</b>')),
    ];
    expect(given).toEqual([
      { name: 'a' },
      { name: 'b', children: 'one & only' },
      { name: 'c', children: ['one', new Markup('<b>two</b>')] },
    ]);
    expect(parts.map(({ text }) => text)).toEqual(['<i></i>', '<i>one &amp; only</i>', '<i>one<b>two</b></i>']);
  });
});
