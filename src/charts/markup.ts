import { escaped } from './jsx.ts';

export type Attributes = Readonly<Record<string, string | number>>;

/** One element. `inside` is markup: escape any text in it. */
export function element(name: string, attributes: Attributes, inside = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(attributeText(value))}"`);
  return inside === '' ? `<${name}${list.join('')}/>` : `<${name}${list.join('')}>${inside}</${name}>`;
}

/** Coordinates to a hundredth of a pixel. */
function attributeText(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : value;
}
