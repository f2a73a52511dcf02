/** Python commands that make other records of those of a file, for what jq or a change of one column cannot do. */

import { shellWord } from '../vocabulary/shell-word.ts';
import type { InspectedFile } from './inspected.ts';
import { baseName } from './log-finding.ts';

/** An expression for the records of a file, as dictionaries; undefined: Python's standard library cannot read them. */
export function recordsIn({ format: { form, encoding } }: InspectedFile, source: string): string | undefined {
  if (encoding === undefined || encoding === 'UTF-16' || encoding === 'UTF-32') return undefined;
  if (form.kind === 'ndjson') return `map(json.loads,${source})`;
  if (form.kind !== 'delimited') return undefined;
  const { delimiter, columns, width } = form;
  const names = columns === undefined ? `,fieldnames=[f"column_{i+1}" for i in range(${width})]` : '';
  return `csv.DictReader(${source}${names}${delimiter === ',' ? '' : `,delimiter=${JSON.stringify(delimiter)}`})`;
}

/** An expression for the records of a file that is opened by its name and decompressed; undefined: as for `recordsIn`. */
export function recordsOpened(file: InspectedFile): string | undefined {
  const name = JSON.stringify(file.name);
  switch (file.format.compression) {
    case 'none':
      return recordsIn(file, `open(${name})`);
    case 'gzip':
      return recordsIn(file, `gzip.open(${name},"rt")`);
    default:
      return undefined;
  }
}

/** The value of a field; undefined: it is not one of the record itself. */
export function valueAt(path: string): string | undefined {
  const name = path.slice(1);
  return /[/[]/.test(name) ? undefined : `r[${JSON.stringify(name.replaceAll('~1', '/').replaceAll('~0', '~'))}]`;
}

/**
 * A command that prints a JSON object for each of these records into a new file beside the log. @param records an expression that
 * may use `r`
 */
export function printing(setup: readonly string[], records: string, file: InspectedFile, isFed: boolean): string {
  const python = ['import csv,datetime,gzip,json,sys', ...setup, `[print(json.dumps(r)) for r in ${records}]`].join(
    '; ',
  );
  const command = `python3 -c ${shellWord(python)}`;
  const { name, format } = file;
  const fed = {
    none: `${command} < ${shellWord(name)}`,
    gzip: `gzip -dc < ${shellWord(name)} | ${command}`,
    zstd: `zstd -dc < ${shellWord(name)} | ${command}`,
  };
  return `${isFed ? fed[format.compression] : command} > ${shellWord(mendedRecords(name))}`;
}

function mendedRecords(name: string): string {
  return `mended-${baseName(name)
    .replace(/\.(?:gz|gzip|zst|zstd)$/i, '')
    .replace(/\.[a-z]+$/i, '')}.ndjson`;
}
