/**
 * Compiles the modules in this folder and writes them into the sources that carry them. It also writes the layout of the engine's memory,
 * which the host must know: `npx tsx wasm/compile.ts`. wabt compiles WebAssembly text, AssemblyScript compiles TypeScript. Both are
 * loaded only when needed, because loading them takes as long as compiling ten engines.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Maps each source in this folder to the file below `src` that carries it, and to the name of the constant there. */
export const MODULES = {
  'lz4-block.wat': { file: 'consumers/source/kafka/codecs/lz4-block-code.ts', name: 'LZ4_BLOCK_CODE' },
  'crc32c.wat': { file: 'consumers/source/kafka/codecs/crc32c-code.ts', name: 'CRC32C_CODE' },
  'engine/engine.ts': { file: 'consumers/engine/engine-code.ts', name: 'ENGINE_CODE' },
} as const;
type Source = keyof typeof MODULES;
/** Two sources that no file carries: the parts of the engine, for their own tests, and the one that reports offsets of fields. */
type Compiled = Source | 'engine/parts.ts' | 'offsets.ts';

/** Structures in the engine's memory that the host reads or writes, by file. */
const STRUCTURES = {
  'engine/events': ['ImpressionEvent', 'FeedbackEvent'],
  'engine/feed': ['Feed', 'Row'],
  'engine/closing': ['Closing', 'Closes', 'QueuedEvent'],
  'engine/adding': [
    'Adder',
    'AdderPane',
    'Cell',
    'PendingBuckets',
    'KeptTable',
    'KeptPlace',
    'ActionCodes',
    'KeptSums',
  ],
  'engine/tags': ['TagOfContext'],
  'engine/row-text': ['RowStep'],
  'engine/unit': ['Settings', 'TopicState', 'UnitFigures'],
  'scan/results': ['Results'],
  'scan/program': ['Program', 'Node', 'Key', 'Case', 'Condition', 'Move'],
} as const;
/** Files whose constants are the addresses of structures that exist once. */
const PLACES = ['engine/layout', 'scan/layout'] as const;
/** Other numbers that the host must know. */
const NUMBERS = {
  'engine/rules': ['IS_LATE', 'IS_DUPLICATE'],
  'engine/events': ['USERLESS', 'HAS_RANKS', 'HAS_SCORES', 'HAS_CATEGORIES'],
  'engine/closing': ['CLOSES_LIST', 'UNREFS_TAG', 'MOST_QUEUED_EVENTS'],
  'engine/adding': ['MOST_VECTORS', 'MOST_LISTS', 'PLACE_BITS'],
  'engine/row-text': [
    'NUMBER_IS_VALUE',
    'NUMBER_IS_LISTS',
    'NUMBER_IS_POSITIVES',
    'NUMBER_IS_NONE',
    'NUMBER_IF_ANY',
    'ROW_TEXT_BEYOND',
    'NUMBER_BYTES',
  ],
  'engine/counts': [
    'ACCEPTED',
    'LATE',
    'DUPLICATE',
    'IMPRESSION_COUNTS',
    'ATTRIBUTED',
    'FEEDBACK_LATE',
    'FEEDBACK_DUPLICATE',
    'CAPPED',
    'NOT_IN_LIST',
    'ORPHAN',
    'FEEDBACK_COUNTS',
  ],
  'scan/scan': ['IMPRESSION', 'FEEDBACK', 'HAS_IMPRESSIONS', 'HAS_FEEDBACK', 'CARRIES_CATEGORIES'],
  'scan/results': ['WHOLE', 'TEXT'],
  'scan/items': ['BEFORE_RANKS', 'BEFORE_SCORE_SPANS', 'BEFORE_CATEGORY_PLACES', 'BEFORE_SCORES'],
  'scan/layout': ['SPANS', 'ZEROS'],
  'scan/spans': ['CONTEXT', 'MOST_FIELDS', 'MOST_SPANS'],
  'scan/program': ['PLACES', 'EXISTS', 'IS_ABSENT', 'IS_ONE_OF'],
} as const;
/** The file below `src` that holds the layout. */
export const LAYOUT_FILE = 'consumers/engine/engine-layout.ts';

const OPTIONS = ['--runtime', 'stub', '--enable', 'simd', '--enable', 'bulk-memory', '--importMemory'];

interface Difference {
  /** Replacements for files of this folder, by their names in it. */
  readonly changed?: ReadonlyMap<string, string>;
  /** Compiles with assertions and without optimization, which takes three quarters of the time. */
  readonly isChecked?: boolean;
}

/** The bytes of the module in base64. */
export async function compiled(source: Compiled, difference: Difference = {}): Promise<string> {
  const bytes = source.endsWith('.wat') ? await fromText(source) : await fromTypeScript(source, difference);
  return Buffer.from(bytes).toString('base64');
}

const SRC = resolve(import.meta.dirname, '../src');
const SOURCES_ARE = 'The SHA-256 of the sources is ';

/** The SHA-256, in hexadecimal, of everything that the modules are compiled from. */
export function digest(): string {
  const hash = createHash('sha256');
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.(?:ts|wat)$/.test(name)).sort()) {
    const text = readFileSync(resolve(import.meta.dirname, file), 'utf8');
    hash.update(JSON.stringify([file.split(sep).join('/'), text.replaceAll('\r\n', '\n')]));
  }
  return hash.digest('hex');
}

/** Whether a source has changed since the modules in `src` were compiled. */
export function isStale(): boolean {
  return !readFileSync(resolve(SRC, MODULES['engine/engine.ts'].file), 'utf8').includes(`${SOURCES_ARE}${digest()}.`);
}

/** The source of a file that carries a module. */
export function carrier(source: Source, code: string): string {
  const sources = source === 'engine/engine.ts' ? ` ${SOURCES_ARE}${digest()}.` : '';
  return [
    `/** \`wasm/${source}\`, compiled by \`wasm/compile.ts\`: WebAssembly in base64. Not edited by hand.${sources} */`,
    `export const ${MODULES[source].name} =`,
    `  '${code}';`,
    '',
  ].join('\n');
}

/** The source of LAYOUT_FILE. The offset of each field comes from the compiler itself. */
export async function layout(): Promise<string> {
  const structures = Object.entries(STRUCTURES).flatMap(([file, classes]) =>
    classes.map((of) => {
      const name = of.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
      const place = PLACES.find((each) => sourceOf(each).includes(`const ${name}:`));
      return { file, of, name, place, fields: fieldsOf(sourceOf(file), of) };
    }),
  );
  const numbers = Object.entries(NUMBERS).flatMap(([file, names]) => names.map((name) => ({ file, name })));
  const code = await fromTypeScript('offsets.ts', {
    isChecked: true,
    changed: new Map([
      [
        'offsets.ts',
        [
          ...structures.flatMap(({ file, of, name, place, fields }) => [
            `import { ${of} } from './${file}';`,
            `export const ${of}_BYTES: usize = offsetof<${of}>();`,
            ...(place === undefined
              ? []
              : [`import { ${name} } from './${place}';`, `export const ${of}_AT: usize = ${name};`]),
            ...fields.map(({ field }) => `export const ${of}_${field}: usize = offsetof<${of}>('${field}');`),
          ]),
          ...numbers.flatMap(({ file, name }) => [
            `import { ${name} } from './${file}';`,
            `export const NUMBER_${name}: usize = <usize>${name};`,
          ]),
        ].join('\n'),
      ],
    ]),
  });
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(code)), { env: { memory } });
  const numberOf = (name: string): number => {
    const found = exports[name];
    if (!(found instanceof WebAssembly.Global)) throw new Error(`the compiler has left out ${name}`);
    return Number(found.value);
  };
  return [
    '/**',
    " * What the host must know of the engine's memory, as `wasm/compile.ts` has asked the compiler. Not edited by hand. Of a structure, AT:",
    ' * where the only one is; BYTES: its size; of each field the index, counted from where the structure begins: in doubles if it is one,',
    ' * else in words of 32 bits.',
    ' */',
    ...structures.flatMap(({ of, name, place, fields }) => [
      `export const ${name} = {`,
      ...(place === undefined ? [] : [`  AT: ${numberOf(`${of}_AT`)},`]),
      `  BYTES: ${numberOf(`${of}_BYTES`)},`,
      ...fields.map(({ field, bytes }) => `  ${field}: ${numberOf(`${of}_${field}`) / bytes},`),
      '} as const;',
      '',
    ]),
    ...numbers.map(({ name }) => `export const ${name} = ${numberOf(`NUMBER_${name}`)};`),
    '',
  ].join('\n');
}

function sourceOf(file: string): string {
  return readFileSync(resolve(import.meta.dirname, `${file}.ts`), 'utf8');
}

/** The fields of a class, those of its base first; `bytes` is the size of the elements that its index counts. */
function fieldsOf(source: string, name: string): readonly { readonly field: string; readonly bytes: 4 | 8 }[] {
  const found = new RegExp(`class ${name}(?: extends (\\w+))? \\{\\n(.*?)\\n\\}`, 's').exec(source);
  if (found === null) throw new Error(`there is no class ${name}`);
  const [, base, body] = found;
  const own = [...body.matchAll(/^ {2}(\w+): (\w+);$/gm)];
  return [
    ...(base === undefined ? [] : fieldsOf(source, base)),
    ...own.map(([, field, type]) => ({ field, bytes: type === 'f64' ? (8 as const) : (4 as const) })),
  ];
}

async function fromText(source: Compiled): Promise<Uint8Array> {
  const { default: wabt } = await import('wabt');
  const { parseWat } = await wabt();
  const parsed = parseWat(source, readFileSync(resolve(import.meta.dirname, source), 'utf8'));
  const { buffer } = parsed.toBinary({});
  parsed.destroy();
  return buffer;
}

async function fromTypeScript(
  source: Compiled,
  { changed = new Map(), isChecked = false }: Difference,
): Promise<Uint8Array> {
  const { default: asc } = await import('assemblyscript/asc');
  let code: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      source,
      '--baseDir',
      import.meta.dirname,
      '--outFile',
      'code',
      ...(isChecked ? ['-O0'] : ['-O3', '--noAssert']),
      ...OPTIONS,
    ],
    {
      readFile: (name, baseDir) => {
        const path = resolve(baseDir, name);
        return (
          changed.get(relative(import.meta.dirname, path)) ?? (existsSync(path) ? readFileSync(path, 'utf8') : null)
        );
      },
      writeFile: (_, contents) => {
        if (typeof contents !== 'string') code = contents;
      },
    },
  );
  if (error !== null || code === undefined) throw new Error(`${source} does not compile:\n${stderr.toString()}`);
  return isChecked ? code : await inlined(code);
}

/**
 * Inlines more than AssemblyScript's optimizer does (whose limits are 12, 70 and 200). The join calls small functions for each field, and
 * V8 in Node.js 20 inlines no WebAssembly. The module is twice as large and takes a sixth less time.
 */
async function inlined(code: Uint8Array): Promise<Uint8Array> {
  const { default: binaryen } = await import('assemblyscript/binaryen');
  const module = binaryen.readBinary(code);
  const { SIMD128, BulkMemory, BulkMemoryOpt, MutableGlobals, SignExt, NontrappingFPToInt } = binaryen.Features;
  module.setFeatures(SIMD128 | BulkMemory | BulkMemoryOpt | MutableGlobals | SignExt | NontrappingFPToInt);
  binaryen.setOptimizeLevel(4);
  binaryen.setShrinkLevel(0);
  binaryen.setAlwaysInlineMaxSize(20);
  binaryen.setFlexibleInlineMaxSize(200);
  binaryen.setOneCallerInlineMaxSize(100_000);
  // Inlining in the first round makes more functions small enough for the second.
  for (let round = 0; round < 2; round++) module.optimize();
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

async function write(source: Source): Promise<void> {
  const text = carrier(source, await compiled(source));
  writeFileSync(resolve(SRC, MODULES[source].file), text);
}

/** Compiles all modules and writes them into the sources. The engine comes last, because it records the digest of its sources. */
export async function compileAll(): Promise<void> {
  writeFileSync(resolve(SRC, LAYOUT_FILE), await layout());
  await write('lz4-block.wat');
  await write('crc32c.wat');
  await write('engine/engine.ts');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compileAll();
