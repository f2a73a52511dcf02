const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML and SVG, also inside of attributes. Control characters that XML forbids are left out. */
export function escaped(text: string): string {
  return text.replace(/(?![\t\n\r])\p{Cc}/gu, '').replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
}

export type Attributes = Readonly<Record<string, string | number>>;

/** One element. `inside` is markup already, so escape what is text. */
export function element(name: string, attributes: Attributes, inside = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(attributeText(value))}"`);
  return inside === '' ? `<${name}${list.join('')}/>` : `<${name}${list.join('')}>${inside}</${name}>`;
}

/** Coordinates to a hundredth of a pixel. */
function attributeText(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : value;
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#1f2430;background:#fff;max-width:75rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:left;border-bottom:1px solid #d9dce3;white-space:nowrap}
th{border-bottom:2px solid #8a909e}.number{text-align:right}
svg{max-width:100%;height:auto}.note{color:#555b69}`;

/** A page that needs nothing else. @param body markup */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}</body>
</html>
`;
}
