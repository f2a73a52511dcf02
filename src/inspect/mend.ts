/** Commands that change one field in all records of a file, with jq for JSON and Python's csv module for CSV. */
import { shellWord } from '../vocabulary/shell-word.ts';
import { isNumbers, isOfElements, mainType } from './fields.ts';
import type { Delimited } from './file-shape.ts';
import type { InspectedFile } from './inspected.ts';
import { baseName, jqPath } from './log-finding.ts';

/** A change to the text of a field. */
export type Step =
  | { readonly kind: 'case' | 'number' | 'blanks' | 'dashes' | 'comma' | 'text' }
  | { readonly kind: 'prefix' | 'suffix'; readonly cut: string }
  | { readonly kind: 'prefix' | 'suffix'; readonly put: string }
  /** `quoted`: whether the number is in quotes. */
  | { readonly kind: 'subtract'; readonly by: number; readonly quoted: boolean }
  /** From a date in this strptime format to ISO 8601, with its zone if it has one. */
  | { readonly kind: 'date'; readonly format: string }
  /** From a spreadsheet's days to an ISO 8601 date without a zone. */
  | { readonly kind: 'serial' };

/** @param path of the field, in the files of these names. @returns undefined: no single command can do it */
export function mendCommand(
  path: string,
  steps: readonly Step[],
  names: readonly string[],
  files: readonly InspectedFile[],
): string | undefined {
  return forAll((file) => commandFor(path, steps, file), names, files);
}

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

/** A command that adds a field `items` with all elements of the inner lists in their order; undefined: no single command can do it. */
export function nestedCommand(
  outer: string,
  inner: string,
  names: readonly string[],
  files: readonly InspectedFile[],
): string | undefined {
  const command = `jq -c ${shellWord(`.items = [${jqPath(outer)}[]${jqPath(inner)}[]]`)}`;
  return forAll(
    ({ format: { form, encoding } }) => (form.kind === 'ndjson' && encoding !== undefined ? command : undefined),
    names,
    files,
  );
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
function sortedBy(path: string, { format: { form, encoding }, profile }: InspectedFile): string | undefined {
  if (encoding === undefined) return undefined;
  if (form.kind === 'ndjson') return `jq -sc ${shellWord(`sort_by(${jqPath(path)})[]`)}`;
  const field = profile.fields.get(path);
  if (form.kind !== 'delimited' || field === undefined || columnAt(form, path) < 0) return undefined;
  const csv = form.delimiter === ',' ? '' : `,delimiter=${pythonText(form.delimiter)}`;
  const cell = `r[${columnAt(form, path)}]`;
  const key = isNumbers(field) ? `float(${cell} or 0)` : cell;
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

/** A command that adds a field `items` with the non-empty values of these fields; undefined: no single command can do it. */
export function gatherCommand(paths: readonly string[], { name, format }: InspectedFile): string | undefined {
  const { form, compression, encoding } = format;
  if (encoding === undefined) return undefined;
  const to = mendedName(name);
  if (form.kind === 'ndjson') {
    const list = `.items = [${paths.map(jqPath).join(', ')} | values]`;
    return `${fed(`jq -c ${shellWord(list)}`, name, compression)} > ${to}`;
  }
  if (form.kind !== 'delimited') return undefined;
  const { delimiter, columns } = form;
  const at = paths.map((path) => columnAt(form, path));
  const sign = delimiter === '|' ? ' ' : '|';
  const list = `${pythonText(sign)}.join(filter(None,map(r.__getitem__,${JSON.stringify(at)})))`;
  const csv = delimiter === ',' ? '' : `,delimiter=${pythonText(delimiter)}`;
  const row = columns === undefined ? `[*r,${list}]` : `[*r,${list} if n else "items"]`;
  const command = `python3 -c ${shellWord(`import csv,sys; csv.writer(sys.stdout${csv},lineterminator="\\n").writerows(${row} for n,r in enumerate(csv.reader(sys.stdin${csv})))`)}`;
  return `${fed(command, name, compression)} > ${to}`;
}

/**
 * A command that turns each list of pairs into an object; for CSV it writes NDJSON, in which other lists are no longer text.
 * undefined: no single command can do it.
 */
export function unpairCommand(
  paths: readonly string[],
  key: string,
  { name, format }: InspectedFile,
): string | undefined {
  const { form, compression, encoding } = format;
  if (encoding === undefined) return undefined;
  if (form.kind === 'ndjson') {
    const value = 'if type == "object" then [.[] | values][0] else . end';
    const pairs = `if type == "string" then fromjson else . end | map({(.${key}): (.value | ${value})}) | add`;
    const step = `(${paths.map(jqPath).join(', ')}) |= (${pairs})`;
    return `${fed(`jq -c ${shellWord(step)}`, name, compression)} > ${mendedName(name)}`;
  }
  if (form.kind !== 'delimited' || form.columns === undefined) return undefined;
  const columns = form.columns.filter((_, at) => paths.some((path) => columnAt(form, path) === at));
  const csv = form.delimiter === ',' ? '' : `,delimiter=${pythonText(form.delimiter)}`;
  const one = 'one=lambda v: next((x for x in v.values() if x is not None),None) if isinstance(v,dict) else v';
  const cell = `v if v[:1]!="[" else {e["${key}"]:one(e["value"]) for e in json.loads(v)} if c in ${JSON.stringify(columns)} else json.loads(v)`;
  const python = `import csv,json,sys; csv.field_size_limit(10**9); ${one}; [print(json.dumps({c:${cell} for c,v in r.items()})) for r in csv.DictReader(sys.stdin${csv})]`;
  const to = shellWord(`mended-${unpackedName(baseName(name)).replace(/\.[a-z]+$/i, '')}.ndjson`);
  return `${fed(`python3 -c ${shellWord(python)}`, name, compression)} > ${to}`;
}

/** A new field with what a pattern finds in another field. */
interface Extract {
  readonly as: string;
  readonly path: string;
  /** A pattern that is valid in JavaScript, Python and jq, with one group. */
  readonly pattern: string;
}

/** A command that adds fields with ids found inside texts, empty (or null) if not found; undefined: no single command can do it. */
export function extractCommand(
  extracts: readonly Extract[],
  names: readonly string[],
  files: readonly InspectedFile[],
): string | undefined {
  return forAll((file) => extractFrom(extracts, file), names, files);
}

/** The command without its input and output. */
function extractFrom(extracts: readonly Extract[], { format }: InspectedFile): string | undefined {
  const { form, encoding } = format;
  if (encoding === undefined) return undefined;
  if (form.kind === 'ndjson') {
    const steps = extracts.map(
      ({ as, path, pattern }) => `.${as} = ([${jqPath(path)} | scan(${JSON.stringify(pattern)})] | .[0][0])`,
    );
    return `jq -c ${shellWord(steps.join(' | '))}`;
  }
  if (form.kind !== 'delimited') return undefined;
  const { delimiter, columns } = form;
  const cells = extracts
    .map(({ path, pattern }) => `(re.findall(${pythonText(pattern)},r[${columnAt(form, path)}])+[""])[0]`)
    .join(',');
  const heads = extracts.map(({ as }) => pythonText(as)).join(',');
  const csv = delimiter === ',' ? '' : `,delimiter=${pythonText(delimiter)}`;
  const row = columns === undefined ? `[*r,${cells}]` : `[*r,${cells}] if n else [*r,${heads}]`;
  return `python3 -c ${shellWord(`import csv,re,sys; csv.writer(sys.stdout${csv},lineterminator="\\n").writerows(${row} for n,r in enumerate(csv.reader(sys.stdin${csv})))`)}`;
}

/** The command without its input and output. */
function commandFor(path: string, steps: readonly Step[], file: InspectedFile): string | undefined {
  if (file.format.encoding === undefined) return undefined;
  const { form } = file.format;
  // jq's strptime reads a zone but ignores it.
  const isZoned = steps.some((step) => step.kind === 'date' && step.format.includes('%z'));
  if (form.kind === 'ndjson') return isZoned ? undefined : `jq -c ${shellWord(jqOf(path, steps))}`;
  if (form.kind !== 'delimited' || isOfElements(path)) return undefined;
  const at = columnAt(form, path);
  return at < 0 ? undefined : csvCommand(form, at, steps);
}

function jqOf(path: string, steps: readonly Step[]): string {
  const at = jqPath(path);
  const [only] = steps;
  if (steps.length === 1 && only.kind === 'subtract' && !only.quoted) return `${at} -= ${only.by}`;
  const all = steps.map(jqStep).join(' | ');
  return `${at} |= ${steps.length > 1 ? `(${all})` : all}`;
}

const JQ = {
  case: 'ascii_downcase',
  number: '(tostring | sub("\\\\.0+$"; "") | sub("^0+(?=.)"; ""))',
  blanks: 'gsub("^ +| +$"; "")',
  dashes: 'gsub("[-_{}]"; "")',
  comma: '(if type == "string" then sub(","; ".") else . end)',
  text: '(if . == null then . else tostring end)',
} as const;

function jqStep(step: Step): string {
  if ('cut' in step) return `${step.kind === 'prefix' ? 'ltrimstr' : 'rtrimstr'}(${JSON.stringify(step.cut)})`;
  if ('put' in step) {
    return step.kind === 'prefix' ? `${JSON.stringify(step.put)} + .` : `. + ${JSON.stringify(step.put)}`;
  }
  if (step.kind === 'date') {
    const text = /^(?:%.)+$/.test(step.format) ? 'tostring | ' : '';
    return `(${text}strptime(${JSON.stringify(step.format)}) | strftime("%Y-%m-%d %H:%M:%S${utcOf(step.format)}"))`;
  }
  if (step.kind === 'serial') {
    return '(tostring | sub(","; ".") | tonumber | (. - 25569) * 86400 | round | strftime("%Y-%m-%d %H:%M:%S"))';
  }
  return step.kind === 'subtract' ? `(tonumber - ${step.by} | tostring)` : JQ[step.kind];
}

/** Z if the format means UTC. */
function utcOf(format: string): 'Z' | '' {
  return /(?:GMT|Z)$/.test(format) ? 'Z' : '';
}

function columnAt({ columns, width }: Delimited, path: string): number {
  const names = columns ?? Array.from({ length: width }, (_, i) => `column_${i + 1}`);
  return names.findIndex((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` === path);
}

/** Quotes are read as in a replay, and written only if needed. */
function csvCommand({ delimiter, columns }: Delimited, at: number, steps: readonly Step[]): string {
  const form = delimiter === ',' ? '' : `,delimiter=${pythonText(delimiter)}`;
  const mended = steps.reduce(pythonStep, `r[${at}]`);
  const change = `[*r[:${at}],${mended},*r[${at + 1}:]]`;
  const row = columns === undefined ? change : `${change} if n else r`;
  const rows = `csv.reader(sys.stdin${form})`;
  const each = columns === undefined ? `for r in ${rows}` : `for n,r in enumerate(${rows})`;
  const isOf = (...kinds: readonly Step['kind'][]): boolean => steps.some(({ kind }) => kinds.includes(kind));
  const imports = `csv${isOf('date', 'serial') ? ',datetime' : ''}${isOf('number', 'dashes') ? ',re' : ''},sys`;
  return `python3 -c ${shellWord(`import ${imports}; csv.writer(sys.stdout${form},lineterminator="\\n").writerows(${row} ${each})`)}`;
}

function pythonStep(text: string, step: Step): string {
  if ('cut' in step) return `${text}.remove${step.kind}(${pythonText(step.cut)})`;
  if ('put' in step)
    return step.kind === 'prefix' ? `${pythonText(step.put)}+${text}` : `${text}+${pythonText(step.put)}`;
  switch (step.kind) {
    case 'subtract':
      return `str(${Number.isInteger(step.by) ? 'int' : 'float'}(${text})-${step.by})`;
    case 'date':
      return `str(datetime.datetime.strptime(${text},${pythonText(step.format)}))${utcOf(step.format) === '' ? '' : '+"Z"'}`;
    case 'serial':
      return `str(datetime.datetime(1899,12,30)+datetime.timedelta(float(${text}.replace(",","."))))`;
    case 'comma':
      return `${text}.replace(",",".")`;
    case 'case':
      return `${text}.lower()`;
    case 'blanks':
      return `${text}.strip()`;
    case 'dashes':
      return `re.sub("[-_{}]","",${text})`;
    case 'text':
      return text;
    case 'number':
      return `re.sub(r"^0+(?=.)","",re.sub(r"\\.0+$","",${text}))`;
  }
}

/** A literal for JSON, jq and Python: its backslashes are doubled, so nothing in it is read as code. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
