/** Commands that make other files of a log, where no map can read it: with jq for JSON, with Python's csv module for CSV. */
import { escapedStep } from '../consumers/decode/pointer.ts';
import { shellWord } from '../vocabulary/shell-word.ts';
import { isNumbers, mainType } from './fields.ts';
import type { Delimited } from './file-shape.ts';
import type { InspectedFile } from './inspected.ts';
import { baseName, jqPath } from './log-finding.ts';

/** One command for all of these files, which writes new files beside them; undefined: no single command can do it. */
function forAll(
  commandOf: (file: InspectedFile) => string | undefined,
  names: readonly string[],
  files: readonly InspectedFile[],
  as = 'mended',
): string | undefined {
  const forms = names.map((name) => {
    const file = files.find((one) => one.name === name);
    return file === undefined ? undefined : commandOf(file);
  });
  const packings = names.map((name) => files.find((one) => one.name === name)?.format.compression ?? 'none');
  const [command] = forms;
  const [packing] = packings;
  if (command === undefined || forms.some((one) => one !== command) || packings.some((one) => one !== packing)) {
    return undefined;
  }
  const isFiltered = command.startsWith('jq ') && isPartlyReadable(names, files);
  const [first, then] = isFiltered ? [READABLE, ` | ${command}`] : [command, ''];
  const [name, ...others] = names;
  if (others.length > 0) {
    const each = `"$f"`;
    const input = `${packing === 'none' ? `${first} < ${each}` : `${UNPACK[packing]} < ${each} | ${first}`}${then}`;
    const ends = [...new Set(names.map((one) => baseName(one).slice(unpackedName(baseName(one)).length)))];
    if (ends.length > 1) return undefined;
    const isUnique = new Set(names.map(baseName)).size === names.length;
    // Files in several folders have the same name, so the folder becomes a part of the new name.
    const whole = `$(printf %s "\${f%${ends[0]}}" | tr / -)`;
    const to = !isUnique ? whole : ends[0] === '' ? '$' + '{f##*/}' : `$(basename ${each} ${ends[0]})`;
    return `for f in ${names.map(shellWord).join(' ')}; do ${input} > "${as}-${to}"; done`;
  }
  return `${fed(first, name, packing)}${then} > ${mendedName(name, as)}`;
}

/** jq stops at a line that is not JSON, and fails at fields of what is no object, so such records are left out. */
export const READABLE = "jq -cR 'fromjson? | objects'";

/** Whether some of these files have lines that READABLE leaves out. */
export function isPartlyReadable(names: readonly string[], files: readonly InspectedFile[]): boolean {
  return files.some(
    ({ name, bad, format: { form } }) => names.includes(name) && form.kind === 'ndjson' && bad.length > 0,
  );
}

export type Packing = InspectedFile['format']['compression'];

const UNPACK = { gzip: 'gzip -dc', zstd: 'zstd -dc' } as const;

/** The command with the uncompressed file as its input. */
export function fed(command: string, name: string, packing: Packing): string {
  if (packing === 'none') return `${command} ${command.startsWith('jq ') ? '' : '< '}${shellWord(name)}`;
  return `${UNPACK[packing]} < ${shellWord(name)} | ${command}`;
}

/** A jq command with all of these files as its input. */
export function fedAll(command: string, names: readonly string[], packing: Packing): string {
  const files = names.map(shellWord).join(' ');
  return packing === 'none' ? `${command} ${files}` : `cat ${files} | ${UNPACK[packing]} | ${command}`;
}

/** A command that converts a file to UTF-8. */
export function recoded(from: string, name: string, packing: Packing): string {
  const to = shellWord(`utf8-${unpackedName(baseName(name))}`);
  const iconv = `iconv -f ${from} -t UTF-8`;
  return packing === 'none' ? `${iconv} ${shellWord(name)} > ${to}` : `${fed(iconv, name, packing)} > ${to}`;
}

/** A command that writes whole numbers from 2^53 on as text, which jq would round; undefined: no single command can do it. */
export function textIdsCommand(names: readonly string[], files: readonly InspectedFile[]): string | undefined {
  const python =
    'import json,sys; n=lambda t: int(t) if abs(int(t))<2**53 else t; [print(json.dumps(json.loads(l,parse_int=n))) for l in sys.stdin]';
  const command = `python3 -c ${shellWord(python)}`;
  return forAll(
    ({ format: { form, encoding } }) => (form.kind === 'ndjson' && encoding !== undefined ? command : undefined),
    names,
    files,
  );
}

/** A command that sorts records by a field of times; undefined: no single command can do it. */
export function sortCommand(
  path: string,
  names: readonly string[],
  files: readonly InspectedFile[],
): string | undefined {
  return forAll((file) => sortedBy(path, file), names, files);
}

/** The command without its input and output. */
function sortedBy(path: string, { format: { form, encoding }, profile, made }: InspectedFile): string | undefined {
  if (encoding === undefined) return undefined;
  const own = made.find((field) => field.path === path)?.source;
  const isCounted = own !== undefined && (own.timeOrigin !== undefined || own.unit !== undefined);
  // The file holds what the map reads, such as dates whose text is not in the order of time.
  if (own !== undefined && (!isCounted || form.kind !== 'delimited' || own.decimal !== undefined)) return undefined;
  if (form.kind === 'ndjson') return `jq -sc ${shellWord(`sort_by(${jqPath(path)})[]`)}`;
  const field = profile.fields.get(path);
  if (form.kind !== 'delimited' || field === undefined || columnAt(form, path) < 0) return undefined;
  const csv = form.delimiter === ',' ? '' : `,delimiter=${pythonText(form.delimiter)}`;
  const cell = `r[${columnAt(form, path)}]`;
  const key = isCounted || isNumbers(field) ? `float(${cell} or 0)` : cell;
  const head = form.columns === undefined ? '' : 'w.writerow(next(rows)); ';
  const python = `import csv,sys; rows=csv.reader(sys.stdin${csv}); w=csv.writer(sys.stdout${csv},lineterminator="\\n"); ${head}w.writerows(sorted(filter(None,rows),key=lambda r:${key}))`;
  return `python3 -c ${shellWord(python)}`;
}

/** A command that removes the text before the object of each line. */
export function behindCommand(name: string, packing: Packing): string {
  return `${fed("sed 's/^[^{]*//'", name, packing)} > ${mendedName(name)}`;
}

/** A command that turns the name=value pairs of each line into an object. */
export function pairsCommand(name: string, packing: Packing): string {
  const pairs = 're.findall(r"([\\w.-]+)=(?:\\"([^\\"]*)\\"|(\\S*))",l)';
  const python = `import json,re,sys; [print(json.dumps({n:a or b for n,a,b in ${pairs}})) for l in sys.stdin]`;
  return `${fed(`python3 -c ${shellWord(python)}`, name, packing)} > ${mendedName(name)}`;
}

function unpackedName(name: string): string {
  return name.replace(/\.(?:gz|gzip|zst|zstd)$/i, '');
}

function mendedName(name: string, as = 'mended'): string {
  return shellWord(`${as}-${unpackedName(baseName(name))}`);
}

/** Commands that write the records of some kinds to separate files, `shown-NAME` and `done-NAME`; undefined: no commands can do it. */
export function splitCommand(
  path: string,
  parts: Readonly<Record<string, readonly string[]>>,
  names: readonly string[],
  files: readonly InspectedFile[],
): string | undefined {
  const commands = Object.entries(parts).map(([as, kinds]) =>
    forAll((file) => kindsCommand(path, kinds, file), names, files, as),
  );
  return commands.every((command) => command !== undefined) ? commands.join('; ') : undefined;
}

/** The command without its input and output. */
function kindsCommand(path: string, kinds: readonly string[], { format, profile }: InspectedFile): string | undefined {
  const { form, encoding } = format;
  if (encoding === undefined) return undefined;
  const some = kinds.map(pythonText).join(', ');
  if (form.kind === 'ndjson' || form.kind === 'json-array') {
    const each = form.kind === 'json-array' ? '(if type == "array" then .[] else . end) | ' : '';
    const field = profile.fields.get(path);
    const kind = field !== undefined && mainType(field) === 'whole' ? `(${jqPath(path)} | tostring)` : jqPath(path);
    return `jq -c ${shellWord(`${each}select(${kind} == (${some}))`)}`;
  }
  if (form.kind !== 'delimited') return undefined;
  const at = columnAt(form, path);
  const csv = form.delimiter === ',' ? '' : `,delimiter=${pythonText(form.delimiter)}`;
  const head = form.columns === undefined ? '' : 'n==0 or ';
  const python = `import csv,sys; csv.writer(sys.stdout${csv},lineterminator="\\n").writerows(r for n,r in enumerate(csv.reader(sys.stdin${csv})) if ${head}r and r[${at}] in [${some}])`;
  return at < 0 ? undefined : `python3 -c ${shellWord(python)}`;
}

function columnAt({ columns, width }: Delimited, path: string): number {
  const names = columns ?? Array.from({ length: width }, (_, i) => `column_${i + 1}`);
  return names.findIndex((name) => `/${escapedStep(name)}` === path);
}

/** A literal for JSON, jq and Python: its backslashes are doubled, so nothing in it is read as code. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
