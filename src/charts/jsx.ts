/**
 * JSX as text: an element is written when it is made, inside first, and is never an object of a tree. Text and attributes of elements
 * are escaped here, and hidden characters in them replaced, in the one place that they all pass; only what is `Markup` already is not
 * (docs/decisions/0022-pages-as-text.md).
 */

/** What is escaped already. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const NOTHING = new Markup('');

/** What may stand between tags. null, undefined and booleans write nothing. */
export type Children = Markup | string | number | boolean | null | undefined | readonly Children[];

type Value = string | number | boolean | null | undefined;

interface Attributes {
  readonly [attribute: `${'aria' | 'data' | 'text'}-${string}`]: Value;
  readonly children?: Children;
  readonly class?: string | undefined;
  readonly id?: string | undefined;
  readonly role?: string | undefined;
  readonly tabindex?: number;
}

type Placed<Names extends string> = Attributes & { readonly [name in Names]?: string | number | undefined };

/** The elements that the pages use, with their attributes. */
interface Elements {
  readonly a: Attributes & { readonly href: string; readonly download?: string };
  readonly b: Attributes;
  readonly bdi: Attributes;
  readonly button: Attributes & { readonly type: 'submit' | 'button'; readonly disabled?: boolean };
  readonly caption: Attributes;
  readonly circle: Placed<'cx' | 'cy' | 'r'>;
  readonly code: Attributes;
  readonly dd: Attributes;
  readonly details: Attributes;
  readonly div: Attributes;
  readonly dl: Attributes;
  readonly dt: Attributes;
  readonly fieldset: Attributes;
  readonly figcaption: Attributes;
  readonly figure: Attributes;
  readonly form: Attributes & { readonly method?: string; readonly action?: string };
  readonly g: Placed<'transform'>;
  readonly h1: Attributes;
  readonly h2: Attributes;
  readonly h3: Attributes;
  readonly header: Attributes;
  readonly input: Attributes & {
    readonly type: string;
    readonly name?: string;
    readonly value?: string;
    readonly checked?: boolean;
    readonly maxlength?: number;
    readonly autocomplete?: string;
    readonly required?: boolean;
  };
  readonly label: Attributes & { readonly for?: string };
  readonly legend: Attributes;
  readonly li: Attributes;
  readonly line: Placed<'x1' | 'x2' | 'y1' | 'y2'>;
  readonly main: Attributes;
  readonly nav: Attributes;
  readonly noscript: Attributes;
  readonly ol: Attributes;
  readonly p: Attributes;
  readonly path: Attributes & { readonly d: string };
  readonly rect: Placed<'x' | 'y' | 'rx' | 'width' | 'height'>;
  readonly section: Attributes;
  readonly small: Attributes;
  readonly span: Attributes;
  readonly strong: Attributes;
  readonly summary: Attributes;
  readonly svg: Placed<'x' | 'y' | 'width' | 'height' | 'overflow'> & {
    readonly viewBox?: string;
    readonly preserveAspectRatio?: string;
  };
  readonly table: Attributes;
  readonly tbody: Attributes;
  readonly td: Attributes;
  readonly text: Placed<'x' | 'y' | 'dx' | 'dy' | 'transform'>;
  readonly th: Attributes & { readonly scope: 'col' | 'row' };
  readonly thead: Attributes;
  readonly tr: Attributes;
  readonly ul: Attributes;
}

/** null: nothing is to be seen. */
type Component<Props> = (props: Props) => Markup | null;
type Props = Readonly<Record<string, unknown>>;

/** Types of JSX, where the compiler looks for them. */
export declare namespace jsx {
  namespace JSX {
    type Element = Markup;
    interface ElementChildrenAttribute {
      readonly children: unknown;
    }
    interface IntrinsicElements extends Elements {}
  }
}

/** Into what the compiler turns an element: a tag, or a function of its attributes and children. */
export function jsx<P>(type: string | Component<P>, props: P | null, ...children: readonly Children[]): Markup;
export function jsx(type: string | Component<Props>, props: Props | null, ...children: readonly Children[]): Markup {
  if (typeof type !== 'string') {
    const inside = children.length === 0 ? {} : { children: children.length === 1 ? children[0] : children };
    return type({ ...props, ...inside }) ?? NOTHING;
  }
  let text = `<${type}`;
  for (const name in props) text += attributeText(name, props[name]);
  if (children.length === 0 && type === 'input') return new Markup(`${text}/>`);
  return new Markup(`${text}>${textOf(children)}</${type}>`);
}

/** Children without an element around them. */
export function Fragment({ children }: { readonly children?: Children }): Markup {
  return new Markup(textOf(children));
}

/** With a blank before it; nothing where there is no value. Names with a dash have `true` and `false` written out. */
function attributeText(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean' && !name.includes('-')) return value ? ` ${name}` : '';
  return value === '' ? ` ${name}` : ` ${name}="${escaped(String(value))}"`;
}

function textOf(children: Children): string {
  if (typeof children === 'string') return escaped(children);
  if (typeof children === 'number') return String(children);
  if (children instanceof Markup) return children.text;
  if (!Array.isArray(children)) return '';
  let text = '';
  for (const child of children) text += textOf(child);
  return text;
}

const SPECIAL = /["&<>\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** For text, and for attributes in double quotes, of HTML and SVG. */
export function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Replaces characters that are invisible or change the direction of text. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\uFFFD');
}

/**
 * Markup of elements that a page has by the thousand: the fixed text between the values is written as it stands. Markup with values in it, between tags
 * or in an attribute in double quotes.
 */
export function elements(fixed: TemplateStringsArray, ...values: readonly (string | number | Markup)[]): Markup {
  let text = fixed[0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    text += typeof value === 'number' ? value : typeof value === 'string' ? escaped(value) : value.text;
    text += fixed[i + 1];
  }
  return new Markup(text);
}

/** With a blank before it; nothing where there is no value. */
export function attribute(name: string, value: string | undefined): Markup {
  return value === undefined ? NOTHING : new Markup(attributeText(name, value));
}

export function joined(parts: readonly Markup[]): Markup {
  return parts.length === 0 ? NOTHING : new Markup(parts.map(({ text }) => text).join(''));
}
