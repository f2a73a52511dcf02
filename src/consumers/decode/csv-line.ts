/**
 * The fields of one row (RFC 4180): commas, fields in double quotes, a quote inside them doubled. undefined: a quote that does
 * not end, or is not allowed there.
 */
export function splitRow(line: string, separator = ','): readonly string[] | undefined {
  const row = line.endsWith('\n') ? line.slice(0, -1) : line;
  const text = row.endsWith('\r') ? row.slice(0, -1) : row;
  if (!text.includes('"')) return text.split(separator);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      let field = '';
      for (;;) {
        const end = text.indexOf('"', at + 1);
        if (end < 0) return undefined;
        field += text.slice(at + 1, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
      }
      if (at < text.length && text[at] !== separator) return undefined;
      fields.push(field);
    } else {
      const next = text.indexOf(separator, at);
      const end = next < 0 ? text.length : next;
      const field = text.slice(at, end);
      if (field.includes('"')) return undefined;
      fields.push(field);
      at = end;
    }
    if (at >= text.length) return fields;
    at++;
  }
}
