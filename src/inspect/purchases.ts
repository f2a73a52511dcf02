/** Whether feedback without an action is about purchases, by the name of its file or columns. */
import type { Fields } from '../consumers/decode/raw.ts';
import { isOfElements, type Profile, profileOf } from './fields.ts';
import { baseName } from './log-finding.ts';

const FILE =
  /(?:^|[^a-z])(?:purchases?|orders?|checkouts?|transactions?|conversions?|sales)(?![a-z])|bestell|kauf|k(?:ae|ä)ufe|achats?(?![a-z])|compras/i;
const COLUMN =
  /^(?:order|transaction|invoice|receipt|purchase|checkout)(?:e?d)?_?(?:id|no|nr|number|key|time|date|at|ts|total)$|^bestell|revenue|^paid|bought|total_?price|umsatz/i;
const PRICE = /^(?:unit_?)?price$|^preis$/i;
const QUANTITY = /^(?:quantity|qty|menge|anzahl)$/i;

/** The evidence, as the subject of a sentence: `its name`, or a path; undefined: there is none. */
export function purchaseSign(file: string, { fields }: Profile): string | undefined {
  if (FILE.test(baseName(file))) return 'its name';
  const paths = [...fields.keys()].filter((path) => !isOfElements(path));
  const named = (name: RegExp): string | undefined =>
    paths.find((path) => {
      const steps = path.split('/').slice(-2);
      return name.test(steps[1]) || name.test(steps.join('_'));
    });
  const column = named(COLUMN);
  if (column !== undefined) return column;
  const [price, quantity] = [named(PRICE), named(QUANTITY)];
  return price === undefined || quantity === undefined ? undefined : `${price} with ${quantity}`;
}

/** The action of feedback without one: purchase if all files suggest it, else click. */
export function unnamedAction(
  files: readonly { readonly name: string; readonly rows: readonly Fields[] }[],
): 'click' | 'purchase' {
  const arePurchases = files.every(({ name, rows }) => purchaseSign(name, profileOf(rows)) !== undefined);
  return files.length > 0 && arePurchases ? 'purchase' : 'click';
}
